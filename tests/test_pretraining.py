"""Packed batches hide nothing from a review and show it nothing else; pretraining learns, saves and resumes."""

import argparse
import json

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from course_data import TINY_BERT, less_text, packing, pretrain, pretraining
from course_data.errors import CourseDataError
from course_data.examination import examination
from course_data.packing import CLS, IGNORE, MASK, PAD, SEP
from transformers import AutoTokenizer, BertConfig, BertForPreTraining

VOCAB, ROWS, LENGTH = 500, 8, 64


@pytest.fixture(scope="module")
def reviews():
    """Reviews of 1 to 70 tokens, each starting with a token of its own, in words of two tokens."""
    rng = np.random.default_rng(0)
    ids = [rng.integers(5, VOCAB, rng.integers(1, 71)).tolist() for _ in range(400)]
    return ids, [list(range(0, len(row), 2)) for row in ids]


@pytest.fixture(scope="module")
def batches(reviews):
    return list(packing.batches(*reviews, VOCAB, ROWS, LENGTH, seed=0))


def unmasked(batch) -> torch.Tensor:
    ids = batch.input_ids.flatten().clone()
    ids[batch.predict_at] = batch.predict_labels
    return ids.view_as(batch.input_ids)


def test_every_example_is_whole_and_used_once(reviews):
    examples = packing.make_examples(*reviews, np.random.default_rng(0), LENGTH)
    rows = packing.pack(examples, LENGTH)
    assert len(examples) == len(reviews[0]) and sorted(map(id, examples)) == sorted(
        id(e) for row in rows for e in row
    )
    assert all(sum(len(e.ids) for e in row) <= LENGTH for row in rows)
    assert sum(len(e.ids) for e in examples) > 0.9 * LENGTH * len(rows)  # little padding
    for e in examples:
        assert e.ids[0] == CLS and e.ids[-1] == SEP and len(e.ids) == len(e.types) <= LENGTH
        assert e.ids.count(SEP) == (1 if e.label == IGNORE else 2)
        assert e.types == [0] * (e.ids.index(SEP) + 1) + [1] * (len(e.ids) - e.ids.index(SEP) - 1)


