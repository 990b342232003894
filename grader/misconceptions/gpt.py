"""Wrong answers that people give to the exercise `gpt`."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# CausalSelfAttention ------------------------------------------------------------------------------------------


@right_answer("CausalSelfAttention")
class _Attention(nn.Module):
    """The right attention, its steps laid open."""

    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError("heads")
        self.n_head = config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout, self.resid_dropout = nn.Dropout(config.attn_pdrop), nn.Dropout(config.resid_pdrop)

    def heads(self, part):
        return part.view(*part.shape[:2], self.n_head, -1).transpose(1, 2)

    def split(self, x):
        return [self.heads(part) for part in self.c_attn(x).chunk(3, dim=-1)]

    def remember(self, cache, key, value):
        if cache is None:
            return key, value
        if cache:
            key, value = torch.cat([cache["key"], key], 2), torch.cat([cache["value"], value], 2)
        cache["key"], cache["value"] = key, value
        return key, value

    def scale(self, query):
        return math.sqrt(query.shape[-1])

    def visible(self, n, n_k):
        return torch.ones(n, n_k, dtype=torch.bool).tril(n_k - n)

    def weigh(self, scores):
        visible = self.visible(*scores.shape[-2:]).to(scores.device)
        return scores.masked_fill(~visible, -math.inf).softmax(-1)

    def merge(self, mixed):
        return mixed.transpose(1, 2).reshape(mixed.shape[0], mixed.shape[2], -1)

    def project(self, mixed):
        return self.c_proj(mixed)

    def report(self, weights):
        return weights

    def forward(self, x, cache=None, need_weights=True):
        query, key, value = self.split(x)
        key, value = self.remember(cache, key, value)
        weights = self.weigh(query @ key.transpose(-2, -1) / self.scale(query))
        output = self.resid_dropout(self.project(self.merge(self.attn_dropout(weights) @ value)))
        return output, self.report(weights) if need_weights else None


@wrong("CausalSelfAttention", read="gpt-attention")
class SeesTheFuture(_Attention):
    """룩어헤드 마스크가 없습니다. 다음 토큰을 맞히면서 다음 토큰을 봅니다."""

    def visible(self, n, n_k):
        return torch.ones(n, n_k, dtype=torch.bool)


@wrong("CausalSelfAttention", read="gpt-attention")
class HidesItself(_Attention):
    """대각선까지 가렸습니다. 방금 읽은 토큰 자신은 볼 수 있어야 합니다."""

    def visible(self, n, n_k):
        visible = torch.ones(n, n_k, dtype=torch.bool).tril(n_k - n - 1)
        visible[:, 0] = True
        return visible


@wrong("CausalSelfAttention", read="gpt-attention")
class NoScale(_Attention):
    """점수를 나누지 않았습니다. 헤드 하나의 차원의 제곱근으로 나누십시오."""

    def scale(self, query):
        return 1.0


@wrong("CausalSelfAttention", read="gpt-attention")
class ScaledByWidth(_Attention):
    """모델 전체의 차원의 제곱근으로 나누었습니다. 나눌 것은 헤드 하나의 차원 n_embd / n_head의 제곱근입니다."""

    def scale(self, query):
        return math.sqrt(query.shape[-1] * self.n_head)


@wrong("CausalSelfAttention", read="gpt-attention")
class ZeroBeforeSoftmax(_Attention):
    """가릴 점수를 -inf가 아니라 0으로 바꾸었습니다. exp(0)은 1이므로 미래도 가중치를 받습니다."""

    def weigh(self, scores):
        return scores.masked_fill(~self.visible(*scores.shape[-2:]), 0.0).softmax(-1)


@wrong("CausalSelfAttention", read="gpt-attention")
class ViewsWithoutTranspose(_Attention):
    """transpose 없이 view로 헤드를 앞에 놓았습니다. 위치와 헤드가 뒤섞입니다. (batch, n, heads, head_dim)으로 나눈 뒤 축을 바꾸십시오."""

    def heads(self, part):
        return part.reshape(part.shape[0], self.n_head, part.shape[1], -1)


@wrong("CausalSelfAttention", read="gpt-attention")
class MergesWithoutTranspose(_Attention):
    """헤드를 합칠 때 축을 되돌리지 않았습니다. (batch, heads, n, head_dim)을 (batch, n, heads, head_dim)으로 바꾼 다음 펴십시오."""

    def merge(self, mixed):
        return mixed.reshape(mixed.shape[0], mixed.shape[2], -1)


@wrong("CausalSelfAttention", read="gpt-weights")
class InterleavedHeads(_Attention):
    """c_attn의 출력을 헤드마다 질의, 키, 값이 이어진 것으로 읽었습니다. GPT-2는 질의 전체, 키 전체, 값 전체의 차례입니다."""

    def split(self, x):
        parts = self.c_attn(x).view(*x.shape[:2], self.n_head, 3, -1)
        return [part.transpose(1, 2) for part in parts.unbind(dim=3)]


@wrong("CausalSelfAttention", read="gpt-weights")
class KeysFirst(_Attention):
    """c_attn의 출력을 다른 차례로 읽었습니다. GPT-2는 질의, 키, 값의 차례로 이어 둡니다."""

    def split(self, x):
        key, query, value = super().split(x)
        return query, key, value


@wrong("CausalSelfAttention", read="gpt-attention")
class NoProjection(_Attention):
    """c_proj를 지나지 않았습니다. 헤드들이 섞이지 않은 채 나갑니다."""

    def project(self, mixed):
        return mixed


@wrong("CausalSelfAttention", read="gpt-attention", slip=True)
class AveragesTheHeads(_Attention):
    """가중치를 헤드에 걸쳐 평균했습니다. 헤드마다의 가중치 (batch, heads, n, n)을 그대로 돌려주십시오."""

    def report(self, weights):
        return weights.mean(1)


@wrong("CausalSelfAttention", read="gpt-fused", slip=True)
class MaskTopLeft(_Attention):
    """캐시가 있을 때 마스크의 삼각형을 왼쪽 위에 맞추었습니다. 새 토큰이 첫 키만 봅니다. 이미 본 키의 수만큼 오른쪽으로 미십시오."""

    def visible(self, n, n_k):
        return torch.ones(n, n_k, dtype=torch.bool).tril()


@wrong("CausalSelfAttention", read="gpt-cache", slip=True)
class NoMaskWithCache(_Attention):
    """캐시가 있으면 가리지 않았습니다. 새 토큰이 여럿이면 서로의 미래를 봅니다."""

    def visible(self, n, n_k):
        return super().visible(n, n_k) | torch.tensor(n != n_k)


@wrong("CausalSelfAttention", read="gpt-cache", slip=True)
class ForgetsTheCache(_Attention):
    """캐시에 든 키와 값을 보지 않았습니다. 새 토큰이 앞의 글을 모릅니다."""

    def remember(self, cache, key, value):
        if cache is not None:
            cache["key"], cache["value"] = key, value
        return key, value


@wrong("CausalSelfAttention", read="gpt-cache", slip=True)
class PrependsToTheCache(_Attention):
    """새 키와 값을 캐시의 앞에 붙였습니다. 시간의 차례대로 뒤에 붙이십시오."""

    def remember(self, cache, key, value):
        if cache:
            key, value = torch.cat([key, cache["key"]], 2), torch.cat([value, cache["value"]], 2)
        if cache is not None:
            cache["key"], cache["value"] = key, value
        return key, value


@wrong("CausalSelfAttention", read="gpt-fused")
class FusedDropoutAlways(_Attention):
    """평가할 때도 묶은 어텐션의 드롭아웃이 켜져 있습니다. dropout_p는 모드를 모르므로 self.training이 아니면 0을 넘기십시오."""

    def forward(self, x, cache=None, need_weights=True):
        if need_weights or cache is not None:
            return super().forward(x, cache, need_weights)
        query, key, value = self.split(x)
        mixed = F.scaled_dot_product_attention(
            query, key, value, is_causal=True, dropout_p=self.attn_dropout.p
        )
        return self.resid_dropout(self.c_proj(self.merge(mixed))), None


@wrong("CausalSelfAttention", read="gpt-fused", slip=True)
class FusedTriangleTopLeft(_Attention):
    """묶은 어텐션에 언제나 is_causal=True를 넘겼습니다. 캐시가 있으면 삼각형이 왼쪽 위에 놓입니다. 이때는 마스크를 직접 넘기십시오."""

    def forward(self, x, cache=None, need_weights=True):
        if need_weights:
            return super().forward(x, cache)
        query, key, value = self.split(x)
        key, value = self.remember(cache, key, value)
        p = self.attn_dropout.p if self.training else 0.0
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True, dropout_p=p)
        return self.resid_dropout(self.c_proj(self.merge(mixed))), None


@wrong("CausalSelfAttention", read="gpt-attention", slip=True)
class ReportsDroppedWeights(_Attention):
    """드롭아웃을 지난 가중치를 돌려주었습니다. 계산에는 드롭아웃을 지난 것을 쓰고, 돌려주는 것은 그 앞의 것입니다."""

    def report(self, weights):
        return self.attn_dropout(weights)


@wrong("CausalSelfAttention", read="gpt-attention", slip=True)
class NoOutputDropout(_Attention):
    """c_proj의 출력에 드롭아웃(resid_pdrop)을 걸지 않았습니다."""

    def __init__(self, config):
        super().__init__(config)
        self.resid_dropout = nn.Identity()


@wrong("CausalSelfAttention", read="gpt-attention")
class SoftmaxOverQueries(_Attention):
    """소프트맥스를 질의의 축에서 취했습니다. 질의마다 키에 걸쳐 합이 1이어야 합니다: 마지막 축입니다."""

    def weigh(self, scores):
        return scores.masked_fill(~self.visible(*scores.shape[-2:]), -math.inf).softmax(-2)


@wrong("CausalSelfAttention", read="gpt-attention")
class MasksAfterSoftmax(_Attention):
    """소프트맥스 다음에 가렸습니다. 남은 가중치의 합이 1이 아닙니다. 소프트맥스 앞에서 점수를 -inf로 바꾸십시오."""

    def weigh(self, scores):
        return scores.softmax(-1) * self.visible(*scores.shape[-2:])


@wrong("CausalSelfAttention", read="gpt-fused", slip=True)
class ReportsUnasked(_Attention):
    """need_weights=False인데 가중치를 돌려주었습니다. 이때 둘째는 None입니다."""

    def forward(self, x, cache=None, need_weights=True):
        return super().forward(x, cache)


@wrong("CausalSelfAttention", read="gpt-cache", slip=True)
class NeverFillsTheCache(_Attention):
    """캐시를 채우지 않았습니다. 빈 사전도 캐시입니다. None이 아니면 새 키와 값을 넣으십시오."""

    def remember(self, cache, key, value):
        return key, value


@wrong("CausalSelfAttention", read="gpt-cache", slip=True)
class StoresOnlyTheNew(_Attention):
    """캐시에 새 키와 값만 넣었습니다. 이어 붙인 전체를 다시 넣어야 다음에도 앞의 글이 남습니다."""

    def remember(self, cache, key, value):
        new = {"key": key, "value": value}
        key, value = super().remember(cache, key, value)
        if cache is not None:
            cache.update(new)
        return key, value


@wrong("CausalSelfAttention", read="gpt-attention")
class DropsInEvaluation(_Attention):
    """평가할 때도 드롭아웃이 켜져 있습니다. F.dropout에는 self.training을 넘겨야 모드를 압니다."""

    def project(self, mixed):
        return F.dropout(super().project(mixed), self.resid_dropout.p)


@wrong("CausalSelfAttention", read="gpt-attention", slip=True)
class NoWeightDropout(_Attention):
    """가중치에 드롭아웃(attn_pdrop)을 걸지 않았습니다."""

    def __init__(self, config):
        super().__init__(config)
        self.attn_dropout = nn.Identity()


@wrong("CausalSelfAttention", read="gpt-attention", slip=True)
class AcceptsAnyHeads(_Attention):
    """n_embd가 n_head로 나누어지지 않을 때 ValueError를 내지 않았습니다. 만들 때 확인하십시오."""

    def __init__(self, config):
        try:
            super().__init__(config)
        except ValueError:
            super().__init__(type(config)(n_embd=config.n_embd, n_head=1))


@wrong("CausalSelfAttention", read="gpt-attention", slip=True)
class MaskOnTheDefaultDevice(_Attention):
    """마스크를 입력과 다른 장치에 만들었습니다. device=x.device를 넘기십시오."""

    def weigh(self, scores):
        return scores.masked_fill(~self.visible(*scores.shape[-2:]), -math.inf).softmax(-1)


# Block --------------------------------------------------------------------------------------------------------


@right_answer("Block")
class _Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, epsilon = config.n_embd, self.epsilon(config)
        self.ln_1, self.ln_2 = nn.LayerNorm(width, eps=epsilon), nn.LayerNorm(width, eps=epsilon)
        self.attn = _Attention(config)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)})
        self.dropout = nn.Dropout(config.resid_pdrop)

    def epsilon(self, config):
        return config.layer_norm_epsilon

    def attend(self, x, cache):
        return self.attn(x, cache)[0]

    def activate(self, hidden):
        return F.gelu(hidden, approximate="tanh")

    def feed_forward(self, x):
        return self.dropout(self.mlp.c_proj(self.activate(self.mlp.c_fc(x))))

    def wrap(self, x, norm, sublayer):
        return x + sublayer(norm(x))

    def forward(self, x, cache=None):
        x = self.wrap(x, self.ln_1, lambda x: self.attend(x, cache))
        return self.wrap(x, self.ln_2, self.feed_forward)


@wrong("Block", read="gpt-block")
class PostNorm(_Block):
    """더한 다음 정규화했습니다. GPT-1의 순서입니다. GPT-2는 부분층의 앞에서 정규화합니다: x + 부분층(ln(x))."""

    def wrap(self, x, norm, sublayer):
        return norm(x + sublayer(x))


@wrong("Block", read="gpt-block")
class NormalizedShortcut(_Block):
    """지름길까지 정규화했습니다. 잔차로 더할 x는 정규화하지 않은 것입니다."""

    def wrap(self, x, norm, sublayer):
        x = norm(x)
        return x + sublayer(x)


@wrong("Block", read="gpt-block")
class NoResidual(_Block):
    """잔차 연결이 없습니다. 부분층의 출력에 그 입력을 더하십시오."""

    def wrap(self, x, norm, sublayer):
        return sublayer(norm(x))


@wrong("Block", read="gpt-block")
class NoNorm(_Block):
    """정규화가 빠졌습니다. 부분층마다 그 앞에서 정규화합니다."""

    def wrap(self, x, norm, sublayer):
        return x + sublayer(x)


@wrong("Block", read="gpt-block")
class OneNormForBoth(_Block):
    """두 부분층에 같은 정규화를 썼습니다. ln_1은 어텐션, ln_2는 피드포워드의 것입니다."""

    def forward(self, x, cache=None):
        x = x + self.attend(self.ln_1(x), cache)
        return x + self.feed_forward(self.ln_1(x))


@wrong("Block", read="gpt-block")
class SublayersInParallel(_Block):
    """피드포워드가 어텐션의 결과가 아니라 블록의 입력을 받았습니다. 두 부분층은 차례로 이어집니다."""

    def forward(self, x, cache=None):
        return x + self.attend(self.ln_1(x), cache) + self.feed_forward(self.ln_2(x))


@wrong("Block", read="gpt-gelu")
class UsesRelu(_Block):
    """GELU 대신 ReLU를 썼습니다. GPT는 GELU를 씁니다."""

    def activate(self, hidden):
        return hidden.relu()


@wrong("Block", read="gpt-gelu")
class ExactGelu(_Block):
    """정확한 GELU를 썼습니다. GPT-2의 가중치는 tanh 근사로 학습했습니다: F.gelu(x, approximate="tanh")."""

    def activate(self, hidden):
        return F.gelu(hidden)


@wrong("Block", read="gpt-block")
class DefaultEpsilon(_Block):
    """층 정규화의 엡실론을 설정에서 읽지 않았습니다. nn.LayerNorm(…, eps=config.layer_norm_epsilon)입니다."""

    def epsilon(self, config):
        return 1e-5


@wrong("Block", read="gpt-cache", slip=True)
class LosesTheCache(_Block):
    """받은 캐시를 어텐션에 넘기지 않았습니다. 새 토큰이 앞의 글을 모릅니다."""

    def attend(self, x, cache):
        return self.attn(x)[0]


@wrong("Block", read="gpt-block", slip=True)
class DropsTheShortcut(_Block):
    """드롭아웃을 지름길까지 걸었습니다. 부분층의 출력에만 거십시오."""

    def wrap(self, x, norm, sublayer):
        return self.dropout(x + sublayer(norm(x)))


@wrong("Block", read="gpt-gelu")
class NoActivation(_Block):
    """c_fc와 c_proj 사이에 활성화 함수가 없습니다. 두 선형 변환이 하나와 같아집니다. tanh 근사 GELU를 쓰십시오."""

    def activate(self, hidden):
        return hidden


@wrong("Block", read="gpt-block")
class NoResidualAroundAttention(_Block):
    """어텐션에 잔차 연결이 없습니다. x = x + attn(ln_1(x))입니다."""

    def forward(self, x, cache=None):
        return self.wrap(self.attend(self.ln_1(x), cache), self.ln_2, self.feed_forward)


@wrong("Block", read="gpt-block")
class NoResidualAroundFeedForward(_Block):
    """피드포워드에 잔차 연결이 없습니다. x = x + mlp(ln_2(x))입니다."""

    def forward(self, x, cache=None):
        x = self.wrap(x, self.ln_1, lambda x: self.attend(x, cache))
        return self.feed_forward(self.ln_2(x))


@wrong("Block", read="gpt-block", slip=True)
class NoDropout(_Block):
    """피드포워드의 출력에 드롭아웃(resid_pdrop)을 걸지 않았습니다."""

    def __init__(self, config):
        super().__init__(config)
        self.dropout = nn.Identity()


@wrong("Block", read="gpt-block", slip=True)
class DropsInside(_Block):
    """피드포워드의 드롭아웃을 c_proj의 앞에 걸었습니다. c_proj의 출력에 거십시오."""

    def feed_forward(self, x):
        return self.mlp.c_proj(self.dropout(self.activate(self.mlp.c_fc(x))))


# GPT ----------------------------------------------------------------------------------------------------------


def _initialize(model, n_layer):
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(
                module.weight, std=0.02 / (math.sqrt(2 * n_layer) if name.endswith("c_proj") else 1)
            )
            if getattr(module, "bias", None) is not None:
                nn.init.zeros_(module.bias)


@right_answer("GPT")
class _GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(config.vocab_size, config.n_embd),
                "wpe": nn.Embedding(config.n_positions, config.n_embd),
                "drop": nn.Dropout(config.embd_pdrop),
                "h": self.blocks(config),
                "ln_f": nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon),
            }
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.tie()
        self.start()

    def blocks(self, config):
        return nn.ModuleList(_Block(config) for _ in range(config.n_layer))

    def tie(self):
        self.lm_head.weight = self.transformer.wte.weight

    def start(self):
        _initialize(self, self.config.n_layer)

    def past(self, cache):
        return cache[0]["key"].shape[2] if cache and cache[0] else 0

    def check(self, end):
        if end > self.config.n_positions:
            raise ValueError("too long")

    def embed(self, ids, past):
        positions = torch.arange(past, past + ids.shape[1], device=ids.device)
        return self.transformer.wte(ids) + self.transformer.wpe(positions)

    def cache_of(self, cache, i):
        return None if cache is None else cache[i]

    def head(self, x):
        return self.lm_head(self.transformer.ln_f(x))

    def forward(self, ids, cache=None):
        past = self.past(cache)
        self.check(past + ids.shape[1])
        x = self.transformer.drop(self.embed(ids, past))
        for i, block in enumerate(self.transformer.h):
            x = block(x, self.cache_of(cache, i))
        return self.head(x)


@wrong("GPT", read="gpt-model")
class OnlyTheLastLogits(_GPT):
    """마지막 자리의 로짓만 돌려주었습니다. 학습에는 모든 자리의 로짓이 필요합니다. 하나만 고르는 것은 generate의 일입니다."""

    def head(self, x):
        return super().head(x[:, -1:])


@wrong("GPT", read="gpt-model")
class LogitsAndLoss(_GPT):
    """로짓 말고 다른 것도 함께 돌려주었습니다. 이 모델은 로짓만 내고, 손실은 lm_loss가 따로 셉니다."""

    def forward(self, ids, cache=None):
        return super().forward(ids, cache), None


@wrong("GPT", read="gpt-start", slip=True)
class StartsAllAlike(_GPT):
    """줄기에 더하는 c_proj도 다른 행렬만큼 크게 시작합니다. initialize(self, config.n_layer)가 작게 뽑아 줍니다."""

    def start(self):
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)


@wrong("GPT", read="gpt-block")
class NoFinalNorm(_GPT):
    """마지막 층 정규화 ln_f를 쓰지 않았습니다. 사전 정규화에서는 마지막 블록의 출력이 정규화되지 않은 채 나옵니다."""

    def head(self, x):
        return self.lm_head(x)


@wrong("GPT", read="gpt-model")
class UntiedHead(_GPT):
    """lm_head와 wte가 서로 다른 파라미터입니다. self.lm_head.weight에 wte의 weight를 그대로 넣어 하나로 만드십시오."""

    def tie(self):
        pass


@wrong("GPT", read="gpt-model")
class NoPositions(_GPT):
    """위치 임베딩 wpe를 더하지 않았습니다."""

    def embed(self, ids, past):
        return self.transformer.wte(ids)


@wrong("GPT", read="gpt-cache")
class RestartsThePositions(_GPT):
    """캐시가 있어도 위치를 0부터 세었습니다. 새 토큰의 위치는 이미 본 토큰의 수부터입니다."""

    def embed(self, ids, past):
        return super().embed(ids, 0)


@wrong("GPT", read="gpt-model")
class ScalesTheEmbedding(_GPT):
    """토큰 임베딩에 차원의 제곱근을 곱했습니다. 원래 트랜스포머의 방식이고, GPT는 곱하지 않습니다."""

    def embed(self, ids, past):
        return super().embed(ids, past) + (math.sqrt(self.config.n_embd) - 1) * self.transformer.wte(ids)


@wrong("GPT", read="gpt-model")
class ReturnsProbabilities(_GPT):
    """로짓 대신 확률이나 로그 확률을 돌려주었습니다. 소프트맥스는 손실 함수가 안에서 취합니다. 로짓을 그대로 돌려주십시오."""

    def head(self, x):
        return super().head(x).softmax(-1)


@wrong("GPT", read="gpt-model")
class SharesOneBlock(_GPT):
    """블록 하나를 되풀이해 썼습니다. [block] * n은 블록 하나의 별명 n개입니다."""

    def blocks(self, config):
        return nn.ModuleList([_Block(config)] * config.n_layer)


@wrong("GPT", read="gpt-crop", slip=True)
class CropsSilently(_GPT):
    """n_positions보다 긴 입력을 말없이 잘랐습니다. ValueError를 내야 합니다. 자르는 일은 generate가 합니다."""

    def check(self, end):
        pass

    def forward(self, ids, cache=None):
        return super().forward(ids[:, -self.config.n_positions :], cache)


@wrong("GPT", read="gpt-cache")
class OneCacheForAll(_GPT):
    """모든 블록이 캐시 하나를 함께 썼습니다. 블록마다 키와 값이 다르므로 cache[i]를 하나씩 넘기십시오."""

    def cache_of(self, cache, i):
        return None if cache is None else cache[0]


@wrong("GPT", read="gpt-start", slip=True)
class DefaultStart(_GPT):
    """initialize를 부르지 않았습니다. nn.Embedding의 기본값은 표준편차 1이어서, 처음부터 틀린 답을 확신합니다."""

    def start(self):
        pass


@wrong("GPT", read="gpt-model", slip=True)
class NoDropoutOnEmbeddings(_GPT):
    """임베딩에 드롭아웃(embd_pdrop)을 걸지 않았습니다. 토큰과 위치를 더한 것에 거십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.transformer["drop"] = nn.Identity()


