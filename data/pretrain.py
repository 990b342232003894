"""Pretrain the course's tiny Korean BERT: a WordPiece vocabulary, then masked words and next parts.

    python -m course_data.pretrain --out build/tiny_bert

The model is the book's own (solutions/bert.py, solutions/bert_pretraining.py), so run it where the repository's root
is on the import path. The text is NSMC's train split, without its labels. What came of it is in tiny_bert/README.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
from course_data import nsmc
from course_data.packing import IGNORE, Batch, batches
from course_data.pretraining import ROW_LENGTH, VOCAB_SIZE, arguments, learn, tokenizer_of
from course_data.pretraining import save as save_hugging_face
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining

from solutions.bert import BertModel, init_weights
from solutions.bert_pretraining import MLMHead, NSPHead

ROWS = 32
PEAK_RATE = 1.5e-3
WARMUP = 400
CONFIG = dict(
    vocab_size=VOCAB_SIZE,
    hidden_size=192,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=768,
    max_position_embeddings=ROW_LENGTH,
)


def encode(tokenizer: BertWordPieceTokenizer, texts: list[str]) -> tuple[list[list[int]], list[list[int]]]:
    """Token ids of each text, and where in them its words begin."""
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
    ids = [e.ids for e in encoded]
    starts = [[i for i, token in enumerate(e.tokens) if not token.startswith("##")] for e in encoded]
    return ids, starts


class Pretrainer(nn.Module):
    """BERT with both heads of its pretraining."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.bert = BertModel(config)
        self.words = MLMHead(config, self.bert.embeddings.word_embeddings)
        self.pairs = NSPHead(config)
        init_weights(self, config.initializer_range)

    def as_hugging_face(self) -> BertForPreTraining:
        """The same model as a BertForPreTraining."""
        theirs = BertForPreTraining(self.bert.config)
        places = {"words.": "cls.predictions.", "pairs.": "cls."}
        state = {}
        for name, tensor in self.state_dict().items():
            part = next((part for part in places if name.startswith(part)), "")
            state[places.get(part, "") + name.removeprefix(part)] = tensor
        theirs.load_state_dict(state)
        return theirs


def pretraining_loss(model: Pretrainer, batch: Batch) -> tuple[Tensor, Tensor]:
    """Mean cross-entropies of the masked tokens and of the sentence pairs.

    The vocabulary's 7,680 logits are computed at the masked tokens only.
    """
    embedded = model.bert.embeddings(batch.input_ids, batch.token_type_ids, batch.position_ids)
    hidden = model.bert.encoder(embedded, batch.attention_mask).flatten(0, 1)
    word_logits = model.words(hidden[batch.predict_at])
    pair_logits = model.pairs(model.bert.pooler(hidden[batch.judge_at][:, None]))
    return (
        F.cross_entropy(word_logits.float(), batch.predict_labels),
        F.cross_entropy(pair_logits.float(), batch.judge_labels, ignore_index=IGNORE),
    )


def train(
    model: Pretrainer,
    ids,
    starts,
    args: argparse.Namespace,
    evaluate: Callable[[Pretrainer], dict] = lambda _: {},
) -> None:
    """Every pass is cut, paired, packed and masked anew. `evaluate`: see `learn`."""

    def one_pass(number: int) -> Iterator[Batch]:
        seed = 1000 * args.seed + number
        return batches(ids, starts, model.bert.config.vocab_size, ROWS, ROW_LENGTH, seed)

    def losses_of(model: Pretrainer, batch: Batch) -> dict[str, Tensor]:
        return dict(zip(("words", "pairs"), pretraining_loss(model, batch), strict=True))

    learn(model, losses_of, one_pass, args, peak=PEAK_RATE, warmup=WARMUP, evaluate=evaluate)


def save(model: Pretrainer, folder: Path) -> None:
    save_hugging_face(
        model.as_hugging_face(), folder, ("hidden_dropout_prob", "attention_probs_dropout_prob")
    )


def main() -> None:
    args = arguments(__doc__.splitlines()[0], steps=10000)
    torch.manual_seed(args.seed)
    texts, _ = nsmc.load("train")
    args.out.mkdir(parents=True, exist_ok=True)
    ids, starts = encode(tokenizer_of(args.out, texts), texts)
    print(f"{len(ids)} reviews, {sum(map(len, ids))} tokens", flush=True)

    config = BertConfig(**CONFIG, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = Pretrainer(config).to(args.device)
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    train(model, ids, starts, args)
    save(model, args.out)


if __name__ == "__main__":
    main()
