"""The tiny BERT's recipe with less text and fewer steps, examined on the way.

    PYTHONPATH=. python -m course_data.less_text --out build/less_text

Each run resumes from its last checkpoint. The result, beside that of the model that ships, is tiny_bert/less_text.json.
"""

from __future__ import annotations

import argparse
import json

import torch
from course_data import TINY_BERT, nsmc
from course_data.examination import examination
from course_data.pretrain import CONFIG, Pretrainer, encode, train
from course_data.pretraining import arguments, replace, tokenizer_of
from transformers import AutoTokenizer, BertConfig, BertForPreTraining

REVIEWS = (320, 2344, 18750, None)  # None: all of them
STEPS = 1000


def shipped() -> Pretrainer:
    """The model in tiny_bert/."""
    theirs = BertForPreTraining.from_pretrained(TINY_BERT).eval()
    model = Pretrainer(theirs.config).eval()
    model.bert.load_state_dict(theirs.bert.state_dict())
    model.words.load_state_dict(theirs.cls.predictions.state_dict())
    model.pairs.load_state_dict(theirs.cls.state_dict(), strict=False)
    return model


def main() -> None:
    args = arguments(__doc__.splitlines()[0], steps=STEPS)
    texts, _ = nsmc.load("train")
    asked = examination(AutoTokenizer.from_pretrained(TINY_BERT))
    result = {"shipped": asked.of(shipped()), "runs": []}
    for reviews in REVIEWS:
        ids, starts = encode(tokenizer_of(TINY_BERT, texts), texts[:reviews])
        folder = args.out / f"{len(ids)}"
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(args.seed)
        config = BertConfig(**CONFIG, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        model = Pretrainer(config).to(args.device)
        here = argparse.Namespace(**{**vars(args), "out": folder})
        train(model, ids, starts, here, evaluate=asked.of)
        log = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
        for row in log:
            del row["seconds"]  # this machine's, beside whatever else it did
        result["runs"].append({"reviews": len(ids), "tokens": sum(map(len, ids)), "log": log})
        lines = json.dumps(result, indent=1) + "\n"
        replace(args.out / "less_text.json", lambda file, lines=lines: file.write_text(lines))


if __name__ == "__main__":
    main()
