"""The models that run in the page: how long they take in a browser, how much is loaded, what 8 bits cost.

    PYTHONPATH=. python benchmarks/live_models.py [--json FILE] [--nsmc]
    PYTHONPATH=. python benchmarks/live_models.py --stills BOOK

Times are the page's own processor time, which other work on the machine touches less than the clock. `--nsmc` measures
sentiment on NSMC's test reviews, too. `--stills` writes assets/model_examples anew, the examples that stand in the book's pages
before a model is loaded, from the folder of a book that has been built (HTML).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from course_data import TINY_BERT, load_sentences, nsmc
from playwright.sync_api import CDPSession, Page, sync_playwright
from rich.console import Console
from rich.table import Table
from transformers import AutoTokenizer

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/site", "assets", "assets/extensions", "chapters")]

import chromium  # noqa: E402
import live_engine  # noqa: E402
import live_model  # noqa: E402
import live_weights  # noqa: E402
import number_words  # noqa: E402

from grader.results import write_whole  # noqa: E402

RUNS = 10
READ = "ids => bert.fill(bert.read(ids).hidden, 5)"
WRITE = """cached => {
  const ids = [2], cache = cached ? gpt.newCache() : null;
  while (ids.length < 128) {
    gpt.next(cache ? ids.slice(-1) : ids, cache ?? undefined);
    ids.push(100 + ids.length);
  }
}"""


def processor_seconds(devtools: CDPSession, work: Callable[[], object]) -> float:
    """Processor seconds of the page's main thread while `work` runs."""

    def total() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    before = total()
    work()
    return total() - before


def times(page: Page) -> dict[str, float]:
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = {}
    for name, kind in (("tiny_bert", "Bert"), ("tiny_gpt", "Gpt"), ("number_translator", "Translator")):
        start = (
            f"() => {{ window.{kind.lower()} = new transformer.{kind}(decodeWeights(live.files.{name})); }}"
        )
        found[f"decode {name}, ms"] = 1000 * processor_seconds(
            devtools, lambda start=start: page.evaluate(start)
        )
    ids = list(range(100, 132))
    read = [processor_seconds(devtools, lambda: page.evaluate(READ, ids)) for _ in range(RUNS)]
    found["BERT, 32 tokens, the first time, ms"] = 1000 * read[0]
    found["BERT, 32 tokens, ms"] = 1000 * sorted(read)[RUNS // 2]
    for name, cached in (("with its cache", True), ("without", False)):
        found[f"GPT {name}, tokens a second"] = 127 / processor_seconds(
            devtools, lambda cached=cached: page.evaluate(WRITE, cached)
        )
    return found


def sizes() -> dict[str, dict[str, float]]:
    found = {}
    for name, (scripts, models) in live_model.WIDGETS.items():
        texts = [(live_model.LIVE / script).read_bytes() for script in [*live_model.ENGINE, *scripts]]
        texts += [live_weights.script(model).encode() for model in models]
        found[name] = {
            "MB": live_model.size_of(name) / 1e6,
            "MB, compressed": sum(len(gzip.compress(text)) for text in texts) / 1e6,
        }
    return found


@torch.no_grad()
def masked_loss(model, tokenizer, texts: list[str]) -> float:
    """Mean loss of the token in the middle of each text, blanked."""
    losses = []
    for text in texts:
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        at = ids.shape[1] // 2
        answer = ids[0, at].clone()
        ids[0, at] = tokenizer.mask_token_id
        losses.append(F.cross_entropy(model(ids).logits[0, at], answer))
    return torch.stack(losses).mean().item()


@torch.no_grad()
def next_token_loss(model, tokenizer, texts: list[str]) -> float:
    losses = []
    for text in texts:
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        losses.append(F.cross_entropy(model(ids).logits[0, :-1], ids[0, 1:], reduction="none"))
    return torch.cat(losses).mean().item()


@torch.no_grad()
def numbers_read(model) -> float:
    """The share of the chapter's held-out numbers that are translated whole."""
    numbers = number_words.draw(21_000, below=1_000_000, seed=0)[:1000]
    about = live_weights.model("number_translator")[1]
    rows = [torch.tensor([about["source"].index(word) for word in number_words.english(n)]) for n in numbers]
    source = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=number_words.PAD)
    ids = torch.full((len(numbers), 1), number_words.SOS)
    for _ in range(16):
        logits = model(source, ids, source != number_words.PAD)[:, -1]
        ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
    written = [
        row[1 : row.index(number_words.EOS)] if number_words.EOS in row else [] for row in ids.tolist()
    ]
    right = [
        [about["target"][i] for i in row] == number_words.korean(n)
        for row, n in zip(written, numbers, strict=True)
    ]
    return sum(right) / len(right)


