"""What the page on inference defines for itself: keys and values that layers share, and tokens predicted two ahead."""

import sys

import pytest
import torch
import torch.nn.functional as F
from test_part_v_pages import (
    in_float64,  # noqa: F401  for every test
    of_page,
    random,
    with_random_weights,
)
from torch import nn
from transformers import Gemma3nTextConfig, Gemma3nTextModel, Gemma4TextConfig, Gemma4TextModel, LlamaConfig
from transformers.modeling_layers import MtpLayer
from transformers.models.gemma4.modeling_gemma4 import Gemma4TextAttention
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRMSNorm, LlamaRotaryEmbedding

from solutions.modern import apply_rotary

SMALL_GEMMA = {
    "hidden_size": 12, "intermediate_size": 8, "num_hidden_layers": 7, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 4, "hidden_size_per_layer_input": 0, "vocab_size": 20,
    "vocab_size_per_layer_input": 20, "num_kv_shared_layers": 3,
    "layer_types": [f"{kind}_attention" for kind in "full sliding full sliding sliding full full".split()],
}  # fmt: skip
EXTRA = {"hidden_size_per_layer_input": 4, "activation_sparsity_pattern": [0.0] * 7, "laurel_rank": 4}


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        (Gemma4TextModel, Gemma4TextConfig(**SMALL_GEMMA)),
        (Gemma3nTextModel, Gemma3nTextConfig(**SMALL_GEMMA | EXTRA)),
    ],
)
def test_layers_read_the_keys_and_values_that_gemmas_read(kind, config):
    config._attn_implementation = "eager"
    model, read = kind(config).double(), {}
    module = sys.modules[kind.__module__]
    attend = module.eager_attention_forward

    def recorded(layer, query, key, *rest, **more):
        read[layer.layer_idx] = key
        return attend(layer, query, key, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "eager_attention_forward", recorded)
        model(torch.arange(9)[None], output_hidden_states=True)  # or it takes the last token alone
    sources = of_page("inference", "sources_of")(config.layer_types, 3)
    assert sources == [0, 1, 2, 3, 3, 2, 2]
    first = [next(i for i in range(7) if torch.equal(read[i], read[layer])) for layer in range(7)]
    assert first == sources


def sharing_layer(kv_heads, width=12, heads=3):
    names = {"WIDE": width, "HEADS": heads, "apply_rotary": apply_rotary}
    return of_page("inference", "SharingLayer", torch=torch, nn=nn, F=F, **names)(kv_heads).double()


def test_a_layer_that_shares_attends_as_gemma_4s():
    """A layer that makes keys and values, and one that reads them; Gemma's norms of queries, keys and values left out."""
    config = Gemma4TextConfig(
        hidden_size=12, num_hidden_layers=2, num_attention_heads=3, num_key_value_heads=1, head_dim=4,
        num_kv_shared_layers=1, layer_types=["full_attention"] * 2, global_head_dim=4,
    )  # fmt: skip
    config._attn_implementation = "eager"
    x, kept, cache = random(2, 9, 12), {}, None
    angles = torch.arange(9)[:, None] / 10000 ** (torch.arange(0, 4, 2) / 4).double()
    turn = [f(torch.cat([angles, angles], -1))[None] for f in (torch.cos, torch.sin)]
    unseen = torch.full((9, 9), -torch.inf).triu(1)[None, None].double()
    for at, kv_heads in enumerate((1, 0)):
        theirs, ours = with_random_weights(Gemma4TextAttention(config, at)), sharing_layer(kv_heads)
        theirs.q_norm, theirs.scaling = nn.Identity(), 4**-0.5
        ours.query.weight.data, ours.out.weight.data = theirs.q_proj.weight.data, theirs.o_proj.weight.data
        if kv_heads:
            theirs.k_norm = theirs.v_norm = nn.Identity()
            ours.key_value.weight.data = torch.cat([theirs.k_proj.weight.data, theirs.v_proj.weight.data])
            cache = ours.keys_values(x)
        else:
            assert not hasattr(ours, "key_value") and not hasattr(theirs, "k_proj")
        normed = F.rms_norm(x, (12,))
        expected, _ = theirs(normed, turn, unseen, kept)
        torch.testing.assert_close(ours.attend(x, *cache), expected, rtol=0, atol=1e-10)
        x = x + expected


@pytest.mark.parametrize("hidden_first", [True, False])
def test_the_layer_that_predicts_two_ahead_is_that_of_transformers(hidden_first):
    """As in DeepSeek-V3's paper; in its weights the embedding stands first."""
    config = LlamaConfig(
        hidden_size=12, intermediate_size=16, num_attention_heads=3, num_key_value_heads=3,
        rms_norm_eps=torch.finfo(torch.float64).eps,
    )  # fmt: skip
    config._attn_implementation, config.mtp_hidden_states_first = "eager", hidden_first
    theirs = with_random_weights(MtpLayer(config, LlamaDecoderLayer, LlamaRMSNorm, 0, use_post_norm=False))
    for norm in (theirs.hnorm, theirs.enorm):
        nn.init.ones_(norm.weight)
    hidden, embedded = random(1, 8, 12), random(1, 8, 12, seed=1)
    places = torch.arange(8)[None]
    given = {
        "attention_mask": torch.full((8, 8), -torch.inf).triu(1)[None, None].double(),
        "position_embeddings": LlamaRotaryEmbedding(config)(hidden, places),
        "position_ids": places,
    }

    class Layer:
        keys_values = staticmethod(lambda x: None)

        def __call__(self, x, _):
            return theirs.mtp_block(x, past_key_values=None, **given)

    W = theirs.eh_proj.weight.T
    W = W if hidden_first else torch.cat([W[12:], W[:12]])
    ours = of_page("inference", "two_ahead", torch=torch, F=F)(hidden, embedded, W, Layer())
    expected = theirs(embedded, hidden, past_key_values=None, **given)
    torch.testing.assert_close(ours, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("drafter", ["always right", "always wrong", "at random"])
def test_drafts_change_the_calls_and_never_the_text(drafter):
    """A model that writes by a fixed table, and drafters of all kinds."""
    table, dice = torch.randperm(16, generator=torch.Generator().manual_seed(0)), torch.Generator()
    wanted, calls = [3], []
    while len(wanted) < 13:
        wanted.append(table[wanted[-1]].item())

    class Model:
        def hidden(self, text):
            calls.append(text.shape[1])
            return text

        def logits(self, hidden):
            return F.one_hot(table[hidden], 16).double()

        def drafts(self, hidden, following):
            assert hidden.shape == following.shape and torch.equal(table[hidden[:, -1]], following[:, -1])
            right = table[following]
            draft = {"always right": right, "always wrong": (right + 1) % 16}.get(drafter)
            if draft is None:
                draft = torch.where(torch.rand(right.shape, generator=dice) < 0.5, right, (right + 1) % 16)
            return F.one_hot(draft, 16).double()

    continued = of_page("inference", "continued", torch=torch)
    text, made, right = continued(Model(), torch.tensor([[3]]), 12)
    assert text[0].tolist() == wanted and made == len(calls)
    assert made + right in (12, 13)  # the last draft may lead one further
    assert {"always right": made == 7, "always wrong": made == 12}.get(drafter, 7 < made < 12)
    alone = continued(Model(), torch.tensor([[3]]), 12, drafting=False)
    assert torch.equal(alone[0], text) and alone[1:] == (12, 0)
