"""Wrong answers that people give to the exercise `transformer`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import misconception

# Transformer ------------------------------------------------------------------------------------------------


class _Stack(nn.Module):
    """The given encoder or decoder."""

    def __init__(self, kind, num_layers, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.layers = nn.ModuleList(
            kind(d_model, num_heads, d_ff, dropout, batch_first=True) for _ in range(num_layers)
        )

    def forward(self, x, *args, **masks):
        for layer in self.layers:
            x = layer(x, *args, **masks)
        return x


class _Transformer(nn.Module):
    """The right model, its steps laid open; masks are those of torch.nn inside."""

    def __init__(
        self, src_vocab, tgt_vocab, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_length=64
    ):
        super().__init__()
        self.src_embedding, self.tgt_embedding = (nn.Embedding(v, d_model) for v in (src_vocab, tgt_vocab))
        self.position = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        sizes = num_layers, d_model, num_heads, d_ff, dropout
        self.encoder = _Stack(nn.TransformerEncoderLayer, *sizes)
        self.decoder = _Stack(nn.TransformerDecoderLayer, *sizes)
        self.generator = nn.Linear(d_model, tgt_vocab)

    def forward(self, src, tgt, src_mask):
        self.refuse(src, tgt)
        memory = self.encode(self.embed_src(src), ~src_mask)
        return self.out(self.decode(self.embed_tgt(tgt), memory, ~src_mask))

    def refuse(self, *ids):
        if any(i.shape[1] > self.position.num_embeddings for i in ids):
            raise ValueError("too long")

    def embed(self, ids, table):
        x = table(ids) * table.embedding_dim**0.5
        return self.dropout(x + self.position.weight[: ids.shape[1]])

    def embed_src(self, ids):
        return self.embed(ids, self.src_embedding)

    def embed_tgt(self, ids):
        return self.embed(ids, self.tgt_embedding)

    def encode(self, x, hidden):
        return self.encoder(x, src_key_padding_mask=hidden)

    def future(self, m):
        return torch.ones(m, m, dtype=torch.bool, device=self.position.weight.device).triu(1)

    def decode(self, y, memory, hidden):
        return self.decoder(y, memory, tgt_mask=self.future(y.shape[1]), memory_key_padding_mask=hidden)

    def out(self, y):
        return self.generator(y)


@misconception(
    "Transformer",
    hint="임베딩에 √d_model을 곱하지 않았습니다. 위치 벡터가 단어를 덮어 버립니다.",
    read="transformer#transformer-positions",
)
class ForgotTheScale(_Transformer):
    def embed(self, ids, table):
        return self.dropout(table(ids) + self.position.weight[: ids.shape[1]])


@misconception(
    "Transformer",
    hint="위치까지 √d_model을 곱했습니다. 곱하는 것은 임베딩뿐이고, 위치는 그다음에 더합니다.",
    read="transformer#transformer-positions",
)
class ScaledThePositions(_Transformer):
    def embed(self, ids, table):
        x = table(ids) + self.position.weight[: ids.shape[1]]
        return self.dropout(x * table.embedding_dim**0.5)


@misconception(
    "Transformer",
    hint="위치를 더하지 않았습니다. 어텐션은 단어의 차례를 알지 못합니다.",
    read="transformer#transformer-positions",
)
class NoPositions(_Transformer):
    def embed(self, ids, table):
        return self.dropout(table(ids) * table.embedding_dim**0.5)


@misconception(
    "Transformer",
    hint="번역문에는 위치를 더하지 않았습니다. 두 스택 모두 위치가 필요합니다.",
    read="transformer#transformer-positions",
)
class PositionsInTheSourceOnly(_Transformer):
    def embed_tgt(self, ids):
        return self.dropout(self.tgt_embedding(ids) * self.tgt_embedding.embedding_dim**0.5)


@misconception(
    "Transformer",
    hint="임베딩과 위치를 더한 것에 드롭아웃을 걸지 않았습니다.",
    read="transformer#transformer-positions",
)
class NoDropoutOnEmbeddings(_Transformer):
    def embed(self, ids, table):
        return table(ids) * table.embedding_dim**0.5 + self.position.weight[: ids.shape[1]]


@misconception(
    "Transformer",
    hint="룩어헤드 마스크가 없습니다. 디코더가 맞힐 단어를 봅니다. 모델이 스스로 만들어 넘기십시오.",
    read="transformer#transformer-causal",
)
class NoLookAhead(_Transformer):
    def future(self, m):
        return torch.zeros_like(super().future(m))


@misconception(
    "Transformer",
    hint="룩어헤드 마스크의 방향이나 극성이 반대입니다. 주어진 Decoder의 self_mask는 True가 볼 수 있다는 뜻입니다.",
    read="transformer#transformer-causal",
)
class LooksOnlyAhead(_Transformer):
    def future(self, m):
        return super().future(m).T


@misconception(
    "Transformer",
    hint="인코더에 src_mask를 넘기지 않았습니다. 원문의 단어가 패딩을 보고, 그 결과가 memory에 섞입니다.",
    read="transformer#transformer-padding",
)
class EncoderSeesPadding(_Transformer):
    def encode(self, x, hidden):
        return self.encoder(x)


@misconception(
    "Transformer",
    hint="크로스 어텐션에 src_mask를 넘기지 않았습니다. 디코더가 원문의 패딩을 봅니다.",
    read="transformer#transformer-padding",
)
class DecoderSeesPadding(_Transformer):
    def decode(self, y, memory, hidden):
        return super().decode(y, memory, torch.zeros_like(hidden))


@misconception(
    "Transformer",
    hint="src_mask의 극성이 반대입니다. 주어진 부품의 마스크는 True가 볼 수 있다는 뜻이므로 뒤집지 말고 넘기십시오.",
    read="transformer#transformer-padding",
)
class SourceMaskFlipped(_Transformer):
    def forward(self, src, tgt, src_mask):
        return super().forward(src, tgt, ~src_mask)


@misconception(
    "Transformer",
    hint="디코더가 인코더의 출력이 아니라 원문의 임베딩을 봅니다. 인코더를 지난 memory를 넘기십시오.",
    read="transformer#assembly",
)
class SkipsTheEncoder(_Transformer):
    def encode(self, x, hidden):
        return x


@misconception(
    "Transformer",
    hint="번역문도 원문의 임베딩 표로 바꾸었습니다. 두 언어의 번호는 서로 다른 단어를 가리킵니다.",
    read="transformer#assembly",
)
class OneTableForBoth(_Transformer):
    def embed_tgt(self, ids):
        return self.embed(ids, self.src_embedding)


@misconception(
    "Transformer",
    hint="로짓에 소프트맥스를 취했습니다. 손실이 안에서 다시 취하므로 두 번 하게 됩니다.",
    read="transformer#assembly",
)
class SoftmaxAtTheEnd(_Transformer):
    def out(self, y):
        return self.generator(y).softmax(-1)


@misconception(
    "Transformer",
    hint="인코더의 출력에서 기울기를 끊었습니다. 인코더는 디코더의 손실로만 배웁니다.",
    read="transformer#assembly",
)
class DetachedMemory(_Transformer):
    def encode(self, x, hidden):
        return super().encode(x, hidden).detach()


@misconception(
    "Transformer",
    hint="max_length보다 긴 입력을 ValueError로 거절하지 않았습니다. 위치 표에 그 자리가 없습니다.",
    read="transformer#transformer-positions",
)
class AcceptsAnyLength(_Transformer):
    def refuse(self, *ids):
        pass

    def embed(self, ids, table):
        places = torch.arange(ids.shape[1], device=ids.device).clamp(max=self.position.num_embeddings - 1)
        return self.dropout(table(ids) * table.embedding_dim**0.5 + self.position(places))


@misconception(
    "Transformer",
    hint="인코더에 넘기는 src_mask의 극성이 반대입니다. 주어진 Encoder의 마스크는 True가 진짜 토큰입니다. 뒤집지 말고 넘기십시오.",
    read="transformer#transformer-padding",
)
class EncoderMaskFlipped(_Transformer):
    def encode(self, x, hidden):
        return super().encode(x, ~hidden)


@misconception(
    "Transformer",
    hint="드롭아웃을 임베딩에만 걸고 위치는 그 뒤에 더했습니다. 드롭아웃은 둘을 더한 것에 겁니다.",
    read="transformer#transformer-positions",
)
class DropoutBeforePositions(_Transformer):
    def embed(self, ids, table):
        return self.dropout(table(ids) * table.embedding_dim**0.5) + self.position.weight[: ids.shape[1]]


@misconception(
    "Transformer",
    hint="길이가 max_length인 입력까지 거절했습니다. 거절할 것은 그보다 긴 입력입니다.",
    read="transformer#assembly",
)
class RefusesTheFullLength(_Transformer):
    def refuse(self, *ids):
        if any(i.shape[1] >= self.position.num_embeddings for i in ids):
            raise ValueError("too long")


# collate ----------------------------------------------------------------------------------------------------


def _pad(sequences, pad_id, width=None):
    width = width or max(map(len, sequences))
    return torch.tensor([[*ids, *[pad_id] * (width - len(ids))] for ids in sequences])


@misconception(
    "collate",
    hint="원문과 번역문을 같은 길이로 채웠습니다. 두 텐서는 길이가 달라도 됩니다. 따로 가장 긴 것에 맞추십시오.",
    read="transformer#batches",
)
def one_width_for_both(pairs, pad_id):
    width = max(len(ids) for pair in pairs for ids in pair)
    return tuple(_pad(sequences, pad_id, width) for sequences in zip(*pairs, strict=True))


@misconception(
    "collate",
    hint="앞을 채웠습니다. 패딩은 뒤에 붙습니다. 앞에 붙으면 SOS의 자리가 문장마다 달라집니다.",
    read="transformer#batches",
)
def pads_in_front(pairs, pad_id):
    return tuple(
        _pad([ids[::-1] for ids in sequences], pad_id).flip(1) for sequences in zip(*pairs, strict=True)
    )


@misconception(
    "collate",
    hint="가장 짧은 것에 맞추어 잘랐습니다. 잘린 번역문에는 EOS가 없습니다.",
    read="transformer#batches",
)
def cuts_to_the_shortest(pairs, pad_id):
    return tuple(
        torch.tensor([ids[: min(map(len, sequences))] for ids in sequences])
        for sequences in zip(*pairs, strict=True)
    )


@misconception(
    "collate",
    hint="pad_id를 쓰지 않고 언제나 0으로 채웠습니다.",
    read="transformer#batches",
)
def always_zero(pairs, pad_id):
    return tuple(_pad(sequences, 0) for sequences in zip(*pairs, strict=True))


@misconception(
    "collate",
    hint="실수 텐서를 돌려주었습니다. 번호는 int64여야 임베딩 표에서 찾을 수 있습니다.",
    read="transformer#batches",
)
def float_ids(pairs, pad_id):
    return tuple(_pad(sequences, pad_id).float() for sequences in zip(*pairs, strict=True))


@misconception(
    "collate",
    hint="번역문의 SOS를 뗐습니다. 한 칸 미는 일은 학습할 때 하고, 배치에는 SOS부터 EOS까지 모두 담으십시오.",
    read="transformer#batches",
)
def drops_sos(pairs, pad_id):
    sources, targets = zip(*pairs, strict=True)
    return _pad(sources, pad_id), _pad([ids[1:] for ids in targets], pad_id)


@misconception(
    "collate",
    hint="원문과 번역문의 순서를 바꾸어 돌려주었습니다.",
    read="transformer#batches",
)
def swapped(pairs, pad_id):
    return tuple(_pad(sequences, pad_id) for sequences in zip(*pairs, strict=True))[::-1]


@misconception(
    "collate",
    hint="받은 리스트에 패딩을 덧붙였습니다. 그 쌍을 다음에 쓸 때 패딩이 데이터에 섞여 있습니다. 복사해서 채우십시오.",
    read="transformer#batches",
)
def pads_the_lists_themselves(pairs, pad_id):
    for sequences in zip(*pairs, strict=True):
        width = max(map(len, sequences))
        for ids in sequences:
            ids.extend([pad_id] * (width - len(ids)))
    return tuple(torch.tensor(sequences) for sequences in zip(*pairs, strict=True))


@misconception(
    "collate",
    hint="길이로 정렬했습니다. 받은 쌍의 순서를 그대로 두십시오.",
    read="transformer#batches",
)
def sorted_by_length(pairs, pad_id):
    pairs = sorted(pairs, key=lambda pair: len(pair[0]), reverse=True)
    return _pad([src for src, _ in pairs], pad_id), _pad([tgt for _, tgt in pairs], pad_id)


@misconception(
    "collate",
    hint="축이 뒤바뀌었습니다. 행이 문장, 열이 위치인 (batch, n)이어야 합니다.",
    read="transformer#batches",
)
def time_first(pairs, pad_id):
    return _pad([src for src, _ in pairs], pad_id).T, _pad([tgt for _, tgt in pairs], pad_id).T


# train_step -------------------------------------------------------------------------------------------------


def _step(
    model,
    batch,
    optimizer,
    pad_id,
    *,
    clear=True,
    update=True,
    shift=True,
    ignore=True,
    mask=None,
    loss_of=None,
):
    """The right step, its parts laid open."""
    src, tgt = batch
    model.train()
    tgt_in, answer = (tgt[:, :-1], tgt[:, 1:]) if shift else (tgt, tgt)
    logits = model(src, tgt_in, src != pad_id if mask is None else mask)
    if loss_of is None:
        loss = F.cross_entropy(
            logits.flatten(0, 1), answer.flatten(), ignore_index=pad_id if ignore else -100
        )
    else:
        loss = loss_of(logits, answer)
    if clear:
        optimizer.zero_grad()
    loss.backward()
    if update:
        optimizer.step()
    return loss.item()


@misconception(
    "train_step",
    hint="한 칸 밀지 않았습니다. 입력과 정답이 같은 자리에 있으면 모델은 베끼기만 배웁니다.",
    read="transformer#train-step",
)
def not_shifted(model, batch, optimizer, pad_id):
    return _step(model, batch, optimizer, pad_id, shift=False)


@misconception(
    "train_step",
    hint="거꾸로 밀었습니다. 뒤의 토큰을 넣고 앞의 토큰을 맞히고 있습니다. 입력은 tgt[:, :-1], 정답은 tgt[:, 1:]입니다.",
    read="transformer#train-step",
)
def shifted_backwards(model, batch, optimizer, pad_id):
    src, tgt = batch
    return _step(model, (src, tgt.flip(1)), optimizer, pad_id)


@misconception(
    "train_step",
    hint="패딩을 맞히는 것까지 손실에 넣었습니다. ignore_index로 패딩 자리를 빼십시오.",
    read="transformer#train-step",
)
def counts_padding(model, batch, optimizer, pad_id):
    return _step(model, batch, optimizer, pad_id, ignore=False)


def _of_each_token(logits, answer, pad_id):
    return F.cross_entropy(logits.transpose(1, 2), answer, ignore_index=pad_id, reduction="none")


@misconception(
    "train_step",
    hint="패딩 자리의 손실은 0으로 두었지만 나눌 때는 패딩까지 세었습니다. 진짜 정답 토큰의 수로 나누십시오.",
    read="transformer#train-step",
)
def divides_by_all_places(model, batch, optimizer, pad_id):
    return _step(
        model, batch, optimizer, pad_id, loss_of=lambda x, y: _of_each_token(x, y, pad_id).sum() / y.numel()
    )


@misconception(
    "train_step",
    hint="문장마다 평균을 내고 그 평균을 다시 평균했습니다. 짧은 문장의 토큰이 더 무거워집니다.",
    read="transformer#train-step",
)
def mean_of_means(model, batch, optimizer, pad_id):
    def loss_of(logits, answer):
        return (_of_each_token(logits, answer, pad_id).sum(1) / (answer != pad_id).sum(1)).mean()

    return _step(model, batch, optimizer, pad_id, loss_of=loss_of)


@misconception(
    "train_step",
    hint="손실을 평균하지 않고 더했습니다. 걸음의 크기가 배치의 크기에 따라 달라집니다.",
    read="transformer#train-step",
)
def summed_loss(model, batch, optimizer, pad_id):
    return _step(model, batch, optimizer, pad_id, loss_of=lambda x, y: _of_each_token(x, y, pad_id).sum())


@misconception(
    "train_step",
    hint="optimizer.zero_grad()를 부르지 않았습니다. 앞 배치의 기울기가 쌓입니다.",
    read="transformer#train-step",
)
def never_clears(model, batch, optimizer, pad_id):
    return _step(model, batch, optimizer, pad_id, clear=False)


@misconception(
    "train_step",
    hint="파라미터가 그대로입니다. 역전파는 기울기를 구할 뿐이고, optimizer.step()이 파라미터를 고칩니다.",
    read="transformer#train-step",
)
def never_steps(model, batch, optimizer, pad_id):
    return _step(model, batch, optimizer, pad_id, update=False)


@misconception(
    "train_step",
    hint="로짓에 소프트맥스를 취하고 교차 엔트로피에 넣었습니다. 교차 엔트로피가 안에서 다시 취합니다.",
    read="transformer#train-step",
)
def softmax_twice(model, batch, optimizer, pad_id):
    def loss_of(logits, answer):
        return F.cross_entropy(logits.softmax(-1).flatten(0, 1), answer.flatten(), ignore_index=pad_id)

    return _step(model, batch, optimizer, pad_id, loss_of=loss_of)


@misconception(
    "train_step",
    hint="원문의 마스크가 반대입니다. 진짜 토큰이 True입니다: src != pad_id.",
    read="transformer#transformer-padding",
)
def source_mask_flipped(model, batch, optimizer, pad_id):
    return _step(model, batch, optimizer, pad_id, mask=batch[0] == pad_id)


@misconception(
    "train_step",
    hint="원문의 패딩을 가리지 않았습니다. src != pad_id를 마스크로 넘기십시오.",
    read="transformer#transformer-padding",
)
def source_mask_of_ones(model, batch, optimizer, pad_id):
    return _step(model, batch, optimizer, pad_id, mask=torch.ones_like(batch[0], dtype=torch.bool))


@misconception(
    "train_step",
    hint="평가 모드로 학습했습니다. 드롭아웃이 꺼져 있습니다. model.train()을 부르십시오.",
    read="transformer#train-step",
)
def stays_in_evaluation_mode(model, batch, optimizer, pad_id):
    src, tgt = batch
    logits = model(src, tgt[:, :-1], src != pad_id)
    loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@misconception(
    "train_step",
    hint="손실을 텐서로 돌려주었습니다. 리스트에 모으면 계산 그래프가 메모리에 모두 남습니다. loss.item()을 돌려주십시오.",
    read="transformer#train-step",
)
def returns_the_tensor(model, batch, optimizer, pad_id):
    return torch.tensor(_step(model, batch, optimizer, pad_id))


@misconception(
    "train_step",
    hint="역전파한 다음 걸음을 옮기기 전에 기울기를 지웠습니다. 지우는 것은 역전파 앞입니다.",
    read="transformer#train-step",
)
def clears_before_the_step(model, batch, optimizer, pad_id):
    loss = _step(model, batch, optimizer, pad_id, update=False)
    optimizer.zero_grad()
    optimizer.step()
    return loss


@misconception(
    "train_step",
    hint="고친 다음의 손실을 돌려주었습니다. 돌려줄 것은 고치기 전, 역전파에 쓴 손실입니다.",
    read="transformer#train-step",
)
def loss_after_the_step(model, batch, optimizer, pad_id):
    _step(model, batch, optimizer, pad_id)
    src, tgt = batch
    logits = model(src, tgt[:, :-1], src != pad_id)
    return F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id).item()


# exact_match ------------------------------------------------------------------------------------------------


def _check(predictions, targets):
    if len(predictions) != len(targets):
        raise ValueError("not as many")


@misconception(
    "exact_match",
    hint="토큰마다 맞은 비율을 세었습니다. 한 글자라도 다르면 번역문 전체가 틀린 것입니다.",
    read="transformer#exact-match",
)
def counts_tokens(predictions, targets):
    _check(predictions, targets)
    right = sum(a == b for p, t in zip(predictions, targets, strict=True) for a, b in zip(p, t, strict=False))
    return right / sum(map(len, targets)) if targets else 0.0


@misconception(
    "exact_match",
    hint="겹치는 길이까지만 견주었습니다. 뒤가 모자라거나 더 붙은 것도 틀린 것입니다.",
    read="transformer#exact-match",
)
def compares_the_overlap(predictions, targets):
    _check(predictions, targets)
    right = [
        all(a == b for a, b in zip(p, t, strict=False)) for p, t in zip(predictions, targets, strict=True)
    ]
    return sum(right) / len(right) if right else 0.0


@misconception(
    "exact_match",
    hint="순서를 보지 않았습니다. 같은 토큰이 모두 있어도 차례가 다르면 다른 수입니다.",
    read="transformer#exact-match",
)
def ignores_the_order(predictions, targets):
    _check(predictions, targets)
    right = [sorted(p) == sorted(t) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 0.0


@misconception(
    "Transformer",
    hint="임베딩과 위치에 드롭아웃을 따로 걸었습니다. 둘을 더한 다음 한 번 겁니다.",
    read="transformer#transformer-positions",
)
class DropsTwice(_Transformer):
    def embed(self, ids, table):
        x = self.dropout(table(ids) * table.embedding_dim**0.5)
        return x + self.dropout(self.position.weight[: ids.shape[1]])


@misconception(
    "exact_match",
    hint="번호를 글자로 이어 붙여 견주었습니다. [1, 12]와 [11, 2]가 같아집니다. 리스트끼리 견주십시오.",
    read="transformer#exact-match",
)
def joins_the_digits(predictions, targets):
    _check(predictions, targets)
    right = ["".join(map(str, p)) == "".join(map(str, t)) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 0.0


@misconception(
    "exact_match",
    hint="어느 정답이든 하나와 같으면 맞다고 했습니다. 같은 번호의 정답과 견주십시오.",
    read="transformer#exact-match",
)
def matches_any_target(predictions, targets):
    _check(predictions, targets)
    return sum(p in targets for p in predictions) / len(predictions) if predictions else 0.0


@misconception(
    "exact_match",
    hint="맞은 개수를 돌려주었습니다. 전체 수로 나눈 비율이어야 합니다.",
    read="transformer#exact-match",
)
def counts_without_dividing(predictions, targets):
    _check(predictions, targets)
    return float(sum(p == t for p, t in zip(predictions, targets, strict=True)))


@misconception(
    "exact_match",
    hint="개수가 다른 두 리스트를 받아들였습니다. zip은 짧은 쪽에서 조용히 멈춥니다.",
    read="transformer#exact-match",
)
def zips_what_there_is(predictions, targets):
    pairs = list(zip(predictions, targets, strict=False))
    return sum(p == t for p, t in pairs) / len(pairs) if pairs else 0.0


@misconception(
    "exact_match",
    hint="빈 리스트에서 0으로 나누었습니다. 견줄 것이 없으면 0.0입니다.",
    read="transformer#exact-match",
)
def divides_by_nothing(predictions, targets):
    _check(predictions, targets)
    return sum(p == t for p, t in zip(predictions, targets, strict=True)) / len(targets)


@misconception(
    "exact_match",
    hint="토큰의 집합을 견주었습니다. 차례가 다르거나 같은 토큰의 개수가 달라도 맞다고 하게 됩니다.",
    read="transformer#exact-match",
)
def compares_sets(predictions, targets):
    _check(predictions, targets)
    right = [set(p) == set(t) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 0.0


@misconception(
    "exact_match",
    hint="빈 리스트에 1.0을 돌려주었습니다. 견줄 것이 없으면 0.0입니다.",
    read="transformer#exact-match",
)
def nothing_is_all_right(predictions, targets):
    _check(predictions, targets)
    right = [p == t for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 1.0


@misconception(
    "exact_match",
    hint="백분율을 돌려주었습니다. 0과 1 사이의 비율입니다.",
    read="transformer#exact-match",
)
def percentage(predictions, targets):
    _check(predictions, targets)
    right = sum(list(p) == list(t) for p, t in zip(predictions, targets, strict=True))
    return 100.0 * right / len(targets) if targets else 0.0
