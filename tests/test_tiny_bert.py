"""The embedded BERT loads whole, reads Korean, has learned the language, and learns sentiment from few sentences."""

import json
from collections import Counter

import pytest
import torch
from course_data import TINY_BERT, load_sentences, sentence_rows
from course_data.finetune import accuracy, encode, fine_tune
from course_data.packing import SPECIAL_TOKENS
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertForMaskedLM,
    BertForPreTraining,
    BertModel,
    BertTokenizer,
    pipeline,
)

SIZE_LIMIT = 6_000_000  # bytes


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(TINY_BERT)


def test_everything_fits_the_limit():
    assert sum(file.stat().st_size for file in TINY_BERT.iterdir()) <= SIZE_LIMIT


@pytest.mark.parametrize("kind", [BertModel, BertForPreTraining, BertForMaskedLM, AutoModel])
@pytest.mark.parametrize("dtype", [{}, {"dtype": "auto"}])
def test_no_weight_is_missing_and_all_are_float32(kind, dtype):
    model, info = kind.from_pretrained(TINY_BERT, output_loading_info=True, **dtype)
    assert not info["missing_keys"] and not info["mismatched_keys"]
    assert all(p.dtype == torch.float32 and p.isfinite().all() for p in model.parameters())


def test_vocabulary_and_configuration_agree(tokenizer):
    config = json.loads((TINY_BERT / "config.json").read_text())
    lines = (TINY_BERT / "vocab.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) == config["vocab_size"] == len(tokenizer)
    assert lines[:5] == SPECIAL_TOKENS
    assert config["architectures"] == ["BertForPreTraining"]
    assert tokenizer.model_max_length == config["max_position_embeddings"]


def test_both_ways_to_a_tokenizer_agree(tokenizer):
    direct = BertTokenizer(str(TINY_BERT / "vocab.txt"), do_lower_case=False)
    for sentence in load_sentences("train")[0]:
        assert direct(sentence)["input_ids"] == tokenizer(sentence)["input_ids"]


def test_korean_survives_the_round_trip(tokenizer):
    for sentence in ("영화가 정말 재미있었습니다", "재미없지 않다", "ㅋㅋㅋ 최고"):
        ids = tokenizer(sentence)["input_ids"]
        assert tokenizer.convert_ids_to_tokens([ids[0], ids[-1]]) == ["[CLS]", "[SEP]"]
        assert tokenizer.decode(ids, skip_special_tokens=True).replace(" ", "") == sentence.replace(" ", "")
    sentences = load_sentences("train")[0] + load_sentences("test")[0]
    encoded = tokenizer(sentences)["input_ids"]
    unknown = sum(ids.count(tokenizer.unk_token_id) for ids in encoded)
    assert unknown / sum(map(len, encoded)) < 0.01


@pytest.mark.whole
def test_it_predicts_hidden_words_of_our_sentences(tokenizer):
    """Against the best guess without context: the most frequent of the tokens that were hidden."""
    model = BertForMaskedLM.from_pretrained(TINY_BERT).eval()
    right, seen = 0, Counter()
    for sentence in load_sentences("test")[0][::4]:
        ids = torch.tensor(tokenizer(sentence)["input_ids"])
        tokens = tokenizer.convert_ids_to_tokens(ids.tolist())
        places = torch.tensor([i for i, token in enumerate(tokens) if token.strip("#").isalnum()])
        hidden = ids.repeat(len(places), 1)
        hidden[torch.arange(len(places)), places] = tokenizer.mask_token_id
        with torch.no_grad():
            guesses = model(hidden).logits[torch.arange(len(places)), places].argmax(-1)
        right += (guesses == ids[places]).sum().item()
        seen.update(ids[places].tolist())
    print(f"{right} of {seen.total()}, by the most frequent token {seen.most_common(1)[0][1]}")
    assert right > 2 * seen.most_common(1)[0][1]


def test_it_fills_a_blank_with_a_word_that_fits(tokenizer):
    fill = pipeline("fill-mask", model=BertForMaskedLM.from_pretrained(TINY_BERT), tokenizer=tokenizer)
    guesses = [guess["token_str"] for guess in fill("정말 재미있는 [MASK]", top_k=20)]
    print(guesses)
    assert any("영화" in guess for guess in guesses)


@pytest.mark.whole
def test_few_sentences_teach_it_sentiment(tokenizer):
    """Our 320 sentences alone: what it has read about, told plainly; the other test sentences are hard by design."""
    texts, labels = load_sentences("train")
    plain = [row for row in sentence_rows("test") if (row["domain"], row["kind"]) == ("film", "plain")]
    bert = BertModel.from_pretrained(TINY_BERT)
    model = fine_tune(bert, encode(tokenizer, texts), labels, epochs=4, lr=3e-4, batch_size=16)
    asked = encode(tokenizer, [row["sentence"] for row in plain])
    score = accuracy(model, asked, [int(row["label"]) for row in plain])
    print(f"accuracy {score:.3f}")
    assert score >= 0.75
