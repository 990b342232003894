"""Part V's references against what we did not write, more strictly than an answer is judged."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from solutions.adaptation import LoRALinear
from solutions.efficient_attention import positive_random_features
from solutions.modern import tiled_attention
from solutions.product_key_memory import product_topk


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block", [1, 7, 64, 100])
def test_tiles_are_torchs_attention(block, causal):
    query, key, value = random(3, 2, 100, 16)
    found, log_sum_exp = tiled_attention(query, key, value, block, causal)
    expected = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    scores = query @ key.transpose(-2, -1) / 4
    if causal:
        scores = scores.masked_fill(torch.ones(100, 100, dtype=torch.bool).triu(1), -torch.inf)
    torch.testing.assert_close(log_sum_exp, scores.logsumexp(-1), rtol=0, atol=1e-12)


def test_the_performers_estimate_is_unbiased():
    """Means of 2,000 independent projections lie within four standard errors of the kernel (99.99 %)."""
    x, y = 0.7 * random(2, 5, 4)
    kernel = (x @ y.T).exp()
    estimates = torch.stack(
        [
            positive_random_features(x, projection) @ positive_random_features(y, projection).T
            for projection in random(2000, 8, 4, seed=1)
        ]
    )
    error = estimates.std(dim=0) / len(estimates) ** 0.5
    assert ((estimates.mean(dim=0) - kernel).abs() < 4 * error).all()
    assert (error / kernel).median() < 0.05  # narrow enough to notice a missing |x|²/2


@pytest.mark.parametrize("k", [1, 5, 30, 200])
def test_product_keys_find_what_exhaustive_search_finds(k):
    half_keys, queries = random(2, 20, 3), random(50, 6, seed=1)
    scores, slots = product_topk(queries, *half_keys, k)
    keys = torch.cat([half_keys[0].repeat_interleave(20, dim=0), half_keys[1].repeat(20, 1)], dim=1)
    expected = (queries @ keys.T).topk(k)
    torch.testing.assert_close(scores, expected.values, rtol=0, atol=1e-12)
    assert torch.equal(slots.sort(-1).values, expected.indices.sort(-1).values)


def test_a_merged_adapter_gives_the_same_outputs():
    torch.manual_seed(0)
    layer = LoRALinear(nn.Linear(7, 5).double(), rank=3, alpha=8)
    nn.init.normal_(layer.B)
    merged, x = layer.merge(), random(4, 7)
    assert type(merged) is nn.Linear
    torch.testing.assert_close(merged(x), layer(x), rtol=0, atol=1e-12)
    assert not torch.allclose(merged(x), layer.linear(x))