@wrong("GPT", read="gpt-model")
class RefusesTheFullLength(_GPT):
    """길이가 n_positions인 입력까지 거절했습니다. 거절할 것은 그보다 긴 입력입니다."""

    def check(self, end):
        super().check(end + 1)


@wrong("GPT", read="gpt-model", slip=True)
class NeverRefuses(_GPT):
    """n_positions보다 긴 입력에서 ValueError를 내지 않았습니다. 위치 임베딩을 찾기 전에 길이를 확인하십시오."""

    def check(self, end):
        pass


@wrong("GPT", read="gpt-cache", slip=True)
class CountsOnlyNewTokens(_GPT):
    """새 토큰만 세어 거절했습니다. 캐시에 든 토큰까지 합해 n_positions를 넘으면 ValueError를 내야 합니다."""

    def forward(self, ids, cache=None):
        self.new = ids.shape[1]
        return super().forward(ids, cache)

    def check(self, end):
        super().check(self.new)


@wrong("GPT", read="gpt-cache")
class KeepsTheCacheFromTheBlocks(_GPT):
    """받은 캐시를 블록에 넘기지 않았습니다. 새 토큰이 앞의 글을 모릅니다."""

    def cache_of(self, cache, i):
        return None


@wrong("GPT", read="gpt-start", slip=True)
class TiedAfterTheStart(_GPT):
    """initialize를 부른 다음에 wte의 weight를 lm_head의 것으로 바꾸어, 하나가 된 행렬이 initialize를 거치지 않았습니다. 다 만들고 묶은 다음 부르십시오."""

    def tie(self):
        pass

    def start(self):
        super().start()
        head = nn.Linear(self.config.n_embd, self.config.vocab_size)
        self.lm_head.weight = self.transformer.wte.weight = head.weight


