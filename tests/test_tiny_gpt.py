"""The embedded GPT loads whole in the book's model and Hugging Face's, and has learned to continue Korean reviews."""

import json
import math

import pytest
import torch
from course_data import TINY_BERT, TINY_GPT, load_sentences
from transformers import AutoModel, AutoTokenizer, GPT2LMHeadModel, GPT2Model

from solutions.gpt import GPT, GPTConfig, from_gpt2_state_dict, generate, lm_loss

SIZE_LIMIT = 6_000_000  # bytes


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(TINY_GPT)


@pytest.fixture(scope="module")
def theirs():
    return GPT2LMHeadModel.from_pretrained(TINY_GPT).eval()


@pytest.fixture(scope="module")
def ours(theirs):
    c = theirs.config
    model = GPT(GPTConfig(c.vocab_size, c.n_positions, c.n_embd, c.n_layer, c.n_head))
    model.load_state_dict(from_gpt2_state_dict(theirs.state_dict()))
    return model.eval()


def test_everything_fits_the_limit():
    assert sum(file.stat().st_size for file in TINY_GPT.iterdir()) <= SIZE_LIMIT


@pytest.mark.parametrize("kind", [GPT2LMHeadModel, GPT2Model, AutoModel])
def test_no_weight_is_missing_and_all_are_float32(kind):
    model, info = kind.from_pretrained(TINY_GPT, output_loading_info=True)
    assert not info["missing_keys"] and not info["mismatched_keys"]
    assert all(p.dtype == torch.float32 and p.isfinite().all() for p in model.parameters())


def test_it_shares_the_tiny_berts_vocabulary(tokenizer):
    assert (TINY_GPT / "vocab.txt").read_bytes() == (TINY_BERT / "vocab.txt").read_bytes()
    config = json.loads((TINY_GPT / "config.json").read_text())
    assert config["vocab_size"] == len(tokenizer)
    assert tokenizer.model_max_length == config["n_positions"]
    ends = tokenizer.convert_ids_to_tokens([config["bos_token_id"], config["eos_token_id"]])
    assert ends == ["[CLS]", "[SEP]"]


def test_the_books_model_gives_hugging_faces_logits(ours, theirs, tokenizer):
    ids = torch.tensor([tokenizer("이 영화는 정말 재미있었습니다")["input_ids"]])
    with torch.no_grad():
        torch.testing.assert_close(ours(ids), theirs(ids).logits, rtol=1e-4, atol=1e-4)


@pytest.mark.whole
def test_it_has_learned_to_continue_what_it_never_read(ours, tokenizer):
    """Far below the loss of an even guess, and below that of the same words in another order."""
    generator = torch.Generator().manual_seed(0)
    straight, mixed = [], []
    for sentence in load_sentences("test")[0]:
        ids = torch.tensor(tokenizer(sentence)["input_ids"])
        order = 1 + torch.randperm(len(ids) - 2, generator=generator)
        with torch.no_grad():
            straight.append(lm_loss(ours(ids[None]), ids[None]).item())
            ids[1:-1] = ids[order]
            mixed.append(lm_loss(ours(ids[None]), ids[None]).item())
    mean, of_mixed = (sum(losses) / len(losses) for losses in (straight, mixed))
    print(f"loss {mean:.2f}, words in another order {of_mixed:.2f}")
    assert mean < math.log(len(tokenizer)) - 1.5 and mean < of_mixed - 0.3


def test_it_writes_of_films_and_ends(ours, tokenizer):
    prompt = torch.tensor([tokenizer("배우들의", add_special_tokens=True)["input_ids"][:-1]])
    assert "연기" in tokenizer.decode(generate(ours, prompt, 1, temperature=0)[0])
    texts = generate(ours, prompt.expand(20, -1), 60, 1.0, torch.Generator().manual_seed(0)).tolist()
    ended = sum(tokenizer.sep_token_id in text for text in texts)
    print(f"{ended} of 20 end")
    assert ended >= 8
