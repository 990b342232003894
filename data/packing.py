"""Packed batches for pretraining: many short reviews to a row, none attending to another.

Reviews have 17 tokens on average and 140 at most. Padding would be most of a batch, and bucketing by length
makes batches of one kind of review; packing has neither fault, and gives every batch the same shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

PAD, UNK, CLS, SEP, MASK = range(5)
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
IGNORE = -100
MASK_SHARE = 0.15
MEAN_REVIEW = 8  # a row never holds more reviews than its length divided by this


@dataclass
class Batch:
    """B rows of L tokens, with M tokens to predict and N sentence pairs to judge.

    `predict_at` (M,) and `judge_at` (N,) index the B * L tokens of the flattened batch.
    """

    input_ids: Tensor  # (B, L)
    token_type_ids: Tensor  # (B, L)
    position_ids: Tensor  # (B, L), from 0 in every review
    attention_mask: Tensor  # (B, 1, L, L), True = may attend: within a review
    predict_at: Tensor  # (M,)
    predict_labels: Tensor  # (M,), the token that was there
    judge_at: Tensor  # (N,), the [CLS] of each review
    judge_labels: Tensor  # (N,), 0 = is next, 1 = random, IGNORE = not a pair

    def to(self, device: str) -> Batch:
        return Batch(**{name: value.to(device) for name, value in vars(self).items()})


@dataclass
class NextTokenBatch:
    """B rows of L tokens, M of which have a token after them to predict: all but each review's last."""

    input_ids: Tensor  # (B, L)
    position_ids: Tensor  # (B, L), from 0 in every review
    attention_mask: Tensor  # (B, 1, L, L), True = may attend: earlier in the same review
    predict_at: Tensor  # (M,), indices of the B * L tokens of the flattened batch
    predict_labels: Tensor  # (M,), the token that comes next

    def to(self, device: str) -> NextTokenBatch:
        return NextTokenBatch(**{name: value.to(device) for name, value in vars(self).items()})


@dataclass
class Example:
    ids: list[int]
    types: list[int]
    label: int = IGNORE


