"""What pages of Part V define for themselves and no exercise asks for, against transformers."""

import ast
import math
import re
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import (
    DeepseekV4Config,
    DeepseekV32Config,
    Gemma4TextConfig,
    Glm5NextTextConfig,
    HYV4Config,
    Llama4TextConfig,
    Qwen3Config,
    Qwen3NextConfig,
    Qwen4ExpTextConfig,
    get_wsd_schedule,
)
from transformers.models.deepseek_v4.modeling_deepseek_v4 import (
    DeepseekV4CSACompressor,
    DeepseekV4HCACompressor,
    DeepseekV4HyperConnection,
)
from transformers.models.deepseek_v32.modeling_deepseek_v32 import DeepseekV32Indexer
from transformers.models.gemma2.modeling_gemma2 import Gemma2RMSNorm, eager_attention_forward
from transformers.models.gemma4.modeling_gemma4 import Gemma4TextDecoderLayer
from transformers.models.glm5_next.modeling_glm5_next import Glm5NextTextHyperConnection, Glm5NextTextIndexer
from transformers.models.hy_v4.modeling_hy_v4 import HYV4HyperConnection
from transformers.models.kimi_linear.modeling_kimi_linear import recurrent_kimi_delta_attention
from transformers.models.llama4.modeling_llama4 import Llama4TextAttention
from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention
from transformers.models.qwen3_next.modeling_qwen3_next import Qwen3NextAttention, Qwen3NextRMSNorm
from transformers.models.qwen4_exp.modeling_qwen4_exp import Qwen4ExpTextGatedResidual, Qwen4ExpTextPLELayer

from grader.exercise import ROOT
from solutions.modern import RMSNorm


def of_page(stem: str, name: str, **names):
    """A function or class that a page defines, with the names that it uses."""
    page = (ROOT / "chapters" / f"{stem}.md").read_text(encoding="utf-8")
    for cell in re.findall(r"^```\{code-cell\} python\n(.+?)^```$", page, re.MULTILINE | re.DOTALL):
        if re.search(rf"^(def|class) {name}\(", cell, re.MULTILINE):
            code = re.sub(r"\A(---\n.*?^---\n|(:[^\n]*\n)+)", "", cell, flags=re.MULTILINE | re.DOTALL)
            [found] = [n for n in ast.parse(code).body if getattr(n, "name", None) == name]
            exec(ast.unparse(found), names)
            return names[name]
    raise AssertionError(f"{stem} defines no {name}")


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def no_turn(n, size):
    """cos and sin of angles of 0."""
    return torch.ones(1, n, size, dtype=torch.float64), torch.zeros(1, n, size, dtype=torch.float64)


@pytest.fixture(autouse=True)
def in_float64(monkeypatch):
    """transformers computes some of this in float32; here in what it is given."""
    monkeypatch.setattr(torch, "float32", torch.float64)
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)


def scores_of_the_page():
    """The function of the page on today's Transformer, its 64 vectors and the matrices that it multiplies by 4."""
    x, (W_q, W_k) = random(64, 48), 4 * random(2, 48, 16, seed=1) / 48**0.5
    return of_page("modern", "scores_of", x=x, RMSNorm=lambda d: RMSNorm(d).double()), x, W_q, W_k


def test_the_soft_cap_is_gemma_2s():
    scores_of, x, W_q, W_k = scores_of_the_page()
    module = SimpleNamespace(num_key_value_groups=1, training=False, head_dim=16)
    query, key = (x @ W_q)[None, None], (x @ W_k)[None, None]
    _, weights = eager_attention_forward(module, query, key, key, None, softcap=50.0)
    torch.testing.assert_close(
        scores_of(W_q, W_k, "soft cap 50").softmax(-1), weights[0, 0], rtol=0, atol=1e-10
    )


def test_qk_norm_is_qwen3s():
    scores_of, x, W_q, W_k = scores_of_the_page()
    config = Qwen3Config(hidden_size=48, num_attention_heads=1, num_key_value_heads=1, head_dim=16)
    config._attn_implementation = "eager"
    theirs = Qwen3Attention(config, 0).double()
    theirs.q_proj.weight.data, theirs.k_proj.weight.data = W_q.T, W_k.T
    _, weights = theirs(x[None], no_turn(64, 16), None)
    torch.testing.assert_close(scores_of(W_q, W_k, "QK-norm").softmax(-1), weights[0, 0], rtol=0, atol=1e-10)


