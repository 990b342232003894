"""The search of the book: its index, made from the pages as they are written, and the page that shows results.

The index is the book's own text, block by block, and a query is looked for *in* it: in Korean, spacing is free (잔차
연결, 잔차연결) and a word carries particles or stands inside another. Pagefind cannot be opened from disk (it fetches
WebAssembly); MiniSearch, Orama and FlexSearch look up whole words or their beginnings, so each would need our
spacing, particles, other names and typing errors around it, and the text beside its index to quote from. Looking
through all 800,000 characters takes milliseconds. assets/static/search does that; Sphinx's own index is not made.

A block gets an id (p1, p2, ...), to which a result leads.

Who does not know a page's words yet asks for it in others. Those stand beside the chapters, in asked/STEM.txt, a line
for each way of asking, its phrases between commas; how much each piece of their words tells has been learned
(assets/learn_asked.py). What has no Hangul in it is asked in the English edition. A line that begins with "*" lists names
and error messages, which a reader of either edition types.
"""

import builtins
import hashlib
import json
import keyword
import posixpath
import re
from pathlib import Path

from docutils import nodes
from quiz import quiz_explanation
from sphinx import addnodes

INDEX = "search_index.js"
TEXT, CODE, ELSEWHERE = "123"  # kinds of blocks, in engine.js too; ELSEWHERE: what to read, a list of papers
SHOWN = {"cell_output", "so-far-shown"}  # what cells have put out, and the table of the model that grows
UNSEEN = (
    addnodes.toctree,
    addnodes.compact_paragraph,
    nodes.raw,
    nodes.image,
    nodes.math_block,
    nodes.system_message,
    nodes.comment,
    quiz_explanation,  # hidden until the quiz is answered
)
NAME = re.compile(r"[A-Za-z_][\w.]+\w")
PYTHONS_OWN = {*dir(builtins), *keyword.kwlist, "self", "torch"}  # in every listing, and looked for in none
# Whose names are whole as they are called: nn.LayerNorm is not F.layer_norm. Of scores.softmax only softmax is sought.
LIBRARIES = {"F", "Path", "json", "math", "nn", "np", "optim", "torch"}
# How a picture is drawn, what is printed or set up, what a task leaves to be written
UNSOUGHT = re.compile(
    r"(?:axe?s?|axis|fig|figure|plt)(?:\[[^\]]*\])?\.|print\(|# TODO|raise NotImplementedError|super\("
    r"|style\(\)|torch\.set_|\w+,$|(?:\w+, )+\w+,?$"
)
HANGUL = re.compile("[가-힣]")
TYPED = "* "
ASKED_WORD = re.compile(r"[a-z0-9_.+-]*[a-z0-9]|[가-힣]+|[α-ω]+")  # asked.js divides a query so
MORE_OF_A_DOCSTRING = re.compile(r'("""[^"\n]+)\n.*?"""', re.DOTALL)
COMMENT = re.compile(r"(?:^|  )# .*$", re.MULTILINE)
STRING = re.compile(r"""(?<!")"(?!")[^"]*"|'[^']*'""")  # no docstring
FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
SYMBOL = re.compile(r"\\([a-zA-Z]+)")
SYMBOLS = {
    "infty": "∞",
    "cdot": "·",
    "times": "×",
    "sqrt": "√",
    "le": "≤",
    "ge": "≥",
    "in": "∈",
    "to": "→",
    "alpha": "α",
}
SYMBOLS |= {
    "beta": "β",
    "gamma": "γ",
    "epsilon": "ε",
    "eta": "η",
    "theta": "θ",
    "lambda": "λ",
    "mu": "μ",
    "sigma": "σ",
}
SPOKEN = {"exp", "log", "max", "min", "cos", "sin", "tanh"}
# 인과 마스크(causal mask)라고도 합니다; BPE라고 씁니다; Also called causal mask: a definition gives another name
ALSO = re.compile(
    r"(?:^|[.,] )([\w·]+?(?: [\w·]+?)?)(?:\(([\w -]+)\))?(?:이?라고)도? (?:합니다|씁니다)"
    r"|(?:Also (?:called|written)|Abbreviated) (?:(?:a|an|the) )?([\w –-]+?)[.,]"
)


