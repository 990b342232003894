"""Fine-tune a Korean BERT or GPT-2 on NSMC's train split and measure it on the test split.

    python -m course_data.finetune --model DIR

The classifier is the course's: one linear layer on a hidden state, sigmoid, binary cross-entropy. A BERT is read at
its first token, [CLS]; a GPT, which sees no future, at its last, [SEP].
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from course_data import bert_name, nsmc
from course_data.precision import half_precision
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

LONGEST = 128


class Classifier(nn.Module):
    """A BERT or GPT-2 with one output: the log-odds that a text is positive."""

    def __init__(self, body: PreTrainedModel, frozen: bool = False):
        super().__init__()
        self.body = body.requires_grad_(not frozen)
        self.frozen = frozen
        self.head = nn.Linear(body.config.hidden_size, 1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """(B, L) ids and mask (1 = a real token) to log-odds (B,)."""
        hidden = self.body(input_ids, attention_mask=attention_mask).last_hidden_state
        reads_last = self.body.config.model_type == "gpt2"
        at = attention_mask.sum(dim=1) - 1 if reads_last else torch.zeros_like(input_ids[:, 0])
        return self.head(hidden[torch.arange(len(hidden), device=hidden.device), at])[:, 0]

    def train(self, mode: bool = True) -> Classifier:
        super().train(mode)
        if self.frozen:
            self.body.eval()  # no dropout in what does not learn
        return self


def encode(tokenizer, texts: list[str]) -> list[list[int]]:
    return tokenizer(texts, truncation=True, max_length=LONGEST)["input_ids"]


def collate(rows: list[list[int]], pad: int = 0) -> tuple[Tensor, Tensor]:
    """Pad to the longest row: ids (B, L) and mask (B, L)."""
    length = max(map(len, rows))
    ids = torch.tensor([row + [pad] * (length - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in rows])
    return ids, mask


def similar_lengths(ids: list[list[int]], size: int, generator: torch.Generator) -> Iterator[list[int]]:
    """Indices in shuffled batches of texts of about the same length, so that there is little padding."""
    order = torch.randperm(len(ids), generator=generator).tolist()
    order.sort(key=lambda i: len(ids[i]))
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    for c in torch.randperm(len(chunks), generator=generator).tolist():
        yield chunks[c]


def fine_tune(
    body: PreTrainedModel, ids: list[list[int]], labels: list[int], *, epochs: int = 3, lr: float = 3e-4,
    batch_size: int = 64, frozen: bool = False, device: str = "cpu", seed: int = 0,
) -> Classifier:  # fmt: skip
    """Train a classifier: AdamW, 6 % warm-up, linear decay to zero; `frozen` trains the head alone."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = Classifier(body, frozen).to(device).train()
    y = torch.tensor(labels, dtype=torch.float32)
    optimizer = torch.optim.AdamW(
        [p for p in model.parameters() if p.requires_grad], lr=lr, weight_decay=0.01
    )
    steps = epochs * -(-len(ids) // batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, lr, total_steps=steps, pct_start=0.06, anneal_strategy="linear", cycle_momentum=False
    )
    for epoch in range(epochs):
        total = 0.0
        for batch in similar_lengths(ids, batch_size, generator):
            x = [t.to(device) for t in collate([ids[i] for i in batch])]
            with half_precision(device):
                logits = model(*x)
            loss = F.binary_cross_entropy_with_logits(logits.float(), y[batch].to(device))
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            total += loss.item() * len(batch)
        print(f"epoch {epoch + 1}: training loss {total / len(ids):.4f}", flush=True)
    return model


@torch.no_grad()
def predict(model: Classifier, ids: list[list[int]], device: str = "cpu") -> list[int]:
    """1 where the log-odds are positive, in float32 and without dropout."""
    model.eval()
    answers = [0] * len(ids)
    for batch in similar_lengths(ids, 256, torch.Generator()):
        logits = model(*(t.to(device) for t in collate([ids[i] for i in batch])))
        for i, logit in zip(batch, logits.tolist(), strict=True):
            answers[i] = int(logit > 0)
    return answers


def accuracy(model: Classifier, ids: list[list[int]], labels: list[int], device: str = "cpu") -> float:
    answers = predict(model, ids, device)
    return sum(answer == label for answer, label in zip(answers, labels, strict=True)) / len(ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=bert_name(), help="folder or name of a BERT or GPT-2")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--frozen", action="store_true", help="train the head alone")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    tokenizer = AutoTokenizer.from_pretrained(args.model)
    body = AutoModel.from_pretrained(args.model, dtype=torch.float32, attn_implementation="eager")
    (train_texts, train_labels), (test_texts, test_labels) = nsmc.load("train"), nsmc.load("test")
    began = time.perf_counter()
    model = fine_tune(
        body, encode(tokenizer, train_texts), train_labels, epochs=args.epochs, lr=args.lr,
        batch_size=args.batch_size, frozen=args.frozen, device=args.device, seed=args.seed,
    )  # fmt: skip
    score = accuracy(model, encode(tokenizer, test_texts), test_labels, args.device)
    print(f"accuracy on NSMC's test split: {score:.4f} ({time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main()
