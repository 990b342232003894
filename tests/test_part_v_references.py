"""Part V's references against what we did not write, more strictly than an answer is judged."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
import torch
import torch.nn.functional as F
from torch import nn
from transformers import (
    DeepseekV3Config,
    DynamicCache,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    MistralConfig,
    MixtralConfig,
)
from transformers.masking_utils import create_sliding_window_causal_mask
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention, DeepseekV3MoE
from transformers.models.gpt_oss.modeling_gpt_oss import eager_attention_forward
from transformers.models.mamba2.modeling_mamba2 import mamba2_chunk_scan
from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock
from transformers.models.qwen3_next.modeling_qwen3_next import (
    torch_chunk_gated_delta_rule,
    torch_recurrent_gated_delta_rule,
)

from solutions.adaptation import LoRALinear
from solutions.all_attention import PersistentAttention
from solutions.efficient_attention import positive_random_features
from solutions.evaluation import (
    choice_scores,
    judge_fairly,
    paired_difference,
    strided_nll,
    yarn_frequencies,
)
from solutions.experts import allowed_groups, bias_route, kept_in_capacity, mix_experts, update_bias
from solutions.inference import absorbed_attention, quantize_groups, verify_drafts, window_mask
from solutions.linear_attention import (
    chunked_delta_rule,
    chunked_linear_attention,
    gated_delta_rule,
    recurrent_linear_attention,
)
from solutions.modern import route, tiled_attention
from solutions.product_key_memory import product_topk
from solutions.reasoning import (
    clipped_loss,
    completion_log_probs,
    group_advantages,
    k3_divergence,
    pass_at_k,
)


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


def rotated(x, cos, sin):
    """As transformers turns halves."""
    one, two = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-two, one], dim=-1) * sin


def test_absorbed_attention_is_deepseek_v3s():
    """The whole layer of transformers, its matrices taken apart, in float64 with random weights."""
    heads, rank, size, size_r, size_v, n = 4, 16, 8, 6, 10, 7
    config = DeepseekV3Config(
        hidden_size=32, num_attention_heads=heads, num_key_value_heads=heads, q_lora_rank=None,
        kv_lora_rank=rank, qk_nope_head_dim=size, qk_rope_head_dim=size_r, v_head_dim=size_v,
        rope_interleave=False, attn_implementation="eager",
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = DeepseekV3Attention(config, layer_idx=0).double().eval()
    x, angles = random(2, n, 32), random(1, n, size_r // 2, seed=1)
    cos, sin = (torch.cat([f(angles)] * 2, dim=-1) for f in (torch.cos, torch.sin))
    past = torch.ones(n, n, dtype=torch.bool).tril()
    added = torch.zeros(1, 1, n, n, dtype=torch.float64).masked_fill(~past, -torch.inf)

    with torch.no_grad():
        query = theirs.q_proj(x).unflatten(-1, (heads, size + size_r)).transpose(1, 2)
        latents, rope_key = theirs.kv_a_proj_with_mqa(x).split([rank, size_r], dim=-1)
        up = theirs.kv_b_proj.weight.unflatten(0, (heads, size + size_v)).transpose(1, 2)
        output, weights = absorbed_attention(
            query[..., :size],
            rotated(query[..., size:], cos[:, None], sin[:, None]),
            theirs.kv_a_layernorm.weight * F.rms_norm(latents, (rank,), eps=1e-6),
            rotated(rope_key, cos, sin),
            up[..., :size],
            up[..., size:],
            past,
        )
        whole, their_weights = theirs(x, (cos, sin), added)
        found = theirs.o_proj(output.transpose(1, 2).flatten(2))
    # Their normalisation and softmax go through float32.
    torch.testing.assert_close(found, whole, rtol=0, atol=1e-6)
    torch.testing.assert_close(weights, their_weights, rtol=0, atol=1e-6)


def test_a_window_is_transformers_sliding_window():
    config = MistralConfig(sliding_window=5, attn_implementation="eager", num_hidden_layers=1)
    for n_q, n_k in [(12, 12), (1, 12), (4, 12)]:
        mask = create_sliding_window_causal_mask(
            config=config,
            inputs_embeds=torch.zeros(1, n_q, 8),
            attention_mask=None,
            past_key_values=None if n_q == n_k else cache_of(n_k - n_q),
            position_ids=torch.arange(n_k - n_q, n_k)[None],
        )
        assert torch.equal(mask[0, 0] == 0, window_mask(n_q, n_k, 5))


def cache_of(length):
    cache = DynamicCache()
    cache.update(torch.zeros(1, 1, length, 8), torch.zeros(1, 1, length, 8), 0)
    return cache


@pytest.mark.parametrize("window", [5, 12])  # gpt-oss's layers take turns: a window, everything
def test_a_persistent_key_without_a_value_is_the_sink_of_gpt_oss(window):
    layer = PersistentAttention(d_model=8, num_heads=2, num_persistent=1).double()
    sinks = random(2, seed=1)
    with torch.no_grad():  # the first feature of a head: 1 in each query, 0 in each key of the text
        for linear, constant in ((layer.W_q, 1.0), (layer.W_k, 0.0)):
            linear.weight[::4], linear.bias[::4] = 0.0, constant
        layer.persistent_keys.zero_()[:, 0, 0] = sinks * math.sqrt(4)
        layer.persistent_values.zero_()
    x, visible = random(3, 12, 8), window_mask(12, 12, window)
    ours, weights = layer(x, visible)

    heads = (linear(x).unflatten(-1, (2, 4)).transpose(1, 2) for linear in (layer.W_q, layer.W_k, layer.W_v))
    theirs, their_weights = eager_attention_forward(
        SimpleNamespace(num_key_value_groups=1, sinks=sinks, training=False),
        *heads,
        torch.zeros(12, 12, dtype=torch.float64).masked_fill(~visible, -math.inf),
        scaling=1 / math.sqrt(4),
    )
    torch.testing.assert_close(ours, layer.W_o(theirs.flatten(-2)), rtol=0, atol=1e-10)
    torch.testing.assert_close(weights[..., :-1], their_weights, rtol=0, atol=1e-10)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_codes_are_those_of_torchs_symmetric_quantisation(bits):
    weight, most = random(6, 32).float(), 2 ** (bits - 1) - 1
    codes, scales = quantize_groups(weight, bits, 8)
    expected = torch.fake_quantize_per_channel_affine(
        weight.reshape(-1, 8),
        scales.flatten(),
        torch.zeros(scales.numel(), dtype=torch.int32),
        0,
        -most,
        most,
    )
    back = codes.unflatten(-1, (-1, 8)) * scales[..., None]
    torch.testing.assert_close(back.reshape(-1, 8), expected)


def test_drafts_leave_the_distribution_of_whole_texts():
    """Chen et al. 2023, theorem 1: every text of three tokens, every draft and every cell of the random numbers."""
    p = torch.tensor([[1, 3], [2, 2], [3, 1]], dtype=torch.float64) / 4
    r = torch.tensor([[2, 2], [1, 3]], dtype=torch.float64) / 4
    cells = (torch.arange(6, dtype=torch.float64) + 0.5) / 6
    total = torch.zeros(2, 2, 2, dtype=torch.float64)
    for drafts in torch.cartesian_prod(torch.arange(2), torch.arange(2)):
        share = r[0, drafts[0]] * r[1, drafts[1]] / 36
        for uniforms in torch.cartesian_prod(cells, cells):
            accepted, following = verify_drafts(drafts, r, p, uniforms)
            written = [torch.eye(2).double()[x] for x in drafts[:accepted]] + [following]
            written += list(p[len(written) :])
            total += share * torch.einsum("a,b,c->abc", *written)
    torch.testing.assert_close(total, torch.einsum("a,b,c->abc", *p), rtol=0, atol=1e-12)


def test_log_probabilities_of_a_completion_are_minus_the_loss_of_transformers():
    """GPT-2 of transformers, labels at what was chosen alone, at the temperature of the drawing."""
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=11, n_positions=12, n_embd=8, n_layer=1, n_head=2, bos_token_id=10, eos_token_id=10
    )
    model = GPT2LMHeadModel(config).double().eval()
    ids = torch.tensor([[10, 3, 4, 10, 7, 2, 10, 0], [10, 1, 2, 3, 4, 5, 6, 7]])
    with torch.no_grad():
        logits = model(ids).logits
    found, mask = completion_log_probs(logits, ids, torch.tensor([4, 2]), 10, 0.7)
    # Their loss goes through float32.
    labels = ids.clone()
    labels[0, :4], labels[0, 7:], labels[1, :2] = -100, -100, -100
    loss = model.loss_function(logits / 0.7, labels, vocab_size=11)
    torch.testing.assert_close((-found.sum() / mask.sum()).float(), loss, rtol=0, atol=1e-6)
    torch.testing.assert_close(found != 0, labels[:, 1:] != -100)


def test_the_slope_at_the_old_policy_is_the_policy_gradient_of_all_texts():
    """Every text of two tokens, weighted as often as it is drawn: clipped or not, at the old policy nothing is."""
    first, second = random(3).requires_grad_(), random(3, 3, seed=1).requires_grad_()
    texts = torch.cartesian_prod(torch.arange(3), torch.arange(3))
    reward = random(9, seed=2)
    log_probs = torch.stack(
        [first.log_softmax(0)[texts[:, 0]], second.log_softmax(1)[texts[:, 0], texts[:, 1]]], 1
    )
    chance = log_probs.sum(1).exp()
    [*expected] = torch.autograd.grad((chance * reward).sum(), [first, second], retain_graph=True)
    # The loss averages over nine texts and over their two tokens.
    weighted = 18 * chance.detach() * (reward - 0.3)
    loss = clipped_loss(log_probs, log_probs, weighted, torch.ones(9, 2, dtype=torch.bool))
    for found, right in zip(torch.autograd.grad(loss, [first, second]), expected, strict=True):
        torch.testing.assert_close(-found, right, rtol=0, atol=1e-10)


def test_advantages_are_numpys_standard_scores():
    rewards = random(5, 8).numpy()
    expected = (rewards - rewards.mean(1, keepdims=True)) / rewards.std(1, keepdims=True)
    np.testing.assert_allclose(group_advantages(torch.tensor(rewards)).numpy(), expected, rtol=0, atol=1e-10)


def test_reported_numbers_of_groups_and_of_means_over_tokens():
    """What people worked out by hand in reports: TRL's issue 2832, verl's issue 593."""
    root = 0.5**0.5
    found = group_advantages(torch.tensor([1.0, 1, 2]).double())
    np.testing.assert_allclose(found.numpy(), [-root, -root, 2 * root], rtol=0, atol=1e-12)
    for rewards in ([1.0, 0], [1.0, -1]):
        assert group_advantages(torch.tensor(rewards)).tolist() == [1, -1]

    gains = torch.tensor([[2, 2, 2, 2, 2, 6, 5, 3, 2, 4], [10, 3, 4, 5, 2, 3, 4, 1, 1, 3]]).double()
    mask = torch.arange(10) < torch.tensor([[5], [1]])
    loss = clipped_loss(gains.log(), torch.zeros(2, 10).double(), torch.ones(2).double(), mask, high=99)
    assert loss.item() == pytest.approx(-6.0) != pytest.approx(-10 / 3)


def test_k3_averages_to_torchs_divergence():
    policy, reference = (random(6, 9, seed=seed).log_softmax(-1) for seed in (0, 1))
    found = (policy.exp() * k3_divergence(policy, reference)).sum()
    expected = F.kl_div(reference, policy, reduction="sum", log_target=True)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)


def published_pass_at_k(n, c, k):
    """As printed in Chen et al. 2021, figure 3."""
    if n - c < k:
        return 1.0
    return 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))


def test_pass_at_k_is_the_published_estimator():
    for n, k in [(10, 1), (10, 7), (200, 100), (200, 10)]:
        counts = [0, 1, n // 3, n - 1, n]
        right = torch.arange(n)[None] < torch.tensor(counts)[:, None]
        expected = np.mean([published_pass_at_k(n, c, k) for c in counts])
        assert pass_at_k(right, k) == pytest.approx(expected, abs=1e-10)


@pytest.fixture
def in_float64(monkeypatch):
    """transformers computes its recurrences in float32; here in what they are given."""
    monkeypatch.setattr(torch, "float32", torch.float64)
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)


def a_text(n=21):
    """query, key of unit length, value, log_decay, beta, state: two texts, three heads."""
    query, value = random(2, 3, n, 5), random(2, 3, n, 4, seed=1)
    key = F.normalize(random(2, 3, n, 5, seed=2), dim=-1)
    beta, decay = random(2, 3, n, seed=3).sigmoid(), -random(2, 3, n, seed=4).abs()
    return query, key, value, decay, beta, random(2, 3, 5, 4, seed=5)


def theirs(rule, query, key, value, decay, beta, state, **options):
    """Their axes are (batch, n, heads, width), and they scale the query."""
    turned = (x.transpose(1, 2) for x in (5**0.5 * query, key, value, decay, beta))
    output, state = rule(*turned, initial_state=state, output_final_state=True, **options)
    return output.transpose(1, 2), state


@pytest.mark.parametrize("rule", [torch_recurrent_gated_delta_rule, torch_chunk_gated_delta_rule])
def test_the_gated_delta_rule_is_that_of_qwen3_next(in_float64, rule):
    query, key, value, decay, beta, state = a_text()
    for g in (decay, 0 * decay):
        for found, right in zip(
            gated_delta_rule(query, key, value, beta, g, state),
            theirs(rule, query, key, value, g, beta, state),
            strict=True,
        ):
            torch.testing.assert_close(found, right, rtol=0, atol=1e-10)


def test_chunks_of_the_delta_rule_are_those_of_qwen3_next(in_float64):
    query, key, value, decay, beta, state = a_text()
    for chunk in (1, 4, 21, 64):
        expected = theirs(
            torch_chunk_gated_delta_rule, query, key, value, 0 * decay, beta, state, chunk_size=chunk
        )
        found = chunked_delta_rule(query, key, value, beta, chunk, state)
        for ours, right in zip(found, expected, strict=True):
            torch.testing.assert_close(ours, right, rtol=0, atol=1e-10)


def test_linear_attention_with_a_decay_is_the_scan_of_mamba_2(in_float64):
    """Their step size scales what is written and the decay; B, C and the input are key, query and value."""
    query, key, value, decay, _, state = a_text()
    # A decay for each head, a step size for each token.
    rate, step = -torch.tensor([0.3, 0.7, 1.1]).double(), -decay
    hidden, size, B, C = (x.transpose(1, 2) for x in (value, step, key, query))
    expected, end = mamba2_chunk_scan(
        hidden, size, rate, B, C, 4, initial_states=state.mT, return_final_states=True
    )
    given = query, key, step[..., None] * value, rate[:, None] * step
    for output, last in [
        recurrent_linear_attention(*given, state),
        *(chunked_linear_attention(*given, chunk, state) for chunk in (1, 4, 21, 64)),
    ]:
        torch.testing.assert_close(output, expected.transpose(1, 2), rtol=0, atol=1e-10)
        torch.testing.assert_close(last, end.mT, rtol=0, atol=1e-10)


@pytest.mark.parametrize("length", [1, 5, 20])
def test_pieces_of_a_text_give_what_the_whole_gives(length):
    """As reported of others: a text that goes on from a state by several tokens (huggingface/transformers#46032,
    fla-org/flash-linear-attention#90), states that do not cross a chunk (huggingface/transformers#47250)."""
    query, key, value, decay, beta, start = a_text()
    rules = {
        recurrent_linear_attention: [query, key, value, decay],
        lambda *x: chunked_linear_attention(*x[:4], 4, x[4]): [query, key, value, decay],
        gated_delta_rule: [query, key, value, beta, decay],
        lambda *x: chunked_delta_rule(*x[:4], 4, x[4]): [query, key, value, beta],
    }
    for rule, given in rules.items():
        whole, end = rule(*given, start)
        outputs, state = [], start
        for piece in zip(*(x.split(length, dim=2) for x in given), strict=True):
            output, state = rule(*piece, state)
            outputs.append(output)
        torch.testing.assert_close(torch.cat(outputs, 2), whole, rtol=0, atol=1e-12)
        torch.testing.assert_close(state, end, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("dim", "base", "factor", "length", "betas"),
    [
        (128, 10_000.0, 16, 4096, (32, 1)),
        (64, 150_000.0, 32, 4096, (32, 1)),  # gpt-oss
        (64, 10_000.0, 40, 4096, (32, 1)),  # DeepSeek-V3's RoPE
        (16, 10_000.0, 4, 64, (32, 1)),  # no pair turns 32 times
        (64, 1e6, 4, 32_768, (8, 2)),
    ],
)
def test_yarn_is_transformers(monkeypatch, dim, base, factor, length, betas):
    """Their code in float64: it asks torch for float and float32 by name."""
    config = LlamaConfig(
        head_dim=dim,
        max_position_embeddings=length * factor,
        rope_parameters={
            "rope_type": "yarn", "rope_theta": base, "factor": float(factor), "truncate": False,
            "original_max_position_embeddings": length,
            "beta_fast": float(betas[0]), "beta_slow": float(betas[1]),
        },
    )  # fmt: skip
    expected_single, _ = ROPE_INIT_FUNCTIONS["yarn"](config)
    with monkeypatch.context() as patched:
        patched.setattr(torch, "float", torch.float64)
        patched.setattr(torch, "float32", torch.float64)
        expected, expected_t = ROPE_INIT_FUNCTIONS["yarn"](config)
    found, t = yarn_frequencies(dim, base, factor, length, *betas)
    assert expected.dtype == torch.float64
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(found.float(), expected_single, rtol=2e-6, atol=0)
    assert t == expected_t


def test_a_published_attention_factor():
    """OLMo 3's configuration states 1.2079441541679836 for texts eight times as long."""
    assert yarn_frequencies(128, 500_000.0, 8, 8192)[1] == pytest.approx(1.2079441541679836, abs=1e-15)


def tiny_gpt():
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=11, n_positions=16, n_embd=8, n_layer=2, n_head=2)
    return GPT2LMHeadModel(config).eval().double()