def make_examples(
    reviews: list[list[int]], word_starts: list[list[int]], rng: np.random.Generator, longest: int
) -> list[Example]:
    """Every review once: half of those with two words or more as a pair, the others whole.

    A pair is a review cut between two words; in every second pair the second part comes from another review.
    """
    whole, pairs = [], []
    for review, starts in zip(reviews, word_starts, strict=True):
        if len(starts) > 1 and rng.random() < 0.5:
            cut = starts[rng.integers(1, len(starts))]
            pairs.append((review[:cut], review[cut:]))
        else:
            whole.append(
                Example([CLS, *review[: longest - 2], SEP], [0] * (min(len(review), longest - 2) + 2))
            )
    order = rng.permutation(len(pairs))
    for rank, index in enumerate(order):
        is_random = rank % 2
        first, second = pairs[index][0], pairs[order[rank - 2] if is_random else index][1]
        first = first[: longest // 2]
        second = second[: longest - 3 - len(first)]
        types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        whole.append(Example([CLS, *first, SEP, *second, SEP], types, is_random))
    return [whole[i] for i in rng.permutation(len(whole))]


def pack(examples: list[Example], row_length: int) -> list[list[Example]]:
    """Fill rows greedily: each example goes into the fullest of the open rows that it fits."""
    rows, open_rows = [], []
    for example in examples:
        fitting = [
            row for row in open_rows if row[0] >= len(example.ids) and len(row[1]) < row_length // MEAN_REVIEW
        ]
        if fitting:
            row = min(fitting, key=lambda row: row[0])
        else:
            row = [row_length, []]
            open_rows.append(row)
            if len(open_rows) > 16:  # close the fullest
                fullest = min(open_rows, key=lambda row: row[0])
                open_rows.remove(fullest)
                rows.append(fullest[1])
        row[0] -= len(example.ids)
        row[1].append(example)
    return rows + [content for _, content in open_rows]


def batches(
    reviews: list[list[int]],
    word_starts: list[list[int]],
    vocab_size: int,
    rows: int,
    row_length: int,
    seed: int,
) -> Iterator[Batch]:
    """One pass over the reviews in batches of `rows` rows; the last, incomplete batch is left out."""
    rng = np.random.default_rng(seed)
    packed = pack(make_examples(reviews, word_starts, rng, row_length), row_length)
    order = rng.permutation(len(packed))
    for start in range(0, len(order) - rows + 1, rows):
        yield collate([packed[i] for i in order[start : start + rows]], row_length, vocab_size, rng)


def collate(rows: list[list[Example]], length: int, vocab_size: int, rng: np.random.Generator) -> Batch:
    """Lay the rows out and mask them: 15 % of the tokens, of these 80 % [MASK], 10 % random, 10 % unchanged."""
    ids, types, positions, owner = np.zeros((4, len(rows), length), dtype=np.int64)
    judge_at = np.zeros(len(rows) * (length // MEAN_REVIEW), dtype=np.int64)
    judge_labels = np.full_like(judge_at, IGNORE)
    count = 0
    for r, row in enumerate(rows):
        at = 0
        for number, example in enumerate(row, start=1):
            end = at + len(example.ids)
            ids[r, at:end], types[r, at:end] = example.ids, example.types
            positions[r, at:end], owner[r, at:end] = np.arange(end - at), number
            judge_at[count], judge_labels[count] = r * length + at, example.label
            count, at = count + 1, end

    flat = ids.reshape(-1)
    candidates = np.flatnonzero(flat >= len(SPECIAL_TOKENS))
    wanted = int(
        MASK_SHARE * flat.size * 0.8
    )  # packing and special tokens leave well over 80 % to choose from
    chosen = rng.permutation(candidates)[:wanted]
    labels = flat[chosen].copy()
    coin = rng.random(wanted)
    flat[chosen[coin < 0.8]] = MASK
    random = chosen[coin >= 0.9]
    flat[random] = rng.integers(len(SPECIAL_TOKENS), vocab_size, len(random))

    same_review = owner[:, None, :, None] == owner[:, None, None, :]
    arrays = (ids, types, positions, same_review, chosen, labels, judge_at, judge_labels)
    return Batch(*map(torch.from_numpy, arrays))


def next_token_batches(
    reviews: list[list[int]], rows: int, row_length: int, seed: int
) -> Iterator[NextTokenBatch]:
    """One pass over the reviews, each between [CLS] and [SEP]; the last, incomplete batch is left out."""
    rng = np.random.default_rng(seed)
    whole = [Example([CLS, *review[: row_length - 2], SEP], []) for review in reviews]
    packed = pack([whole[i] for i in rng.permutation(len(whole))], row_length)
    order = rng.permutation(len(packed))
    for start in range(0, len(order) - rows + 1, rows):
        yield lay_out([packed[i] for i in order[start : start + rows]], row_length)


def lay_out(rows: list[list[Example]], length: int) -> NextTokenBatch:
    """Lay the rows out, with the next token of every token but a review's last as its label."""
    ids, positions, owner = np.zeros((3, len(rows), length), dtype=np.int64)
    for r, row in enumerate(rows):
        at = 0
        for number, example in enumerate(row, start=1):
            end = at + len(example.ids)
            ids[r, at:end], positions[r, at:end], owner[r, at:end] = example.ids, np.arange(end - at), number
            at = end
    same_review = owner[:, None, :, None] == owner[:, None, None, :]
    visible = same_review & np.tril(np.ones((length, length), dtype=bool))
    goes_on = (owner > 0) & (owner == np.roll(owner, -1, axis=1))
    goes_on[:, -1] = False
    at = np.flatnonzero(goes_on)
    return NextTokenBatch(*map(torch.from_numpy, (ids, positions, visible, at, ids.reshape(-1)[at + 1])))
