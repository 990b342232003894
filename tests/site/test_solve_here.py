"""An exercise solved on its page, as a reader solves it: nothing of it where no address is set; Pyodide in the browser."""

import io
import json
import re
import shutil
import threading
import zipfile
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from types import SimpleNamespace

import nbformat
import pytest
from browsing import HTML, ROOT, QuietHandler, build_book, lay_out_whole, served
from conftest import lay_out_sample
from docutils import nodes
from py_mini_racer import MiniRacer
from solve_here import IDS, PIECES, complete, imported, offer, solve_node
from sphinx.errors import ConfigError
from test_site import broken_rules

from grader.exercise import all_exercises

SOLVE = ROOT / "assets" / "static" / "solve"
DISTRIBUTION = ROOT / "build" / "pyodide" / "distribution"
PAGE = "exercises/tokenization/tokenization.html"
TOC = """format: jb-book
root: chapters/index
parts:
  - caption: I
    chapters:
"""
ANSWERS = {
    cell[0].split()[0]: cell[1]
    for part in (ROOT / "solutions" / "tokenization.py").read_text(encoding="utf-8").split("\n# %% ")
    if (cell := part.partition("\n")[::2]) and 'tags=["question"]' in cell[0]
}
needs_pyodide = pytest.mark.skipif(
    not DISTRIBUTION.is_dir(), reason="tests/pyodide/get.sh has not been run: no Pyodide in build/pyodide"
)


def test_without_an_address_no_page_has_a_byte_of_it(book):
    """Neither a button nor a script, a mark on a cell or a rule of style, in either edition."""
    sign = re.compile(r"course-solve|solve/|solve-(check|home|block|answer)|id=\"solve-")
    files = [*book.rglob("*.html"), book / "_static" / "styles" / "book.css"]
    assert len(files) > 100
    assert [path for path in files if sign.search(path.read_text(encoding="utf-8"))] == []


def offered(**pyodide) -> list[str]:
    """The exercises whose pages offer it under a setting."""
    config = SimpleNamespace(pyodide=pyodide)
    complete(None, config)
    found = []
    for exercise in all_exercises():
        title = nodes.title("", "Exercise")
        page = nodes.section("", title)
        env = SimpleNamespace(docname=f"exercises/{exercise.stem}/{exercise.stem}")
        offer(SimpleNamespace(config=config, env=env, srcdir=ROOT), page)
        found += [exercise.stem for _ in page.findall(solve_node)]
    return found


def test_what_an_exercise_needs_decides_whether_it_is_offered():
    everything = {exercise.stem for exercise in all_exercises()}
    need_transformers = {"bert", "bert_pretraining", "sentiment"}
    assert offered() == []
    assert offered(torch="https://example.org/torch.whl") == []
    assert offered(address="https://example.org/pyodide/") == ["tokenization"]
    both = offered(address="https://example.org/pyodide/", torch="https://example.org/torch.whl")
    assert set(both) == everything - need_transformers
    assert "transformers" in imported("bert")
    with pytest.raises(ConfigError, match="no wheel"):
        offered(address="https://example.org/pyodide/", wheel="")


def test_one_pyodide_is_named_everywhere():
    places = ["_config.yml", "docs/teaching.md", "docs/teaching.ko.md", "assets/extensions/solve_here.py"]
    wanted = re.search(r"pyodide@([\d.]+)", (ROOT / "tests/pyodide/get.sh").read_text(encoding="utf-8"))[1]
    for place in places:
        named = re.findall(r"pyodide/v([\d.]+)/full/", (ROOT / place).read_text(encoding="utf-8"))
        assert named and set(named) == {wanted}, place


