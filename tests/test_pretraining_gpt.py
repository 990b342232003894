"""The tiny GPT's recipe: packed reviews learn what each would alone, and what is saved is Hugging Face's GPT-2."""

import argparse
import json

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from course_data import packing, pretrain_gpt, pretraining
from course_data.packing import CLS, PAD, SEP
from transformers import GPT2LMHeadModel

from solutions.gpt import GPT, GPTConfig

VOCAB, ROWS, LENGTH = 500, 8, 64


@pytest.fixture(scope="module")
def reviews():
    rng = np.random.default_rng(0)
    return [rng.integers(5, VOCAB, rng.integers(1, 71)).tolist() for _ in range(200)]


@pytest.fixture(scope="module")
def batch(reviews):
    return next(packing.next_token_batches(reviews, ROWS, LENGTH, seed=0))


def tiny_model(seed: int = 0) -> GPT:
    torch.manual_seed(seed)
    return GPT(GPTConfig(VOCAB, LENGTH, 32, 2, 2, embd_pdrop=0, attn_pdrop=0, resid_pdrop=0))


def reviews_of(batch) -> list[list[int]]:
    """What the rows hold, review by review."""
    found = []
    for row in batch.input_ids.tolist():
        for token in row:
            if token == CLS:
                found.append([])
            if token != PAD:
                found[-1].append(token)
    return found


def test_every_token_but_a_reviews_first_is_predicted_once(reviews, batch):
    inside = reviews_of(batch)
    known = {tuple(review[: LENGTH - 2]) for review in reviews}
    assert all(row[0] == CLS and row[-1] == SEP and tuple(row[1:-1]) in known for row in inside)
    assert len(inside) > ROWS and (batch.input_ids != PAD).float().mean() > 0.9
    assert batch.predict_labels.tolist() == [token for row in inside for token in row[1:]]
    asked = batch.input_ids.flatten()[batch.predict_at].tolist()
    assert asked == [token for row in inside for token in row[:-1]]
    assert (batch.position_ids[batch.input_ids == CLS] == 0).all()


def test_losses_and_gradients_are_those_of_hugging_face_on_each_review_alone(batch):
    model = tiny_model().double()
    theirs = pretrain_gpt.as_hugging_face(model).double()
    total = 0.0
    for review in reviews_of(batch):
        ids = torch.tensor([review])
        logits = theirs(ids).logits[0, :-1]
        total = total + F.cross_entropy(logits, ids[0, 1:], reduction="sum")
    expected = total / len(batch.predict_at)

    loss = pretrain_gpt.next_token_loss(model, batch)
    torch.testing.assert_close(loss.double(), expected, rtol=1e-6, atol=0)
    loss.backward()
    expected.backward()
    ours = {name: p.grad for name, p in model.named_parameters()}
    for name, other in theirs.named_parameters():
        turned = ours[name].T if ours[name].shape != other.shape or "c_proj.weight" in name else ours[name]
        torch.testing.assert_close(turned, other.grad, rtol=1e-4, atol=1e-8, msg=name)


def test_what_is_saved_is_half_size_and_loads_as_the_same_model(tmp_path):
    model = tiny_model().eval()
    pretraining.save(pretrain_gpt.as_hugging_face(model), tmp_path, pretrain_gpt.DROPOUTS)
    assert (tmp_path / "model.safetensors").stat().st_size < 3 * sum(p.numel() for p in model.parameters())
    again = GPT2LMHeadModel.from_pretrained(tmp_path).eval()
    assert again.dtype == torch.float32 and again.config.attn_pdrop == 0.1
    ids = torch.randint(5, VOCAB, (2, 20))
    with torch.no_grad():
        torch.testing.assert_close(again(ids).logits, model(ids), atol=1e-3, rtol=1e-2)


class Syllables:
    """Stands in for a tokenizer: each letter is a token."""

    class Encoding:
        def __init__(self, text):
            self.ids = [5 + ord(letter) % (VOCAB - 5) for letter in text]

    def encode(self, text, add_special_tokens):
        return self.Encoding(text)

    def decode(self, ids):
        return " ".join(map(str, ids))


def test_it_learns_and_notes_what_it_wrote_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr(pretraining, "REPORT_EVERY", 10)
    rng = np.random.default_rng(0)  # each token follows from the one before: something to learn
    reviews = [[5 + (start + i) % 20 for i in range(12)] for start in rng.integers(0, 20, 200)]
    evaluate = pretrain_gpt.evaluator(Syllables(), reviews, "cpu")
    model = tiny_model()
    pretraining.learn(
        model,
        lambda model, batch: {"loss": pretrain_gpt.next_token_loss(model, batch)},
        lambda number: packing.next_token_batches(reviews, 4, LENGTH, seed=number),
        argparse.Namespace(out=tmp_path, steps=40, device="cpu"),
        peak=5e-3,
        warmup=5,
        evaluate=evaluate,
    )
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in log] == [10, 20, 30, 40]
    assert log[-1]["held_out"] < log[0]["held_out"] - 1
    assert all(len(entry["written"]) == len(pretrain_gpt.PROMPTS) for entry in log)
