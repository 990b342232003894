"""Measures how a page opens and scrolls on a phone: when it stands, how it jumps, what blocks it, what it weighs.

    PYTHONPATH=. python benchmarks/page_speed.py [--book FOLDER] [--json FILE] [PAGE…]

Pages come compressed to a screen of 390 × 844 in Chromium. The largest paint (LCP), the jumps (CLS) and the bytes are of a
load as Lighthouse's phone has it: a processor four times slower, 1.6 Mbit/s, 150 ms away. What blocks is taken from a second
load: the processor time of each task of the main thread, times four, less 50 ms, from the first paint on (`blocking`); the
longest task of all (`longest`); and the longest while the page is scrolled to its end (`scrolled`). Processor time, since
other work on the machine does not lengthen it.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "site"), str(ROOT / "assets")]

import chromium  # noqa: E402
from browsing import HTML, QuietHandler, served  # noqa: E402

from grader.results import write_whole  # noqa: E402

STEMS = ("training", "transformer", "attention", "gpt", "vit")
PAGES = ["index.html", *(f"chapters/{stem}.html" for stem in STEMS), "exercises/masking/masking.html"]
SLOWER = 4
FREE = 50  # ms of a task that nobody feels
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 750e3 / 8,
}
TRACED = ["toplevel", "loading", "devtools.timeline", "blink.user_timing"]
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
WATCH = """
  window.seen = { largest: 0, jumps: 0 };
  new PerformanceObserver((list) => list.getEntries().forEach((e) => (seen.largest = e.startTime))).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((e) => e.hadRecentInput || (seen.jumps += e.value))).observe({ type: "layout-shift", buffered: true });
"""
SCROLL = """async () => {
  performance.mark("scroll to the end");
  for (let y = 0; y < document.documentElement.scrollHeight; y += 0.8 * innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await new Promise((done) => setTimeout(done, 100));
  }
}"""


class Compressing(QuietHandler):
    """Text comes compressed, as web servers send it."""

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.suffix not in {".html", ".js", ".css", ".svg", ".json"} or not path.is_file():
            return super().do_GET()
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.copyfile(io.BytesIO(body), self.wfile)


@contextmanager
def phone(browser: Browser):
    context = browser.new_context(**PHONE)
    page = context.new_page()
    yield page, context.new_cdp_session(page)
    context.close()


def traced(page: Page, devtools: CDPSession, url: str, work) -> list[dict]:
    """Events of the page's main thread while `work` runs."""
    events, ended = [], []
    devtools.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    devtools.on("Tracing.tracingComplete", lambda _: ended.append(True))
    config = {"includedCategories": TRACED}
    devtools.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": config})
    work()
    devtools.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    ours = {event["pid"] for event in events if event["name"] == "ParseHTML" and url in str(event["args"])}
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name"
        and event["args"]["name"] == "CrRendererMain"
        and event["pid"] in ours
    }
    return [event for event in events if (event["pid"], event["tid"]) in main]


def blocked(events: list[dict], since: float, until: float = float("inf")) -> list[float]:
    """Milliseconds of each task in a part of a trace, on the slower processor."""
    return [
        SLOWER * event.get("tdur", 0) / 1000
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask" and since <= event["ts"] < until
    ]


def measure(browser: Browser, url: str) -> dict[str, float]:
    """A page's figures, those of its tasks the better of two loads: neighbours on the machine slow a processor, too."""
    runs = [opened(browser, url), opened(browser, url)]
    return arrived(browser, url) | {name: min(run[name] for run in runs) for name in runs[0]}


def arrived(browser: Browser, url: str) -> dict[str, float]:
    """Measure what has come when over a phone's network, how large, and how it jumped."""
    with phone(browser) as (page, devtools):
        received = []
        devtools.on("Network.loadingFinished", lambda done: received.append(done["encodedDataLength"]))
        devtools.send("Network.enable")
        devtools.send("Network.emulateNetworkConditions", NETWORK)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.add_init_script(WATCH)
        page.goto(url, wait_until="load")
        page.wait_for_timeout(1500)
        seen = page.evaluate("seen")
    return {"kB": sum(received) / 1000, "LCP ms": seen["largest"], "CLS": seen["jumps"]}


def opened(browser: Browser, url: str) -> dict[str, float]:
    """The tasks of a page's main thread, while it opens and while it is scrolled through, in ms of the slower processor."""
    with phone(browser) as (page, devtools):

        def work():
            page.goto(url, wait_until="load")
            page.wait_for_timeout(1500)
            page.evaluate(SCROLL)

        events = traced(page, devtools, url, work)
    painted = min(event["ts"] for event in events if event["name"] == "firstContentfulPaint")
    scrolled = min(event["ts"] for event in events if event["name"] == "scroll to the end")
    opening = blocked(events, 0, scrolled)
    return {
        "blocking ms": sum(max(0, task - FREE) for task in blocked(events, painted, scrolled)),
        "longest ms": max(opening),
        "scrolled ms": max(blocked(events, scrolled)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "pages", nargs="*", metavar="PAGE", help="addresses in the book; without any, eight of each edition"
    )
    parser.add_argument("--book", type=Path, default=ROOT / HTML, help="the folder of a built book")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    args = parser.parse_args()
    names = args.pages or [*PAGES, *(f"en/{name}" for name in PAGES)]
    missing = [name for name in names if not (args.book / name).is_file()]
    if missing:
        sys.exit(f"page_speed: {args.book} has no {missing[0]}; 'make book' makes the book")
    measured = {}
    with served(args.book, by=Compressing) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.installed(), args=["--no-sandbox"])
        for name in names:
            measured[name] = measure(browser, f"{url}/{name}")
        browser.close()
    table = Table("page", *next(iter(measured.values())))
    for name, figures in measured.items():
        table.add_row(
            name, *(f"{figure:.2f}" if key == "CLS" else f"{figure:.0f}" for key, figure in figures.items())
        )
    Console(width=120).print(table)
    if args.json:
        write_whole(args.json, json.dumps(measured, indent=1).encode())


if __name__ == "__main__":
    main()