def test_a_pair_is_one_review_exactly_when_labelled_next(reviews):
    starts = {tuple(row[: LENGTH // 2]): row for row in reviews[0]}
    labels = []
    for e in packing.make_examples(*reviews, np.random.default_rng(0), LENGTH):
        if e.label == IGNORE:
            continue
        first, second = e.ids[1 : e.ids.index(SEP)], e.ids[e.ids.index(SEP) + 1 : -1]
        if len(first) >= LENGTH // 2 or len(e.ids) == LENGTH:
            continue  # cut to fit
        is_next = any(row == first + second for row in starts.values())
        assert is_next == (e.label == 0)
        labels.append(e.label)
    assert 0.45 < np.mean(labels) < 0.55


def test_masking_follows_the_recipe(batches):
    changed, kept, hidden, total = 0, 0, 0, 0
    for batch in batches:
        was, now = batch.predict_labels, batch.input_ids.flatten()[batch.predict_at]
        assert (was >= len(packing.SPECIAL_TOKENS)).all() and len(set(batch.predict_at.tolist())) == len(was)
        hidden += (now == MASK).sum().item()
        kept += (now == was).sum().item()
        changed += ((now != was) & (now != MASK)).sum().item()
        total += len(was)
        elsewhere = torch.ones(ROWS * LENGTH, dtype=torch.bool)
        elsewhere[batch.predict_at] = False
        assert (batch.input_ids.flatten()[elsewhere] != MASK).all()
        ordinary = (unmasked(batch) >= len(packing.SPECIAL_TOKENS)).sum().item()
        assert 0.11 < len(was) / ordinary < 0.16
    assert (
        abs(hidden / total - 0.8) < 0.03
        and abs(kept / total - 0.1) < 0.03
        and abs(changed / total - 0.1) < 0.03
    )


def test_judged_tokens_are_the_cls_tokens(batches):
    for batch in batches:
        used = batch.judge_at[: (batch.input_ids == CLS).sum()]
        assert sorted(used.tolist()) == (batch.input_ids.flatten() == CLS).nonzero()[:, 0].tolist()
        assert (batch.judge_labels[len(used) :] == IGNORE).all()
        assert (batch.position_ids.flatten()[used] == 0).all()


def tiny_model(seed: int = 0) -> pretrain.Pretrainer:
    torch.manual_seed(seed)
    sizes = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
    config = BertConfig(**{**pretrain.CONFIG, **sizes, "vocab_size": VOCAB})
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    return pretrain.Pretrainer(config)


def test_a_packed_review_gets_the_hidden_states_it_gets_alone(batches):
    bert = tiny_model().bert.eval()
    batch = batches[0]
    with torch.no_grad():
        embedded = bert.embeddings(batch.input_ids, batch.token_type_ids, batch.position_ids)
        packed = bert.encoder(embedded, batch.attention_mask)
        for row in range(ROWS):
            starts = (batch.input_ids[row] == CLS).nonzero()[:, 0].tolist()
            padding = (batch.input_ids[row] == PAD).nonzero()[:, 0].tolist()
            for begin, end in zip(starts, starts[1:] + [padding[0] if padding else LENGTH], strict=True):
                ids, types = batch.input_ids[row, None, begin:end], batch.token_type_ids[row, None, begin:end]
                alone = bert(ids, types)[0][0]
                torch.testing.assert_close(packed[row, begin:end], alone, atol=1e-5, rtol=1e-4)


def test_losses_and_gradients_are_those_of_hugging_face(batches):
    model, batch = tiny_model().double(), batches[0]
    theirs = model.as_hugging_face().double()
    hidden = theirs.bert(
        batch.input_ids,
        attention_mask=torch.where(batch.attention_mask, 0.0, -1e9).double(),
        token_type_ids=batch.token_type_ids,
        position_ids=batch.position_ids,
    ).last_hidden_state.flatten(0, 1)
    words = F.cross_entropy(theirs.cls.predictions(hidden[batch.predict_at]), batch.predict_labels)
    first = theirs.bert.pooler(hidden[batch.judge_at][:, None])
    judged = theirs.cls.seq_relationship(first)
    pairs = F.cross_entropy(judged, batch.judge_labels, ignore_index=IGNORE)

    ours = pretrain.pretraining_loss(model, batch)
    torch.testing.assert_close(ours[0].double(), words, rtol=1e-6, atol=0)
    torch.testing.assert_close(ours[1].double(), pairs, rtol=1e-6, atol=0)
    (words + pairs).backward()
    sum(ours).backward()
    for mine, other in [
        (model.bert.embeddings.word_embeddings, theirs.bert.embeddings.word_embeddings),
        (model.bert.encoder.layer[0].attention.self.query, theirs.bert.encoder.layer[0].attention.self.query),
        (model.words.transform["dense"], theirs.cls.predictions.transform.dense),
        (model.pairs.seq_relationship, theirs.cls.seq_relationship),
    ]:
        torch.testing.assert_close(mine.weight.grad, other.weight.grad, rtol=1e-4, atol=1e-9)


def test_learning_rate_warms_up_holds_and_falls():
    rates = [pretraining.rate_at(step, 4000, warmup=400) for step in range(1, 4001)]
    assert rates[0] == 1 / 400 and rates[399] == 1.0 == rates[2999]
    assert rates[3499] == pytest.approx(0.5, abs=2e-3) and 0 < rates[-1] < 0.002
    assert rates[:3000] == [pretraining.rate_at(step, 8000, warmup=400) for step in range(1, 3001)]


def run(out, steps, reviews, model) -> pretrain.Pretrainer:
    args = argparse.Namespace(out=out, steps=steps, seed=0, device="cpu")
    pretrain.train(model, *reviews, args)
    return model


def read_log(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(tmp_path, monkeypatch, capsys):
    for name, value in dict(ROWS=4, WARMUP=5, PEAK_RATE=5e-3).items():
        monkeypatch.setattr(pretrain, name, value)
    for name in ("CHECKPOINT_EVERY", "REPORT_EVERY"):
        monkeypatch.setattr(pretraining, name, 10)
    for name in ("whole", "halves"):
        (tmp_path / name).mkdir()
    rng = np.random.default_rng(0)  # some tokens are frequent: something to learn
    ids = [np.minimum(4 + rng.geometric(0.1, rng.integers(1, 40)), VOCAB - 1).tolist() for _ in range(100)]
    reviews = ids, [list(range(len(row))) for row in ids]

    whole = run(tmp_path / "whole", 20, reviews, tiny_model())
    losses = [float(line.split()[3]) for line in capsys.readouterr().out.splitlines()]
    assert losses[1] < losses[0] - 0.3
    rate_at = pretraining.rate_at
    monkeypatch.setattr(pretraining, "rate_at", lambda step, steps, warmup: rate_at(step, 20, warmup))
    run(tmp_path / "halves", 10, reviews, tiny_model())
    resumed = run(tmp_path / "halves", 20, reviews, tiny_model(seed=1))
    for a, b in zip(whole.parameters(), resumed.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0)
    assert sorted(file.name for file in (tmp_path / "halves").iterdir()) == ["checkpoint.pt", "log.jsonl"]
    logs = [read_log(tmp_path / name) for name in ("whole", "halves")]
    assert [entry["step"] for entry in logs[0]] == [10, 20]
    assert [entry["words"] for entry in logs[0]] == [entry["words"] for entry in logs[1]]


def test_saved_weights_are_half_size_and_load_as_float32(tmp_path):
    model = tiny_model()
    pretrain.save(model, tmp_path)
    assert (tmp_path / "model.safetensors").stat().st_size < 3 * sum(p.numel() for p in model.parameters())
    again = BertForPreTraining.from_pretrained(tmp_path)
    assert again.dtype == torch.float32
    for (name, a), b in zip(model.as_hugging_face().named_parameters(), again.parameters(), strict=True):
        torch.testing.assert_close(a.half().float(), b, msg=name)


def test_the_shipped_model_answers_the_blanks_as_recorded():
    record = json.loads((TINY_BERT / "less_text.json").read_text(encoding="utf-8"))
    asked = examination(AutoTokenizer.from_pretrained(TINY_BERT))
    assert asked.of(less_text.shipped()) == pytest.approx(record["shipped"], rel=1e-3)
    assert [run["reviews"] for run in record["runs"]] == [320, 2344, 18750, 149995]
    assert all([row["step"] for row in run["log"]] == [*range(100, 1001, 100)] for run in record["runs"])


@pytest.mark.whole
def test_pretraining_with_less_text_is_noted_and_resumes(tmp_path, monkeypatch, capsys):
    texts = [f"영화가 정말 재미있습니다 {number}번 보았습니다" for number in range(60)]
    monkeypatch.setattr(less_text.nsmc, "load", lambda split: (texts, [0] * 60))
    monkeypatch.setattr(less_text, "REVIEWS", (40, None))
    monkeypatch.setattr(pretrain, "ROWS", 2)
    monkeypatch.setattr(pretraining, "REPORT_EVERY", 1)
    monkeypatch.setattr(pretraining, "CHECKPOINT_EVERY", 1)
    monkeypatch.setattr("sys.argv", ["less_text", "--steps", "2", "--out", str(tmp_path / "runs")])
    less_text.main()
    first = json.loads((tmp_path / "runs" / "less_text.json").read_text())
    assert capsys.readouterr().out.count("step") == 4
    assert [(run["reviews"], len(run["log"])) for run in first["runs"]] == [(40, 2), (60, 2)]
    assert first["runs"][0]["log"][0].keys() >= {"step", "words", "held_out", "blanks", "next_parts"}
    less_text.main()
    assert json.loads((tmp_path / "runs" / "less_text.json").read_text()) == first
    assert "step" not in capsys.readouterr().out


def test_text_too_short_for_a_batch_is_an_error_and_no_endless_loop():
    with pytest.raises(CourseDataError, match="too short for one batch"):
        next(pretraining.endless(lambda number: iter([]), 0, 0))
