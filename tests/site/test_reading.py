"""What makes a page calm: a term's definition at the term, code that folds and wraps, what scrolls and says so."""

import pytest
from browsing import lay_out_whole
from code_lines import lines_of, split_lines
from long_code import LONG, WORDS, line_for

PAGE = "chapters/sample.html"


@pytest.fixture
def term_and_box(request, visit, sample_url):
    page = visit(f"{sample_url}/{PAGE}", **getattr(request, "param", {}))
    yield page.get_by_role("link", name="가중합").first, page.locator(".term-box")
    assert page.problems == []


def test_a_pointer_at_a_term_is_told_what_it_means(term_and_box):
    term, box = term_and_box
    term.hover()
    box.wait_for(state="visible")
    said = box.inner_text().split("\n")
    assert [line for line in said if line] == [
        "가중합 weighted sum",
        "벡터마다 가중치를 곱해 더한 것입니다.",
        "용어집에서 보기",
    ]
    box.hover()  # it stays for who goes to it
    term.page.wait_for_timeout(400)
    assert box.is_visible()
    term.page.keyboard.press("Escape")
    assert not box.is_visible()


def test_the_keyboard_at_a_term_is_told_what_it_means(term_and_box):
    term, box = term_and_box
    while not term.evaluate("node => node === document.activeElement"):
        term.page.keyboard.press("Tab")
    box.wait_for(state="visible")
    assert term.get_attribute("aria-describedby") == box.get_attribute("id")
    term.page.keyboard.press("Escape")
    assert not box.is_visible() and term.get_attribute("aria-describedby") is None


@pytest.mark.parametrize(
    "term_and_box", [{"width": 390, "has_touch": True, "is_mobile": True}], indirect=True
)
def test_a_finger_is_told_first_and_led_second(term_and_box):
    term, box = term_and_box
    term.tap()
    box.wait_for(state="visible")
    assert term.page.url.endswith(PAGE)
    term.page.get_by_role("heading", level=1).tap()
    assert not box.is_visible()
    term.tap()
    box.wait_for(state="visible")
    term.tap()
    term.page.wait_for_url("**/chapters/index.html#*")


def test_a_term_is_explained_from_disk(visit, sample_book):
    page = visit((sample_book / PAGE).as_uri())
    page.get_by_role("link", name="가중합").first.hover()
    page.locator(".term-box").wait_for(state="visible")
    assert page.problems == []


@pytest.fixture
def citation_and_box(visit, sample_book):
    page = visit((sample_book / PAGE).as_uri())  # from disk: nothing is fetched
    yield page.locator(".bibtex-citation a").first, page.locator(".term-box")
    assert page.problems == []


def test_a_pointer_at_a_citation_is_told_what_is_cited(citation_and_box):
    link, box = citation_and_box
    assert link.get_attribute("title") is None  # not told twice
    link.hover()
    box.wait_for(state="visible")
    said = box.inner_text()
    assert said.startswith("Ashish Vaswani") and "Attention is all you need" in said and "2017" in said
    assert said.endswith("참고 문헌에서 보기")
    assert box.locator("p").first.get_attribute("lang") == "en"
    box.get_by_text("참고 문헌에서 보기").click()
    assert link.page.url.endswith(link.get_attribute("href"))


def test_the_keyboard_at_a_citation_is_told_what_is_cited(citation_and_box):
    link, box = citation_and_box
    while not link.evaluate("node => node === document.activeElement"):
        link.page.keyboard.press("Tab")
    box.wait_for(state="visible")
    assert link.get_attribute("aria-describedby") == box.get_attribute("id")
    assert "2017" in box.inner_text()
    assert box.locator("a").evaluate_all("links => links.map(a => a.tabIndex)") == [
        -1,
        -1,
    ]  # no stops of their own
    link.page.keyboard.press("Tab")
    assert not box.is_visible()


def test_a_citation_is_explained_in_english(english_book, visit):
    page = visit((english_book / "chapters" / "adaptive_span.html").as_uri())
    page.locator(".bibtex-citation a", has_text="Sukhbaatar").first.hover()
    page.locator(".term-box").wait_for(state="visible")
    said = page.locator(".term-box").inner_text()
    assert said.startswith("Sainbayar Sukhbaatar") and said.endswith("See the references")
    assert page.problems == []


def test_code_wraps_under_itself_on_a_phone_and_is_copied_as_it_was(visit, sample_url):
    page = visit(f"{sample_url}/{PAGE}", width=390)
    cut = "[...document.querySelectorAll('pre.code-lines')].filter(pre => pre.scrollWidth > pre.clientWidth)"
    assert page.evaluate(f"{cut}.length") == 0
    block = page.locator("pre.code-lines").nth(1)
    source = block.text_content()
    assert source.startswith('words = ["나는", "집에", "간다"]\nweights = torch.softmax(')
    tops = block.locator(".code-line").first.evaluate(
        "line => { const range = document.createRange(); range.selectNodeContents(line);"
        " return [...range.getClientRects()].map(box => Math.round(box.left)); }"
    )
    assert max(tops) > min(tops)