@pytest.fixture(scope="module")
def edit():
    """edit(text, key, shift): what becomes of a text whose selection stands in |bars|."""
    engine = MiniRacer()
    engine.eval("globalThis.courseSolve = {};" + (SOLVE / "editor.js").read_text(encoding="utf-8"))

    def edit(marked: str, key: str, shift: bool = False) -> str:
        start = marked.index("|")
        text = marked.replace("|", "")
        end = marked.rindex("|") - 1 if marked.count("|") == 2 else start
        done = json.loads(
            engine.eval(
                f"JSON.stringify(courseSolve.editor.edit({json.dumps(text)}, {start}, {end}, '{key}', {json.dumps(shift)}))"
            )
        )
        text = text[: done["from"]] + done["put"] + text[done["to"] :]
        text = text[: done["end"]] + "|" + text[done["end"] :]
        return text if done["start"] == done["end"] else text[: done["start"]] + "|" + text[done["start"] :]

    return edit


@pytest.mark.parametrize(
    ("before", "key", "shift", "after"),
    [
        ("|x", "Tab", False, "    |x"),
        ("ab|", "Tab", False, "ab  |"),
        ("a\n|b\n\nc|\nd", "Tab", False, "a\n    |b\n\n    c|\nd"),
        ("    x|", "Tab", True, "x|"),
        ("  |x\n        y|", "Tab", True, "|x\n    y|"),
        ("|x", "Tab", True, "|x"),
        ("def f(x):|", "Enter", False, "def f(x):\n    |"),
        ("    y = 1|", "Enter", False, "    y = 1\n    |"),
        ("    |y| = 1", "Enter", False, "    \n    | = 1"),
    ],
)  # fmt: skip
def test_keys_that_indent(edit, before, key, shift, after):
    assert edit(before, key, shift) == after


def lay_out(root, language="ko", torch="", stems=("tokenization",)):
    """A book with an exercise, Pyodide beside it."""
    lay_out_sample(root)
    for name in ("grader", "data", "pyproject.toml"):
        (root / name).symlink_to(ROOT / name)
    ending = "" if language == "ko" else f".{language}"
    toc = TOC
    for stem in stems:
        (root / "exercises" / stem).mkdir()
        notebook = ROOT / "exercises" / stem / f"{stem}{ending}.ipynb"
        shutil.copy(notebook, root / "exercises" / stem / f"{stem}.ipynb")
        (root / "chapters" / f"{stem}.md").write_text(f"# {stem}\n", encoding="utf-8")
        toc += (
            f"      - file: chapters/{stem}\n        sections:\n          - file: exercises/{stem}/{stem}\n"
        )
    (root / "chapters" / "index.md").write_text("# 견본\n", encoding="utf-8")
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    config = root / "_config.yml"
    text = config.read_text(encoding="utf-8")
    for before, after in {
        'pyodide: {address: "", torch: ""}': f'pyodide: {{address: "/pyodide/", torch: "{torch}"}}',
        "language: ko": f"language: {language}",
    }.items():
        assert before in text
        text = text.replace(before, after)
    config.write_text(text, encoding="utf-8")
    build_book(root, COURSE_DRAFT="1")
    return root / HTML


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a book in both languages whose exercise is solved on its page."""
    site = lay_out(tmp_path_factory.mktemp("solving"))
    english = lay_out(tmp_path_factory.mktemp("solving_en"), "en")
    shutil.copytree(english, site / "en")
    (site / "pyodide").symlink_to(DISTRIBUTION)
    return site


@pytest.fixture(scope="module")
def solving(site):
    with served(site) as url:
        yield url


NAMES = {
    "ko": {"start": "여기서 풀기", "check": "확인", "all": "전체 확인", "stop": "멈추기", "reset": "처음 코드로", "ready": "준비되었습니다", "answer": "{}의 답", "download": "노트북으로 내려받기"},
    "en": {"start": "Solve here", "check": "Check", "all": "Check all", "stop": "Stop", "reset": "Start over", "ready": "Ready", "answer": "Answer to {}", "download": "Download the notebook"},
}  # fmt: skip
A_CHECK = 120_000  # ms; on a busy machine Python alone takes half a minute to start


class Solver:
    """The page as its reader uses it."""

    def __init__(self, page, language="ko"):
        self.page, self.names = page, NAMES[language]
        self.top = page.locator("course-solve")

    def open(self):
        self.top.get_by_role("button", name=self.names["start"]).click()
        self.top.locator("[role=status]").get_by_text(self.names["ready"]).wait_for(timeout=A_CHECK)
        return self

    def area(self, question):
        return self.page.get_by_role("textbox", name=self.names["answer"].format(question), exact=True)

    def block(self, question):
        """An answer's, or that of the last cell."""
        if question is None:
            return self.page.locator(f"#{IDS}closing + .solve-block")
        return self.area(question).locator("xpath=..")

    def press(self, question, name):
        self.block(question).get_by_role("button", name=self.names[name], exact=True).click()

    def result(self, question):
        """What a check says, once it has."""
        block = self.block(question)
        block.locator(".solve-said").evaluate("said => said.replaceChildren()")
        self.press(question, "all" if question is None else "check")
        block.locator(".solve-said > [role=status]").first.wait_for(timeout=A_CHECK)
        return block.locator(".solve-said")