@wrong("GPT", read="gpt-model", slip=True)
class PositionsOnTheDefaultDevice(_GPT):
    """위치 번호를 입력과 다른 장치에 만들었습니다. torch.arange에 device=ids.device를 넘기십시오."""

    def embed(self, ids, past):
        return self.transformer.wte(ids) + self.transformer.wpe(torch.arange(past, past + ids.shape[1]))


# lm_loss ------------------------------------------------------------------------------------------------------


def _refuse_one(ids):
    if ids.shape[1] < 2:
        raise ValueError("nothing to predict")


def _mean(logits, ids):
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten())


@wrong("lm_loss", read="gpt-loss")
def no_shift(logits, ids):
    """밀지 않았습니다. 자리 t의 로짓은 자리 t의 토큰이 아니라 자리 t + 1의 토큰을 맞힙니다. 지금은 베끼기를 배웁니다."""
    _refuse_one(ids)
    return _mean(logits, ids)


@wrong("lm_loss", read="gpt-shift-mistakes")
def shifts_backwards(logits, ids):
    """반대로 밀었습니다. 자리 t의 로짓으로 앞 토큰을 맞히고 있습니다. 로짓은 끝을, ids는 처음을 자르십시오."""
    _refuse_one(ids)
    return _mean(logits[:, 1:], ids[:, :-1])


