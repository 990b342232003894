"""Decoding against Hugging Face: the reference's beams, greedy decoding and cache on many random models."""

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from solutions.decoding import KVCache, TinyDecoder, beam_search, greedy_decode

EOS = 1


@pytest.fixture(scope="module")
def models():
    """Random GPT-2 models whose next token depends strongly on the tokens before."""
    torch.manual_seed(0)
    made = []
    for vocab in (6, 9):
        for _ in range(3):
            config = GPT2Config(
                vocab_size=vocab, n_positions=24, n_embd=8, n_layer=1, n_head=2,
                bos_token_id=0, eos_token_id=EOS, pad_token_id=EOS, initializer_range=0.6,
            )  # fmt: skip
            made.append(GPT2LMHeadModel(config).eval())
    return made


def step_of(model):
    return lambda ids: model(ids).logits[:, -1]


@pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("beam_size", [1, 2, 4])
def test_beams_are_hugging_faces(models, beam_size, alpha):
    generator = torch.Generator().manual_seed(beam_size)
    for i, model in enumerate(models):
        start = torch.randint(2, 6, (1, 1 + i % 3), generator=generator)
        steps = 1 + (3 * i + beam_size) % 9
        if beam_size == 1:
            expected = [one_beam(model, start, steps, alpha)]
        else:
            found = model.generate(
                start, attention_mask=torch.ones_like(start), do_sample=False, max_new_tokens=steps,
                num_beams=beam_size, num_return_sequences=beam_size, early_stopping="never",
                length_penalty=alpha, return_dict_in_generate=True, output_scores=True,
            )  # fmt: skip
            expected = list(zip(found.sequences.tolist(), found.sequences_scores.tolist(), strict=True))
        got = beam_search(step_of(model), start, beam_size, steps, EOS, alpha)
        assert len(got) == len(expected)
        for (ids, score), (wanted, target) in zip(got, expected, strict=True):
            padding = [EOS] * (len(wanted) - len(ids))
            assert ids.tolist() + padding == wanted
            assert score == pytest.approx(target, rel=1e-4, abs=1e-5)


@torch.no_grad()
def one_beam(model, start, steps, alpha):
    """A beam of one by its definition: Hugging Face turns it into greedy decoding, which stops at the first EOS."""
    ids, total, best = start, 0.0, None
    for length in range(1, steps + 1):
        log_p = model(ids).logits[0, -1].double().log_softmax(dim=-1)
        if log_p.argmax() == EOS or length == steps:
            token = log_p.argmax()
            score = (total + log_p[token].item()) / length**alpha
            if best is None or score > best[1]:
                best = ([*ids[0].tolist(), token.item()], score)
        log_p[EOS] = -torch.inf
        total += log_p.max().item()
        ids = torch.cat([ids, log_p.argmax()[None, None]], dim=1)
    return best


def test_greedy_is_hugging_faces(models):
    generator = torch.Generator().manual_seed(0)
    for model in models:
        start = torch.randint(2, 6, (5, 3), generator=generator)
        expected = model.generate(
            start, attention_mask=torch.ones_like(start), do_sample=False, max_new_tokens=10
        )
        assert torch.equal(greedy_decode(step_of(model), start, 10, EOS), expected)


def test_the_notebooks_model_needs_no_past_with_a_cache():
    torch.manual_seed(0)
    model = TinyDecoder().double()
    ids = torch.randint(0, 20, (3, 12))
    cache, found, first = KVCache(), [], 0
    with torch.no_grad():
        for n in (5, 1, 1, 4, 1):
            found.append(model(ids[:, first : first + n], cache, first))
            first += n
        torch.testing.assert_close(torch.cat(found, dim=1), model(ids), rtol=1e-10, atol=1e-10)


def test_a_beam_search_with_a_cache_finds_the_same():
    torch.manual_seed(1)
    model, start = TinyDecoder(vocab=6), torch.tensor([[2, 3]])
    cache, known, calls = KVCache(), [], []

    def with_cache(ids):
        if known:  # every hypothesis goes on from a row of the last call
            rows = torch.tensor([known.index(row) for row in ids[:, :-1].tolist()])
            cache.reorder(rows)
        new = ids[:, -1:] if known else ids
        known[:] = ids.tolist()
        calls.append(new.shape[1])
        return model(new, cache, ids.shape[1] - new.shape[1])[:, -1]

    plain = beam_search(lambda ids: model(ids)[:, -1], start, 3, 8, EOS, 1.0)
    cached = beam_search(with_cache, start, 3, 8, EOS, 1.0)
    assert [ids.tolist() for ids, _ in plain] == [ids.tolist() for ids, _ in cached]
    assert [s for _, s in plain] == pytest.approx([s for _, s in cached], rel=1e-4)
    assert len(calls) > 2 and set(calls[1:]) == {1}