@pytest.fixture
def solver(visit, solving):
    opened = []

    def open_page(language="ko", **options):
        folder = "" if language == "ko" else f"{language}/"
        page = visit(f"{solving}/{folder}{PAGE}", **options)
        opened.append(page)
        return Solver(page, language)

    yield open_page
    assert [problem for page in opened for problem in page.problems] == []


@needs_pyodide
@pytest.mark.timeout(900)
def test_it_is_solved_whole_and_a_wrong_answer_is_named(solver, solving):
    """From the untouched stubs to full marks; what a reader prints is shown, and what is wrong is said with its place to read."""
    solved = solver().open()
    page = solved.page
    stubs = json.loads((ROOT / "exercises/tokenization/tokenization.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    stubs = {
        c["metadata"]["nbgrader"]["grade_id"]: "".join(c["source"])
        for c in stubs
        if c["metadata"].get("nbgrader")
    }
    for question in ANSWERS:
        assert solved.area(question).input_value() == stubs[question], question
    assert "0/1.5점" in solved.result("bpe_train").inner_text()

    wrong = ANSWERS["wordpiece_encode"].replace('prefix = "##" if start else ""', 'prefix = ""')
    assert wrong != ANSWERS["wordpiece_encode"]
    solved.area("wordpiece_encode").fill(wrong + '\nprint("seen", 6 * 7)')
    said = solved.result("wordpiece_encode")
    assert "둘째 조각부터 붙는 '##' 없이 찾았습니다." in said.inner_text()
    assert "seen 42" in said.locator("> pre").inner_text()
    link = said.get_by_role("link").first
    assert link.get_attribute("href") == f"{solving}/chapters/tokenization.html#wordpiece"
    idea = said.get_by_text("'에서'와 '##에서'는 서로 다른 토큰입니다.")
    assert not idea.is_visible()
    said.locator("summary").first.click()
    assert idea.is_visible()

    for question, answer in ANSWERS.items():
        solved.area(question).fill(answer)
    text = solved.result(None).inner_text()
    assert text.count("통과") == len(ANSWERS) and "확인 필요" not in text
    total = re.search(r"합계 ([\d.]+)/([\d.]+)점", text)
    assert total[1] == total[2]

    with page.expect_download() as coming:
        solved.press(None, "download")
    written = nbformat.read(coming.value.path(), as_version=4)
    nbformat.validate(written)
    sources = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source for cell in written.cells}
    assert coming.value.suggested_filename == "tokenization.ipynb"
    assert {question: sources[question] for question in ANSWERS} == ANSWERS


