"""A browser, the built book and a small sample book, each served on localhost."""

import shutil
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from browsing import HTML, NO_FRAME, ROOT, build_book, build_english, go, served, watch
from once import once
from playwright.sync_api import sync_playwright
from solving import DISTRIBUTION, PAGE, Solver, lay_out

sys.path[:0] = [
    str(ROOT / folder) for folder in ("assets", "assets/extensions", "assets/editions", "chapters")
]

import chromium  # noqa: E402

ADDRESS = "https://example.org/attentively/"
REPOSITORY = "https://github.com/someone/attentively"


# On a busy machine a browser may starve one page. The test is run again in a new one, once, and pytest says so.
STARVED = [NO_FRAME, r"TimeoutError: .*Timeout \d+ms exceeded"]


def pytest_itemcollected(item):
    item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=STARVED))


def lay_out_sample(root: Path) -> Path:
    """The sample book's sources, with the real configuration and extensions, in `root`."""
    shutil.copytree(Path(__file__).parent / "sample_book", root, dirs_exist_ok=True)
    shutil.copytree(ROOT / "assets", root / "assets")
    shutil.copy(ROOT / "chapters" / "plots.py", root / "chapters")
    for name in ["_config.yml", "references.bib"]:
        shutil.copy(ROOT / name, root)
    return root


@pytest.fixture(scope="session")
def browser():
    with ExitStack() as stack:
        try:
            playwright = stack.enter_context(sync_playwright())
            browser = playwright.chromium.launch(executable_path=chromium.installed(), args=["--no-sandbox"])
        except (
            Exception
        ) as error:  # where nothing is installed its driver does not start, and says so in any class
            pytest.skip(
                f"no browser to look at pages with (try 'playwright install --with-deps chromium'): {error}"
            )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def book() -> Path:
    """The folder of the built book; built now if 'make book' has not been run."""
    if not (ROOT / HTML / "index.html").is_file():
        build_book(ROOT)
    return ROOT / HTML


@pytest.fixture(scope="session")
def english_book(book) -> Path:
    """The folder of the English edition, inside the Korean one."""
    if not (book / "en" / "index.html").is_file():
        build_english(ROOT)
    return book / "en"


@pytest.fixture(scope="session")
def book_url(book):
    with served(book) as url:
        yield url


@pytest.fixture(scope="session")
def sample_book(tmp_path_factory) -> Path:
    """A book of two pages and one exercise, built with the real configuration and extensions."""
    return once(tmp_path_factory, "sample", lambda root: build_book(lay_out_sample(root))) / HTML


def lay_out_again(root: Path, sample: Path) -> Path:
    """The sample book's sources, with what their cells put out when the book in `sample` was built."""
    shutil.copytree(sample.parents[3] / "build/.jupyter_cache", root / "build/.jupyter_cache")
    return lay_out_sample(root)


@pytest.fixture(scope="session")
def sample_published(tmp_path_factory, sample_book) -> Path:
    """The same, for a public address, with its repository named."""

    def make(root):
        config = lay_out_again(root, sample_book) / "_config.yml"
        text = config.read_text(encoding="utf-8")
        for key, value in {"baseurl": ADDRESS, "url": REPOSITORY}.items():
            assert f'  {key}: ""' in text
            text = text.replace(f'  {key}: ""', f"  {key}: {value}")
        config.write_text(text, encoding="utf-8")
        build_book(root)

    return once(tmp_path_factory, "published", make) / HTML


@pytest.fixture(scope="session")
def sample_url(sample_book):
    with served(sample_book) as url:
        yield url


@pytest.fixture
def visit(browser):
    """visit(url, width, theme, ...) opens a page; what went wrong on it is in ``page.problems``."""
    contexts = []

    def visit(url: str, width: int = 1280, theme: str = "light", **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **options)
        context.set_default_timeout(120_000)  # a busy machine is no failure
        contexts.append(context)
        page = context.new_page()
        page.wait_for_function = partial(page.wait_for_function, polling=50)  # by default at frames
        watch(page, url)
        go(page, url, options.get("java_script_enabled", True))
        return page

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def solve_site(tmp_path_factory):
    """The folder of a book, with its English edition, whose exercise is solved on its page."""

    def make(root):
        site = lay_out(lay_out_sample(root))
        (site / "pyodide").symlink_to(DISTRIBUTION)
        shutil.copytree(lay_out(lay_out_sample(root / "english"), "en"), site / "en")

    return once(tmp_path_factory, "solving", make) / HTML


@pytest.fixture(scope="session")
def solving(solve_site):
    with served(solve_site) as url:
        yield url


@pytest.fixture
def solver(visit, solving):
    """solver(**options): the exercise's page, on which nothing may go wrong."""
    opened = []

    def open_page(**options):
        page = visit(f"{solving}/{PAGE}", **options)
        opened.append(page)
        return Solver(page)

    yield open_page
    assert [problem for page in opened for problem in page.problems] == []