@pytest.mark.parametrize(("n", "window", "stride"), [(40, 16, 5), (16, 16, 15), (33, 8, 7), (12, 16, 3)])
def test_windows_are_counted_as_transformers_loss_does(n, window, stride):
    """The page on perplexity's labels: -100 for what is context. Their loss is in float32, whatever the model is in."""
    model, ids = tiny_gpt(), torch.randint(11, (n,), generator=torch.Generator().manual_seed(n))
    total, before = torch.zeros((), dtype=torch.float64), 0
    with torch.no_grad():
        for begin in range(0, n, stride):
            end = min(begin + window, n)
            labels = ids[None, begin:end].clone()
            labels[:, : before - begin] = -100
            counted = (labels[:, 1:] != -100).sum()
            total += model(ids[None, begin:end], labels=labels).loss * counted
            before = end
            if end == n:
                break
        found = strided_nll(lambda part: model(part[None]).logits[0], ids, window, stride)
    assert len(found) == n - 1
    torch.testing.assert_close(found.sum(), total, rtol=1e-6, atol=0)


def test_longer_choice_wins_by_token_and_characters_are_not_bytes():
    """As reported of harnesses: raw sums prefer the shorter choice; by characters and by bytes the order may differ."""
    log_probs = torch.tensor([[-0.5, -0.5, *[math.nan] * 6], [-0.25] * 8])
    mask = ~log_probs.isnan()
    assert choice_scores(log_probs, mask, "sum").argmax() == 0
    assert choice_scores(log_probs, mask, "token").argmax() == 1
    korean, english = "나무", "forest"
    sums, both = torch.tensor([[-4.0], [-5.0]]), torch.ones(2, 1, dtype=torch.bool)
    characters, in_bytes = (
        torch.tensor([len(f(word)) for word in (korean, english)]) for f in (str, str.encode)
    )
    assert choice_scores(sums, both, "byte", characters).argmax() == 1
    assert choice_scores(sums, both, "byte", in_bytes).argmax() == 0