@wrong("lm_loss", read="gpt-shift-mistakes")
def shifts_twice(logits, ids):
    """두 칸 밀었습니다. 부르는 쪽이 민 다음 여기서 또 밀면 이렇게 됩니다. 한 칸만 미십시오."""
    _refuse_one(ids)
    return _mean(logits[:, :-2], ids[:, 2:]) if ids.shape[1] > 2 else logits.sum() * 0


@wrong("lm_loss", read="gpt-shift-mistakes")
def rolls_around(logits, ids):
    """roll로 밀었습니다. 마지막 자리가 문장의 첫 토큰을 맞히게 됩니다. 마지막 자리는 빼십시오."""
    _refuse_one(ids)
    return _mean(logits, ids.roll(-1, dims=1))


@wrong("lm_loss", read="gpt-loss")
def only_the_last(logits, ids):
    """마지막 토큰만 맞혔습니다. 한 문장에서 맞힐 것은 n - 1개입니다."""
    _refuse_one(ids)
    return F.cross_entropy(logits[:, -2], ids[:, -1])


@wrong("lm_loss", read="gpt-loss")
def sums_up(logits, ids):
    """평균이 아니라 합을 돌려주었습니다. 문장이 길수록, 배치가 클수록 손실이 커집니다."""
    _refuse_one(ids)
    return _mean(logits[:, :-1], ids[:, 1:]) * ids[:, 1:].numel()


