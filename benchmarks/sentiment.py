"""Sentiment of NSMC's 49,997 test reviews: the tiny BERT in three states against a bag of n-grams.

    python benchmarks/sentiment.py [--json FILE]

Everything is trained on the 149,995 training reviews. Takes about forty minutes on one CPU core.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import torch
from course_data import bert_name, nsmc
from course_data.finetune import accuracy, encode, fine_tune
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from transformers import AutoTokenizer, BertConfig, BertModel

from grader.results import write_whole


def ngram_baseline(train, test) -> float:
    """Logistic regression on the tf-idf of character 1- to 3-grams that occur at least twice.

    C = 3 did better than the default 1 on the last tenth of the training reviews.
    """
    counter = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), min_df=2)
    model = LogisticRegression(C=3, max_iter=300).fit(counter.fit_transform(train[0]), train[1])
    return model.score(counter.transform(test[0]), test[1])


def bert_rows(train, test, device: str) -> dict[str, Callable[[], float]]:
    """What to measure, by name; each starts from its own copy of the weights."""
    name, epochs = bert_name(), 2
    tokenizer = AutoTokenizer.from_pretrained(name)
    train_ids, test_ids = encode(tokenizer, train[0]), encode(tokenizer, test[0])

    def pretrained() -> BertModel:
        return BertModel.from_pretrained(name, dtype=torch.float32, attn_implementation="eager")

    def random() -> BertModel:
        torch.manual_seed(0)
        return BertModel(BertConfig.from_pretrained(name, attn_implementation="eager"))

    def measure(make: Callable[[], BertModel], **settings) -> Callable[[], float]:
        def run() -> float:
            model = fine_tune(make(), train_ids, train[1], device=device, **settings)
            return accuracy(model, test_ids, test[1], device)

        return run

    return {
        "BERT, fine-tuned": measure(pretrained, epochs=epochs),
        "BERT, frozen, head only": measure(pretrained, frozen=True, epochs=1, lr=3e-3),
        "same BERT, random start": measure(random, epochs=epochs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    train, test = nsmc.load("train"), nsmc.load("test")
    runs = {"logistic regression, character 1-3-grams": lambda: ngram_baseline(train, test)}
    runs |= bert_rows(train, test, args.device)
    results = []
    for name, run in runs.items():
        began = time.perf_counter()
        score = run()
        results.append(
            {"model": name, "accuracy": round(score, 4), "seconds": round(time.perf_counter() - began)}
        )
        print(results[-1], flush=True)

    table = Table(title="NSMC test split")
    for column in ("model", "accuracy", "seconds"):
        table.add_column(column, justify="left" if column == "model" else "right")
    for row in results:
        table.add_row(row["model"], f"{100 * row['accuracy']:.2f} %", str(row["seconds"]))
    Console().print(table)
    if args.json:
        about = {"data": "NSMC test split", "bert": Path(bert_name()).name, "results": results}
        write_whole(args.json, json.dumps(about, indent=1).encode())


if __name__ == "__main__":
    main()