@needs_pyodide
@pytest.mark.timeout(900)
def test_what_does_not_end_is_stopped_and_python_goes_on(solver):
    """A loop that prints, one that is silent, a call without end: the page stays quick, and the next check is as ever."""
    solved = solver().open()
    area, block = solved.area("compose_jamo"), solved.block("compose_jamo")
    stop = block.get_by_role("button", name="멈추기")
    for loop in (
        'while True:\n    print("x" * 1000)\n',
        "def compose_jamo(text):\n    while True:\n        pass\n",
    ):
        area.fill(loop)
        area.press("Control+Enter")
        block.get_by_text("확인하고 있습니다.").wait_for(timeout=A_CHECK)
        solved.page.wait_for_timeout(500)
        assert solved.page.evaluate("new Promise(requestAnimationFrame)") > 0
        stop.click(timeout=10_000)
        block.get_by_text("멈췄습니다.").wait_for()
        assert block.get_by_role("button", name="확인", exact=True).evaluate(
            "e => e === document.activeElement"
        )
    area.fill("def compose_jamo(text):\n    return compose_jamo(text)\n")
    assert "RecursionError" in solved.result("compose_jamo").inner_text()
    area.fill("print(undefined)\n" + ANSWERS["compose_jamo"])
    assert "NameError" in solved.result("compose_jamo").locator("> pre").inner_text()
    area.fill("for i in range(100_000):\n    print(i)\n" + ANSWERS["compose_jamo"])
    said = solved.result("compose_jamo")
    assert "통과" in said.inner_text()
    assert len(said.locator("> pre").inner_text()) < 21_000


@needs_pyodide
@pytest.mark.timeout(900)
def test_in_english_the_checker_speaks_english(solver, solving):
    solved = solver("en").open()
    solved.area("wordpiece_encode").fill(ANSWERS["wordpiece_encode"].replace('"##" if start else ""', '""'))
    said = solved.result("wordpiece_encode")
    assert "Needs work" in said.inner_text()
    assert "You looked up pieces after the first without" in said.inner_text()
    address = f"{solving}/en/chapters/tokenization.html#wordpiece"
    assert said.get_by_role("link").first.get_attribute("href") == address
    lay_out_whole(solved.page)
    assert broken_rules(solved.page) == []


