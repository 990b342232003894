"""A chapter on a phone: something to see or to do all the way, code that breaks and folds as a person would, a page that stands still."""

import re

import pytest
from browsing import ROOT, lay_out_whole, two_frames
from code_lines import in_parts, lines_of
from kept_together import kept
from section_heights import Sections, with_heights

LONGEST = 4000  # px without a picture, a table, something to do or to open
SEEN = "figure, img, .svg-figure, .course-plot, table, details, .quiz, .drills, live-model, .live-figure, .course-here, .chapter-card, .code-more, dl"
STEMS = sorted(path.stem for path in (ROOT / "chapters").glob("*.md"))
SAMPLE = {"masking", "efficient_attention"}

STRETCHES = """([seen, longest]) => {
  const article = document.querySelector(".bd-article");
  const place = (e) => [e.getBoundingClientRect().top + scrollY, e.getBoundingClientRect().bottom + scrollY];
  const [top, bottom] = place(article);
  const places = [...article.querySelectorAll(seen)].filter((e) => e.checkVisibility()).map(place).sort(([a], [b]) => a - b);
  const stretches = [];
  let at = top;
  for (const [from, to] of [...places, [bottom, bottom]]) {
    if (from - at > longest) stretches.push([Math.round(at), Math.round(from - at)]);
    at = Math.max(at, to);
  }
  return stretches;
}"""
# Words of drawings that are smaller than 10 px; a plot's panels are shown by themselves
SMALL = """() => [...document.querySelectorAll(".bd-article svg :is(text, tspan)")].filter((e) => {
  if (!e.textContent.trim() || (e.matches("text") && e.querySelector("tspan"))) return false;
  const panels = [...(e.closest(".course-plot-split")?.querySelectorAll(".course-plot-panels > svg") ?? [])];
  const drawings = panels.length ? panels : [e];
  if (!drawings[0].checkVisibility()) return false;
  const scale = Math.min(...drawings.map((drawing) => { const { a, b } = drawing.getScreenCTM(); return Math.hypot(a, b); }));
  return parseFloat(getComputedStyle(e).fontSize) * scale < 9.95;
}).map((e) => e.textContent)"""
# Words of a legend that the plot's edge cuts
CUT = """() => [...document.querySelectorAll(".bd-article .plot-legend text")].filter((e) => {
  const { left, right, width } = e.closest("svg").getBoundingClientRect();
  const word = e.getBoundingClientRect();
  return width && (word.right > right + 3 || word.left < left - 3);
}).map((e) => e.textContent)"""
# Lines that begin with what is written to a formula or to short code
TORN = """() => [...document.querySelectorAll(".bd-article :is(math, code)")].filter((e) => {
  if (e.closest("pre, div.math") || !e.checkVisibility() || e.textContent.length > (e.localName === "code" ? 24 : 216)) return false;
  const next = e.nextSibling;
  if (next?.nodeType !== Node.TEXT_NODE || !/^\\S/.test(next.data)) return false;
  const range = document.createRange();
  range.setStart(next, 0);
  range.setEnd(next, 1);
  const [first] = range.getClientRects();
  return first && first.top >= [...e.getClientRects()].at(-1).bottom - 2;
}).map((e) => e.textContent + e.nextSibling.data.slice(0, 5))"""
# Where a line of code goes on below itself, and what stands on both sides of the break
# Lines of code that begin elsewhere than others of their block that are as far in, or no further right than one less far in
OUT_OF_SHAPE = """() => [...document.querySelectorAll("pre.code-lines")].filter((e) => e.checkVisibility()).flatMap((pre) => {
  const nodes = [], walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const left = (at) => {
    const node = nodes.find((node) => (at -= node.length) < 0);
    range.setStart(node, node.length + at);
    range.setEnd(node, node.length + at + 1);
    return range.getBoundingClientRect().left;
  };
  let start = 0;
  const lines = pre.textContent.split("\\n").flatMap((text) => {
    const indent = text.search(/\\S/), begins = start + indent;
    start += text.length + 1;
    return indent < 0 ? [] : [{ text, indent, left: left(begins) }];
  });
  lines.sort((one, other) => one.indent - other.indent);
  return lines.filter((line, k) => {
    const before = lines[k - 1] ?? line, further = line.left - before.left;
    return line.indent > before.indent ? further < 1 : Math.abs(further) > 1;
  }).map((line) => line.text);
})"""
BREAKS = """() => {
  const range = document.createRange(), breaks = [];
  for (const line of document.querySelectorAll(".code-line:has(.code-part)")) {
    if (!line.checkVisibility()) continue;
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let before = null, text = "";
    for (let node; (node = walker.nextNode()); ) {
      for (let k = 0; k < node.length; k++) {
        range.setStart(node, k);
        range.setEnd(node, k + 1);
        const { top, width } = range.getBoundingClientRect();
        if (before !== null && width && top > before + 4) breaks.push([text.slice(-12), node.data.slice(k, k + 12)]);
        if (width) before = top;
        text += node.data[k];
      }
    }
  }
  return breaks;
}"""


