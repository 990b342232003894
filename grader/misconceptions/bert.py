"""Wrong answers that people give to the exercise `bert`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# BertEmbeddings -----------------------------------------------------------------------------------------------


@right_answer("BertEmbeddings")
class _Embeddings(nn.Module):
    """The right embeddings, their steps laid open."""

    eps = None

    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, size)
        self.LayerNorm = nn.LayerNorm(size, eps=self.eps or config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def check(self, ids):
        if ids.shape[1] > self.position_embeddings.num_embeddings:
            raise ValueError("too long")

    def words(self, ids):
        return self.word_embeddings(ids)

    def positions(self, ids, position_ids):
        if position_ids is None:
            position_ids = torch.arange(ids.shape[1], device=ids.device)
        return self.position_embeddings(position_ids)

    def segments(self, ids, types):
        return self.token_type_embeddings(torch.zeros_like(ids) if types is None else types)

    def finish(self, total):
        return self.dropout(self.LayerNorm(total))

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        self.check(input_ids)
        total = self.words(input_ids) + self.positions(input_ids, position_ids)
        return self.finish(total + self.segments(input_ids, token_type_ids))


@wrong("BertEmbeddings", read="bert-input")
class NoLayerNorm(_Embeddings):
    """층 정규화를 하지 않았습니다. 세 임베딩을 더한 다음 LayerNorm을 지나야 합니다."""

    def finish(self, total):
        return self.dropout(total)


@wrong("BertEmbeddings", read="bert-embedding-dropout", slip=True)
class DropoutBeforeNorm(_Embeddings):
    """드롭아웃을 층 정규화 앞에 걸었습니다. 더하기, 층 정규화, 드롭아웃의 차례입니다."""

    def finish(self, total):
        return self.LayerNorm(self.dropout(total))


@wrong("BertEmbeddings", read="bert-embedding-dropout", slip=True)
class NoDropout(_Embeddings):
    """드롭아웃이 없거나, 확률이 hidden_dropout_prob가 아닙니다. 층 정규화 다음에 config.hidden_dropout_prob로 겁니다."""

    def finish(self, total):
        return self.LayerNorm(total)


@wrong("BertEmbeddings", read="bert-positions")
class NoPositions(_Embeddings):
    """위치 임베딩을 더하지 않았습니다. 어텐션은 순서를 모르므로 입력에 넣어야 합니다."""

    def positions(self, ids, position_ids):
        return 0.0


@wrong("BertEmbeddings", read="bert-segments")
class NoSegments(_Embeddings):
    """세그먼트 임베딩을 더하지 않았습니다."""

    def segments(self, ids, types):
        return 0.0


@wrong("BertEmbeddings", read="bert-segments", slip=True)
class SegmentsOnlyWhenGiven(_Embeddings):
    """token_type_ids가 없을 때 세그먼트 임베딩을 뺐습니다. 그때는 모두 0번이고, 0번의 벡터를 더해야 합니다."""

    def segments(self, ids, types):
        return 0.0 if types is None else super().segments(ids, types)


@wrong("BertEmbeddings", read="bert-positions")
class SinusoidalPositions(_Embeddings):
    """사인과 코사인을 썼습니다. BERT의 위치 임베딩은 학습하는 표입니다."""

    def positions(self, ids, position_ids):
        size = self.word_embeddings.embedding_dim
        places = torch.arange(ids.shape[1], device=ids.device) if position_ids is None else position_ids
        rates = 10_000 ** (-torch.arange(0, size, 2, device=ids.device).double() / size)
        angles = places[..., None] * rates
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., :size]
        return waves.to(self.word_embeddings.weight.dtype)


@wrong("BertEmbeddings", read="bert-input")
class ScaledWords(_Embeddings):
    """토큰 임베딩에 √H를 곱했습니다. 원래 트랜스포머는 곱하지만 BERT는 곱하지 않습니다."""

    def words(self, ids):
        return self.word_embeddings(ids) * self.word_embeddings.embedding_dim**0.5


@wrong("BertEmbeddings", read="bert-positions")
class PositionsFromOne(_Embeddings):
    """위치를 1부터 셌습니다. 첫 토큰 [CLS]의 위치가 0입니다."""

    def positions(self, ids, position_ids):
        if position_ids is not None:
            return super().positions(ids, position_ids)
        last = self.position_embeddings.num_embeddings - 1
        return self.position_embeddings((torch.arange(ids.shape[1], device=ids.device) + 1).clamp(max=last))


@wrong("BertEmbeddings", read="bert-input")
class DefaultEpsilon(_Embeddings):
    """LayerNorm의 eps가 config의 것이 아닙니다. PyTorch의 기본값은 1e-5입니다. config.layer_norm_eps를 넘기십시오."""

    eps = 1e-5


@wrong("BertEmbeddings", read="bert-positions", slip=True)
class CutsLongInput(_Embeddings):
    """너무 긴 입력을 말없이 잘랐습니다. ValueError를 내야 합니다."""

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        limit = self.position_embeddings.num_embeddings
        types = None if token_type_ids is None else token_type_ids[:, :limit]
        return super().forward(input_ids[:, :limit], types, position_ids)


@wrong("BertEmbeddings", read="bert-names", slip=True)
class PersistentPositions(_Embeddings):
    """위치 번호가 상태 사전에 들어갔습니다. 버퍼는 persistent=False로 등록하십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings)[None])