@needs_pyodide
@pytest.mark.timeout(900)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_and_fits_a_phone(solver, theme):
    solved = solver(theme=theme, width=390)
    page = solved.page
    lay_out_whole(page)
    assert broken_rules(page) == []
    solved.open()
    solved.area("bpe_train").fill("x = 1\n" + "y" * 300)
    solved.result("bpe_train")
    solved.area("bpe_encode").fill(ANSWERS["bpe_encode"])
    solved.result("bpe_encode")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        lay_out_whole(page)
        assert broken_rules(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert not page.locator(f"#{IDS}bpe_train").is_visible()


# The page without Python ---------------------------------------------------------------------------------------------

FAKE = """self.onmessage = ({ data: { id, task, given } }) => {
  if (task === "prepare") self.postMessage({ stage: "ready" });
  self.postMessage(ANSWER);
};"""


def pretend(page, answer="{ id, result: { report: '<div>checked</div>', printed: JSON.stringify(given) } }"):
    """A worker that only says something."""
    script = FAKE.replace("ANSWER", answer)
    page.route("**/worker.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))


@needs_pyodide
def test_nothing_is_loaded_before_the_button_is_pressed(solver):
    solved = solver()
    asked = []
    solved.page.on("request", lambda request: asked.append(request.url))
    solved.page.reload(wait_until="networkidle")
    loaded = {url.partition("?")[0].rpartition("/")[2] for url in asked if "/solve/" in url}
    assert loaded == {"solve.js"}
    assert not [url for url in asked if "pyodide" in url or "exercises.zip" in url]


@needs_pyodide
def test_what_a_reader_is_told_of_its_weight_is_so():
    core = {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"}
    weights = {path.name: path.stat().st_size / 1e6 for path in DISTRIBUTION.iterdir()}
    python = sum(weights[name] for name in core)
    packages = sum(size for name, size in weights.items() if name.endswith("-any.whl") or "msgspec" in name)
    assert PIECES["python"] == pytest.approx(python, rel=0.1)
    assert PIECES["packages"] == pytest.approx(packages, rel=0.15)


@needs_pyodide
def test_what_was_written_is_there_again(solver):
    """After a reload and in a second tab; not what another exercise keeps; gone when the reader starts over."""
    solved = solver()
    page = solved.page
    pretend(page)
    solved.open()
    stub = solved.area("bpe_encode").input_value()
    solved.area("bpe_encode").fill("def bpe_encode(): 쓰던 답")
    page.reload()
    assert page.get_by_text("지난번에 쓰던 답이 이 브라우저에 있습니다.").is_visible()
    solved.open()
    assert solved.area("bpe_encode").input_value() == "def bpe_encode(): 쓰던 답"
    assert solved.area("bpe_train").input_value().startswith("def bpe_train(")

    other = Solver(page.context.new_page())
    pretend(other.page)
    other.page.goto(page.url)
    other.open().area("bpe_encode").fill("in the other tab")
    page.wait_for_function(
        "[...document.querySelectorAll('textarea')].some(e => e.value === 'in the other tab')"
    )

    page.once("dialog", lambda dialog: dialog.dismiss())
    solved.press("bpe_encode", "reset")
    assert solved.area("bpe_encode").input_value() == "in the other tab"
    page.once("dialog", lambda dialog: dialog.accept())
    solved.press("bpe_encode", "reset")
    assert solved.area("bpe_encode").input_value() == stub
    page.reload()
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('attentively solve'))") == []


@needs_pyodide
def test_a_question_that_has_changed_keeps_the_answer_and_says_so(solver):
    solved = solver()
    pretend(solved.page)
    kept = json.dumps({"bpe_train": {"text": "mine", "stub": "def bpe_train(old): ..."}})
    solved.page.evaluate("kept => localStorage.setItem('attentively solve tokenization', kept)", kept)
    solved.open()
    assert solved.area("bpe_train").input_value() == "mine"
    assert "처음 코드가 바뀌었으니" in solved.block("bpe_train").inner_text()
    assert "처음 코드가 바뀌었으니" not in solved.block("bpe_encode").inner_text()


@needs_pyodide
def test_a_browser_that_keeps_nothing_is_named(solver):
    solved = solver()
    refuse = """const set = Storage.prototype.setItem;
      Storage.prototype.setItem = function (key, value) {
        if (key.startsWith("attentively solve")) throw new DOMException("", "QuotaExceededError");
        set.call(this, key, value);
      };"""
    solved.page.add_init_script(refuse)
    pretend(solved.page)
    solved.page.reload()
    solved.open().area("bpe_train").fill("x")
    assert "이 브라우저는 답을 보관하지 않습니다" in solved.block("bpe_train").inner_text()


@needs_pyodide
def test_the_keyboard_alone_will_do(solver):
    """Tab indents in an answer; Esc and then Tab leaves it: it is no trap. Arrow keys turn no page."""
    solved = solver()
    page = solved.page
    pretend(page)
    solved.top.get_by_role("button", name="여기서 풀기").focus()
    page.keyboard.press("Enter")
    area = solved.area("bpe_train")
    area.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("def f():")
    page.keyboard.press("Enter")
    page.keyboard.type("x")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert area.input_value() == "def f():\n    x   "
    page.keyboard.press("Control+z")
    assert area.input_value() == "def f():\n    x"
    assert area.evaluate("e => e === document.activeElement")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "확인"
    page.keyboard.press("Enter")
    solved.block("bpe_train").get_by_text("checked").wait_for()


@needs_pyodide
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("memory", "이 기기의 메모리가 모자랍니다."),
        ("torch", "torch가 이 Pyodide에서 열리지 않습니다."),
        ("crash", "Python이 스스로 멈췄습니다."),
    ],
)
def test_what_goes_wrong_is_one_line(solver, kind, said):
    solved = solver()
    pretend(solved.page, f'{{ id, failed: "{kind}" }}')
    solved.top.get_by_role("button", name="여기서 풀기").click()
    solved.top.get_by_text(said).wait_for()
    assert solved.top.get_by_role("button", name="다시 받기").is_visible()