def chapters(*, but=()):
    return [
        pytest.param(stem, marks=[] if stem in SAMPLE else pytest.mark.exhaustive)
        for stem in STEMS
        if stem not in but
    ]


@pytest.fixture
def phone(visit, book_url):
    def phone(stem: str):
        page = visit(f"{book_url}/chapters/{stem}.html", 390, has_touch=True, is_mobile=True)
        page.guessed = page.evaluate("document.documentElement.scrollHeight")
        lay_out_whole(page)
        return page

    return phone


@pytest.mark.parametrize("stem", chapters())
def test_a_chapter_has_no_desert_and_no_wall_of_code(phone, stem):
    page = phone(stem)
    assert page.evaluate(STRETCHES, [SEEN, LONGEST]) == []
    blocks = page.locator(".bd-article div.highlight:visible:not(.cell_output *)")
    tall = "e => e.textContent.trimEnd().split('\\n').length > 15 && e.offsetHeight > 260 && !e.closest('.long-code')"
    assert [block for block in blocks.all() if block.evaluate(tall)] == []
    overflowing = "[...document.querySelectorAll('.bd-article .cell_output pre')].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth)"
    unsaid = f"{overflowing}.filter((e) => !e.nextElementSibling?.matches('.scroll-hint')).length"
    page.wait_for_function(f"{unsaid} === 0")
    assert page.problems == []


@pytest.mark.parametrize("stem", chapters(but={"glossary", "notation", "sheet", "review"}))
def test_a_page_is_as_long_as_it_says(phone, stem):
    page = phone(stem)
    assert page.guessed == pytest.approx(page.evaluate("document.documentElement.scrollHeight"), rel=0.25)


@pytest.mark.parametrize("stem", chapters())
def test_words_in_drawings_are_legible_and_no_line_begins_with_a_particle(phone, stem):
    page = phone(stem)
    page.evaluate("for (const fold of document.querySelectorAll('article details')) fold.open = true")
    assert page.evaluate(SMALL) == []
    assert page.evaluate(CUT) == []
    assert page.evaluate(TORN) == []


@pytest.mark.parametrize("stem", chapters())
def test_code_breaks_between_terms_and_keeps_its_shape(phone, stem):
    """No name, number or sign of two is torn, but those that are wider than the screen; what is further in stays so."""
    page = phone(stem)
    assert page.evaluate(OUT_OF_SHAPE) == []
    breaks = page.evaluate(BREAKS)
    torn = [pair for pair in breaks if pair[0][-1:].isidentifier() and pair[1][:1].isidentifier()]
    assert len(torn) <= 0.02 * len(breaks), torn


def test_long_code_opens_at_a_touch_and_for_what_leads_to_it(phone):
    page = phone("masking")
    code = page.locator(".code-tall").first
    height = code.evaluate("e => e.offsetHeight")
    more = page.locator(".code-tall + .code-more").first
    lines = code.evaluate("e => e.textContent.trimEnd().split('\\n').length")
    assert more.inner_text() == f"코드 {lines}줄 모두 보기"
    more.tap()
    first = page.locator("div.highlight:has(> pre)").filter(has_text=code.inner_text()[:30])
    assert first.count() and page.locator(".code-tall").count() < 99
    block = page.locator(".code-tall").first
    name = block.evaluate("e => e.closest('[id]').id")
    count = page.locator(".code-tall").count()
    page.evaluate("name => (location.hash = name)", name)
    page.wait_for_function("count => document.querySelectorAll('.code-tall').length < count", arg=count)
    assert height < 260


