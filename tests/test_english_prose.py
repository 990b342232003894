"""What a translator writes and a native author would not: patterns that were mended everywhere, and may not come back."""

import re

import pytest
from pybtex.database import parse_file

from grader.exercise import ROOT
from grader.translation.catalogue import LOCALE, Catalogue

SEVERAL = "|".join(
    re.escape(key)
    for key, entry in parse_file(str(ROOT / "references.bib")).entries.items()
    if len(entry.persons.get("author", ())) > 1
)
# "Hu et al. [2022] freezes": as a sentence's subject, several authors are plural; "the ELMo of Peters et al. [2018] is" is not.
CITED = rf"(?:^|[.:;] |\*\* )\{{cite:t\}}`(?:{SEVERAL})`(?: also| first| later)? (?!this\b)[a-z]*[a-rt-z]s\b"
CALQUES = {
    "plural citations with a singular verb": CITED,
    "attention counted, where a layer, a head or a method is": r"\battentions\b",
    "half-key for sub-key": r"\b[Hh]alf-keys?\b(?!\.$)",
    "log-sum for log-sum-exp": r"\blog-sums?\b(?!-exp)",
    "learning model for policy": r"\bthe learning model\b",
    "sink to 0 for underflow": r"\bsinks? to 0\b",
    "divided or normalised again for renormalised": r"\b[Dd]ivid(?:ed|ing) (?:by its sum )?again\b|\bdivide again\b|\bnormalis(?:e|ed|ing) again\b",
    "grouped queries for grouped-query attention": r"\b[Gg]rouped queries\b",
    "along a curve for nonlinear": r"\balong a curve\b",
    "on the way for what lies in between": r"\b(?:vectors|read|arises|cut \w+|cut it) on the way\b",
    "switch off for ablate": r"\b[Ss]witch(?:ed|ing)? off (?:the )?heads?\b|\bheads? (?:is|are) switched off\b",
    "kind of token for token type": r"\b[Kk]inds? of tokens?\b",
    "loss of a blank for loss on a blank": r"\bloss of (?:a|one|unseen) blanks?\b",
    "language-model loss for language-modelling loss": r"\b[Ll]anguage-model loss\b|\bloss of the language model\b",
    "learned, of a model or text, for trained": r"\blearned for (?:only \d|much longer)|\bunlearned\b|\bsentences it has not learned\b",
    "pictures for learning for training pictures": r"\b(?:sentences?|pictures?|images?) for learning\b|\bfor learning nor for\b",
    "of a year for dating from it": r"\b(?:idea|paper|ideas|papers) (?:is|are) of (?:19|20)\d\d\b",
    "who knows for anyone who knows": r"(?:^|[.:;] |\b[Bb]ut )[Ww]ho (?:compares|knows|wants|needs|uses|reads) [^?]*[.;]",
    "no person for nobody": r"\bNo person\b",
    "photographs of side n": r"\bphotographs? of side\b",
    "the box's first text that stands there": r"\bthat stands there first\b",
    "switch on for fire": r"\b[Nn]eurons?\b[^.]{0,40}\bswitch(?:es)? on\b",
    "redraw for rewrite": r"\b[Rr]edraw(?:s|n|ings?)?\b",
    "stand to one another for compare": r"\bstands? to one another\b",
    "of 2017 for the year before its noun": r"\b(?:layer|model) of 2017\b",
    "empty for zero, of gradients": r"\bempty(?:ing|ied|ies)? (?:it with|the gradients|`grad`)|\bempties it with",
    "take out for remove, of a model's parts": r"\bparts? taken out\b|\b[Tt]ake (?:out one|its parts out)\b",
    "a code, where an implementation is": r"\b(?:one|another|this) code (?:reports|returns)\b|\bcodes with\b",
    "by the token for per token": r"\bBy the token\b|\bloss(?:es)? by the token\b",
    "must stand between for has to go between": r"\bmust (?:stand|there be) between\b",
    "divide away for divide out": r"\bdivides? the size of the gradient away\b",
    "what stands side by side for what the heads found": r"\bwhat stands side by side\b",
    "anew for again, afresh or from scratch": r"\b[Aa]new\b",
    "initial values for initialisation": r"\b[Ii]nitial values\b",
    "unroll for up-project": r"\b[Uu]nroll\w* (?:the )?(?:keys|values|latents?)\b|\b(?:keys|values|latents?)[^.]{0,20} unrolled\b",
    "piece by piece for tile by tile": r"\b[Pp]iece by piece\b",
    "one and the same": r"\bone and the same\b",
    "two forms of one heading of doubt": r"\bIs that really so\?",
    "another than for different from": r"\banother (?:dtype|device|error|form|function|way|axis) than\b",
    "in each other's place for swapped": r"\bin each other's place\b|\bYou exchanged\b",
    "stop for crash or raise": r"\bstops with an error\b|\b[Oo]n a GPU (?:it|this) stops\b",
    "two names of the causal mask": r"(?<!called the )(?<!called )\b[Ll]ook-ahead masks?\b",
    "a whole question put before its verb": r", we test \{ref\}`|, we measure in an\b",
}
NAMES = sorted(str(path.relative_to(LOCALE / "en").with_suffix("")) for path in (LOCALE / "en").rglob("*.po"))


@pytest.fixture(scope="module")
def sentences():
    return [
        (name, m.string)
        for name in NAMES
        for m in Catalogue("en", name).messages
        if isinstance(m.string, str)
    ]


@pytest.mark.parametrize("pattern", CALQUES.values(), ids=CALQUES)
def test_what_was_mended_does_not_come_back(sentences, pattern):
    found = [
        (name, said[max(0, m.start() - 30) : m.end() + 30])
        for name, said in sentences
        for m in re.finditer(pattern, said)
    ]
    assert found == []


def test_a_fault_is_seen_and_what_is_right_is_not():
    for wrong in (
        "{cite:t}`hu2022lora` freezes the matrix.",
        "It is so. {cite:t}`hu2022lora` also reports that.",
    ):
        assert re.search(CITED, wrong), wrong
    for right in (
        "{cite:t}`hu2022lora` report this.",
        "The adapter of {cite:t}`hu2022lora` is small.",
        "Section 2 of {cite:t}`hu2022lora` shows it.",
    ):
        assert not re.search(CITED, right), right