@needs_pyodide
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "missing", ["**/solve/panel.js", "**/pyodide/pyodide.mjs*", "**/pyodide/msgspec*", "**/exercises.zip"]
)
def test_without_a_network_it_says_so_and_goes_on_when_there_is_one(visit, solving, missing):
    page = visit(f"{solving}/{PAGE}")
    page.route(missing, lambda route: route.abort())
    solved = Solver(page)
    solved.top.get_by_role("button", name="여기서 풀기").click()
    solved.top.get_by_text("연결을 확인하고 다시 누르십시오.").wait_for(timeout=A_CHECK)
    assert not [one for one in page.problems if not one.startswith(("failed:", "Failed to load"))]
    page.unroute(missing)
    solved.top.get_by_role("button").click()
    solved.top.get_by_text("준비되었습니다").wait_for(timeout=A_CHECK)


@needs_pyodide
def test_loading_can_be_stopped(solver):
    solved = solver()
    pretend(solved.page, "null")
    solved.page.route("**/worker.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    solved.top.get_by_role("button", name="여기서 풀기").click()
    solved.top.get_by_role("button", name="멈추기").click()
    solved.top.get_by_text("멈췄습니다. 확인을 누르면 다시 시작합니다.").wait_for()
    solved.page.unroute("**/worker.js")
    pretend(solved.page)
    assert "checked" in solved_said(solved, "bpe_train")


def solved_said(solved, question) -> str:
    solved.press(question, "check")
    solved.block(question).get_by_text("checked").wait_for()
    return solved.block(question).inner_text()


@needs_pyodide
def test_from_disk_it_says_why_not(visit, site):
    page = visit((site / PAGE).as_uri())
    page.locator("course-solve").get_by_role("button").click()
    assert page.get_by_text("디스크에서 연 책에서는 여기서 풀 수 없습니다.").is_visible()
    assert page.problems == []


@contextmanager
def served_with(folder, headers):
    """As `served`, every answer with more headers."""

    class Handler(QuietHandler):
        def end_headers(self):
            for name, value in headers.items():
                self.send_header(name, value)
            super().end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@needs_pyodide
@pytest.mark.timeout(900)
def test_a_page_that_is_isolated_interrupts_and_keeps_its_python(visit, site):
    """Where SharedArrayBuffer may be had, Stop is Ctrl+C: the same worker checks the next answer."""
    isolated = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
    with served_with(site, isolated) as url:
        page = visit(f"{url}/{PAGE}")
        workers = []
        page.on("worker", lambda worker: workers.append(worker))
        solved = Solver(page).open()
        solved.result("compose_jamo")  # what is loaded at the first check is loaded
        for loop in ("while True:\n    pass", "def compose_jamo(text):\n    while True:\n        pass"):
            solved.area("compose_jamo").fill(loop)
            solved.press("compose_jamo", "check")
            solved.block("compose_jamo").get_by_text("확인하고 있습니다.").wait_for(timeout=A_CHECK)
            page.wait_for_timeout(2_000)
            solved.press("compose_jamo", "stop")
            solved.block("compose_jamo").get_by_text("멈췄습니다.").wait_for()
        solved.area("compose_jamo").fill(ANSWERS["compose_jamo"])
        assert "통과" in solved.result("compose_jamo").inner_text()
    assert page.evaluate("crossOriginIsolated") and len(workers) == 1
    assert page.problems == []


@needs_pyodide
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("headers", "said"),
    [({"Access-Control-Allow-Origin": "*"}, "준비되었습니다"), ({}, "연결을 확인하고 다시 누르십시오.")],
    ids=["allowed", "refused"],
)
def test_python_may_come_from_another_server_that_allows_it(visit, solving, headers, said):
    with served_with(DISTRIBUTION, headers) as elsewhere:
        page = visit(f"{solving}/{PAGE}")
        page.locator("course-solve").evaluate("(e, to) => e.dataset.address = to", f"{elsewhere}/")
        solved = Solver(page)
        solved.top.get_by_role("button").click()
        solved.top.get_by_text(said).wait_for(timeout=A_CHECK)


