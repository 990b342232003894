"""Teach the tiny BERT what a review feels like, in adapters of rank 8 that are small enough for a page.

    PYTHONPATH=. python assets/models/sentiment/train.py --out DIR

Two adapters: one learns from the course's own 320 sentences, as the sentiment chapter does, the other from NSMC's train
split. The BERT stays as it is (LoRA, solutions/adaptation.py), so run it where the repository's root is on the import
path. What they are worth is in README.md beside this.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from course_data import TINY_BERT, nsmc, sentence_rows
from course_data.finetune import Classifier, accuracy, collate, encode, similar_lengths
from safetensors.torch import save_file
from torch import Tensor, nn
from transformers import AutoTokenizer, BertModel

from solutions.adaptation import LoRALinear, add_lora

ADAPTED = ["query", "key", "value", "dense"]
RANK, ALPHA = 8, 16
# The rates did best on the last 4,000 reviews of NSMC's train split, of 1e-3 and 3e-3
RECIPES = {
    "few": dict(epochs=6, batch_size=16, lr=1e-3),
    "many": dict(epochs=1, batch_size=64, lr=3e-3),
}


def adapted_classifier(seed: int = 0) -> Classifier:
    """The tiny BERT with adapters and a classifier's head, all of which learn; the BERT itself does not."""
    torch.manual_seed(seed)
    body = BertModel.from_pretrained(TINY_BERT, dtype=torch.float32, add_pooling_layer=False)
    classifier = Classifier(body)
    add_lora(body, ADAPTED, RANK, ALPHA)
    return classifier


def learn(
    classifier: Classifier,
    ids: list[list[int]],
    labels: list[int],
    *,
    epochs: int,
    batch_size: int,
    lr: float,
) -> None:
    """AdamW, 6 % warm-up, linear decay to zero, as `course_data.finetune` fine-tunes the whole."""
    generator = torch.Generator().manual_seed(0)
    y = torch.tensor(labels, dtype=torch.float32)
    learned = [p for p in classifier.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=lr, weight_decay=0.01)
    steps = epochs * -(-len(ids) // batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, lr, total_steps=steps, pct_start=0.06, anneal_strategy="linear", cycle_momentum=False
    )
    classifier.train()
    for epoch in range(epochs):
        total = 0.0
        for batch in similar_lengths(ids, batch_size, generator):
            logits = classifier(*collate([ids[i] for i in batch]))
            loss = F.binary_cross_entropy_with_logits(logits, y[batch])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch + 1}: training loss {total / len(ids):.4f}", flush=True)


def adapter_of(classifier: Classifier) -> dict[str, Tensor]:
    """The learned weights by name, for each adapted map A and B, already scaled, and the head's."""
    found = {f"head.{name}": value for name, value in classifier.head.state_dict().items()}
    for name, module in classifier.body.named_modules():
        if isinstance(module, LoRALinear):
            found[f"{name}.A"], found[f"{name}.B"] = module.A, module.scale * module.B
    return {name: value.detach().half().contiguous() for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for few.safetensors and many.safetensors"
    )
    parser.add_argument("--reviews", type=int, help="use this many of NSMC's reviews")
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(TINY_BERT)
    own, own_test = (
        ([row["sentence"] for row in rows], [int(row["label"]) for row in rows])
        for rows in map(sentence_rows, ("train", "test"))
    )
    train = tuple(column[: args.reviews] for column in nsmc.load("train"))
    tests = {"the course's 504 sentences": own_test, "NSMC's test split": nsmc.load("test")}
    for name, (texts, labels) in {"few": own, "many": train}.items():
        began = time.process_time()
        classifier = adapted_classifier()
        learn(classifier, encode(tokenizer, texts), labels, **RECIPES[name])
        print(f"{name}: {len(texts)} texts, {time.process_time() - began:.0f} CPU seconds", flush=True)
        save_file(adapter_of(classifier), args.out / f"{name}.safetensors")
        for test, (sentences, answers) in tests.items():
            print(f"  {test}: {accuracy(classifier, encode(tokenizer, sentences), answers):.4f}", flush=True)


if __name__ == "__main__":
    main()
