"""A part of the book kept in the browser is read without a network, a new build renews it, and nothing comes unasked."""

import json
import shutil
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from urllib.parse import urljoin

import keeping
import pytest
from browsing import QuietHandler, come_to, go, lay_out_whole
from PIL import Image
from test_site import broken_rules

SMALL, LIVE = "chapters/ecosystem", "chapters/bert"  # ids of parts: one page; five chapters with models
KEPT = "async () => (await caches.keys()).map((name) => name.split(' ').slice(1))"  # [edition, build, part]


class Host:
    """A project's site as GitHub Pages serves it, below a folder; without a network while it is stopped."""

    def __init__(self, root):
        self.root, self.port = root, 0
        self.start()

    def start(self):
        self.server = ThreadingHTTPServer(
            ("127.0.0.1", self.port), partial(QuietHandler, directory=self.root)
        )
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}/attentively"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def host(book, english_book, tmp_path):
    shutil.copytree(book, tmp_path / "attentively", ignore=shutil.ignore_patterns("_sources", "downloads"))
    host = Host(tmp_path)
    yield host
    host.stop()


@pytest.fixture
def how_to(host, visit):
    page = visit(f"{host.url}/chapters/how_to.html", 390)
    page.locator("course-keeping table").wait_for()
    return page


def press(page, part: str) -> str:
    """Press a part's button; what is said when that is done."""
    title = next(
        found["title"]
        for found in page.evaluate("fetch('../keeping.json').then(a => a.json())")["parts"]
        if found["id"] == part
    )
    button = page.locator("course-keeping tr", has_text=title).get_by_role("button")
    come_to(button)
    button.click()
    page.wait_for_function("button => button.ariaDisabled === 'false'", arg=button.element_handle())
    return page.locator("course-keeping [role=status]").inner_text()


def pages_of(root, part: str) -> list[str]:
    listed = json.loads((root / "keeping.json").read_text(encoding="utf-8"))
    files = next(found["files"] for found in listed["parts"] if found["id"] == part)
    return [name for name in files if name.endswith(".html")]


def test_the_list_is_of_the_pages_as_they_are(book, english_book):
    for html, language in [(book, "ko"), (english_book, "en")]:
        made = json.loads(json.dumps(keeping.book(html, language)))
        assert json.loads((html / "keeping.json").read_text(encoding="utf-8")) == made
        of_parts = [name for part in made["parts"] for name in part["files"]]
        assert {name for name in of_parts if "weights/" in name} and all(
            name.endswith(".html") or "weights/" in name for name in of_parts
        )
        pages = {path.relative_to(html).as_posix() for path in html.glob("chapters/*.html")}
        assert pages <= {*of_parts, *made["shared"]["files"]}


def test_nothing_is_kept_before_a_reader_asks(how_to):
    assert how_to.locator("course-keeping tbody tr").count() == 7
    assert how_to.evaluate(KEPT) == []
    assert how_to.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
    assert how_to.problems == []


def test_a_kept_part_is_whole_without_a_network(host, how_to):
    assert "저장했습니다" in press(how_to, LIVE)
    lay_out_whole(how_to)
    assert broken_rules(how_to) == [] and how_to.problems == []
    host.stop()
    try:
        names = pages_of(host.root / "attentively", LIVE)
        assert len(names) == 10
        for name in [*names, "chapters/index.html", "chapters/glossary.html"]:
            go(how_to, f"{host.url}/{name}")
            assert how_to.locator("article h1").count() == 1, name
        go(how_to, f"{host.url}/chapters/bert.html")
        model = how_to.locator("live-model")
        come_to(model)
        model.locator(".live-start").click()
        model.locator(".live-panel").wait_for()
        drill = how_to.locator(".drill-open").first
        come_to(drill)
        drill.click()
        how_to.locator(".drill-panel").first.wait_for()
        how_to.keyboard.press("Control+k")
        how_to.locator("dialog input[name=q]").fill("잔차 연결")
        how_to.locator("dialog .search-results a").first.wait_for()
        assert how_to.problems == []
    finally:
        host.start()


def test_what_cannot_be_kept_whole_leaves_nothing_behind(host, how_to):
    page = host.root / "attentively" / f"{SMALL}.html"
    page.write_text(page.read_text(encoding="utf-8") + "<!-- half of a new edition -->", encoding="utf-8")
    assert "받지 못했습니다" in press(how_to, SMALL)
    assert (
        how_to.locator("course-keeping tr", has_text="다음에 갈 곳").locator("td").nth(1).inner_text()
        == "없음"
    )
    assert how_to.evaluate(KEPT) == []
    assert how_to.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
    how_to.problems.clear()  # the browser says what it refused


