"""The tokenizers of the exercise against `tokenizers` and Unicode's own normalisation, on much more than a suite draws."""

import json
import random
import unicodedata

import pytest
from course_data import TINY_BERT, load_sentences
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, trainers

from solutions.tokenization import bpe_encode, bpe_train, compose_jamo, decompose_jamo, wordpiece_encode

FORMS = ["NFC", "NFD"]
ENGLISH = (TINY_BERT / "README.md").read_text(encoding="utf-8").split()


def learn(words, num_merges):
    """The merges of `tokenizers`, where a sequence is a word; its default lets pairs merge that occur once."""
    tokenizer = Tokenizer(models.BPE())
    size = len(set("".join(words))) + num_merges
    tokenizer.train_from_iterator(words, trainers.BpeTrainer(vocab_size=size, show_progress=False))
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def encoder(merges, characters):
    tokens = dict.fromkeys([*characters, *("".join(pair) for pair in merges)])
    model = models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges)
    return lambda word: [token.value for token in model.tokenize(word)]


@pytest.fixture(scope="module")
def korean():
    return [
        word
        for split in ("train", "test")
        for sentence in load_sentences(split)[0]
        for word in sentence.split()
    ]


# BPE


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.whole
def test_bpe_of_the_courses_sentences(korean, form):
    words = [unicodedata.normalize(form, word) for word in korean] + ENGLISH
    merges = bpe_train(words, 60)
    assert merges == learn(words, 60)
    encode = encoder(merges, set("".join(words)))
    for word in set(words):
        assert bpe_encode(word, merges) == encode(word)


@pytest.mark.parametrize("seed", range(8))
def test_bpe_of_random_words_to_the_end(seed):
    """Few letters and few words: most choices are ties, and every pair is merged in the end."""
    draw = random.Random(seed)
    for _ in range(60):
        letters = draw.sample("abz가나힣é🙂\u1100\u1161\u11a8ㄱA", draw.randint(1, 5))
        words = ["".join(draw.choices(letters, k=draw.randint(0, 9))) for _ in range(draw.randint(1, 10))]
        words += draw.choices(words, k=draw.randint(0, 8))
        number = draw.choice([0, 1, 5, 1_000])
        merges = bpe_train(iter(words), number)
        assert merges == learn(words, number)
        if number == 1_000:
            assert all(len(bpe_encode(word, merges)) <= 1 for word in words)
        encode = encoder(merges, letters)
        for _ in range(5):
            word = "".join(draw.choices(letters, k=draw.randint(0, 14)))
            assert bpe_encode(word, merges) == encode(word)


def test_no_text_no_merges():
    assert bpe_train([], 5) == bpe_train(["", "가"], 5) == []


@given(st.text(max_size=12))
def test_encoding_loses_nothing(word):
    merges = [("a", "b"), ("가", "나"), ("ab", "가나"), ("0", "0")]
    assert "".join(bpe_encode(word, merges)) == word


# WordPiece


@pytest.mark.parametrize("form", FORMS)
def test_wordpiece_of_the_tiny_bert(korean, form):
    vocab = {
        token: i for i, token in enumerate((TINY_BERT / "vocab.txt").read_text(encoding="utf-8").split())
    }
    model = models.WordPiece(vocab=vocab, unk_token="[UNK]")
    found = set()
    for word in {unicodedata.normalize(form, word) for word in korean} | set(ENGLISH):
        pieces = wordpiece_encode(word, vocab)
        assert pieces == [token.value for token in model.tokenize(word)]
        found |= {piece == "[UNK]" for piece in pieces}
    assert found == {True, False}


def test_wordpiece_of_random_vocabularies():
    draw = random.Random(0)
    for _ in range(500):
        letters = draw.sample("abz가나é🙂\u1100\u1161#", draw.randint(1, 4))
        pieces = ["".join(draw.choices(letters, k=draw.randint(1, 3))) for _ in range(draw.randint(1, 12))]
        tokens = dict.fromkeys(["<unk>", *(draw.choice(["", "##"]) + piece for piece in pieces)])
        vocab = {token: i for i, token in enumerate(tokens)}
        model = models.WordPiece(vocab=vocab, unk_token="<unk>")
        for _ in range(6):
            word = "".join(draw.choices(letters, k=draw.randint(0, 8)))
            assert wordpiece_encode(word, vocab, "<unk>") == [token.value for token in model.tokenize(word)]


# Jamo

SYLLABLES = [chr(code) for code in range(0xAC00, 0xD7A4)]


def test_every_syllable_there_and_back():
    for syllable in SYLLABLES:
        apart = decompose_jamo(syllable)
        assert apart == unicodedata.normalize("NFD", syllable)
        assert compose_jamo(apart) == syllable
    whole = "".join(SYLLABLES)
    assert compose_jamo(decompose_jamo(whole)) == whole


def test_every_pair_of_neighbours_composes_as_in_nfc():
    """All jamo, both ends of every range and what lies beside them, two and three at a time."""
    jamo = [chr(code) for code in range(0x1100, 0x1200)] + list("가각힣갸ㄱA\ua960\ud7b0")
    for left in jamo:
        for right in jamo:
            assert compose_jamo(left + right) == unicodedata.normalize("NFC", left + right)
    edges = list("\u1100\u1112\u1113\u1160\u1161\u1175\u1176\u11a7\u11a8\u11c2\u11c3가각힣A")
    for a in edges:
        for b in edges:
            for c in edges:
                assert compose_jamo(a + b + c) == unicodedata.normalize("NFC", a + b + c)


@settings(max_examples=200)
@given(st.text(st.sampled_from("\u1100\u1112\u1161\u1175\u11a8\u11c2\u11a7가각힣a é漢🙂"), max_size=40))
def test_mixed_text(text):
    assert compose_jamo(text) == unicodedata.normalize("NFC", text)
    assert compose_jamo(decompose_jamo(text)) == unicodedata.normalize("NFC", text)


def test_only_hangul_changes():
    others = "e\u0301 é が か\u3099 ㄱㅏㅋㅋ \uabff\ud7a4 \u1113\u119e"
    assert decompose_jamo(others) == compose_jamo(others) == others