def stand_in(name: str, code: str) -> bytes:
    """A wheel of that name with a module `torch`."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as wheel:
        tag = name.removesuffix(".whl").split("-", 2)[2]
        about = "torch-2.13.0.dist-info"
        wheel.writestr("torch/__init__.py", code)
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
        wheel.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n")
        wheel.writestr(f"{about}/RECORD", "")
    return written.getvalue()


OTHER_ABI = "torch-2.13.0-cp313-cp313-pyemscripten_2025_0_wasm32.whl"
THIS_ABI = "torch-2.13.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
NO_TORCH = (ROOT / "grader" / "student" / "no_torch.py").read_text(encoding="utf-8")


@needs_pyodide
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        (THIS_ABI, NO_TORCH, "준비되었습니다"),
        (OTHER_ABI, NO_TORCH, "torch가 이 Pyodide에서 열리지 않습니다."),
        (THIS_ABI, "raise ImportError('dynamic linking error')", "torch가 이 Pyodide에서 열리지 않습니다."),
    ],
    ids=["fits", "other ABI", "does not link"],
)
def test_a_wheel_of_torch_is_loaded_and_one_that_does_not_fit_is_named(visit, solving, name, code, said):
    """A stand-in for the wheel: the real one is on no package registry. So are those of what it imports."""
    page = visit(f"{solving}/{PAGE}")
    lock = json.loads((DISTRIBUTION / "pyodide-lock.json").read_text(encoding="utf-8"))
    names = re.search(r"FOR_TORCH = \[(.*)\];", (SOLVE / "worker.js").read_text(encoding="utf-8"))[1]
    for needed in json.loads(f"[{names}]"):
        same = {key: lock["packages"]["six"][key] for key in ("file_name", "sha256", "depends")}
        lock["packages"][needed].update(same)
    page.route("**/pyodide-lock.json", lambda route: route.fulfill(json=lock))
    page.route(
        f"**/{name}", lambda route: route.fulfill(body=stand_in(name, code), content_type="application/zip")
    )
    page.locator("course-solve").evaluate("(e, to) => e.dataset.torch = to", f"/wheels/{name}")
    solved = Solver(page)
    solved.top.get_by_role("button").click()
    solved.top.get_by_text(said).wait_for(timeout=A_CHECK)
    if said == "준비되었습니다":
        solved.area("compose_jamo").fill(ANSWERS["compose_jamo"])
        assert "통과" in solved.result("compose_jamo").inner_text()
        assert page.problems == []


@needs_pyodide
def test_a_page_that_was_left_and_comes_back_starts_anew(solver):
    """Its worker ends with the page, whose memory a phone wants back; a browser may show the same page again."""
    solved = solver()
    pretend(solved.page)
    solved.open()
    assert len(solved.page.workers) == 1
    solved.page.evaluate("dispatchEvent(new Event('pagehide'))")
    assert "checked" in solved_said(solved, "bpe_train")
    assert len(solved.page.workers) == 1


@pytest.mark.skipif(
    not list(DISTRIBUTION.glob("torch-*.whl")) or not list(DISTRIBUTION.glob("numpy-*.whl")),
    reason="no wheels of torch and numpy for Pyodide in build/pyodide/distribution: they are on no package registry",
)
@pytest.mark.timeout(1800)
def test_with_torch_masking_is_solved_whole(visit, tmp_path):
    [wheel] = DISTRIBUTION.glob("torch-*.whl")
    site = lay_out(tmp_path, torch=f"/pyodide/{wheel.name}", stems=("tokenization", "masking"))
    (site / "pyodide").symlink_to(DISTRIBUTION)
    source = (ROOT / "solutions" / "masking.py").read_text(encoding="utf-8").split("\n# %% ")
    answers = [part.partition("\n")[::2] for part in source]
    with served(site) as url:
        solved = Solver(visit(f"{url}/exercises/masking/masking.html")).open()
        for name, answer in answers:
            if 'tags=["question"]' in name:
                solved.area(name.split()[0]).fill(answer)
        text = solved.result(None).inner_text()
    assert "확인 필요" not in text and "통과" in text