def test_a_page_that_is_not_kept_says_so_and_leads_to_what_is(host, how_to):
    press(how_to, SMALL)
    host.stop()
    try:
        go(how_to, f"{host.url}/chapters/masking.html")
        assert how_to.get_by_role("heading").inner_text() == "저장해 두지 않은 쪽입니다"
        assert broken_rules(how_to) == []
        how_to.get_by_role("list").get_by_role("link").click()
        how_to.wait_for_url(f"{host.url}/{SMALL}.html")
    finally:
        host.start()


def test_a_new_build_renews_what_is_kept(host, how_to):
    root = host.root / "attentively"
    press(how_to, SMALL)
    before = how_to.evaluate(KEPT)
    path = root / f"{SMALL}.html"
    path.write_text(path.read_text(encoding="utf-8").replace("</h1>", " 새 판</h1>", 1), encoding="utf-8")
    keeping.write(root, "ko")
    build = json.loads((root / "keeping.json").read_text(encoding="utf-8"))["build"]
    go(how_to, f"{host.url}/{SMALL}.html")  # a visit lets the browser look for a new worker
    while {build for _, build, _ in how_to.evaluate(KEPT)} != {build}:  # ends with the test's own time
        how_to.wait_for_timeout(100)
    after = how_to.evaluate(KEPT)
    assert {part for _, _, part in after} == {part for _, _, part in before} == {"shared", SMALL}
    assert build not in {build for _, build, _ in before}
    host.stop()
    try:
        go(how_to, f"{host.url}/{SMALL}.html")
        assert "새 판" in how_to.locator("h1").inner_text()
        assert (
            how_to.locator("html").evaluate("() => getComputedStyle(document.body).wordBreak") == "keep-all"
        )
    finally:
        host.start()


@pytest.mark.whole
def test_editions_are_kept_apart_and_what_is_removed_is_gone(host, how_to):
    press(how_to, SMALL)
    go(how_to, f"{host.url}/en/chapters/how_to.html")
    how_to.locator("course-keeping table").wait_for()
    assert "kept" in press(how_to, SMALL)
    assert {edition for edition, _, _ in how_to.evaluate(KEPT)} == {f"{host.url}/", f"{host.url}/en/"}
    go(how_to, f"{host.url}/chapters/how_to.html")
    how_to.locator("course-keeping table").wait_for()
    assert "지웠습니다" in press(how_to, SMALL)
    assert {edition for edition, _, _ in how_to.evaluate(KEPT)} == {f"{host.url}/en/"}
    workers = how_to.evaluate(
        "navigator.serviceWorker.getRegistrations().then(all => all.map(one => one.scope))"
    )
    assert workers == [f"{host.url}/en/"]
    assert how_to.problems == []


def test_where_there_is_no_space_nothing_is_kept_by_halves(host, how_to):
    limit = how_to.context.new_cdp_session(how_to)
    limit.send(
        "Storage.overrideQuotaForOrigin",
        {"origin": host.url.removesuffix("/attentively"), "quotaSize": 2_000_000},
    )
    assert "자리가 모자라" in press(how_to, SMALL)
    assert how_to.evaluate(KEPT) == []
    limit.send("Storage.overrideQuotaForOrigin", {"origin": host.url.removesuffix("/attentively")})
    assert "저장했습니다" in press(how_to, SMALL)


def test_a_browser_that_cannot_keep_says_why(host, browser):
    context = browser.new_context()
    context.add_init_script("delete Navigator.prototype.serviceWorker")
    page = context.new_page()
    go(page, f"{host.url}/chapters/how_to.html")
    assert page.locator("course-keeping").inner_text().startswith("이 브라우저에는 저장할 수 없습니다.")
    assert page.locator("course-keeping button").count() == 0
    context.close()


def test_from_disk_nothing_of_it_appears(book, visit):
    page = visit((book / "chapters" / "how_to.html").as_uri())
    assert page.locator("course-keeping, link[rel=manifest]").count() == 0
    assert page.problems == []


@pytest.mark.parametrize(
    ("edition", "language", "name"),
    [("", "ko", "트랜스포머 집중 강의"), ("en/", "en", "Transformers, attentively")],
)
def test_the_book_can_be_installed(host, visit, edition, language, name):
    page = visit(f"{host.url}/{edition}chapters/sheet.html")
    told = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert told["errors"] == [] and told["url"] == f"{host.url}/{edition}manifest.webmanifest"
    manifest = json.loads(told["data"])
    assert (manifest["name"], manifest["lang"]) == (name, language)
    start = urljoin(told["url"], manifest["start_url"])
    assert start == f"{host.url}/{edition}chapters/index.html"
    for icon in manifest["icons"]:
        picture = Image.open(host.root / "attentively" / edition / icon["src"])
        assert "{}x{}".format(*picture.size) == icon["sizes"]
    corner = picture.convert("RGBA").getpixel((0, 0))
    assert icon["purpose"] == "maskable" and corner[3] == 255
