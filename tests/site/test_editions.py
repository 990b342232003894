"""PDF, EPUB and the zip for reading offline, made of the sample book; of the whole book by -m exhaustive."""

import re
import subprocess
import sys
import zipfile
from base64 import b64encode
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
import tinycss2
from browsing import ROOT
from epub_pages import as_xml
from epub_styles import older
from links import with_links, without_links
from offline import write_offline
from pdf import FACE, FONT, reading_order, write_pdf
from pypdf import PdfReader

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
OUTSIDE = {"mimetype", "META-INF/container.xml", "content.opf"}  # what the manifest does not name


@pytest.mark.whole
def test_the_zip_opens_from_disk(sample_book, tmp_path, visit):
    archive = write_offline(sample_book, tmp_path / "book.zip")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    page = visit((tmp_path / "attentively" / "chapters" / "sample.html").as_uri())
    assert page.locator("math").count() > 0
    page.goto((tmp_path / "attentively" / "index.html").as_uri())
    page.wait_for_url("**/chapters/index.html")
    assert page.problems == []


def check_pdf(browser, site: Path, target: Path) -> None:
    pages = reading_order(site.resolve())
    assert {page.relative_to(site.resolve()) for page in pages} == {
        path.relative_to(site) for path in [*site.glob("chapters/*.html"), *site.glob("exercises/*/*.html")]
    }
    reader = PdfReader(write_pdf(browser, site, target))
    entries = [entry for part in reader.outline for entry in (part if isinstance(part, list) else [part])]
    assert len(entries) == len(pages)
    first = reader.pages[0].extract_text()
    assert "가중합" in first or "트랜스포머" in first
    links = [link.get_object() for page in reader.pages for link in page.get("/Annots", [])]
    assert any("/Dest" in link for link in links)
    assert not [link for link in links if str(link.get("/A", {}).get("/URI", "")).startswith("file")]


def check_epub(path: Path) -> None:
    """Well-formed pages, of which the manifest names each, and links that lead somewhere."""
    with zipfile.ZipFile(path) as epub:
        names = set(epub.namelist())
        assert epub.namelist()[0] == "mimetype" and epub.read("mimetype") == b"application/epub+zip"
        ids = {}
        for name in names:
            if name.endswith((".xhtml", ".opf", ".ncx")):
                ids[name] = ElementTree.fromstring(epub.read(name))
        check_styles({name: epub.read(name).decode() for name in names if name.endswith(".css")}, names)
        listed = {item.get("href") for item in ids["content.opf"].iter("{http://www.idpf.org/2007/opf}item")}
    assert {unquote(href) for href in listed} == names - OUTSIDE
    items = {item.get("id") for item in ids["content.opf"].iter("{http://www.idpf.org/2007/opf}item")}
    spine = {entry.get("idref") for entry in ids["content.opf"].iter("{http://www.idpf.org/2007/opf}itemref")}
    assert spine and spine <= items
    check_pages({name: tree for name, tree in ids.items() if name.endswith(".xhtml")}, names)
    anchors = {name: {node.get("id") for node in tree.iter() if node.get("id")} for name, tree in ids.items()}
    broken = []
    for name, tree in ids.items():
        for link in [*tree.iter(f"{XHTML}a"), *tree.iter(f"{SVG}a")]:
            target, _, fragment = unquote(link.get("href", "")).partition("#")
            if ":" in target or not (target or fragment):
                continue
            other = (Path("/", name).parent / target).resolve().as_posix()[1:] if target else name
            if other not in names or (fragment and other in anchors and fragment not in anchors[other]):
                broken.append(f"{name}: {link.get('href')}")
    assert broken == []