def words(node) -> str:
    """The text of a node as a reader sees it, formulas in plain letters."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return plain_formula(node.astext())
    if isinstance(node, UNSEEN):
        return ""
    space = "" if isinstance(node, (nodes.TextElement, nodes.Inline)) else " "
    return " ".join(space.join(map(words, node.children)).split())


def plain_formula(latex: str) -> str:
    """A formula in letters, as far as a line of text can be one: enough to recognise it, and to find its names (d_k)."""
    named = SYMBOL.sub(
        lambda symbol: SYMBOLS.get(symbol[1], symbol[1] if symbol[1] in SPOKEN else ""),
        FRACTION.sub(r"\1/\2", latex),
    )
    return re.sub(r"[{}\\]", "", named)


def sought(name: str) -> str:
    """The part of a name in the code that a reader looks for."""
    return name if name.partition(".")[0] in LIBRARIES else name.rpartition(".")[2]


class Page:
    """A page in the index: a title, sections of text, and the terms that it defines."""

    def __init__(self, docname: str, doctree, language: str):
        self.docname = docname
        # In the English edition other words of the code are sought too, comments among them
        self.names_alone = language == "ko"
        self.sections = []  # (title, id, blocks); a block is its kind and its text
        self.terms = []
        self.blocks = 0
        self.names = set()
        self.read(doctree)
        for section in self.sections:  # what recommends books and papers is as little an answer as their list
            if any(kind == ELSEWHERE for kind, _ in section[2]):
                section[2][:] = [(ELSEWHERE if kind == TEXT else kind, text) for kind, text in section[2]]

    def read(self, node) -> None:
        for child in filter(lambda child: isinstance(child, nodes.Element), node.children):
            if isinstance(child, nodes.section):
                self.sections.append((words(child[0]), child["ids"][0], []))
                self.read(child)
            elif isinstance(child, (nodes.title, *UNSEEN)) or not SHOWN.isdisjoint(child.get("classes", ())):
                continue
            elif isinstance(child, nodes.definition_list_item) and "glossary" in node["classes"]:
                self.read_term(child)
            elif isinstance(child, nodes.literal_block):
                self.add_code(child)
            elif isinstance(child, (nodes.paragraph, nodes.row, nodes.figure)):
                self.add(child, TEXT, words(child))
            elif isinstance(child, nodes.citation):
                self.add(child, ELSEWHERE, words(child))
            else:
                self.read(child)

    def add(self, node, kind: str, text: str) -> None:
        if (text or kind == CODE) and self.sections:
            self.blocks += 1
            node["ids"].append(f"p{self.blocks}")
            self.sections[-1][2].append((kind, text))

    def add_code(self, node) -> None:
        """Add the lines that use a name for the first time in the page: half of the code, and every name is found.

        What a program prints is no name, and Python's own are none to look for; of a docstring its first line counts.
        A listing without any is empty: blocks have the same numbers in all editions.
        """
        kept = []
        code = MORE_OF_A_DOCSTRING.sub(r'\1"""', node.astext())
        if self.names_alone:
            code = COMMENT.sub("", code)
        for line in map(str.strip, code.splitlines()):
            if UNSOUGHT.match(line):
                continue
            names = NAME.findall(STRING.sub("", line))
            names = {sought(name) if self.names_alone else name for name in names} - self.names - PYTHONS_OWN
            if line.startswith(("def ", "class ")) or (names and not line.startswith(("import ", "from "))):
                self.names |= names
                kept.append(line)
        self.add(node, CODE, "\n".join(kept))

    def read_term(self, item) -> None:
        *names, definition = item.children
        names = [name for name in names if isinstance(name, nodes.term)]
        first, *rest = definition.children
        english = first[0] if isinstance(first[0], nodes.emphasis) else None  # in the Korean book
        text = words(first).partition(" →")[0]
        also = [name for match in ALSO.finditer(text) for name in match.groups() if name]
        unused = [name for line in rest for name in words(line).partition(": ")[2].rstrip(".").split(", ")]
        self.sections.append((", ".join(map(words, names)), names[0]["ids"][0], []))
        self.add(first, TEXT, text)
        self.terms.append(
            {
                "names": [words(name) for name in names],
                "also": [*(words(english).split(", ") if english else []), *also],
                "unused": [name for name in unused if name],
                "section": len(self.sections) - 1,
                "home": self.taught_in(first),
            }
        )

    def taught_in(self, definition) -> str | None:
        """The page behind a definition's arrow."""
        links = [link["refuri"] for link in definition.findall(nodes.reference) if "refuri" in link]
        pages = [link for link in links if "#" not in link and "//" not in link]
        if not pages:
            return None
        return posixpath.normpath(
            posixpath.join(posixpath.dirname(self.docname), pages[-1].removesuffix(".html"))
        )