@wrong("lm_loss", read="gpt-loss")
def softmax_twice(logits, ids):
    """확률을 넘겼습니다. F.cross_entropy는 안에서 소프트맥스를 취하므로 로짓을 그대로 넘기십시오."""
    _refuse_one(ids)
    return _mean(logits[:, :-1].softmax(-1), ids[:, 1:])


@wrong("lm_loss", read="gpt-shift-mistakes", slip=True)
def accepts_one_token(logits, ids):
    """토큰이 하나뿐일 때 ValueError를 내지 않았습니다. 빈 평균은 NaN이고, NaN은 말없이 퍼집니다."""
    return _mean(logits[:, :-1], ids[:, 1:])


@wrong("lm_loss", read="gpt-loss")
def divides_by_every_position(logits, ids):
    """마지막 위치까지 넣어 n으로 나누었습니다. 맞힐 것이 있는 위치는 n - 1개입니다."""
    if ids.shape[1] < 2:
        raise ValueError("nothing to predict")
    total = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="sum")
    return total / ids.numel()


@wrong("lm_loss", read="gpt-loss")
def perplexity(logits, ids):
    """손실 대신 퍼플렉시티를 돌려주었습니다(exp). 배우는 데 쓰는 것은 교차 엔트로피의 평균 그대로입니다."""
    if ids.shape[1] < 2:
        raise ValueError("nothing to predict")
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).exp()