def check_styles(sheets: dict[str, str], names: set[str]) -> None:
    """Nothing but what an EPUB's readers know, files that it holds, and colours of areas that have a value."""
    defined = set(re.findall(r"(--[\w-]+)\s*:", " ".join(sheets.values())))
    for name, sheet in sheets.items():
        assert re.findall(r":(?:is|where|has)\(|@page|@font-face|[{;]\s*direction:", sheet) == [], name
        assert set(re.findall(r"\bfill:\s*var\((--[\w-]+)\)", sheet)) <= defined, name
        without_data = re.sub(r"url\((\"?)data:.*?\1\)", "", sheet)
        for address in re.findall(r"url\([\"']?([^)\"']+)", without_data):
            assert (Path("/", name).parent / address).resolve().as_posix()[1:] in names, f"{name}: {address}"


def check_pages(pages: dict[str, ElementTree.Element], names: set[str]) -> None:
    """Each id stands for one thing, what a page shows comes with it, and drawings are whole."""
    for name, tree in pages.items():
        ids = [node.get("id") for node in tree.iter() if node.get("id")]
        assert [one for one in set(ids) if ids.count(one) > 1] == [], name
        assert not list(tree.iter(f"{XHTML}script"))
        shown = [node.get("src") for node in tree.iter() if node.get("src")]
        for address in shown + [link.get("href") for link in tree.iter(f"{XHTML}link")]:
            inside = (Path("/", name).parent / unquote(address)).resolve().as_posix()[1:]
            assert address.startswith("data:") or inside in names, f"{name}: {address}"
        assert all("d" in path.attrib for path in tree.iter(f"{SVG}path")), name
        assert {svg.get("role", "img") for svg in tree.iter(f"{SVG}svg")} <= {"img"}, name
        assert all(link.findtext(f"{SVG}title") for link in tree.iter(f"{SVG}a")), name


