"""Sentiment of NSMC's test reviews: the tiny BERT and the tiny GPT against a bag of n-grams.

    python benchmarks/sentiment.py [--train N] [--test N] [--short-bert DIR] [--json FILE]

Everything is trained on the same reviews, all 149,995 unless fewer are asked for. A BERT that was pretrained as briefly
as the tiny GPT (`python -m course_data.pretrain --steps 1400`, 1.9 passes) can be fine-tuned beside them. Takes about an hour and a half on
one CPU core, in proportion to the reviews. The file holds each model's answers, too: models are compared on the
reviews that exactly one of two gets right.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import torch
from course_data import bert_name, gpt_name, nsmc
from course_data.finetune import collate, encode, fine_tune, predict, similar_lengths
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoTokenizer

from grader.results import write_whole


def ngram_baseline(train, test) -> list[int]:
    """Logistic regression on the tf-idf of character 1- to 3-grams that occur at least twice.

    C = 3 did better than the default 1 on the last tenth of the training reviews.
    """
    counter = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), min_df=2)
    model = LogisticRegression(C=3, max_iter=300).fit(counter.fit_transform(train[0]), train[1])
    return model.predict(counter.transform(test[0])).tolist()


def tuned_rows(
    train, test, device: str, short_bert: Path | None = None
) -> dict[str, Callable[[], list[int]]]:
    """The measurements, by name; each starts from its own copy of the weights and returns its answers."""

    def measure(name: str, pretrained: bool = True, **settings) -> Callable[[], list[int]]:
        def run() -> list[int]:
            tokenizer = AutoTokenizer.from_pretrained(name)
            if pretrained:
                body = AutoModel.from_pretrained(name, dtype=torch.float32, attn_implementation="eager")
            else:
                torch.manual_seed(0)
                body = AutoModel.from_config(AutoConfig.from_pretrained(name, attn_implementation="eager"))
            model = fine_tune(body, encode(tokenizer, train[0]), train[1], device=device, **settings)
            return predict(model, encode(tokenizer, test[0]), device)

        return run

    rows = {"BERT of 1.9 passes, fine-tuned": measure(str(short_bert), epochs=2)} if short_bert else {}
    return {
        **rows,
        "BERT, fine-tuned": measure(bert_name(), epochs=2),
        "GPT, fine-tuned": measure(gpt_name(), epochs=2),
        "BERT, frozen, head only": measure(bert_name(), frozen=True, epochs=1, lr=3e-3),
        "GPT, frozen, head only": measure(gpt_name(), frozen=True, epochs=1, lr=3e-3),
        "same BERT, random start": measure(bert_name(), pretrained=False, epochs=2),
        "same GPT, random start": measure(gpt_name(), pretrained=False, epochs=2),
    }


@torch.no_grad()
def asked(test, device: str) -> list[int]:
    """Answers of the GPT, never trained on a label: 최고 ("the best") or 최악 ("the worst") after a review.

    What it leans to after no review at all is taken off.
    """
    tokenizer = AutoTokenizer.from_pretrained(gpt_name())
    model = AutoModelForCausalLM.from_pretrained(gpt_name()).to(device).eval()
    best, worst = tokenizer.convert_tokens_to_ids(["최고", "최악"])
    prompts = [ids[:-1] for ids in encode(tokenizer, [f"{text}." for text in ["", *test[0]]])]  # no [SEP]
    leans = [0.0] * len(prompts)
    for batch in similar_lengths(prompts, 128, torch.Generator()):
        ids, mask = (t.to(device) for t in collate([prompts[i] for i in batch]))
        logits = model(ids, attention_mask=mask).logits[torch.arange(len(batch)), mask.sum(dim=1) - 1]
        for i, lean in zip(batch, (logits[:, best] - logits[:, worst]).tolist(), strict=True):
            leans[i] = lean
    return [int(lean > leans[0]) for lean in leans[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=int, help="train on this many reviews")
    parser.add_argument("--test", type=int, help="measure on this many reviews")
    parser.add_argument("--short-bert", type=Path, help="folder of a BERT pretrained for 1,400 steps")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    train = tuple(column[: args.train] for column in nsmc.load("train"))
    test = tuple(column[: args.test] for column in nsmc.load("test"))
    runs = {"logistic regression, character 1-3-grams": lambda: ngram_baseline(train, test)}
    runs["GPT, asked for the next word"] = lambda: asked(test, args.device)
    runs |= tuned_rows(train, test, args.device, args.short_bert)
    results = []
    for name, run in runs.items():
        began = time.perf_counter()
        right = [int(answer == label) for answer, label in zip(run(), test[1], strict=True)]
        score = sum(right) / len(right)
        seconds = round(time.perf_counter() - began)
        results.append({"model": name, "accuracy": round(score, 4), "seconds": seconds})
        print(results[-1], flush=True)
        results[-1]["right"] = "".join(map(str, right))
        if args.json:
            about = {"train": len(train[0]), "test": len(test[0]), "results": results}
            write_whole(args.json, json.dumps(about, indent=1).encode())

    table = Table(title=f"NSMC, {len(train[0]):,} reviews to train on, {len(test[0]):,} to test")
    for column in ("model", "accuracy", "seconds"):
        table.add_column(column, justify="left" if column == "model" else "right")
    for row in results:
        table.add_row(row["model"], f"{100 * row['accuracy']:.2f} %", str(row["seconds"]))
    Console().print(table)


if __name__ == "__main__":
    main()
