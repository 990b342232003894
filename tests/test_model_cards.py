"""What the page on model cards counts is what transformers builds, of cards that the page does not have."""

import re

import pytest
import torch
import transformers
from transformers import AutoModelForCausalLM

from grader.exercise import ROOT

PAGE = (ROOT / "chapters" / "model_cards.md").read_text(encoding="utf-8")
CELLS = re.findall(
    r"^```\{code-cell\} python\n(?::tags: [^\n]*\n\n)?(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL
)


@pytest.fixture(scope="module")
def page() -> dict:
    """The page's names: the card, the functions that count, the seven cards and how transformers builds them."""
    names = {"transformers": transformers, "torch": torch}
    for beginning in ("from dataclasses", "@dataclass\nclass Card", "def linear", "CARDS =", "def built"):
        [cell] = [cell for cell in CELLS if cell.startswith(beginning)]
        exec(
            "from __future__ import annotations\n" + cell.replace("from figure_data import figure_data", ""),
            names,
        )
    return names


def test_the_seven_cards_are_those_of_the_authors(page):
    """What their configurations say and no formula of the page holds; counts are asserted on the page."""
    contexts = {name: card.context for name, card in page["CARDS"].items()}
    assert contexts.pop("Llama 3 8B") == 8192
    assert contexts.pop("Qwen2.5 0.5B") == contexts.pop("Mixtral 8x7B") == 32768
    assert set(contexts.values()) == {131072} and len(contexts) == 4


SMALL = {
    "vocab": 50,
    "d": 24,
    "layers": 3,
    "heads": 6,
    "kv_heads": 2,
    "head_dim": 8,
    "ffn": 20,
    "context": 64,
}
OTHERS = [
    (transformers.LlamaConfig, {}, {}),
    (transformers.LlamaConfig, {"tied": True, "kv_heads": 6}, {}),
    (transformers.Qwen2Config, {"head_dim": 4, "biases": "qkv"}, {}),
    (transformers.MixtralConfig, {"experts": 5, "chosen": 3}, {"num_local_experts": 5}),
    (
        transformers.GptOssConfig,
        {"biases": "all", "sinks": True, "experts": 6, "chosen": 2},
        {"num_local_experts": 6},
    ),
    *(
        (
            transformers.DeepseekV3Config,
            {
                "kv_heads": 6,
                "kv_rank": 10,
                "q_rank": rank,
                "rope_dim": 4,
                "experts": 8,
                "chosen": 2,
                "shared": shared,
                "dense_layers": 1,
                "dense_ffn": 30,
            },
            {
                "moe_intermediate_size": 20,
                "n_routed_experts": 8,
                "n_shared_experts": shared,
                "n_group": 2,
                "topk_group": 1,
                "first_k_dense_replace": 1,
                "kv_lora_rank": 10,
                "q_lora_rank": rank or None,
                "qk_rope_head_dim": 4,
                "qk_nope_head_dim": 8,
                "v_head_dim": 8,
            },
        )
        for rank, shared in ((0, 1), (12, 2))
    ),
]


@pytest.mark.parametrize(("kind", "ours", "theirs"), OTHERS)
def test_any_card_is_counted_as_it_is_built(page, kind, ours, theirs):
    card = page["Card"](**(SMALL | ours))
    assert page["built"](card, kind, **theirs) == page["total"](card)


def test_what_a_token_leaves_idle_gets_no_gradient(page):
    """The active parameters, by the gradients of one token."""
    card = page["Card"](**SMALL, experts=5, chosen=3)
    torch.manual_seed(0)
    config = transformers.MixtralConfig(
        vocab_size=50, hidden_size=24, num_hidden_layers=3, num_attention_heads=6, num_key_value_heads=2,
        head_dim=8, intermediate_size=20, num_local_experts=5, num_experts_per_tok=3, tie_word_embeddings=False,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config)
    model(torch.tensor([[7]])).logits.square().sum().backward()
    used = 0
    for name, parameter in model.named_parameters():
        if ".experts." in name:
            touched = parameter.grad.flatten(1).abs().sum(dim=1) > 0
            used += touched.sum().item() * parameter[0].numel()
        else:
            used += parameter.numel()
    assert used == page["active"](card) < page["total"](card)


@pytest.mark.parametrize(
    ("kind", "ours", "theirs"),
    [
        (transformers.LlamaConfig, {}, {}),
        (
            transformers.GptOssConfig,
            {"window": 3, "window_layers": 2, "experts": 2, "chosen": 1},
            {
                "num_local_experts": 2,
                "sliding_window": 3,
                "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            },
        ),
    ],
)
def test_the_cache_is_what_transformers_keeps(page, kind, ours, theirs):
    card = page["Card"](**(SMALL | ours))
    config = kind(
        vocab_size=50, hidden_size=24, num_hidden_layers=3, num_attention_heads=6, num_key_value_heads=2,
        head_dim=8, intermediate_size=20, num_experts_per_tok=max(card.chosen, 1), **theirs,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config).eval()
    cache = None
    for token in range(7):  # as a text is written
        with torch.no_grad():
            cache = model(torch.tensor([[token]]), past_key_values=cache, use_cache=True).past_key_values
    kept = sum(t.numel() for layer in cache.layers for t in (layer.keys, layer.values))
    # a window's last token is the next one, which is not there yet
    slack = 2 * card.kv_heads * card.head_dim * card.window_layers
    assert kept in (page["cache_bytes"](card, 7, 1), page["cache_bytes"](card, 7, 1) - slack)