def test_on_a_desk_code_is_whole(visit, book_url):
    page = visit(f"{book_url}/chapters/masking.html", 1280)
    assert page.locator(".code-tall").count() > 0
    assert not page.locator(".code-more").first.is_visible()
    assert page.locator(".code-tall").first.evaluate("e => e.scrollHeight <= e.offsetHeight + 1")


def test_the_contents_follow_the_reader(visit, book_url):
    page = visit(f"{book_url}/chapters/masking.html", 1280)
    lay_out_whole(page)
    for part in (0.1, 0.35, 0.6, 0.85, 0.5):
        page.evaluate(
            "part => scrollTo({ top: part * document.documentElement.scrollHeight, behavior: 'instant' })",
            part,
        )
        two_frames(page)
        marked = page.locator("#pst-page-toc-nav a[aria-current]").get_attribute("href")
        listed = "[...document.querySelectorAll('#pst-page-toc-nav a')].map((link) => link.getAttribute('href').slice(1))"
        passed = f"{listed}.filter((id) => document.getElementById(id).closest('section').getBoundingClientRect().top < innerHeight / 3)"
        assert marked == "#" + page.evaluate(f"{passed}.at(-1)")


def test_a_line_of_code_is_cut_at_its_outermost_commas():
    long = '<span class="n">x</span> <span class="o">=</span> <span class="n">attention_of_a_sentence</span><span class="p">(</span><span class="n">queries_and_keys</span><span class="p">,</span> <span class="n">values</span><span class="p">,</span> <span class="n">mask</span><span class="p">)</span>\n'
    parts = in_parts(long)
    assert '<span class="code-part"><span class="n">values</span><span class="p">,</span></span> ' in parts
    assert '<span class="code-part code-wide"><span class="code-part"><span class="n">x</span>' in parts
    assert re.sub("<[^>]*>", "", parts) == re.sub("<[^>]*>", "", long)
    short = '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>\n'
    assert in_parts(short) == short
    assert "--indent:4" in lines_of("    " + "y" * 40 + "\n")


def test_what_stands_below_an_open_bracket_goes_on_there():
    code = [
        'ways = {"float32": None, "8 bits": (8, 0), "4 bits": 4,',
        '        "4 bits, in a channel of its own": (4, None), "2": 2}',
        "x = f(at(queries, keys_that_are_long_enough,",
        "         values_that_are_wide_enough_to_wrap)) + more",
        "sizes = {",
        '    "a": ViTConfig(1280, 32, 16, 5120, patch_size=14),',
    ]
    assert re.findall(r"--indent:(\d+)", lines_of("\n".join(code))) == ["6", "6", "0", "9", "4"]


def test_a_section_is_taller_the_more_it_holds():
    body = "<section id='a'><h1>A</h1><section id='b'><p>{}</p></section><section id='c'><h2>C</h2><details><summary>d</summary><pre>{}</pre></details></section></section>"
    (less, fold), (more, same) = (Sections(body.format("가" * n, "x\n" * n)).heights for n in (10, 1000))
    assert more[0] > 10 * less[0] and more[0] > more[1]
    assert fold == same
    assert with_heights(body).count("style=") == 2
    [still], [live] = (
        Sections(f"<section><section>{figure}</section></section>").heights
        for figure in ("<svg></svg>", "<course-gauge><svg></svg></course-gauge>")
    )
    assert live > still, "a figure that answers has controls"


def test_what_is_written_to_a_formula_or_code_stays_with_it():
    short, long = "<code class='a'>f(x)</code>", f"<code>{'x' * 40}</code>"
    formula = f"<math>{'<mi>x</mi>' * 36}</math>이고,"
    assert kept(formula) == f'<span class="kept">{formula}</span>'
    assert kept(f"(<math>x</math>)는 {short}로 {short} {long}는") == (
        f'<span class="kept">(<math>x</math>)는</span> <span class="kept">{short}로</span> {short} {long}는'
    )
    assert kept('<math display="block">x</math>.') == '<math display="block">x</math>.'