@wrong("BertEmbeddings", read="bert-positions", slip=True)
class IgnoresGivenPositions(_Embeddings):
    """position_ids를 받고도 쓰지 않았습니다. 주어지면 그 위치를, 없을 때만 0, 1, 2, …를 씁니다."""

    def positions(self, ids, position_ids):
        return super().positions(ids, None)


@wrong("BertEmbeddings", read="bert-names")
class OtherNames(_Embeddings):
    """파라미터의 이름이 글의 것과 다릅니다. 표 셋의 이름과 LayerNorm(대문자)을 그대로 쓰십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.layer_norm = self.LayerNorm
        del self.LayerNorm

    def finish(self, total):
        return self.dropout(self.layer_norm(total))


@wrong("BertEmbeddings", read="bert-positions", slip=True)
class RefusesTheLastPosition(_Embeddings):
    """max_position_embeddings와 꼭 같은 길이를 거절했습니다. 그보다 클 때에만 ValueError를 냅니다."""

    def check(self, ids):
        if ids.shape[1] >= self.position_embeddings.num_embeddings:
            raise ValueError("too long")


@wrong("BertEmbeddings", read="bert-positions", slip=True)
class DoesNotLookAtTheLength(_Embeddings):
    """길이를 살피지 않아 다른 오류가 납니다. 위치보다 긴 입력에는 ValueError를 내십시오."""

    def check(self, ids):
        pass


@wrong("BertEmbeddings", read="bert-embedding-dropout")
class DropsInEvaluation(_Embeddings):
    """평가할 때도 드롭아웃이 걸립니다. nn.Dropout을 쓰거나 self.training을 넘기십시오."""

    def finish(self, total):
        return F.dropout(self.LayerNorm(total), self.dropout.p)


@wrong("BertEmbeddings", read="bert-positions", slip=True)
class NumbersOnTheCpu(_Embeddings):
    """안에서 만든 번호가 입력과 다른 장치에 있습니다. 위치와 세그먼트의 번호를 input_ids의 장치에서 만드십시오."""

    def positions(self, ids, position_ids):
        return self.position_embeddings(torch.arange(ids.shape[1]) if position_ids is None else position_ids)


# BertModel ----------------------------------------------------------------------------------------------------


class _Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.self = nn.ModuleDict({name: nn.Linear(size, size) for name in ["query", "key", "value"]})
        self.output = _Output(config, size)
        self.heads, self.dropout = config.num_attention_heads, config.attention_probs_dropout_prob

    def forward(self, hidden, mask):
        query, key, value = (
            linear(hidden).unflatten(-1, (self.heads, -1)).transpose(1, 2) for linear in self.self.values()
        )
        dropout = self.dropout if self.training else 0.0
        if mask is None:
            joined = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout)
        else:
            nothing = ~mask.any(dim=-1, keepdim=True)
            joined = F.scaled_dot_product_attention(query, key, value, mask | nothing, dropout_p=dropout)
            joined = joined.masked_fill(nothing, 0.0)
        return self.output(joined.transpose(1, 2).flatten(2), hidden)


class _Output(nn.Module):
    def __init__(self, config, inner):
        super().__init__()
        self.dense = nn.Linear(inner, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, inner, residual):
        return self.LayerNorm(residual + self.dropout(self.dense(inner)))


@right_answer("BertModel")
class _Model(nn.Module):
    """The right model, its steps laid open."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config)
        self.encoder = nn.ModuleDict({"layer": self.stack(config)})
        size = config.hidden_size
        self.pooler = nn.ModuleDict({"dense": nn.Linear(size, size)})
        self.start(config.initializer_range)

    def stack(self, config):
        return nn.ModuleList(self.one(config) for _ in range(config.num_hidden_layers))

    def one(self, config):
        parts = {
            "attention": _Attention(config),
            "intermediate": nn.ModuleDict({"dense": nn.Linear(config.hidden_size, config.intermediate_size)}),
            "output": _Output(config, config.intermediate_size),
        }
        return nn.ModuleDict(parts)

    @torch.no_grad()
    def start(self, std):
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                module.weight.normal_(0.0, std)
            if isinstance(module, nn.Linear):
                module.bias.zero_()

    def mask(self, attention_mask):
        return None if attention_mask is None else attention_mask.bool()[:, None, None, :]

    def mask_of_layer(self, mask, number):
        return mask

    def layer(self, layer, hidden, mask):
        attended = layer["attention"](hidden, mask)
        return layer["output"](F.gelu(layer["intermediate"]["dense"](attended)), attended)

    def encode(self, hidden, mask):
        for number, layer in enumerate(self.encoder["layer"]):
            hidden = self.layer(layer, hidden, self.mask_of_layer(mask, number))
        return hidden

    def pooled(self, hidden, embedded):
        return self.pooler["dense"](hidden[:, 0]).tanh()

    def types(self, token_type_ids):
        return token_type_ids

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        embedded = self.embeddings(input_ids, self.types(token_type_ids))
        hidden = self.encode(embedded, self.mask(attention_mask))
        return hidden, self.pooled(hidden, embedded)


