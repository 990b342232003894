"""Solving an exercise on its page: where it is offered; and the page itself, its keys and what it keeps, without Python."""

import json
import re
from types import SimpleNamespace

import pytest
from browsing import ROOT
from docutils import nodes
from py_mini_racer import MiniRacer
from solve_here import PIECES, complete, imported, offer, solve_node
from solving import DISTRIBUTION, PAGE, SOLVE, Solver, needs_pyodide
from sphinx.errors import ConfigError

from grader.exercise import all_exercises

pytestmark = pytest.mark.timeout(1800)  # a book is built for them


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
def test_from_disk_it_says_why_not(visit, solve_site):
    page = visit((solve_site / PAGE).as_uri())
    page.locator("course-solve").get_by_role("button").click()
    assert page.get_by_text("디스크에서 연 책에서는 여기서 풀 수 없습니다.").is_visible()
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