@pytest.mark.parametrize("size", [2, 9, 200])
def test_paired_errors_are_scipys(size):
    a, b = random(2, size)
    difference, error = paired_difference(a, b)
    expected = scipy.stats.ttest_rel(a.numpy(), b.numpy())
    assert (difference / error).item() == pytest.approx(expected.statistic, rel=1e-12)
    # Passages of one size: the error of their means.
    a, b = random(2, size, 4, seed=1)
    order = torch.randperm(4 * size, generator=torch.Generator().manual_seed(2))
    passages = torch.arange(size).repeat_interleave(4)
    difference, error = paired_difference(a.flatten()[order], b.flatten()[order], passages[order])
    expected = scipy.stats.ttest_1samp((a - b).mean(1).numpy(), 0)
    assert (difference / error).item() == pytest.approx(expected.statistic, rel=1e-12)


def test_equal_length_is_scipys_line():
    a, b = ["x" * n for n in (3, 9, 4, 12, 7)], ["x" * n for n in (5, 4, 4, 2, 8)]

    def judge(first, second):
        return 1 / (1 + math.exp(-0.4 - 0.2 * len(first) + 0.1 * len(second)))

    preferred = [(judge(x, y) + 1 - judge(y, x)) / 2 for x, y in zip(a, b, strict=True)]
    line = scipy.stats.linregress([len(x) - len(y) for x, y in zip(a, b, strict=True)], preferred)
    assert judge_fairly(judge, a, b) == pytest.approx((np.mean(preferred), line.intercept), rel=1e-12)