@wrong("BertModel", read="bert-start", slip=True)
class KeepsTheBiases(_Model):
    """행렬만 작게 뽑고 편향은 PyTorch의 시작값 그대로입니다. 주어진 init_weights를 부르면 편향은 0이 됩니다."""

    @torch.no_grad()
    def start(self, std):
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                module.weight.normal_(0.0, std)


@wrong("BertModel", read="bert-mask")
class IgnoresMask(_Model):
    """attention_mask를 쓰지 않았습니다. 진짜 토큰이 패딩을 보게 됩니다."""

    def mask(self, attention_mask):
        return None


@wrong("BertModel", read="bert-mask")
class MaskPolarity(_Model):
    """마스크의 극성이 반대입니다. 1과 True가 진짜 토큰, 곧 볼 수 있는 자리입니다."""

    def mask(self, attention_mask):
        return None if attention_mask is None else ~super().mask(attention_mask)


@wrong("BertModel", read="bert-mask")
class MasksQueries(_Model):
    """마스크로 키 대신 질의를 가렸습니다. (B, 1, 1, L)이어야 하는데 (B, 1, L, 1)이 되었습니다."""

    def mask(self, attention_mask):
        return None if attention_mask is None else attention_mask.bool()[:, None, :, None]


@wrong("BertModel", read="bert-mask")
class MaskOverHeads(_Model):
    """마스크의 축이 하나 모자랍니다. (B, 1, L)은 배치가 아니라 헤드의 축에 맞추어집니다. (B, 1, 1, L)로 바꾸십시오."""

    def mask(self, attention_mask):
        return None if attention_mask is None else attention_mask.bool()[:, None, :]


@wrong("BertModel", read="bert-mask")
class MasksOnlyTheFirst(_Model):
    """마스크를 첫 층에만 넘겼습니다. 모든 층에 넘기십시오."""

    def mask_of_layer(self, mask, number):
        return mask if number == 0 else None


