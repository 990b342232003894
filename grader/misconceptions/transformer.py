"""Wrong answers that people give to the exercise `transformer`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# Transformer ------------------------------------------------------------------------------------------------


class _Encoder(nn.Module):
    """The given one: True may be seen."""

    kind = nn.TransformerEncoderLayer

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.layers = nn.ModuleList(
            self.kind(d_model, num_heads, d_ff, dropout, batch_first=True) for _ in range(num_layers)
        )

    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=~mask)
        return x


class _Decoder(_Encoder):
    kind = nn.TransformerDecoderLayer

    def forward(self, x, memory, self_mask, memory_mask):
        for layer in self.layers:
            x = layer(x, memory, tgt_mask=~self_mask, memory_key_padding_mask=~memory_mask)
        return x


def _table(vocab, d_model):
    """The given make_embedding."""
    table = nn.Embedding(vocab, d_model)
    nn.init.normal_(table.weight, std=d_model**-0.5)
    return table


@right_answer("Transformer")
class _Transformer(nn.Module):
    """The right model, its steps laid open; in masks, True may be seen."""

    def __init__(
        self, src_vocab, tgt_vocab, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_length=64
    ):
        super().__init__()
        self.src_embedding, self.tgt_embedding = (self.table(v, d_model) for v in (src_vocab, tgt_vocab))
        self.position = nn.Embedding(max_length, d_model)
        self.dropout = self.make_dropout(dropout)
        sizes = num_layers, d_model, num_heads, d_ff, dropout
        self.encoder, self.decoder = _Encoder(*sizes), _Decoder(*sizes)
        self.generator = nn.Linear(d_model, tgt_vocab)

    table = staticmethod(_table)
    make_dropout = nn.Dropout

    def forward(self, src, tgt, src_mask):
        self.refuse(src, tgt)
        memory = self.encode(self.embed_src(src), src_mask)
        return self.out(self.decode(self.embed_tgt(tgt), memory, src_mask))

    def refuse(self, *ids):
        if any(i.shape[1] > self.position.num_embeddings for i in ids):
            raise ValueError("too long")

    def scaled(self, ids, table):
        return table(ids) * table.embedding_dim**0.5

    def places(self, ids):
        return self.position(torch.arange(ids.shape[1], device=ids.device))

    def embed(self, ids, table):
        return self.dropout(self.scaled(ids, table) + self.places(ids))

    def embed_src(self, ids):
        return self.embed(ids, self.src_embedding)

    def embed_tgt(self, ids):
        return self.embed(ids, self.tgt_embedding)

    def encode(self, x, mask):
        return self.encoder(x, mask)

    def past(self, m):
        return torch.ones(m, m, dtype=torch.bool, device=self.position.weight.device).tril()

    def decode(self, y, memory, mask):
        return self.decoder(y, memory, self.past(y.shape[1]), mask)

    def out(self, y):
        return self.generator(y)


@wrong("Transformer", read="transformer-positions")
class ForgotTheScale(_Transformer):
    """임베딩에 √d_model을 곱하지 않았습니다. 위치 벡터가 단어를 덮어 버립니다."""

    def scaled(self, ids, table):
        return table(ids)


@wrong("Transformer", read="transformer-positions")
class ScaledThePositions(_Transformer):
    """위치까지 √d_model을 곱했습니다. 곱하는 것은 임베딩뿐이고, 위치는 그다음에 더합니다."""

    def embed(self, ids, table):
        x = table(ids) + self.position.weight[: ids.shape[1]]
        return self.dropout(x * table.embedding_dim**0.5)


@wrong("Transformer", read="transformer-positions")
class NoPositions(_Transformer):
    """위치를 더하지 않았습니다. 어텐션은 단어의 차례를 알지 못합니다."""

    def embed(self, ids, table):
        return self.dropout(table(ids) * table.embedding_dim**0.5)


@wrong("Transformer", read="transformer-positions")
class PositionsInTheSourceOnly(_Transformer):
    """번역문에는 위치를 더하지 않았습니다. 두 스택 모두 위치가 필요합니다."""

    def embed_tgt(self, ids):
        return self.dropout(self.tgt_embedding(ids) * self.tgt_embedding.embedding_dim**0.5)


@wrong("Transformer", read="transformer-positions", slip=True)
class NoDropoutOnEmbeddings(_Transformer):
    """임베딩과 위치를 더한 것에 드롭아웃을 걸지 않았습니다."""

    def embed(self, ids, table):
        return table(ids) * table.embedding_dim**0.5 + self.position.weight[: ids.shape[1]]


@wrong("Transformer", read="transformer-causal")
class NoLookAhead(_Transformer):
    """룩어헤드 마스크가 없습니다. 디코더가 맞힐 단어를 봅니다. 모델이 스스로 만들어 넘기십시오."""

    def past(self, m):
        return torch.ones_like(super().past(m))


@wrong("Transformer", read="transformer-causal")
class LooksOnlyAhead(_Transformer):
    """룩어헤드 마스크의 방향이나 극성이 반대입니다. 주어진 Decoder의 self_mask는 True가 볼 수 있다는 뜻입니다."""

    def past(self, m):
        return super().past(m).T


@wrong("Transformer", read="transformer-padding")
class EncoderSeesPadding(_Transformer):
    """인코더에 src_mask를 넘기지 않았습니다. 원문의 단어가 패딩을 보고, 그 결과가 memory에 섞입니다."""

    def encode(self, x, mask):
        return super().encode(x, torch.ones_like(mask))


@wrong("Transformer", read="transformer-padding")
class DecoderSeesPadding(_Transformer):
    """크로스 어텐션에 src_mask를 넘기지 않았습니다. 디코더가 원문의 패딩을 봅니다."""

    def decode(self, y, memory, mask):
        return super().decode(y, memory, torch.ones_like(mask))


@wrong("Transformer", read="transformer-padding")
class SourceMaskFlipped(_Transformer):
    """src_mask의 극성이 반대입니다. 주어진 부품의 마스크는 True가 볼 수 있다는 뜻이므로 뒤집지 말고 넘기십시오."""

    def forward(self, src, tgt, src_mask):
        return super().forward(src, tgt, ~src_mask)


@wrong("Transformer", read="assembly")
class SkipsTheEncoder(_Transformer):
    """디코더가 인코더의 출력이 아니라 원문의 임베딩을 봅니다. 인코더를 지난 memory를 넘기십시오."""

    def encode(self, x, mask):
        return x


@wrong("Transformer", read="assembly")
class OneTableForBoth(_Transformer):
    """번역문도 원문의 임베딩 표로 바꾸었습니다. 두 언어의 번호는 서로 다른 단어를 가리킵니다."""

    def embed_tgt(self, ids):
        return self.embed(ids, self.src_embedding)


@wrong("Transformer", read="assembly")
class SoftmaxAtTheEnd(_Transformer):
    """로짓에 소프트맥스를 취했습니다. 손실이 안에서 다시 취하므로 두 번 하게 됩니다."""

    def out(self, y):
        return self.generator(y).softmax(-1)


@wrong("Transformer", read="assembly", slip=True)
class DetachedMemory(_Transformer):
    """인코더의 출력에서 기울기를 끊었습니다. 인코더는 디코더의 손실로만 배웁니다."""

    def encode(self, x, mask):
        return super().encode(x, mask).detach()


@wrong("Transformer", read="transformer-positions", slip=True)
class AcceptsAnyLength(_Transformer):
    """max_length보다 긴 입력을 ValueError로 거절하지 않았습니다. 위치 표에 그 자리가 없습니다."""

    def refuse(self, *ids):
        pass


@wrong("Transformer", read="transformer-padding")
class EncoderMaskFlipped(_Transformer):
    """인코더에 넘기는 src_mask의 극성이 반대입니다. 주어진 Encoder의 마스크는 True가 진짜 토큰입니다. 뒤집지 말고 넘기십시오."""

    def encode(self, x, mask):
        return super().encode(x, ~mask)


@wrong("Transformer", read="transformer-positions", slip=True)
class DropoutBeforePositions(_Transformer):
    """드롭아웃을 임베딩에만 걸고 위치는 그 뒤에 더했습니다. 드롭아웃은 둘을 더한 것에 겁니다."""

    def embed(self, ids, table):
        return self.dropout(table(ids) * table.embedding_dim**0.5) + self.position.weight[: ids.shape[1]]


@wrong("Transformer", read="assembly", slip=True)
class RefusesTheFullLength(_Transformer):
    """길이가 max_length인 입력까지 거절했습니다. 거절할 것은 그보다 긴 입력입니다."""

    def refuse(self, *ids):
        if any(i.shape[1] >= self.position.num_embeddings for i in ids):
            raise ValueError("too long")


@wrong("Transformer", read="transformer-positions")
class ScalesTheSourceOnly(_Transformer):
    """번역문의 임베딩에만 √d_model을 곱하지 않았습니다. 두 임베딩 모두에 곱하십시오."""

    def embed_tgt(self, ids):
        return self.dropout(self.tgt_embedding(ids) + self.places(ids))


@wrong("Transformer", read="transformer-positions")
class CountsFromOne(_Transformer):
    """위치를 1부터 셌습니다. 위치는 0부터 셉니다."""

    def places(self, ids):
        return self.position(1 + torch.arange(ids.shape[1], device=ids.device))


@wrong("Transformer", read="transformer-positions")
class CountsOnInTheTarget(_Transformer):
    """번역문의 위치가 원문의 위치에 이어집니다. 번역문도 0부터 다시 셉니다."""

    def forward(self, src, tgt, src_mask):
        self.behind = src.shape[1]
        return super().forward(src, tgt, src_mask)

    def embed_tgt(self, ids):
        places = (self.behind + torch.arange(ids.shape[1], device=ids.device)) % self.position.num_embeddings
        return self.dropout(self.scaled(ids, self.tgt_embedding) + self.position(places))


@wrong("Transformer", read="transformer-positions")
class PositionsByTheWord(_Transformer):
    """단어의 번호로 위치 벡터를 찾았습니다. 위치 표에서 찾을 것은 0부터 센 자리입니다."""

    def places(self, ids):
        return self.position(ids % self.position.num_embeddings)


@wrong("Transformer", read="assembly")
class SwapsTheDecodersInputs(_Transformer):
    """디코더에 넘기는 번역문과 memory의 순서가 바뀌었습니다. x가 번역문이고, memory가 인코더의 출력입니다."""

    def decode(self, y, memory, mask):
        return super().decode(memory, y, mask)


@wrong("Transformer", read="transformer-causal")
class HidesItself(_Transformer):
    """룩어헤드 마스크가 제자리까지 가립니다. 자리 i는 i까지 볼 수 있으므로 대각선도 True입니다."""

    def past(self, m):
        return super().past(m).tril(-1)


@wrong("Transformer", read="transformer-causal")
class LookAheadOfNumbers(_Transformer):
    """룩어헤드 마스크의 자료형이 bool이 아닙니다. 주어진 Decoder가 뒤집을 수 있도록 bool로 만드십시오."""

    def past(self, m):
        return super().past(m).float()


@wrong("Transformer", read="transformer-padding")
class SeesPaddingEverywhere(_Transformer):
    """src_mask를 인코더에도 크로스 어텐션에도 쓰지 않았습니다. 원문의 패딩은 두 곳 모두에서 가려야 합니다."""

    def forward(self, src, tgt, src_mask):
        return super().forward(src, tgt, torch.ones_like(src_mask))


@wrong("Transformer", read="transformer-padding")
class MemoryMaskFlipped(_Transformer):
    """크로스 어텐션에 넘기는 src_mask의 극성이 반대입니다. 주어진 Decoder의 memory_mask는 True가 진짜 토큰입니다. 뒤집지 말고 넘기십시오."""

    def decode(self, y, memory, mask):
        return super().decode(y, memory, ~mask)


@wrong("Transformer", read="assembly")
class LastPlaceOnly(_Transformer):
    """마지막 자리의 로짓만 돌려주었습니다. 번역문의 모든 자리에서 다음 단어의 로짓을 내야 합니다."""

    def out(self, y):
        return super().out(y)[:, -1]


@wrong("Transformer", read="transformer-positions", slip=True)
class RefusesLongSourcesOnly(_Transformer):
    """원문의 길이만 살폈습니다. 번역문이 max_length보다 길 때에도 ValueError를 내십시오."""

    def refuse(self, *ids):
        super().refuse(ids[0])


@wrong("Transformer", read="transformer-positions", slip=True)
class RefusesLongTargetsOnly(_Transformer):
    """번역문의 길이만 살폈습니다. 원문이 max_length보다 길 때에도 ValueError를 내십시오."""

    def refuse(self, *ids):
        super().refuse(ids[1])


@wrong("Transformer", read="transformer-positions")
class DropsInEvaluation(_Transformer):
    """평가할 때에도 드롭아웃이 걸립니다. 드롭아웃은 학습 모드에서만 걸려야 합니다."""

    def embed(self, ids, table):
        return F.dropout(self.scaled(ids, table) + self.places(ids), self.dropout.p)


@wrong("Transformer", read="transformer-positions", slip=True)
class AnotherRate(_Transformer):
    """받은 dropout을 쓰지 않고 다른 비율로 지웠습니다. nn.Dropout에 dropout을 넘기십시오."""

    def make_dropout(self, dropout):
        return nn.Dropout()


@wrong("Transformer", read="transformer-positions", slip=True)
class DropsTheSourceOnly(_Transformer):
    """번역문에는 드롭아웃을 걸지 않았습니다. 원문과 번역문 모두 임베딩과 위치를 더한 것에 드롭아웃을 겁니다."""

    def embed_tgt(self, ids):
        return self.scaled(ids, self.tgt_embedding) + self.places(ids)


@wrong("Transformer", read="assembly", slip=True)
class MadeOnTheDefaultDevice(_Transformer):
    """모델 안에서 만든 텐서가 입력과 다른 장치에 있습니다. 마스크와 위치 번호를 만들 때 입력의 장치를 주십시오."""

    def past(self, m):
        return torch.ones(m, m, dtype=torch.bool).tril()


@wrong("Transformer", read="transformer-positions", slip=True)
class PlainTables(_Transformer):
    """임베딩 표를 make_embedding으로 만들지 않았습니다. √d_model을 곱하면 임베딩이 위치보다 훨씬 커집니다."""

    table = nn.Embedding


# collate ----------------------------------------------------------------------------------------------------


def _pad(sequences, pad_id, width=None):
    width = width or max(map(len, sequences))
    return torch.tensor([[*ids, *[pad_id] * (width - len(ids))] for ids in sequences])


@wrong("collate", read="batches")
def one_width_for_both(pairs, pad_id):
    """원문과 번역문을 같은 길이로 채웠습니다. 두 텐서는 길이가 달라도 됩니다. 따로 가장 긴 것에 맞추십시오."""
    width = max(len(ids) for pair in pairs for ids in pair)
    return tuple(_pad(sequences, pad_id, width) for sequences in zip(*pairs, strict=True))


@wrong("collate", read="batches")
def pads_in_front(pairs, pad_id):
    """앞을 채웠습니다. 패딩은 뒤에 붙습니다. 앞에 붙으면 SOS의 자리가 문장마다 달라집니다."""
    return tuple(
        _pad([ids[::-1] for ids in sequences], pad_id).flip(1) for sequences in zip(*pairs, strict=True)
    )


@wrong("collate", read="batches")
def cuts_to_the_shortest(pairs, pad_id):
    """가장 짧은 것에 맞추어 잘랐습니다. 잘린 번역문에는 EOS가 없습니다."""
    return tuple(
        torch.tensor([ids[: min(map(len, sequences))] for ids in sequences])
        for sequences in zip(*pairs, strict=True)
    )


@wrong("collate", read="batches", slip=True)
def always_zero(pairs, pad_id):
    """pad_id를 쓰지 않고 언제나 0으로 채웠습니다."""
    return tuple(_pad(sequences, 0) for sequences in zip(*pairs, strict=True))


@wrong("collate", read="batches")
def float_ids(pairs, pad_id):
    """실수 텐서를 돌려주었습니다. 번호는 int64여야 임베딩 표에서 찾을 수 있습니다."""
    return tuple(_pad(sequences, pad_id).float() for sequences in zip(*pairs, strict=True))


@wrong("collate", read="batches")
def drops_sos(pairs, pad_id):
    """번역문의 SOS를 뗐습니다. 한 칸 미는 일은 학습할 때 하고, 배치에는 SOS부터 EOS까지 모두 담으십시오."""
    sources, targets = zip(*pairs, strict=True)
    return _pad(sources, pad_id), _pad([ids[1:] for ids in targets], pad_id)


@wrong("collate", read="batches")
def swapped(pairs, pad_id):
    """원문과 번역문의 순서를 바꾸어 돌려주었습니다."""
    return tuple(_pad(sequences, pad_id) for sequences in zip(*pairs, strict=True))[::-1]


@wrong("collate", read="batches", slip=True)
def pads_the_lists_themselves(pairs, pad_id):
    """받은 리스트에 패딩을 덧붙였습니다. 그 쌍을 다음에 쓸 때 패딩이 데이터에 섞여 있습니다. 복사해서 채우십시오."""
    for sequences in zip(*pairs, strict=True):
        width = max(map(len, sequences))
        for ids in sequences:
            ids.extend([pad_id] * (width - len(ids)))
    return tuple(torch.tensor(sequences) for sequences in zip(*pairs, strict=True))


@wrong("collate", read="batches", slip=True)
def sorted_by_length(pairs, pad_id):
    """길이로 정렬했습니다. 받은 쌍의 순서를 그대로 두십시오."""
    pairs = sorted(pairs, key=lambda pair: len(pair[0]), reverse=True)
    return _pad([src for src, _ in pairs], pad_id), _pad([tgt for _, tgt in pairs], pad_id)


@wrong("collate", read="batches")
def time_first(pairs, pad_id):
    """축이 뒤바뀌었습니다. 행이 문장, 열이 위치인 (batch, n)이어야 합니다."""
    return _pad([src for src, _ in pairs], pad_id).T, _pad([tgt for _, tgt in pairs], pad_id).T


@wrong("collate", read="batches")
def lists_of_lists(pairs, pad_id):
    """텐서가 아닌 것을 돌려주었습니다. 채운 리스트를 int64 텐서로 바꾸어 돌려주십시오."""
    return tuple(_pad(sequences, pad_id).tolist() for sequences in zip(*pairs, strict=True))


@wrong("collate", read="batches")
def drops_eos(pairs, pad_id):
    """번역문의 EOS를 뗐습니다. 배치에는 SOS부터 EOS까지 모두 담으십시오."""
    sources, targets = zip(*pairs, strict=True)
    return _pad(sources, pad_id), _pad([ids[:-1] for ids in targets], pad_id)


@wrong("collate", read="batches")
def never_pads(pairs, pad_id):
    """길이가 다른 쌍에서 오류가 납니다. 짧은 것의 뒤를 pad_id로 채워 길이를 맞춘 다음 텐서로 만드십시오."""
    return tuple(torch.tensor(sequences) for sequences in zip(*pairs, strict=True))


@wrong("collate", read="batches")
def width_of_the_first(pairs, pad_id):
    """첫 쌍의 길이에 맞추었습니다. 배치의 모든 쌍 가운데 가장 긴 것에 맞추십시오."""
    return tuple(
        _pad([ids[: len(sequences[0])] for ids in sequences], pad_id, len(sequences[0]))
        for sequences in zip(*pairs, strict=True)
    )


@wrong("collate", read="batches")
def largest_for_the_longest(pairs, pad_id):
    """리스트끼리 비교한 max로 가장 긴 것을 골랐습니다. max는 길이가 아니라 값을 비교합니다. 길이의 최댓값을 쓰십시오."""
    widths = [len(max(sequences)) for sequences in zip(*pairs, strict=True)]
    return tuple(
        _pad([ids[:width] for ids in sequences], pad_id, width)
        for sequences, width in zip(zip(*pairs, strict=True), widths, strict=True)
    )


# train_step -------------------------------------------------------------------------------------------------


@right_answer("train_step")
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


@wrong("train_step", read="train-step")
def not_shifted(model, batch, optimizer, pad_id):
    """한 칸 밀지 않았습니다. 입력과 정답이 같은 자리에 있으면 모델은 베끼기만 배웁니다."""
    return _step(model, batch, optimizer, pad_id, shift=False)


@wrong("train_step", read="train-step")
def shifted_backwards(model, batch, optimizer, pad_id):
    """거꾸로 밀었습니다. 뒤의 토큰을 넣고 앞의 토큰을 맞히고 있습니다. 입력은 tgt[:, :-1], 정답은 tgt[:, 1:]입니다."""
    src, tgt = batch
    return _step(model, (src, tgt.flip(1)), optimizer, pad_id)


@wrong("train_step", read="train-step")
def counts_padding(model, batch, optimizer, pad_id):
    """패딩을 맞히는 것까지 손실에 넣었습니다. ignore_index로 패딩 자리를 빼십시오."""
    return _step(model, batch, optimizer, pad_id, ignore=False)


def _of_each_token(logits, answer, pad_id):
    return F.cross_entropy(logits.transpose(1, 2), answer, ignore_index=pad_id, reduction="none")


@wrong("train_step", read="train-step")
def divides_by_all_places(model, batch, optimizer, pad_id):
    """패딩 자리의 손실은 0으로 두었지만 나눌 때는 패딩까지 세었습니다. 진짜 정답 토큰의 수로 나누십시오."""
    return _step(
        model, batch, optimizer, pad_id, loss_of=lambda x, y: _of_each_token(x, y, pad_id).sum() / y.numel()
    )


@wrong("train_step", read="train-step")
def mean_of_means(model, batch, optimizer, pad_id):
    """문장마다 평균을 내고 그 평균을 다시 평균했습니다. 짧은 문장의 토큰이 더 무거워집니다."""

    def loss_of(logits, answer):
        return (_of_each_token(logits, answer, pad_id).sum(1) / (answer != pad_id).sum(1)).mean()

    return _step(model, batch, optimizer, pad_id, loss_of=loss_of)


@wrong("train_step", read="train-step")
def summed_loss(model, batch, optimizer, pad_id):
    """손실을 평균하지 않고 더했습니다. 걸음의 크기가 배치의 크기에 따라 달라집니다."""
    return _step(model, batch, optimizer, pad_id, loss_of=lambda x, y: _of_each_token(x, y, pad_id).sum())


@wrong("train_step", read="train-step")
def never_clears(model, batch, optimizer, pad_id):
    """optimizer.zero_grad()를 부르지 않았습니다. 앞 배치의 기울기가 쌓입니다."""
    return _step(model, batch, optimizer, pad_id, clear=False)


@wrong("train_step", read="train-step")
def never_steps(model, batch, optimizer, pad_id):
    """파라미터가 그대로입니다. 역전파는 기울기를 구할 뿐이고, optimizer.step()이 파라미터를 고칩니다."""
    return _step(model, batch, optimizer, pad_id, update=False)


@wrong("train_step", read="train-step")
def softmax_twice(model, batch, optimizer, pad_id):
    """로짓에 소프트맥스를 취하고 교차 엔트로피에 넣었습니다. 교차 엔트로피가 안에서 다시 취합니다."""

    def loss_of(logits, answer):
        return F.cross_entropy(logits.softmax(-1).flatten(0, 1), answer.flatten(), ignore_index=pad_id)

    return _step(model, batch, optimizer, pad_id, loss_of=loss_of)


@wrong("train_step", read="transformer-padding")
def source_mask_flipped(model, batch, optimizer, pad_id):
    """원문의 마스크가 반대입니다. 진짜 토큰이 True입니다: src != pad_id."""
    return _step(model, batch, optimizer, pad_id, mask=batch[0] == pad_id)


@wrong("train_step", read="transformer-padding")
def source_mask_of_ones(model, batch, optimizer, pad_id):
    """원문의 패딩을 가리지 않았습니다. src != pad_id를 마스크로 넘기십시오."""
    return _step(model, batch, optimizer, pad_id, mask=torch.ones_like(batch[0], dtype=torch.bool))


@wrong("train_step", read="train-step", slip=True)
def stays_in_evaluation_mode(model, batch, optimizer, pad_id):
    """평가 모드로 학습했습니다. 드롭아웃이 꺼져 있습니다. model.train()을 부르십시오."""
    src, tgt = batch
    logits = model(src, tgt[:, :-1], src != pad_id)
    loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@wrong("train_step", read="train-step", slip=True)
def returns_the_tensor(model, batch, optimizer, pad_id):
    """손실을 텐서로 돌려주었습니다. 리스트에 모으면 계산 그래프가 메모리에 모두 남습니다. loss.item()을 돌려주십시오."""
    return torch.tensor(_step(model, batch, optimizer, pad_id))


@wrong("train_step", read="train-step")
def clears_before_the_step(model, batch, optimizer, pad_id):
    """역전파한 다음 걸음을 옮기기 전에 기울기를 지웠습니다. 지우는 것은 역전파 앞입니다."""
    loss = _step(model, batch, optimizer, pad_id, update=False)
    optimizer.zero_grad()
    optimizer.step()
    return loss


@wrong("train_step", read="train-step")
def loss_after_the_step(model, batch, optimizer, pad_id):
    """고친 다음의 손실을 돌려주었습니다. 돌려줄 것은 고치기 전, 역전파에 쓴 손실입니다."""
    _step(model, batch, optimizer, pad_id)
    src, tgt = batch
    logits = model(src, tgt[:, :-1], src != pad_id)
    return F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id).item()


@wrong("train_step", read="train-step")
def counts_sos(model, batch, optimizer, pad_id):
    """SOS까지 세어 나누었습니다. SOS는 정답이 아닙니다. 손실을 낸 진짜 정답 토큰의 수로 나누십시오."""
    return _step(
        model,
        batch,
        optimizer,
        pad_id,
        loss_of=lambda x, y: _of_each_token(x, y, pad_id).sum() / (batch[1] != pad_id).sum(),
    )


@wrong("train_step", read="train-step")
def divides_by_the_sentences(model, batch, optimizer, pad_id):
    """손실의 합을 문장의 수로 나누었습니다. 패딩이 아닌 정답 토큰 전체의 수로 나누십시오."""
    return _step(
        model, batch, optimizer, pad_id, loss_of=lambda x, y: _of_each_token(x, y, pad_id).sum() / len(y)
    )


@wrong("train_step", read="train-step")
def places_for_words(model, batch, optimizer, pad_id):
    """교차 엔트로피가 단어의 축이 아닌 것을 클래스의 축으로 봅니다. 그 축은 둘째여야 하고, reshape로는 축이 바뀌지 않습니다. 문장과 자리를 한 축으로 펴거나 축을 맞바꾸십시오."""
    return _step(
        model,
        batch,
        optimizer,
        pad_id,
        loss_of=lambda x, y: F.cross_entropy(x.reshape(len(x), x.shape[2], -1), y, ignore_index=pad_id),
    )


@wrong("train_step", read="train-step")
def real_by_the_input(model, batch, optimizer, pad_id):
    """패딩인지를 정답이 아니라 입력 토큰에서 보았습니다. 손실에서 뺄 것은 정답이 패딩인 자리입니다."""
    real = batch[1][:, :-1] != pad_id
    return _step(model, batch, optimizer, pad_id, loss_of=lambda x, y: F.cross_entropy(x[real], y[real]))


@wrong("train_step", read="train-step")
def logits_for_log_probabilities(model, batch, optimizer, pad_id):
    """로그 소프트맥스 없이 로짓을 그대로 음의 로그 가능도로 썼습니다. 교차 엔트로피를 쓰거나 log_softmax를 먼저 취하십시오."""
    return _step(
        model,
        batch,
        optimizer,
        pad_id,
        loss_of=lambda x, y: F.nll_loss(x.flatten(0, 1), y.flatten(), ignore_index=pad_id),
    )


@wrong("train_step", read="train-step")
def returns_nothing(model, batch, optimizer, pad_id):
    """아무것도 돌려주지 않았습니다. 고치기 전의 손실을 float로 돌려주십시오."""
    _step(model, batch, optimizer, pad_id)


@wrong("train_step", read="train-step")
def never_goes_back(model, batch, optimizer, pad_id):
    """역전파하지 않았습니다. loss.backward()가 기울기를 구해야 optimizer.step()이 파라미터를 고칩니다."""
    src, tgt = batch
    model.train()
    logits = model(src, tgt[:, :-1], src != pad_id)
    optimizer.zero_grad()
    optimizer.step()
    return F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id).item()


@wrong("train_step", read="train-step")
def clears_after_the_step(model, batch, optimizer, pad_id):
    """걸음을 옮긴 다음에만 기울기를 지웠습니다. 부르기 전에 남아 있던 기울기가 첫 걸음에 섞입니다. 역전파 앞에서 지우십시오."""
    loss = _step(model, batch, optimizer, pad_id, clear=False)
    optimizer.zero_grad()
    return loss


@wrong("train_step", read="train-step", slip=True)
def zero_for_padding(model, batch, optimizer, pad_id):
    """pad_id를 쓰지 않고 언제나 0을 패딩으로 보았습니다. 원문의 마스크에도 손실에도 pad_id를 쓰십시오."""
    return _step(model, batch, optimizer, 0)


# exact_match ------------------------------------------------------------------------------------------------


def _check(predictions, targets):
    if len(predictions) != len(targets):
        raise ValueError("not as many")


def _share(same, predictions, targets):
    """The right answer, but for what counts as the same."""
    _check(predictions, targets)
    right = [same(p, t) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 0.0


@wrong("exact_match", read="exact-match")
def counts_tokens(predictions, targets):
    """토큰마다 맞은 비율을 세었습니다. 한 글자라도 다르면 번역문 전체가 틀린 것입니다."""
    _check(predictions, targets)
    right = sum(a == b for p, t in zip(predictions, targets, strict=True) for a, b in zip(p, t, strict=False))
    return right / sum(map(len, targets)) if targets else 0.0


@wrong("exact_match", read="exact-match")
def compares_the_overlap(predictions, targets):
    """겹치는 길이까지만 비교했습니다. 뒤가 모자라거나 더 붙은 것도 틀린 것입니다."""
    _check(predictions, targets)
    right = [
        all(a == b for a, b in zip(p, t, strict=False)) for p, t in zip(predictions, targets, strict=True)
    ]
    return sum(right) / len(right) if right else 0.0


@wrong("exact_match", read="exact-match")
def ignores_the_order(predictions, targets):
    """순서를 보지 않았습니다. 같은 토큰이 모두 있어도 차례가 다르면 다른 수입니다."""
    _check(predictions, targets)
    right = [sorted(p) == sorted(t) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 0.0


@wrong("Transformer", read="transformer-positions", slip=True)
class DropsTwice(_Transformer):
    """임베딩과 위치에 드롭아웃을 따로 걸었습니다. 둘을 더한 다음 한 번 겁니다."""

    def embed(self, ids, table):
        x = self.dropout(table(ids) * table.embedding_dim**0.5)
        return x + self.dropout(self.position.weight[: ids.shape[1]])


@wrong("exact_match", read="exact-match")
def joins_the_digits(predictions, targets):
    """번호를 글자로 이어 붙여 비교했습니다. [1, 12]와 [11, 2]가 같아집니다. 리스트끼리 비교하십시오."""
    _check(predictions, targets)
    right = ["".join(map(str, p)) == "".join(map(str, t)) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 0.0


@wrong("exact_match", read="exact-match")
def matches_any_target(predictions, targets):
    """어느 정답이든 하나와 같으면 맞다고 했습니다. 같은 번호의 정답과 비교하십시오."""
    _check(predictions, targets)
    return sum(p in targets for p in predictions) / len(predictions) if predictions else 0.0


@wrong("exact_match", read="exact-match")
def counts_without_dividing(predictions, targets):
    """맞은 개수를 돌려주었습니다. 전체 수로 나눈 비율이어야 합니다."""
    _check(predictions, targets)
    return float(sum(p == t for p, t in zip(predictions, targets, strict=True)))


@wrong("exact_match", read="exact-match", slip=True)
def zips_what_there_is(predictions, targets):
    """개수가 다른 두 리스트를 받아들였습니다. zip은 짧은 쪽에서 조용히 멈춥니다."""
    pairs = list(zip(predictions, targets, strict=False))
    return sum(p == t for p, t in pairs) / len(pairs) if pairs else 0.0


@wrong("exact_match", read="exact-match", slip=True)
def divides_by_nothing(predictions, targets):
    """빈 리스트에서 0으로 나누었습니다. 비교할 것이 없으면 0.0입니다."""
    _check(predictions, targets)
    return sum(p == t for p, t in zip(predictions, targets, strict=True)) / len(targets)


@wrong("exact_match", read="exact-match")
def compares_sets(predictions, targets):
    """토큰의 집합을 비교했습니다. 차례가 다르거나 같은 토큰의 개수가 달라도 맞다고 하게 됩니다."""
    _check(predictions, targets)
    right = [set(p) == set(t) for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 0.0


@wrong("exact_match", read="exact-match", slip=True)
def nothing_is_all_right(predictions, targets):
    """빈 리스트에 1.0을 돌려주었습니다. 비교할 것이 없으면 0.0입니다."""
    _check(predictions, targets)
    right = [p == t for p, t in zip(predictions, targets, strict=True)]
    return sum(right) / len(right) if right else 1.0


@wrong("exact_match", read="exact-match")
def percentage(predictions, targets):
    """백분율을 돌려주었습니다. 0과 1 사이의 비율입니다."""
    _check(predictions, targets)
    right = sum(list(p) == list(t) for p, t in zip(predictions, targets, strict=True))
    return 100.0 * right / len(targets) if targets else 0.0


@wrong("exact_match", read="exact-match")
def ignores_what_follows(predictions, targets):
    """정답 뒤에 더 붙은 것을 보지 않았습니다. 예측이 정답보다 길면 틀린 것입니다."""
    return _share(lambda p, t: p[: len(t)] == t, predictions, targets)


@wrong("exact_match", read="exact-match")
def accepts_a_beginning(predictions, targets):
    """예측이 정답의 앞부분이면 맞다고 했습니다. 정답보다 짧으면 틀린 것입니다."""
    return _share(lambda p, t: t[: len(p)] == p, predictions, targets)


@wrong("exact_match", read="exact-match")
def fails_at_another_length(predictions, targets):
    """길이가 다른 예측과 정답을 비교할 때 오류가 납니다. 길이가 다르면 그 예측은 틀린 것입니다."""
    return _share(lambda p, t: all(a == b for a, b in zip(p, t, strict=True)), predictions, targets)


@wrong("exact_match", read="exact-match")
def cuts_behind_eos(predictions, targets):
    """EOS 뒤를 잘라 내고 비교했습니다. EOS 뒤에 더 붙은 것도 틀린 것입니다. 받은 리스트를 그대로 비교하십시오."""

    def until_eos(ids):
        return ids[: ids.index(2)] if 2 in ids else ids

    return _share(lambda p, t: until_eos(p) == until_eos(t), predictions, targets)


@wrong("exact_match", read="exact-match")
def leaves_out_special_tokens(predictions, targets):
    """SOS, EOS, 패딩을 빼고 비교했습니다. 그 토큰이 있고 없음이 달라도 틀린 것입니다. 받은 리스트를 그대로 비교하십시오."""
    return _share(lambda p, t: [i for i in p if i > 2] == [i for i in t if i > 2], predictions, targets)


@wrong("exact_match", read="exact-match", slip=True)
def rounds_the_share(predictions, targets):
    """비율을 반올림했습니다. 맞은 수를 전체 수로 나눈 값을 그대로 돌려주십시오."""
    return round(_share(list.__eq__, predictions, targets), 2)


@wrong("exact_match", read="exact-match")
def all_or_nothing(predictions, targets):
    """하나라도 틀리면 0이 됩니다. 맞은 수를 전체 수로 나눈 비율을 돌려주십시오."""
    _check(predictions, targets)
    return float(bool(targets) and predictions == targets)


@wrong("exact_match", read="exact-match", slip=True)
def returns_a_tensor_share(predictions, targets):
    """텐서를 돌려주었습니다. 파이썬의 float를 돌려주십시오."""
    return torch.tensor(_share(list.__eq__, predictions, targets))


@wrong("exact_match", read="exact-match", slip=True)
def another_error(predictions, targets):
    """ValueError가 아닌 오류를 냈습니다. 두 리스트의 개수가 다르면 ValueError를 내십시오."""
    if len(predictions) != len(targets):
        raise AssertionError("not as many")
    return _share(list.__eq__, predictions, targets)


@wrong("exact_match", read="exact-match", slip=True)
def refuses_one_direction(predictions, targets):
    """개수가 다른지를 한쪽으로만 살폈습니다. 예측이 더 많아도, 더 적어도 ValueError를 내십시오."""
    if len(predictions) < len(targets):
        raise ValueError("too few")
    return zips_what_there_is(predictions, targets)


@wrong("exact_match", read="exact-match", slip=True)
def empty_before_the_count(predictions, targets):
    """개수를 비교하기 전에 빈 리스트이면 0.0을 돌려주었습니다. 한쪽만 비어 있으면 ValueError를 내야 합니다. 개수를 먼저 비교하십시오."""
    return _share(list.__eq__, predictions, targets) if predictions and targets else 0.0


@wrong("exact_match", read="exact-match", slip=True)
def refuses_empty_lists(predictions, targets):
    """두 리스트가 모두 비었을 때 ValueError를 냈습니다. 개수는 같고 비교할 것이 없을 뿐이므로 0.0입니다."""
    if not targets:
        raise ValueError("nothing to compare")
    return _share(list.__eq__, predictions, targets)