def costs(with_nsmc: bool) -> dict[str, tuple[float, float]]:
    """A measure of each model with its 16 bits and with 8."""
    tokenizer = AutoTokenizer.from_pretrained(TINY_BERT)
    texts, labels = load_sentences("test")
    asked = {"the course's 504 sentences": (texts, labels)}
    if with_nsmc:
        asked["NSMC's first 5,000 test reviews"] = tuple(column[:5000] for column in nsmc.load("test"))
    found = {}
    for name, load, rounded, measure in [
        ("BERT, loss of a blank", live_engine.bert, {}, masked_loss),
        ("GPT, loss of a token", live_engine.gpt, {"transposed": True}, next_token_loss),
    ]:
        pair = (load(), live_engine.with_rounded_weights(load(), **rounded))
        found[name] = tuple(measure(model, tokenizer, texts) for model in pair)
    pair = (live_engine.translator(), live_engine.with_rounded_weights(live_engine.translator()))
    found["numbers translated whole"] = tuple(map(numbers_read, pair))
    for adapter in ("few", "many"):
        for name, (sentences, answers) in asked.items():
            found[f"sentiment ({adapter}), {name}"] = tuple(
                live_engine.accuracy(adapter, sentences, answers, bits) for bits in (16, 8)
            )
    return found


def write_stills(page: Page, book: Path) -> None:
    """Write the stills: each widget's output for its own example."""
    for name in live_model.WIDGETS:
        page.goto((book / "chapters" / live_model_page(book, name)).as_uri())
        widget = page.locator(f"live-model[data-name={name}]")
        still = live_engine.example(widget)
        language = page.locator("html").get_attribute("lang")
        write_whole(live_model.still_of(name, language), (still + "\n").encode())


def live_model_page(book: Path, name: str) -> str:
    pages = (book / "chapters").glob("*.html")
    mark = f'data-name="{name}"'
    return next(page.name for page in pages if mark in page.read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--nsmc", action="store_true", help="measure sentiment on NSMC's test reviews, too")
    parser.add_argument(
        "--stills", type=Path, metavar="BOOK", help="write assets/model_examples from this built book"
    )
    args = parser.parse_args()

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium.installed(), args=["--no-sandbox"])
        page = browser.new_page()
        if args.stills:
            write_stills(page, args.stills.resolve())
            return
        page.goto(live_engine.lay_out(Path(folder)).as_uri())
        measured = {"sizes": sizes(), "times": times(page)}
        browser.close()
    print(measured, flush=True)
    measured["costs"] = costs(args.nsmc)

    table = Table("", "", title="Live models")
    for name, size in measured["sizes"].items():
        table.add_row(name, f"{size['MB']:.1f} MB, {size['MB, compressed']:.1f} compressed")
    for name, value in measured["times"].items():
        table.add_row(name, f"{value:.0f}")
    for name, (before, after) in measured["costs"].items():
        table.add_row(name, f"{before:.4f} with 16 bits, {after:.4f} with 8")
    Console().print(table)
    if args.json:
        write_whole(args.json, json.dumps(measured, indent=1).encode())


if __name__ == "__main__":
    main()