def build_epub(root: Path) -> Path:
    command = [
        Path(sys.executable).with_name("jupyter-book"),
        "build",
        ".",
        "--path-output",
        "build/book",
        "--quiet",
    ]
    done = subprocess.run(
        [*command, "--builder", "custom", "--custom-builder", "epub"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return root / "build" / "book" / "_build" / "epub" / "attentively.epub"


def test_an_old_reader_gets_each_selector_by_itself():
    sheet = tinycss2.parse_stylesheet(
        "@page { margin: 1cm } .a:is(h1, .b:not(.c, .d)) p { direction: ltr; color: red} p:has(a) { top: 0 }"
    )
    assert older(sheet).split("\n") == ["h1.a p, .a.b:not(.c):not(.d) p {color: red;}"]


def test_an_epubs_colours_are_those_of_a_light_page():
    sheet = tinycss2.parse_stylesheet(
        'html[data-theme="light"] {--a: red} html[data-theme="dark"] {--a: blue}'
    )
    assert older(sheet).split("\n")[0] == ":root {--a: red;}"


def test_a_drawings_link_is_named_by_its_own_words():
    found = as_xml('<a href="1">x</a><svg><a href="2"><rect/><text>인코더</text>\n<text>N층</text></a></svg>')
    assert found.startswith('<a href="1">x</a>')
    assert '<a href="2"><title>인코더 N층</title><rect/><text>' in found


def test_a_drawings_link_leads_to_the_epubs_page():
    found = as_xml('<svg><a href="../a/b.html#c"><text>x</text></a><a href="https://d.org/e.html"/></svg>')
    assert 'href="../a/b.xhtml#c"' in found and 'href="https://d.org/e.html"' in found


def test_korean_in_code_is_printed_where_no_korean_font_is(browser, sample_book):
    page = browser.new_page()
    page.goto((sample_book / "chapters" / "sample.html").as_uri())
    page.add_style_tag(content=FACE % b64encode(FONT.read_bytes()).decode())
    page.evaluate("document.fonts.ready")
    devtools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        devtools.send(f"{domain}.enable")
    root = devtools.send("DOM.getDocument")["root"]["nodeId"]
    [word] = page.locator("pre span.s2").get_by_text("나는").all()[:1]
    word.evaluate("word => (word.id = 'korean')")
    node = devtools.send("DOM.querySelector", {"nodeId": root, "selector": "#korean"})["nodeId"]
    fonts = devtools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    korean = r"Noto Sans .*KR|Malgun Gothic|Apple SD Gothic Neo"
    assert any(font["isCustomFont"] or re.search(korean, font["familyName"]) for font in fonts), fonts
    page.close()


@pytest.mark.timeout(900)
def test_the_pdf_holds_every_page_and_leads_inside(browser, sample_book, tmp_path):
    check_pdf(browser, sample_book, tmp_path / "book.pdf")


# What may go wrong in an EPUB: where, what is there, and what stands in its place
FAULTS = {
    "an open tag": (r"sample\.xhtml$", "</body>", ""),
    "a link to no page": (r"sample\.xhtml$", "</body>", '<p><a href="nowhere.xhtml">x</a></p></body>'),
    "a link to no place": (r"sample\.xhtml$", "</body>", '<p><a href="#nowhere">x</a></p></body>'),
    "an id twice": (r"sample\.xhtml$", "</body>", '<p id="twice"/><p id="twice"/></body>'),
    "a script": (r"sample\.xhtml$", "</body>", "<script>1</script></body>"),
    "a picture that is not there": (r"sample\.xhtml$", "</body>", '<p><img src="nowhere.png"/></p></body>'),
    "a path without a line": (r"sample\.xhtml$", "</body>", f'<svg xmlns="{SVG[1:-1]}"><path/></svg></body>'),
    "a link without a name": (r"sample\.xhtml$", "</body>", f'<svg xmlns="{SVG[1:-1]}"><a/></svg></body>'),
    "a drawing's link to no page": (
        r"sample\.xhtml$",
        "</body>",
        f'<svg xmlns="{SVG[1:-1]}"><a href="nowhere.html"><title>x</title></a></svg></body>',
    ),
    "a role that XHTML lacks": (
        r"sample\.xhtml$",
        "</body>",
        f'<svg xmlns="{SVG[1:-1]}" role="group"/></body>',
    ),
    "a page that is not listed": (r"content\.opf$", r'<item [^>]*sample\.xhtml"[^>]*/>', ""),
    "a page of no item": (r"content\.opf$", "</spine>", '<itemref idref="nowhere"/></spine>'),
    "a selector that readers do not know": (r"\.css$", r"\Z", "p:is(a, b) { top: 0 }"),
    "a colour without a value": (r"\.css$", r"\Z", "rect { fill: var(--nobody-says) }"),
    "a style's picture that is not there": (r"\.css$", r"\Z", "p { background: url(nowhere.png) }"),
}


@pytest.mark.whole
def test_the_epub_is_well_formed_and_leads_inside(sample_book, tmp_path):
    made = build_epub(sample_book.parents[3])
    check_epub(made)
    for fault, (where, there, instead) in FAULTS.items():
        broken = tmp_path / "broken.epub"
        with zipfile.ZipFile(made) as epub, zipfile.ZipFile(broken, "w") as copy:
            change = next(name for name in epub.namelist() if re.search(where, name))
            for name in epub.namelist():
                content = epub.read(name)
                if name == change:
                    content = re.sub(there, lambda _: instead, content.decode(), count=1).encode()  # noqa: B023
                    assert content != epub.read(name), fault
                copy.writestr(name, content)
        with pytest.raises((AssertionError, ElementTree.ParseError)):
            check_epub(broken)
            pytest.fail(f"not noticed: {fault}")


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
def test_the_whole_book_can_be_carried_away(browser, book, tmp_path):
    check_pdf(browser, book, tmp_path / "book.pdf")
    check_epub(build_epub(ROOT))


def test_pages_lead_to_the_editions_that_there_are(sample_book):
    page = (sample_book / "chapters" / "sample.html").read_text(encoding="utf-8")
    assert without_links(page) == page
    linked = with_links(page, {"pdf": 12_300_000})
    assert '<a href="../downloads/attentively.pdf" download>PDF(12 MB)</a>' in linked
    assert "epub" not in linked.partition("data-downloads")[2]
    assert without_links(linked) == page