@wrong("lm_loss", read="gpt-loss")
def leaves_out_token_zero(logits, ids):
    """0번 토큰을 패딩으로 보고 뺐습니다. 여기서 0은 보통의 토큰입니다."""
    if ids.shape[1] < 2:
        raise ValueError("nothing to predict")
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)


@wrong("lm_loss", read="gpt-loss", slip=True)
def counts_the_rows(logits, ids):
    """토큰의 수 대신 문장의 수를 세어, 문장이 하나이면 거절했습니다. ids는 (batch, n)이고, 보아야 할 것은 n입니다."""
    if len(ids) < 2:
        raise ValueError("nothing to predict")
    return _mean(logits[:, :-1], ids[:, 1:])


@wrong("lm_loss", read="gpt-shift-mistakes")
def shifts_the_flat(logits, ids):
    """문장들을 하나로 편 다음 밀었습니다. 한 문장의 마지막 자리가 다음 문장의 첫 토큰을 맞히게 됩니다. 펴기 전에 미십시오."""
    _refuse_one(ids)
    return F.cross_entropy(logits.flatten(0, 1)[:-1], ids.flatten()[1:])


@wrong("lm_loss", read="gpt-loss")
def cuts_the_gradient(logits, ids):
    """손실에서 기울기가 끊겼습니다. .item()이나 detach 없이 텐서를 그대로 돌려주십시오."""
    _refuse_one(ids)
    return _mean(logits[:, :-1], ids[:, 1:]).detach()