@pytest.mark.parametrize("clipboard", [True, False], ids=["https", "http"])
def test_a_button_copies_the_code(browser, sample_url, clipboard):
    context = browser.new_context(permissions=["clipboard-write"])
    page = context.new_page()
    if not clipboard:
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(f"{sample_url}/{PAGE}")
    code = page.locator("pre.code-lines").nth(1)
    code.hover()
    button = code.locator("xpath=following-sibling::button")
    button.click()
    page.wait_for_function("button => button.ariaLabel === '복사했습니다'", arg=button.element_handle())
    page.evaluate("document.body.prepend(document.createElement('textarea'))")
    page.locator("textarea").first.focus()
    page.keyboard.press("Control+v")
    assert page.locator("textarea").first.input_value() == code.text_content()
    context.close()


COPIED = [
    ("div.math", "softmax((QK^⊤)/(√(d_k)))V, Q ∈ ℝ^(n_q×d_k), K ∈ ℝ^(n_k×d_k), V ∈ ℝ^(n_k×d_v)"),
    (".quiz-question", "QK^⊤의 모양은 무엇입니까?"),
    (
        "table.table tbody tr",
        "Q\n\n(batch, heads, n_q, d_k)\n\n질의를 모은 텐서입니다. 열이 넓은 표는 스스로 옆으로 움직입니다.",
    ),
]


def test_a_formula_is_copied_as_one_would_type_it(browser, sample_url):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{sample_url}/{PAGE}")
    looks = "[...document.querySelectorAll('math')].map(formula => formula.outerHTML).join()"
    before = page.evaluate(looks)
    for selector, line in COPIED:
        page.locator(selector).first.evaluate("e => getSelection().selectAllChildren(e)")
        page.keyboard.press("Control+c")
        text = page.wait_for_function("navigator.clipboard.readText()").json_value()
        assert text.replace("\u200b", "").strip() == line
        kept = (
            "navigator.clipboard.read().then(([one]) => one.getType('text/html')).then(blob => blob.text())"
        )
        assert "<math" in page.evaluate(kept)
    assert page.evaluate(looks) == before
    inside = "e => getSelection().setBaseAndExtent(e.querySelector('mi').firstChild, 0, e.querySelector('mi').firstChild, 1)"
    page.locator("div.math math").first.evaluate(inside)
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()").startswith("softmax((QK^⊤)"), (
        "one sign is its formula"
    )
    context.close()


def test_what_is_wider_than_a_phone_says_that_it_scrolls(visit, sample_url):
    phone, desk = (visit(f"{sample_url}/{PAGE}", width=width) for width in (240, 1280))
    lay_out_whole(phone)
    lay_out_whole(desk)
    phone.locator(".scroll-hint").first.wait_for()
    assert phone.locator(".scroll-hint").first.inner_text() == "옆으로 밀면 이어집니다 →"
    assert desk.locator(".scroll-hint").count() == 0


def test_an_exercise_shows_what_to_write_and_folds_the_rest(visit, sample_url):
    page = visit(f"{sample_url}/exercises/sample/sample.html")
    assert page.locator("article summary").all_inner_texts() == ["불러오는 칸: grader", "채점하는 칸"]
    assert page.get_by_text("NotImplementedError").is_visible()
    check = page.get_by_text('check("sample", "answer")')
    assert not check.is_visible()
    page.locator("article summary").last.click()
    assert check.is_visible()


@pytest.mark.parametrize(
    ("code", "exercise", "line"),
    [
        ("import torch\nfrom torch import nn", True, "불러오는 칸: torch"),
        ("import torch\nfrom torch import nn", False, None),
        ('check("masking")', True, "채점하는 칸"),
        ('check("masking")\nx = 1', True, None),
        ("x = 1\n" * (LONG - 1) + "x", False, None),
        ("def f(): pass\nclass C: pass\n" + "x = 1\n" * LONG, False, f"코드 {LONG + 3}줄: f, C"),
        ("%pip install x", True, None),
    ],
)
def test_what_stands_for_folded_code(code, exercise, line):
    assert line_for(code, WORDS["ko"], exercise) == line


@pytest.mark.parametrize("tall", ["", "code-tall "])
def test_code_is_set_in_lines_also_where_a_phone_folds_it(tall):
    start = f'<div class="{tall}highlight-ipython3 notranslate"><div class="highlight"><pre'
    line = "a = " + "1 + " * 9 + "1"
    context = {"body": f"{start}><span></span>{line}\n</pre></div></div>"}
    split_lines(None, None, None, context, None)
    assert context["body"].startswith(
        f'{start} class="code-lines"><span class="code-line" style="--indent:0">a = 1'
    )


def test_a_long_line_knows_its_indentation():
    long = "1 + " * 9 + "1"
    html = lines_of(
        f'<span class="k">if</span> {long}:\n<span class="w">    </span><span class="n">{long}</span>\n\nx = 1\n'
    )
    assert html.endswith("</span>\nx = 1\n")  # what every screen has room for needs no element
    assert [part[:2] for part in html.split("--indent:")[1:]] == ['0"', '4"']
