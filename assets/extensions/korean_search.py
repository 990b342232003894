"""Full-text search for Korean.

Sphinx splits text at spaces, but a Korean word carries its particles: a page that says "어텐션은" would not be
found by "어텐션". Here a run of Hangul is indexed as its overlapping pairs of syllables (어텐, 텐션, 션은), so a
query matches wherever its own pairs occur. The first syllable is indexed too, for words of one syllable (값).
"""

import re

from sphinx.search import SearchLanguage

HANGUL_OR_WORD = re.compile(r"[가-힣]+|[^\W가-힣]+")


def split(text: str) -> list[str]:
    """Index terms of a text: pairs of syllables for Hangul, whole words for everything else."""
    terms = []
    for run in HANGUL_OR_WORD.findall(text):
        if "가" <= run[0] <= "힣":
            terms.append(run[0])
            terms += [run[i : i + 2] for i in range(len(run) - 1)]
        else:
            terms.append(run)
    return terms


# A query's trailing particle is dropped, so that 어텐션을 finds 어텐션은; one syllable alone stays as it is.
SPLIT_QUERY = r"""
const PARTICLE = /(에서|으로|까지|부터|에게|보다|처럼|은|는|이|가|을|를|의|에|와|과|로|도|만)$/;

function queryWords(query) {
  return (query.match(/[가-힣]+|(?:(?![가-힣])[\p{L}\p{N}_])+/gu) || []).map((word) => {
    const bare = /^[가-힣]/.test(word) ? word.replace(PARTICLE, "") : word;
    return bare.length >= 2 ? bare : word;
  });
}

function splitQuery(query) {
  return queryWords(query).flatMap((word) => {
    if (!/^[가-힣]/.test(word) || word.length === 1) return [word];
    return Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2));
  });
}

// A page opened from disk may not read the others to quote from them.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Highlight the words that were asked for, not their pairs of syllables.
const parseQuery = Search._parseQuery;
Search._parseQuery = (query) => {
  const parsed = parseQuery(query);
  const words = queryWords(query.toLowerCase());
  localStorage.setItem("sphinx_highlight_terms", words.join(" "));
  parsed[3] = new Set(words);
  return parsed;
};

// One line for each heading: the last of the results is the best, and the glossary answers many times.
const performSearch = Search._performSearch;
Search._performSearch = (...terms) => {
  const best = new Map();
  for (const result of performSearch(...terms)) {
    const place = `${result[0]} ${result[1]}`;
    best.delete(place);
    best.set(place, result);
  }
  return [...best.values()];
};
"""


class SearchKorean(SearchLanguage):
    lang = "ko"
    language_name = "Korean"
    js_splitter_code = SPLIT_QUERY

    def split(self, input: str) -> list[str]:
        return split(input)

    def word_filter(self, word: str) -> bool:
        return bool(word)


def setup(app):
    app.add_search_language(SearchKorean)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