def matrices_of(experts):
    """gate, up and down of transformers' experts: theirs are transposed, two of them in one."""
    gate, up = experts.gate_up_proj.mT.chunk(2, dim=-1)
    return gate, up, experts.down_proj.mT


@pytest.mark.parametrize(("groups", "kept"), [(1, 1), (4, 2), (8, 3)])
def test_routing_and_experts_are_deepseek_v3s(in_float64, groups, kept):
    """Sigmoids, a bias of either sign that only chooses, groups, weights made to sum to one and scaled, a shared expert."""
    config = DeepseekV3Config(
        hidden_size=12, moe_intermediate_size=10, n_routed_experts=16, num_experts_per_tok=3, n_group=groups,
        topk_group=kept, n_shared_experts=1, norm_topk_prob=True, routed_scaling_factor=2.5,
    )  # fmt: skip
    theirs = DeepseekV3MoE(config).double()
    with torch.no_grad():
        for seed, parameter in enumerate(theirs.parameters()):
            parameter.copy_(random(*parameter.shape, seed=seed))
        theirs.gate.e_score_correction_bias = 0.3 * random(16, seed=50) - 0.5
        x = random(40, 12, seed=51)
        scores, bias = (x @ theirs.gate.weight.T).sigmoid(), theirs.gate.e_score_correction_bias
        allowed = allowed_groups(scores + bias, groups, kept)
        weights, experts = bias_route(scores, torch.where(allowed, bias, -torch.inf), 3)
        routed = mix_experts(x, 2.5 * weights, experts, *matrices_of(theirs.experts))
        found = routed + theirs.shared_experts(x)
        assert torch.equal(experts.sort(-1).values, theirs.gate(x)[2].sort(-1).values)
        torch.testing.assert_close(found, theirs(x[None])[0], rtol=0, atol=1e-10)

        # A shared expert is one that everybody chooses with weight 1.
        shared = [m.weight.T[None] for m in theirs.shared_experts.children() if hasattr(m, "weight")]
        all_matrices = [torch.cat([a, b]) for a, b in zip(matrices_of(theirs.experts), shared, strict=True)]
        one = torch.ones(40, 1, dtype=torch.float64)
        together = mix_experts(
            x, torch.cat([2.5 * weights, one], 1), torch.cat([experts, 16 * one.long()], 1), *all_matrices
        )
        torch.testing.assert_close(together, found, rtol=0, atol=1e-10)