@wrong("BertModel", read="bert-mask")
class BooleanMaskOnly(_Model):
    """정수 마스크를 불리언으로 바꾸지 않아 오류가 납니다. attention_mask는 0과 1의 정수로도 옵니다."""

    def mask(self, attention_mask):
        if attention_mask is None:
            return None
        if attention_mask.dtype != torch.bool:
            raise TypeError("the mask must be bool")
        return attention_mask[:, None, None, :]


@wrong("BertModel", read="bert-two-directions")
class LooksBackOnly(_Model):
    """룩어헤드 마스크를 씌웠습니다. BERT는 인코더이므로 앞뒤를 모두 봅니다."""

    def encode(self, hidden, mask):
        past = torch.ones(hidden.shape[1], hidden.shape[1], dtype=torch.bool, device=hidden.device).tril()
        return super().encode(hidden, past if mask is None else mask & past)


@wrong("BertModel", read="bert-segments")
class DropsSegments(_Model):
    """token_type_ids를 임베딩에 넘기지 않았습니다. 둘째 문장도 첫째 문장처럼 읽게 됩니다."""

    def types(self, token_type_ids):
        return None


@wrong("BertModel", read="bert-layers")
class ShortcutFromTheInput(_Model):
    """둘째 잔차 연결의 지름길이 층의 입력입니다. 어텐션을 지난 것을 더하십시오: output(inner, attended)."""

    def layer(self, layer, hidden, mask):
        attended = layer["attention"](hidden, mask)
        return layer["output"](F.gelu(layer["intermediate"]["dense"](attended)), hidden)


@wrong("BertModel", read="bert-layers")
class FeedsTheInput(_Model):
    """피드포워드가 어텐션의 출력이 아니라 층의 입력을 받았습니다."""

    def layer(self, layer, hidden, mask):
        attended = layer["attention"](hidden, mask)
        return layer["output"](F.gelu(layer["intermediate"]["dense"](hidden)), attended)


@wrong("BertModel", read="bert-layers")
class SharesOneLayer(_Model):
    """같은 층을 되풀이해 썼습니다. 층마다 자기 가중치가 있어야 합니다."""

    def stack(self, config):
        return nn.ModuleList([self.one(config)] * config.num_hidden_layers)


@wrong("BertModel", read="bert-layers")
class OneLayerTooFew(_Model):
    """마지막 층을 빠뜨렸습니다."""

    def encode(self, hidden, mask):
        for layer in self.encoder["layer"][:-1]:
            hidden = self.layer(layer, hidden, mask)
        return hidden


@wrong("BertModel", read="bert-pooler", slip=True)
class NoTanh(_Model):
    """풀러의 tanh가 빠졌습니다."""

    def pooled(self, hidden, embedded):
        return self.pooler["dense"](hidden[:, 0])


@wrong("BertModel", read="bert-pooler", slip=True)
class TanhBeforeTheMap(_Model):
    """풀러에서 tanh를 선형 변환보다 먼저 취했습니다. 선형 변환 다음이 tanh입니다."""

    def pooled(self, hidden, embedded):
        return self.pooler["dense"](hidden[:, 0].tanh())


@wrong("BertModel", read="bert-pooler")
class NoPooler(_Model):
    """풀러를 지나지 않고 [CLS]의 은닉 상태를 그대로 돌려주었습니다."""

    def pooled(self, hidden, embedded):
        return hidden[:, 0]


@wrong("BertModel", read="bert-pooler", slip=True)
class PoolsTheLast(_Model):
    """풀러가 마지막 토큰을 읽었습니다. [CLS]는 첫 자리이고, 마지막 자리는 패딩일 수 있습니다."""

    def pooled(self, hidden, embedded):
        return self.pooler["dense"](hidden[:, -1]).tanh()


@wrong("BertModel", read="bert-pooler", slip=True)
class PoolsTheMean(_Model):
    """풀러가 모든 토큰의 평균을 읽었습니다. 풀러가 읽는 것은 [CLS] 하나입니다."""

    def pooled(self, hidden, embedded):
        return self.pooler["dense"](hidden.mean(dim=1)).tanh()