# generate -----------------------------------------------------------------------------------------------------


@right_answer("generate", lambda generation: generation().run)
class _Generate:
    """The right generation, its steps laid open; `__call__` makes it a function."""

    def caches(self, n_layer):
        return [{} for _ in range(n_layer)]

    def logits(self, model, ids, cache, seen, use_cache):
        limit = model.config.n_positions
        if use_cache and ids.shape[1] <= limit:
            return model(ids[:, seen:], cache)
        return model(self.window(ids, limit))

    def window(self, ids, limit):
        return ids[:, -limit:]

    def last(self, logits):
        return logits[:, -1]

    def draw(self, logits, temperature, generator):
        if temperature == 0:
            return logits.argmax(-1, keepdim=True)
        return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)

    def finish(self, ids, prompt, limit):
        return ids

    @torch.no_grad()
    def run(self, model, ids, max_new_tokens, temperature=1.0, generator=None, use_cache=True):
        prompt, seen = ids.shape[1], 0
        cache = self.caches(model.config.n_layer)
        for _ in range(max_new_tokens):
            logits = self.logits(model, ids, cache, seen, use_cache)
            seen = ids.shape[1]
            ids = torch.cat([ids, self.draw(self.last(logits), temperature, generator)], dim=1)
        return self.finish(ids, prompt, model.config.n_positions)