class Search:
    def __init__(self):
        self.pages = {}

    def read(self, app, doctree, docname) -> None:
        self.pages[docname] = Page(docname, doctree, app.config.language)

    def write(self, app, exception) -> None:
        if exception or app.builder.format != "html":
            return
        # what was corrected repeats what was wrong
        order = list(app.env.collect_relations())
        # Exercises say the same around their questions: side by side they compress, by a seventieth of it all
        order.sort(key=lambda name: name.startswith("exercises/"))
        for docname in order:
            if docname not in self.pages:  # it has not changed, so it was not written
                app.env.get_and_resolve_doctree(docname, app.builder)
        target = Path(app.outdir) / INDEX
        beside = target.with_suffix(".tmp")
        data = json.dumps(self.index(app, order), ensure_ascii=False, separators=(",", ":"))
        beside.write_text(f"courseSearch.index={data};\n", encoding="utf-8")
        beside.replace(target)

    def index(self, app, order: list[str]) -> dict:
        """All text in one piece, a line for each title and block, which a browser reads faster than lists of them.

        Code comes behind it: mixed they compress worse, by a tenth.
        """
        pages, terms, text, code, asked = [], [], [], [], []
        for docname in order:
            page = self.pages[docname]
            number = app.env.toc_secnumbers.get(docname, {}).get("", ())
            sections = []
            head_alone = "nosearch" in app.env.metadata[docname]  # what was mended says what is no longer so
            for title, name, blocks in page.sections[: 1 if head_alone else None]:
                text.append(title)
                for kind, words_of_it in blocks:
                    (code if kind == CODE else text).append(words_of_it)
                sections.append([name, "".join(kind for kind, _ in blocks)])
            pages.append(
                {
                    "url": app.builder.get_target_uri(docname),
                    "number": "".join(f"{part}." for part in number),
                    "sections": sections,
                }
            )
            file = Path(app.srcdir, posixpath.dirname(docname), "asked", f"{posixpath.basename(docname)}.txt")
            lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
            asked.append(asked_words(lines, app.config.language))
            for term in page.terms:
                home = order.index(term["home"]) if term["home"] in order else None
                terms.append({**term, "page": len(pages) - 1, "home": home})
        return {
            "pages": pages,
            "terms": terms,
            "text": in_lines([*text, *code, ""]),
            "asked": in_lines(asked),
            "learned": learned(order, app.config.language),
        }


def asked_words(lines: list[str], language: str) -> str:
    """The words in which a page is asked for, phrase by phrase: those of the lines in the edition's language."""
    kept = {}  # each phrase once
    for line in lines:
        if line.startswith(TYPED) or bool(HANGUL.search(line)) == (language == "ko"):
            for phrase in line.lower().split(", "):
                kept[" ".join(dict.fromkeys(ASKED_WORD.findall(phrase)))] = True
    return ",".join(sorted(filter(None, kept)))  # in their order they compress better


def learned(order: list[str], language: str) -> dict:
    """The weights of learn_asked.py, the bias page by page; a page that it does not know is as likely as most."""
    weights = Path(__file__).parents[1] / f"asked_weights.{language}.json"
    numbers = json.loads(weights.read_text(encoding="utf-8"))
    return numbers | {"bias": [numbers["bias"].get(name.removeprefix("chapters/"), 0) for name in order]}


def in_lines(blocks: list[str]) -> str:
    return "\n".join(re.sub(r"\s", " ", block) for block in blocks)


def collect_page(app):
    yield "search", {"title": app.translator.gettext("Search")}, "search.html"


def setup(app):
    # A change of this file writes all pages anew: their ids and the index go together.
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    app.add_config_value("course_search_digest", digest, "html")
    search = Search()
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))  # Sphinx's own
    app.connect("doctree-resolved", search.read, priority=900)
    app.connect("build-finished", search.write)
    app.connect("html-collect-pages", collect_page)
    app.add_js_file("search/field.js", loading_method="defer")
    app.add_css_file("search/search.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
