"""Building, serving and watching pages; the fixtures in conftest.py are made of these."""

import os
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HTML = Path("build", "book", "_build", "html")


class QuietHandler(SimpleHTTPRequestHandler):
    headers_of_all = {}

    def end_headers(self):
        for name, value in self.headers_of_all.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *args):
        pass


@contextmanager
def served(folder: Path, headers: dict[str, str] | None = None, by: type[QuietHandler] = QuietHandler):
    """The address at which a folder is served while the context lasts, every answer with these headers more."""
    handler = type("Handler", (by,), {"headers_of_all": headers or {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=folder))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def build_book(root: Path, source: str = ".", to: str = "build/book") -> None:
    """Build the book of a folder as the Makefile does; an AssertionError holds the log."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", source, "--path-output", to, "-W", "--keep-going", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def build_english(root: Path) -> None:
    """Build the English edition into the folder of the built book."""
    subprocess.run([sys.executable, "assets/editions/english.py", "build/english"], cwd=root, check=True)
    build_book(root, "build/english", "build/english-book")
    shutil.copytree(root / "build/english-book/_build/html", root / HTML / "en", dirs_exist_ok=True)


def watch(page, url: str) -> None:
    """Collect console errors, failed requests and requests to anywhere but the page's own origin."""
    origin = url if url.startswith("file:") else "/".join(url.split("/")[:3])
    scheme = origin.split(":")[0] + "://" if url.startswith("file:") else origin
    page.problems = []
    page.on("console", lambda message: message.type == "error" and page.problems.append(message.text))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "requestfailed",
        lambda request: (
            left_early(request) or page.problems.append(f"failed: {request.url}: {request.failure}")
        ),
    )
    page.on(
        "response",
        lambda answer: answer.status >= 400 and page.problems.append(f"{answer.status} {answer.url}"),
    )
    page.on(
        "request",
        lambda request: (
            request.url.startswith((scheme, "data:", "blob:"))
            or page.problems.append(f"external: {request.url}")
        ),
    )


def left_early(request) -> bool:
    """Whether a request failed since the page was left before its icon had come, for which "load" does not wait."""
    return request.failure == "net::ERR_ABORTED" and request.url.endswith("/favicon.svg")


def go(page, url: str, scripts: bool = True) -> None:
    """Open a page, until the theme's script too has run: a task of its own (one_script.py), which may come after the load."""
    page.goto(url, wait_until="load")
    if scripts:  # timers run in turn, and the theme's was first
        page.evaluate("() => new Promise(done => setTimeout(done))")


def come_to(element) -> None:
    """Scroll there, until its section is laid out: those above get their real heights on the way (course.css)."""
    there = """e => {
      e.scrollIntoView({ block: "center", behavior: "instant" });
      return e.checkVisibility({ contentVisibilityAuto: true });
    }"""
    element.page.wait_for_function(there, arg=element.element_handle(), timeout=20_000)


# A busy headless browser may stop to give a page frames.
NO_FRAME = "no frame in twenty seconds"
FRAME = f"""() => new Promise((done, failed) => {{
  requestAnimationFrame(done);
  setTimeout(() => failed(new Error("{NO_FRAME}")), 20_000);
}})"""


def two_frames(page) -> None:
    """Wait until what was just changed is on the screen, and what watches the screen has been told."""
    page.evaluate(f"({FRAME})().then({FRAME})")


def lay_out_whole(page) -> None:
    """All sections, each once near the screen, as if a reader had come through the page."""
    page.add_style_tag(content=".bd-article section { content-visibility: visible !important; }")
    page.evaluate(
        """async () => {
          const frame = FRAME;
          for (let y = 0; y < document.documentElement.scrollHeight; y += 2 * innerHeight) {
            scrollTo({ top: y, behavior: "instant" });
            await frame();
            await frame();
          }
          scrollTo({ top: 0, behavior: "instant" });
          await frame();
        }""".replace("FRAME", FRAME)
    )