def test_qk_clip_stops_at_its_threshold_and_leaves_small_scores_alone():
    """Algorithm 1 of Kimi K2's report: both matrices times the root of threshold / largest score."""
    scores_of, _, W_q, W_k = scores_of_the_page()
    plain = scores_of(W_q, W_k, "plain")
    torch.testing.assert_close(scores_of(W_q, W_k, "QK-clip 100"), plain * min(1, 100 / plain.max()))
    assert plain.max() < 100 < scores_of(4 * W_q, W_k, "plain").max()
    clipped = scores_of(4 * W_q, W_k, "QK-clip 100")
    torch.testing.assert_close(clipped, 4 * plain * 100 / (4 * plain).max())


@pytest.mark.parametrize("kind", [Gemma2RMSNorm, Qwen3NextRMSNorm])
def test_a_zero_centred_weight_is_one_more(kind):
    theirs, ours = kind(8).double(), RMSNorm(8).double()
    theirs.weight.data, ours.weight.data = random(8, seed=1), 1 + random(8, seed=1)
    assert not kind(8).weight.any()
    torch.testing.assert_close(ours(random(5, 8)), theirs(random(5, 8)), rtol=0, atol=1e-10)


def test_the_temperature_is_llama_4s():
    """Weights of a layer without RoPE, whose temperature here grows every four places instead of every 8,192."""
    config = Llama4TextConfig(
        hidden_size=16, num_attention_heads=2, num_key_value_heads=2, head_dim=8,
        num_hidden_layers=4, no_rope_layers=[1, 1, 1, 0],
    )  # fmt: skip
    assert (config.floor_scale, config.attn_scale, config.attention_chunk_size) == (8192, 0.1, 8192)
    assert config.attn_temperature_tuning
    config.floor_scale, config._attn_implementation = 4, "eager"
    layer, x = Llama4TextAttention(config, 3).double(), random(1, 21, 16)
    _, weights = layer(x, None, None)
    query, key = (p(x).view(1, 21, 2, 8).transpose(1, 2) for p in (layer.q_proj, layer.k_proj))
    times = torch.tensor([1 + 0.1 * math.log(1 + (r + 1) // 4) for r in range(21)], dtype=torch.float64)
    expected = (times[:, None] * (query @ key.mT) / 8**0.5).softmax(-1)
    torch.testing.assert_close(weights, expected, rtol=0, atol=1e-10)


def test_index_scores_choose_the_keys_that_deepseek_v32s_indexer_chooses():
    config = DeepseekV32Config(
        hidden_size=12, q_lora_rank=12, index_n_heads=4, index_head_dim=8, index_topk=6, qk_rope_head_dim=4
    )
    theirs, x = DeepseekV32Indexer(config, 0).double(), random(2, 20, 12)
    theirs.k_norm = nn.Identity()
    chosen = theirs(x, x, no_turn(20, 4), torch.zeros(2, 20, 20).double(), None)
    matrices = [p.weight.T for p in (theirs.wq_b, theirs.wk, theirs.weights_proj)]
    ours = of_page("efficient_attention", "index_scores", F=F)(x, *matrices)
    torch.testing.assert_close(ours.gather(-1, chosen.long()), ours.topk(6).values)


def with_random_weights(module):
    """In float64, with every parameter drawn."""
    module = module.double()
    for at, parameter in enumerate(module.parameters()):
        nn.init.normal_(parameter, generator=torch.Generator().manual_seed(at))
    return module


SMALL_V4 = {
    "hidden_size": 12,
    "head_dim": 8,
    "num_attention_heads": 2,
    "q_lora_rank": 12,
    "qk_rope_head_dim": 4,
    "index_head_dim": 6,
    "index_n_heads": 2,
    "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 4},
}


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        (DeepseekV4HyperConnection, DeepseekV4Config(**SMALL_V4)),
        (Glm5NextTextHyperConnection, Glm5NextTextConfig(hidden_size=12, rms_norm_eps=1e-6)),
    ],
)
def test_streams_are_read_written_and_mixed_as_in_deepseek_v4(kind, config):
    theirs = with_random_weights(kind(config))
    streams, out = random(1, 1, 4, 12), random(12, seed=1)
    write, mix, read = theirs(streams)
    balanced = of_page("modern", "balanced", torch=torch)
    weights = of_page("modern", "stream_weights", torch=torch, balanced=balanced)
    r, w, M = weights(streams[0, 0], theirs.fn.T, theirs.base, theirs.scale)
    torch.testing.assert_close(r @ streams[0, 0], read[0, 0], rtol=0, atol=1e-10)
    # the layer's own last line: what was written, and the streams mixed by the transpose
    after = write.unsqueeze(-1) * out + mix.transpose(-1, -2) @ streams
    torch.testing.assert_close(M @ streams[0, 0] + w[:, None] * out, after[0, 0], rtol=0, atol=1e-10)


def test_qwen4_exp_and_hy4_do_not_mix_their_streams():
    qwen = Qwen4ExpTextGatedResidual(Qwen4ExpTextConfig(hidden_size=12)).double()
    streams = random(1, 1, 48)
    _, kept, written = qwen(streams)
    assert kept is streams and written.shape == (1, 1, 4)
    hy4 = with_random_weights(HYV4HyperConnection(HYV4Config(hidden_size=12)))
    assert [part.shape[-1] for part in hy4(random(1, 1, 4, 12))] == [
        4,
        12,
    ]  # what is written and read, no more


def unturned(module, width):
    """The compressor without the rotation of its entries."""
    module.rotary_emb.forward = lambda x, position_ids, layer_type: no_turn(position_ids.shape[1], width)
    return module


def test_entries_are_those_of_deepseek_v4s_compressors():
    config, x = DeepseekV4Config(**SMALL_V4), random(1, 19, 12)
    compressed = of_page("efficient_attention", "compressed", torch=torch)
    seen = of_page("efficient_attention", "full_entries", torch=torch)
    heavy = unturned(with_random_weights(DeepseekV4HCACompressor(config)), 2)
    places = torch.arange(19)[None]
    theirs, bias = heavy(x, x, places, None, 0)
    ours = compressed(heavy.kv_proj(x)[:, :16], heavy.gate_proj(x)[:, :16], heavy.position_bias)
    torch.testing.assert_close(heavy.kv_norm(ours), theirs[:, 0], rtol=0, atol=1e-10)
    assert torch.equal(bias[0, 0] == 0, seen(19, 4, 4))

    sparse = unturned(with_random_weights(DeepseekV4CSACompressor(config)), 2)
    sparse.indexer.forward = lambda *given: torch.zeros(1, 19, 1, dtype=torch.long)
    theirs, _ = sparse(x, x, places, None, 0)

    def both(t, value):
        """Eight tokens an entry: the first half of the columns of the four before, the second of its own four."""
        earlier = F.pad(t[:, :12, :8], (0, 0, 4, 0), value=value).unflatten(1, (4, 4))
        return torch.cat([earlier, t[:, :16, 8:].unflatten(1, (4, 4))], 2).flatten(1, 2)

    gates = sparse.gate_proj(x)[:, :16] + sparse.position_bias.repeat(4, 1)
    ours = compressed(both(sparse.kv_proj(x), 0), both(gates, -torch.inf), torch.zeros(8, 8).double())
    torch.testing.assert_close(sparse.kv_norm(ours), theirs[:, 0], rtol=0, atol=1e-10)


def test_the_pooled_keys_of_glm_5s_indexer_are_such_entries_too():
    config = Glm5NextTextConfig(hidden_size=12, q_lora_rank=12, index_head_dim=6, index_kpool=4, index_topk=8)
    theirs = with_random_weights(Glm5NextTextIndexer(config, 0))
    keys, gates = random(1, 16, 6), random(1, 16, 6, seed=1)
    pooled, _, _ = theirs.get_pooled_states(torch.cat([keys, gates, torch.ones(1, 16, 1).double()], -1))
    ours = of_page("efficient_attention", "compressed", torch=torch)(
        keys, gates, theirs.index_kpool_compress_ape
    )
    torch.testing.assert_close(ours, pooled, rtol=0, atol=1e-10)


def qwen4_exps_table():
    config = Qwen4ExpTextConfig(
        vocab_size=60, hidden_size=12, ple_layer_ids=[1], ple_embed_dim=12, heads_per_ngram=3,
        ngram_vocab_size_base=50, eos_token_id=59,
    )  # fmt: skip
    layer = with_random_weights(Qwen4ExpTextPLELayer(config, 0, 0))
    nn.init.zeros_(layer.conv1d.weight)  # as it begins
    return layer, layer.ple_embedding


def test_rows_of_the_table_are_those_of_qwen4_exp():
    _, table = qwen4_exps_table()
    ids, rows = torch.randint(59, (20,)), of_page("product_key_memory", "ngram_rows", F=F)
    found = []
    for tokens, sizes in ((2, table.head_vocab_sizes[:3]), (3, table.head_vocab_sizes[3:])):
        found.append(rows(ids, table.layer_multipliers[:tokens], torch.tensor(sizes), before=59))
    places = torch.cat(found, -1) + table.ngram_heads_offsets
    theirs = table(ids[None], None)[0]
    torch.testing.assert_close(table.ngram_embedding(places).flatten(1), theirs, rtol=0, atol=0)
    assert len(set(table.head_vocab_sizes)) == 6


def test_the_gate_of_qwen4_exps_table_is_that_of_the_page():
    layer, table = qwen4_exps_table()
    ids, x = torch.randint(59, (1, 7)), random(1, 7, 4 * 12)
    entry = table(ids, None)
    key, query = (
        t.unflatten(-1, (4, 12)) for t in (layer.norm_key(layer.key_proj(entry)), layer.norm_query(x))
    )
    g = (key * query).sum(-1, keepdim=True) / 12**0.5
    ours = (g.sign() * g.abs().sqrt()).sigmoid() * layer.value_proj(entry)[:, :, None]
    torch.testing.assert_close(ours.flatten(-2), layer(x, ids, None), rtol=0, atol=1e-10)


def test_an_entry_of_a_layers_table_is_added_as_in_gemma_4():
    config = Gemma4TextConfig(
        hidden_size=12, intermediate_size=8, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
        head_dim=4, hidden_size_per_layer_input=5, vocab_size=20, vocab_size_per_layer_input=20,
    )  # fmt: skip
    config._attn_implementation = "eager"
    theirs = with_random_weights(Gemma4TextDecoderLayer(config, 0))
    for norm in (theirs.post_attention_layernorm, theirs.post_feedforward_layernorm):
        nn.init.zeros_(norm.weight)  # neither attention nor network adds anything
    nn.init.ones_(theirs.post_per_layer_input_norm.weight)
    x, entry = random(1, 6, 12), random(1, 6, 5, seed=1)
    after = theirs(x.clone(), entry, shared_kv_states={}, position_embeddings=no_turn(6, 4))
    gate, up = theirs.per_layer_input_gate.weight.T, theirs.per_layer_projection.weight.T
    ours = of_page("product_key_memory", "add_entry", F=F)(x, entry, gate, up)
    torch.testing.assert_close(ours, after, rtol=0, atol=1e-10)


def test_the_rule_with_a_decay_for_each_component_is_kimi_linears():
    query, key, value = random(9, 4), F.normalize(random(9, 4, seed=1), dim=-1), random(9, 3, seed=2)
    beta, decay = random(9, seed=3).sigmoid(), -random(9, 4, seed=4).abs()
    ours = of_page("linear_attention", "channel_delta_rule", torch=torch)(query, key, value, beta, decay)
    one = [t[None, :, None] for t in (2 * query, key, value, decay, beta)]  # theirs divides by the root of 4
    theirs = recurrent_kimi_delta_attention(*one, initial_state=None, output_final_state=True)
    torch.testing.assert_close(ours[0], theirs[0][0, :, 0], rtol=0, atol=1e-10)
    torch.testing.assert_close(ours[1], theirs[1][0, 0], rtol=0, atol=1e-10)


def test_the_gate_of_qwen3_next_is_a_sigmoid_of_the_token_on_the_output():
    config = Qwen3NextConfig(hidden_size=12, num_attention_heads=3, num_key_value_heads=3, head_dim=4)
    config._attn_implementation = "eager"
    layer, x = Qwen3NextAttention(config, 0).double(), random(1, 7, 12)
    layer.o_proj = nn.Identity()
    gates = layer.q_proj.weight.data.view(3, 2, 4, 12)[:, 1].clone()  # each head's half of the matrix
    gated, _ = layer(x, no_turn(7, 4), None)
    layer.q_proj.weight.data.view(3, 2, 4, 12)[:, 1] = 0
    half, _ = layer(x, no_turn(7, 4), None)
    expected = 2 * half * (x @ gates.reshape(12, 12).T).sigmoid()
    torch.testing.assert_close(gated, expected, rtol=0, atol=1e-10)


def test_warmup_stable_decay_is_transformers():
    steps, up = 1000, 100
    scheduled = of_page("training", "scheduled", STEPS=steps, UP=up, math=math)
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = get_wsd_schedule(optimizer, up, steps // 5, num_training_steps=steps, decay_type="linear")
    expected = [theirs.lr_lambdas[0](s) for s in range(steps + 1)]
    assert [scheduled("warmup-stable-decay", s) for s in range(steps + 1)] == pytest.approx(expected)


def test_the_ratios_of_the_example_of_gspo():
    """One ratio for a text: the geometric mean of its tokens' (equation 7 of Zheng et al.)."""
    log_ratios = torch.tensor([0.4, -0.4, 0.1, -0.1])
    assert [round(r, 2) for r in log_ratios.exp().tolist()] == [1.49, 0.67, 1.11, 0.9]
    assert log_ratios.sum().exp() ** (1 / 4) == pytest.approx(1)