@wrong("generate", read="gpt-generate")
def without_the_prompt(*args, **options):
    """이어 쓴 것만 돌려주었습니다. 프롬프트와 이어 쓴 것을 함께 돌려주십시오."""

    class Wrong(_Generate):
        def finish(self, ids, prompt, limit):
            return ids[:, prompt:]

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-generate")
def reads_the_first_position(*args, **options):
    """첫 자리의 로짓을 읽었습니다. 다음 토큰은 마지막 자리의 로짓에 있습니다."""

    class Wrong(_Generate):
        def last(self, logits):
            return logits[:, 0]

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-crop", slip=True)
def never_crops(*args, **options):
    """자르지 않았습니다. 글이 n_positions보다 길어지면 모델에 들어가지 않습니다. 마지막 n_positions개만 넣으십시오."""

    class Wrong(_Generate):
        def window(self, ids, limit):
            return ids

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-crop", slip=True)
def keeps_the_beginning(*args, **options):
    """앞의 n_positions개를 남겼습니다. 방금 쓴 것을 버리고 옛것만 봅니다. 마지막 n_positions개를 남기십시오."""

    class Wrong(_Generate):
        def window(self, ids, limit):
            return ids[:, :limit]

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-crop", slip=True)
def crops_the_result(*args, **options):
    """돌려주는 글까지 잘랐습니다. 자르는 것은 모델에 넣는 것뿐입니다."""

    class Wrong(_Generate):
        def finish(self, ids, prompt, limit):
            return ids[:, -limit:]

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-crop", slip=True)
def keeps_the_stale_cache(*args, **options):
    """n_positions를 넘은 뒤에도 캐시를 썼습니다. 창이 밀리면 모든 토큰의 위치가 바뀌어 캐시의 키가 맞지 않습니다."""

    class Wrong(_Generate):
        def logits(self, model, ids, cache, seen, use_cache):
            return (
                model(ids[:, seen:], cache) if use_cache else super().logits(model, ids, cache, seen, False)
            )

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-cache")
def feeds_everything_again(*args, **options):
    """캐시가 있는데도 전체를 다시 넣었습니다. 모델은 같은 토큰을 두 번 본 것으로 압니다. 새 토큰만 넣으십시오."""

    class Wrong(_Generate):
        def logits(self, model, ids, cache, seen, use_cache):
            return super().logits(model, ids, cache, 0, use_cache)

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-cache", slip=True)
def ignores_the_cache(*args, **options):
    """캐시를 쓰지 않았습니다. 토큰은 같지만, 한 토큰마다 처음부터 다시 계산합니다."""
    return _Generate().run(*args, **{**options, "use_cache": False})


@wrong("generate", read="gpt-temperature")
def multiplies_by_temperature(*args, **options):
    """온도를 곱했습니다. 로짓을 온도로 나누어야 낮은 온도에서 확률이 한곳에 몰립니다."""

    class Wrong(_Generate):
        def draw(self, logits, temperature, generator):
            return super().draw(logits, temperature and 1 / temperature, generator)

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-temperature")
def temperature_after_softmax(*args, **options):
    """소프트맥스 다음에 온도로 나누었습니다. 확률을 같은 수로 나누면 비율이 그대로여서 온도가 아무 일도 하지 않습니다."""

    class Wrong(_Generate):
        def draw(self, logits, temperature, generator):
            return super().draw(logits, temperature and 1.0, generator)

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-temperature")
def always_greedy(*args, **options):
    """언제나 가장 큰 로짓을 골랐습니다. 온도가 0이 아니면 확률에 따라 뽑아야 합니다."""
    return _Generate().run(*args, **{**options, "temperature": 0})


@wrong("generate", read="gpt-temperature")
def divides_by_zero(*args, **options):
    """온도 0에서 0으로 나누었습니다. 온도 0은 가장 큰 로짓을 고르라는 뜻입니다."""

    class Wrong(_Generate):
        def draw(self, logits, temperature, generator):
            return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-temperature", slip=True)
def ignores_the_generator(*args, **options):
    """generator를 쓰지 않았습니다. 같은 시드에서 같은 글이 나오지 않습니다. torch.multinomial에 넘기십시오."""

    class Wrong(_Generate):
        def draw(self, logits, temperature, generator):
            return super().draw(logits, temperature, None)

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-temperature")
def one_draw_for_all(*args, **options):
    """첫 행에서 한 번 뽑은 토큰을 모든 행에 붙였습니다. 행마다 따로 뽑으십시오."""

    class Wrong(_Generate):
        def draw(self, logits, temperature, generator):
            return super().draw(logits[:1], temperature, generator).expand(len(logits), 1)

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-generate", slip=True)
def switches_to_evaluation(model, *args, **options):
    """모델을 평가 모드로 바꾸었습니다. 모드는 부르는 쪽이 정하므로 건드리지 마십시오."""
    return _Generate().run(model.eval(), *args, **options)


@wrong("generate", read="gpt-cache")
def one_dictionary_for_all(*args, **options):
    """모든 블록의 캐시가 사전 하나입니다. [{}] * n은 사전 하나의 별명 n개입니다. 블록마다 빈 사전을 따로 만드십시오."""

    class Wrong(_Generate):
        def caches(self, n_layer):
            return [{}] * n_layer

    return Wrong().run(*args, **options)


@wrong("generate", read="gpt-crop", slip=True)
def stops_at_the_limit(model, ids, max_new_tokens, *args, **options):
    """글이 n_positions에 이르면 멈추었습니다. 모델에 넣는 것만 자르고, max_new_tokens개를 모두 이어 쓰십시오."""
    room = max(model.config.n_positions - ids.shape[1], 0)
    return _Generate().run(model, ids, min(max_new_tokens, room), *args, **options)
