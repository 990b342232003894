"""An exercise solved on its page with real Python: Pyodide in Chromium, from a server of this machine."""

import io
import json
import re
import zipfile

import nbformat
import pytest
from browsing import ROOT, lay_out_whole, served
from conftest import lay_out_sample
from solve_here import IDS
from solving import A_CHECK, ANSWERS, DISTRIBUTION, PAGE, SOLVE, Solver, lay_out, needs_pyodide
from test_site import broken_rules

pytestmark = pytest.mark.timeout(1800)  # a book is built for them, and Python starts in the browser


@needs_pyodide
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
def test_in_english_the_checker_speaks_english(visit, solving):
    page = visit(f"{solving}/en/{PAGE}")
    solved = Solver(page, "en").open()
    solved.area("wordpiece_encode").fill(ANSWERS["wordpiece_encode"].replace('"##" if start else ""', '""'))
    said = solved.result("wordpiece_encode")
    assert "Needs work" in said.inner_text()
    assert "You looked up pieces after the first without" in said.inner_text()
    address = f"{solving}/en/chapters/tokenization.html#wordpiece"
    assert said.get_by_role("link").first.get_attribute("href") == address
    lay_out_whole(page)
    assert broken_rules(page) == []
    assert page.problems == []


@needs_pyodide
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


@needs_pyodide
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
def test_a_page_that_is_isolated_interrupts_and_keeps_its_python(visit, solve_site):
    """Where SharedArrayBuffer may be had, Stop is Ctrl+C: the same worker checks the next answer."""
    isolated = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
    with served(solve_site, isolated) as url:
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
@pytest.mark.parametrize(
    ("headers", "said"),
    [({"Access-Control-Allow-Origin": "*"}, "준비되었습니다"), ({}, "연결을 확인하고 다시 누르십시오.")],
    ids=["allowed", "refused"],
)
def test_python_may_come_from_another_server_that_allows_it(visit, solving, headers, said):
    with served(DISTRIBUTION, headers) as elsewhere:
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


@pytest.mark.skipif(
    not list(DISTRIBUTION.glob("torch-*.whl")) or not list(DISTRIBUTION.glob("numpy-*.whl")),
    reason="no wheels of torch and numpy for Pyodide in build/pyodide/distribution: they are on no package registry",
)
def test_with_torch_masking_is_solved_whole(visit, tmp_path):
    [wheel] = DISTRIBUTION.glob("torch-*.whl")
    site = lay_out(
        lay_out_sample(tmp_path), torch=f"/pyodide/{wheel.name}", stems=("tokenization", "masking")
    )
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