def test_experts_of_mixtral(in_float64):
    config = MixtralConfig(hidden_size=12, intermediate_size=10, num_local_experts=6, num_experts_per_tok=2)
    theirs = MixtralSparseMoeBlock(config).double()
    with torch.no_grad():
        for seed, parameter in enumerate(theirs.parameters()):
            parameter.copy_(random(*parameter.shape, seed=seed))
        x = random(40, 12, seed=51)
        weights, experts = route(x @ theirs.gate.weight.T, 2)
        found = mix_experts(x, weights, experts, *matrices_of(theirs.experts))
        torch.testing.assert_close(found, theirs(x[None])[0], rtol=0, atol=1e-10)


def test_reported_mistakes_of_routers():
    """As reported of others: masked groups at 0 win over negative scores (vllm-project/vllm#13474), tiny scores lost
    behind a large bias (flashinfer-ai/flashinfer#3875), weights that do not sum to one (pytorch/torchtitan#1448), no
    slope to the router where one is chosen (jingyaogong/minimind#859), more places than tokens
    (deepspeedai/DeepSpeed#8155), a bias moved to mean 0 as well (pytorch/torchtitan#1506)."""
    scores = torch.tensor([[0.3, 0.2, 0.1, 0.05]])
    bias = torch.full((4,), -1.0)
    allowed = allowed_groups(scores + bias, 2, 1)
    _, experts = bias_route(scores, torch.where(allowed, bias, -torch.inf), 2)
    assert sorted(experts[0].tolist()) == [0, 1]

    tiny = torch.tensor([[3e-8, 1e-8, 2e-8]])
    weights, experts = bias_route(tiny, torch.tensor([12.0, 12.5, 0.0]), 2)
    torch.testing.assert_close(weights.gather(1, experts.argsort(1)), torch.tensor([[0.75, 0.25]]))
    assert weights.sum() == 1

    one = torch.rand(5, 4, requires_grad=True)
    weights, _ = bias_route(one, torch.zeros(4), 1)
    weights.sum().backward()
    assert (weights == 1).all() and one.grad.abs().max() < 1e-6

    assert kept_in_capacity(torch.tensor([[0, 1], [0, 1]]), 100).all()
    moved = update_bias(torch.zeros(4), torch.tensor([[0], [0], [0], [1]]), 0.1)
    torch.testing.assert_close(moved, torch.tensor([-0.1, 0.0, 0.1, 0.1]))