@wrong("BertModel", read="bert-pooler")
class PoolsTheEmbedding(_Model):
    """풀러가 인코더를 지나기 전의 [CLS]를 읽었습니다. 그 벡터는 어느 문장에서나 같습니다."""

    def pooled(self, hidden, embedded):
        return self.pooler["dense"](embedded[:, 0]).tanh()


@wrong("BertModel", read="bert-start", slip=True)
class DefaultStart(_Model):
    """init_weights를 부르지 않았습니다. PyTorch의 임베딩은 표준편차 1에서 시작합니다."""

    def start(self, std):
        pass


@wrong("BertModel", read="bert-names")
class LayersUnderAnotherName(_Model):
    """층들이 파라미터에 들어 있지 않습니다. 이름이 layer인 nn.ModuleList에 담고, 층의 부품도 글의 이름을 쓰십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.layers = list(self.encoder.pop("layer"))

    def encode(self, hidden, mask):
        for layer in self.layers:
            hidden = self.layer(layer, hidden, mask)
        return hidden


@wrong("BertModel", read="bert-names")
class PartsUnderOtherNames(_Model):
    """파라미터의 이름이 글의 것과 다릅니다. 나무 그림의 이름을 그대로 쓰십시오."""

    def __init__(self, config):
        super().__init__(config)
        self.pool = self.pooler.pop("dense")

    def pooled(self, hidden, embedded):
        return self.pool(hidden[:, 0]).tanh()


@wrong("BertModel", read="bert-mask", slip=True)
class HidesPaddingUnasked(_Model):
    """attention_mask가 없는데 패딩을 스스로 가렸습니다. None은 아무것도 가리지 않는다는 뜻입니다."""

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        given = input_ids != 0 if attention_mask is None else attention_mask
        return super().forward(input_ids, token_type_ids, given)


@wrong("BertModel", read="bert-mask", slip=True)
class MasksQueriesAndKeys(_Model):
    """패딩인 질의까지 가렸습니다. 마스크는 키만 가립니다. (B, 1, 1, L)이면 됩니다."""

    def mask(self, attention_mask):
        if attention_mask is None:
            return None
        real = attention_mask.bool()
        return real[:, None, :, None] & real[:, None, None, :]


@wrong("BertModel", read="bert-mask")
class MaskInAnotherForm(_Model):
    """마스크를 부품이 받는 꼴로 바꾸지 않아 오류가 납니다. 실수를 더하는 마스크가 아니라 (B, 1, 1, L)의 불리언입니다."""

    def mask(self, attention_mask):
        if attention_mask is not None:
            raise TypeError("the mask must be bool")


@wrong("BertModel", read="bert-start", slip=True)
class StartsBeforeThePooler(_Model):
    """init_weights를 풀러를 만들기 전에 불렀습니다. 부품을 다 만든 다음 한 번 부르십시오."""

    def start(self, std):
        super().start(std)
        self.pooler["dense"].reset_parameters()


@wrong("BertModel", read="bert-start", slip=True)
class AnotherSpread(_Model):
    """시작값의 표준편차가 config.initializer_range가 아닙니다. 그 값을 init_weights에 넘기십시오."""

    def start(self, std):
        super().start(0.02)


# pool ---------------------------------------------------------------------------------------------------------


@right_answer("pool")
def _pool(hidden, mask, how, mean=None, highest=None):
    """The right answer, with a wrong mean or maximum in its place."""
    real = mask.bool()[..., None]
    if how == "cls":
        return hidden[:, 0]
    if how == "mean":
        if mean:
            return mean(hidden, real)
        return hidden.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    if how == "max":
        if highest:
            return highest(hidden, real)
        return hidden.masked_fill(~real, float("-inf")).amax(dim=1).masked_fill(~real.any(dim=1), 0.0)
    raise ValueError(how)


@wrong("pool", read="pool-mean")
def mean_with_padding(hidden, mask, how):
    """패딩까지 더해 평균했습니다. 진짜 토큰만 더하고 진짜 토큰의 수로 나누십시오."""
    return _pool(hidden, mask, how, mean=lambda h, real: h.mean(dim=1))


@wrong("pool", read="pool-mean")
def divides_by_length(hidden, mask, how):
    """패딩을 0으로 지웠지만 L로 나누었습니다. 짧은 문장의 평균이 0 쪽으로 줄어듭니다."""
    return _pool(hidden, mask, how, mean=lambda h, real: (h * real).mean(dim=1))


@wrong("pool", read="pool-mean")
def sum_instead_of_mean(hidden, mask, how):
    """나누지 않고 합을 돌려주었습니다. 긴 문장일수록 벡터가 커집니다."""
    return _pool(hidden, mask, how, mean=lambda h, real: (h * real).sum(dim=1))


@wrong("pool", read="pool-mean")
def divides_by_all(hidden, mask, how):
    """배치 전체의 진짜 토큰 수로 나누었습니다. 문장마다 자기 토큰 수로 나누십시오."""
    return _pool(hidden, mask, how, mean=lambda h, real: (h * real).sum(dim=1) / real.sum().clamp(min=1))


@wrong("pool", read="pool-nothing", slip=True)
def mean_of_nothing(hidden, mask, how):
    """진짜 토큰이 없는 문장의 평균이 0 / 0, 곧 NaN입니다. 나누는 수가 1보다 작아지지 않게 하십시오."""
    return _pool(hidden, mask, how, mean=lambda h, real: (h * real).sum(dim=1) / real.sum(dim=1))


@wrong("pool", read="pool-max")
def max_over_zeros(hidden, mask, how):
    """최댓값을 고를 때 패딩을 0으로 채웠습니다. 진짜 값이 모두 음수이면 0이 뽑힙니다. 음의 무한대로 채우십시오."""
    return _pool(hidden, mask, how, highest=lambda h, real: (h * real).amax(dim=1))


@wrong("pool", read="pool-max")
def max_with_padding(hidden, mask, how):
    """최댓값을 패딩에서도 골랐습니다. 마스크를 쓰십시오."""
    return _pool(hidden, mask, how, highest=lambda h, real: h.amax(dim=1))


@wrong("pool", read="pool-nothing", slip=True)
def max_of_nothing(hidden, mask, how):
    """진짜 토큰이 없는 문장의 최댓값이 음의 무한대로 남았습니다. 그 문장은 0이어야 합니다."""
    return _pool(hidden, mask, how, highest=lambda h, real: h.masked_fill(~real, float("-inf")).amax(dim=1))


@wrong("pool", read="pool-max")
def max_over_features(hidden, mask, how):
    """성분마다가 아니라 벡터 전체에서 고르거나 특징 축으로 줄였습니다. 줄일 축은 토큰 축(dim=1)입니다."""
    return _pool(hidden, mask, how, highest=lambda h, real: h.amax(dim=2))


@wrong("pool", read="bert-pooler")
def cls_at_the_end(hidden, mask, how):
    """cls가 마지막 토큰입니다. [CLS]는 문장의 첫 자리에 있습니다."""
    return hidden[:, -1] if how == "cls" else _pool(hidden, mask, how)


@wrong("pool", read="bert-pooler")
def cls_of_the_batch(hidden, mask, how):
    """cls가 배치의 첫 문장을 골랐습니다. 배치 축이 아니라 토큰 축에서 첫 자리를 고르십시오: hidden[:, 0]."""
    return hidden[0] if how == "cls" else _pool(hidden, mask, how)


@wrong("pool", read="bert-pooler", slip=True)
def accepts_any_name(hidden, mask, how):
    """모르는 how를 말없이 받아들였습니다. ValueError를 내야 오타가 드러납니다."""
    return _pool(hidden, mask, how if how in ("cls", "mean") else "max")


@wrong("pool", read="pool-mean", slip=True)
def numbers_as_an_index(hidden, mask, how):
    """마스크가 0과 1의 정수이면 틀립니다. 정수로 색인하면 행의 번호로, ~는 비트를 뒤집는 것으로 읽힙니다. 먼저 bool로 바꾸십시오."""
    real = mask if mask.dtype == torch.bool else torch.zeros_like(mask).bool().index_fill(1, mask[0], True)
    return _pool(hidden, real, how)


@wrong("pool", read="pool-mean")
def turned_mask(hidden, mask, how):
    """마스크의 극성이 반대입니다. True와 1이 진짜 토큰입니다."""
    return _pool(hidden, ~mask.bool(), how)


@wrong("pool", read="pool-nothing", slip=True)
def cls_of_nothing(hidden, mask, how):
    """진짜 토큰이 없는 문장에서 cls까지 0으로 만들었습니다. 0이 되는 것은 평균과 최댓값뿐입니다."""
    return _pool(hidden, mask, how) * mask.bool().any(dim=1, keepdim=True)


@wrong("pool", read="pool-nothing", slip=True)
def stops_at_nothing(hidden, mask, how):
    """진짜 토큰이 없는 문장에서 오류가 납니다. 고를 것이 없을 때를 따로 살펴 0으로 두십시오."""

    def highest(h, real):
        return torch.stack([row[at].amax(dim=0) for row, at in zip(h, real[..., 0], strict=True)])

    return _pool(hidden, mask, how, highest=highest)


@wrong("pool", read="pool-mean", slip=True)
def overwrites_the_padding(hidden, mask, how):
    """받은 hidden의 패딩을 그 자리에서 바꾸었습니다. masked_fill이나 torch.where로 새 텐서를 만드십시오."""
    pooled = _pool(hidden, mask, how)
    if how != "cls":
        hidden[~mask.bool()] = 0.0
    return pooled


@wrong("pool", read="pool-mean")
def always_float32(hidden, mask, how):
    """결과의 자료형이 hidden의 것이 아니거나 자료형이 달라 오류가 납니다. 마스크를 실수로 바꿀 때는 hidden의 자료형으로 바꾸십시오."""
    return _pool(hidden.float(), mask, how)


@wrong("pool", read="pool-nothing", slip=True)
def mends_the_value_only(hidden, mask, how):
    """기울기가 끊어졌거나 NaN입니다. detach와 item을 쓰지 말고, 0으로 나눈 것을 나중에 고치는 대신 나누기 전에 피하십시오."""

    def mean(h, real):
        return ((h * real).sum(dim=1) / real.sum(dim=1)).nan_to_num(0.0).detach()

    return _pool(hidden, mask, how, mean=mean)


# count_bert_parameters ----------------------------------------------------------------------------------------


@right_answer("count_bert_parameters")
def _count(config, **changes):
    """Parts of the right count, any of them replaced."""
    size, inner = config.hidden_size, config.intermediate_size
    parts = {
        "tables": config.vocab_size + config.max_position_embeddings + config.type_vocab_size,
        "embedding_norm": 2 * size,
        "attention": 4 * (size * size + size),
        "feed_forward": 2 * size * inner + inner + size,
        "norms": 2 * 2 * size,
        "layers": config.num_hidden_layers,
        "pooler": size * size + size,
        "heads": 0,
    } | changes
    layer = parts["attention"] + parts["feed_forward"] + parts["norms"]
    embeddings = parts["tables"] * size + parts["embedding_norm"]
    return embeddings + parts["layers"] * layer + parts["pooler"] + parts["heads"]


@wrong("count_bert_parameters", read="bert-counting")
def without_pooler(config):
    """풀러를 세지 않았습니다. H → H 선형 변환 하나가 더 있습니다."""
    return _count(config, pooler=0)


@wrong("count_bert_parameters", read="bert-counting")
def without_embedding_norm(config):
    """임베딩 다음의 층 정규화를 세지 않았습니다. 2H개가 모자랍니다."""
    return _count(config, embedding_norm=0)


@wrong("count_bert_parameters", read="bert-counting")
def without_biases(config):
    """편향을 세지 않았습니다. nn.Linear마다 나가는 차원만큼 편향이 있습니다."""
    size, inner = config.hidden_size, config.intermediate_size
    return _count(config, attention=4 * size**2, feed_forward=2 * size * inner, pooler=size**2)


@wrong("count_bert_parameters", read="bert-counting")
def only_the_word_table(config):
    """토큰 임베딩만 셌습니다. 위치와 세그먼트의 표도 학습합니다."""
    return _count(config, tables=config.vocab_size)


@wrong("count_bert_parameters", read="bert-counting")
def without_segments(config):
    """세그먼트 임베딩을 빠뜨렸습니다. type_vocab_size × H개가 모자랍니다."""
    return _count(config, tables=config.vocab_size + config.max_position_embeddings)


@wrong("count_bert_parameters", read="bert-counting")
def three_matrices(config):
    """어텐션의 행렬을 셋만 셌습니다. 질의, 키, 값과 출력의 넷입니다."""
    return _count(config, attention=3 * (config.hidden_size**2 + config.hidden_size))


@wrong("count_bert_parameters", read="bert-counting")
def times_heads(config):
    """헤드의 수를 곱했습니다. 헤드는 행렬을 나누어 쓰므로 헤드의 수는 파라미터의 수를 바꾸지 않습니다."""
    size = config.hidden_size
    return _count(config, attention=config.num_attention_heads * 4 * (size**2 + size))


@wrong("count_bert_parameters", read="bert-counting")
def one_norm(config):
    """한 층에 층 정규화를 하나만 셌습니다. 어텐션 뒤와 피드포워드 뒤에 하나씩 있습니다."""
    return _count(config, norms=2 * config.hidden_size)


@wrong("count_bert_parameters", read="bert-counting", slip=True)
def always_four_times(config):
    """피드포워드의 안쪽을 언제나 4H로 셌습니다. intermediate_size를 쓰십시오."""
    size = config.hidden_size
    return _count(config, feed_forward=2 * size * 4 * size + 4 * size + size)


@wrong("count_bert_parameters", read="bert-counting")
def one_layer(config):
    """층을 하나만 셌습니다. num_hidden_layers를 곱하십시오."""
    return _count(config, layers=1)


@wrong("count_bert_parameters", read="bert-counting")
def with_pretraining_heads(config):
    """사전학습에 쓰는 헤드까지 셌습니다. 세는 것은 임베딩, 인코더, 풀러입니다."""
    size = config.hidden_size
    return _count(config, heads=size**2 + size + 2 * size + config.vocab_size + 2 * size + 2)


@wrong("count_bert_parameters", read="bert-counting")
def with_bias_of_the_vocabulary(config):
    """가려진 토큰을 맞히는 층의 편향(vocab_size개)까지 셌습니다. BertModel에는 그 층이 없습니다."""
    return _count(config, heads=config.vocab_size)


@wrong("count_bert_parameters", read="bert-counting")
def without_positions(config):
    """위치 임베딩을 빠뜨렸습니다. max_position_embeddings × H개가 모자랍니다."""
    return _count(config, tables=config.vocab_size + config.type_vocab_size)


@wrong("count_bert_parameters", read="bert-counting")
def half_a_norm(config):
    """층 정규화의 파라미터를 H개만 셌습니다. 배율과 이동이 있으므로 하나에 2H개입니다."""
    return _count(config, embedding_norm=config.hidden_size, norms=2 * config.hidden_size)


@wrong("count_bert_parameters", read="bert-segments", slip=True)
def always_two_segments(config):
    """세그먼트의 수를 언제나 2로 셌습니다. type_vocab_size를 쓰십시오."""
    return _count(config, tables=config.vocab_size + config.max_position_embeddings + 2)


@wrong("count_bert_parameters", read="bert-counting", slip=True)
def heads_of_64(config):
    """헤드의 차원을 언제나 64로 셌습니다. 헤드가 hidden_size를 나누어 쓰므로 헤드의 수는 결과를 바꾸지 않습니다."""
    size, joined = config.hidden_size, 64 * config.num_attention_heads
    return _count(config, attention=3 * (size * joined + joined) + joined * size + size)


@wrong("count_bert_parameters", read="bert-counting")
def as_a_float(config):
    """결과가 정수가 아닙니다. 나눗셈 /는 실수를 만듭니다. //를 쓰거나 나누지 마십시오."""
    return float(_count(config))


@wrong("count_bert_parameters", read="bert-counting", slip=True)
def builds_the_model(config):
    """config에서 크기가 아닌 것까지 읽습니다. 모델을 만들어 세지 말고 크기만으로 계산하십시오."""
    with torch.device("meta"):  # hundreds of megabytes otherwise
        return sum(parameter.numel() for parameter in _Model(config).parameters())
