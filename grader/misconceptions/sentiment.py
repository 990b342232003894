"""Wrong answers that people give to the exercise `sentiment`."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from grader.judging.mistakes import right_answer, wrong

# load_device ---------------------------------------------------------------------------------------------------


@wrong("load_device", read="choose-device")
def always_the_cpu():
    """GPU가 하나 있어도 CPU를 고릅니다. torch.cuda.is_available()이 참이면 cuda를 고르십시오."""
    return torch.device("cpu")


@wrong("load_device", read="choose-device")
def always_cuda():
    """묻지 않고 cuda를 고릅니다. GPU가 없는 컴퓨터에서는 첫 텐서를 옮길 때 멈춥니다."""
    return torch.device("cuda")


@wrong("load_device", read="choose-device")
def the_other_way_round():
    """두 경우가 뒤바뀌었습니다. is_available()이 참일 때 cuda입니다."""
    return torch.device("cpu" if torch.cuda.is_available() else "cuda")


@wrong("load_device", read="choose-device")
def only_its_name():
    """문자열을 돌려주었습니다. 문제는 torch.device를 묻습니다. device.type처럼 쓰려면 torch.device여야 합니다."""
    return "cuda" if torch.cuda.is_available() else "cpu"


@wrong("load_device", read="choose-device")
def only_whether():
    """GPU가 있는지를 돌려주었습니다. 참과 거짓이 아니라 torch.device를 돌려주십시오."""
    return torch.cuda.is_available()


@wrong("load_device", read="choose-device")
def calls_it_gpu():
    """'gpu'라는 장치는 없습니다. PyTorch에서 NVIDIA GPU의 이름은 'cuda'입니다."""
    return torch.device("gpu" if torch.cuda.is_available() else "cpu")


# build_X -------------------------------------------------------------------------------------------------------


def _batch(sents, tokenizer, **options):
    return tokenizer(sents, **{"padding": True, "truncation": True, "return_tensors": "pt"} | options)


def _stack(batch, device, dim=1):
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return torch.stack([batch[name] for name in names], dim=dim).to(device)


@wrong("build_X", read="tensor-x")
def stacked_first(sents, tokenizer, device):
    """첫 축에 쌓아 (3, N, L)이 되었습니다. 문장 축이 먼저입니다. 그래야 X[i]가 문장 하나입니다."""
    return _stack(_batch(sents, tokenizer), device, dim=0)


@wrong("build_X", read="tensor-x")
def stacked_last(sents, tokenizer, device):
    """마지막 축에 쌓아 (N, L, 3)이 되었습니다. 셋은 둘째 축에 놓입니다 (dim=1)."""
    return _stack(_batch(sents, tokenizer), device, dim=-1)


@wrong("build_X", read="tensor-x")
def joined_end_to_end(sents, tokenizer, device):
    """셋을 한 줄로 이어 붙였습니다 (torch.cat). 새 축을 만들어 쌓으려면 torch.stack을 쓰십시오."""
    batch = _batch(sents, tokenizer)
    return torch.cat([batch["input_ids"], batch["token_type_ids"], batch["attention_mask"]], dim=1).to(device)


@wrong("build_X", read="argument-order")
def mask_before_types(sents, tokenizer, device):
    """순서가 다릅니다. 토큰 번호, 문장 구분, 어텐션 마스크의 순서입니다. 마스크가 둘째 줄에 있습니다."""
    return _stack(_batch(sents, tokenizer), device)[:, [0, 2, 1]]


@wrong("build_X", read="batch-padding")
def attends_to_padding(sents, tokenizer, device):
    """어텐션 마스크가 모두 1입니다. 패딩 자리는 0이어야 BERT가 패딩을 보지 않습니다."""
    X = _stack(_batch(sents, tokenizer), device)
    return torch.stack([X[:, 0], X[:, 1], torch.ones_like(X[:, 2])], dim=1)


@wrong("build_X", read="batch-padding")
def mask_marks_padding(sents, tokenizer, device):
    """어텐션 마스크의 극성이 반대입니다. 진짜 토큰이 1, 패딩이 0입니다."""
    X = _stack(_batch(sents, tokenizer), device)
    return torch.stack([X[:, 0], X[:, 1], 1 - X[:, 2]], dim=1)


@wrong("build_X", read="tensor-x")
def no_special_tokens(sents, tokenizer, device):
    """[CLS]와 [SEP]이 없습니다. 분류층은 [CLS]의 은닉 상태를 읽으므로 특수 토큰이 있어야 합니다."""
    return _stack(_batch(sents, tokenizer, add_special_tokens=False), device)


@wrong("build_X", read="truncation", slip=True)
def no_truncation(sents, tokenizer, device):
    """긴 문장을 자르지 않았습니다. 위치 임베딩의 수보다 긴 문장은 BERT에서 오류가 납니다 (truncation=True)."""
    return _stack(_batch(sents, tokenizer, truncation=False), device)


@wrong("build_X", read="truncation", slip=True)
def cut_afterwards(sents, tokenizer, device):
    """긴 문장을 텐서가 된 다음에 잘랐습니다. 마지막 [SEP]이 함께 잘려 나갑니다. 토크나이저가 자르게 하십시오."""
    return _stack(_batch(sents, tokenizer, truncation=False), device)[..., : tokenizer.model_max_length]


@wrong("build_X", read="tensor-x")
def floating_ids(sents, tokenizer, device):
    """실수로 바꾸었습니다. 토큰 번호는 임베딩 표의 행 번호이므로 정수여야 합니다."""
    return _stack(_batch(sents, tokenizer), device).float()


@wrong("build_X", read="choose-device", slip=True)
def inputs_stay_behind(sents, tokenizer, device):
    """결과를 device로 옮기지 않았습니다. 모델은 GPU에, 입력은 CPU에 있게 됩니다."""
    return _stack(_batch(sents, tokenizer), "cpu")


# build_y -------------------------------------------------------------------------------------------------------


@wrong("build_y", read="label-broadcast")
def one_axis(labels, device):
    """크기가 (N,)입니다. (N, 1)인 확률과 빼거나 곱하면 (N, N)으로 번집니다. 축을 하나 더하십시오."""
    return torch.tensor(labels, dtype=torch.float32, device=device)


@wrong("build_y", read="label-broadcast")
def one_row(labels, device):
    """행과 열이 바뀌어 (1, N)입니다. 문장 하나가 한 행이어야 합니다."""
    return torch.tensor([labels], dtype=torch.float32, device=device)


@wrong("build_y", read="tensor-y")
def integer_labels(labels, device):
    """정수입니다. 이진 교차 엔트로피는 확률과 라벨을 곱하므로 float32여야 합니다."""
    return torch.tensor(labels, device=device).unsqueeze(-1)


@wrong("build_y", read="tensor-y")
def double_labels(labels, device):
    """float64입니다. float32인 확률과 자료형이 달라 손실 함수가 거절합니다."""
    return torch.tensor(labels, dtype=torch.float64, device=device).unsqueeze(-1)


@wrong("build_y", read="tensor-y")
def one_hot_labels(labels, device):
    """원핫 벡터로 만들었습니다. 출력이 확률 하나이므로 라벨도 수 하나입니다."""
    return F.one_hot(torch.tensor(labels, device=device), 2).float()


@wrong("build_y", read="binary-cross-entropy")
def plus_and_minus_one(labels, device):
    """부정을 -1로 바꾸었습니다. 이진 교차 엔트로피의 라벨은 0과 1입니다."""
    return 2 * torch.tensor(labels, dtype=torch.float32, device=device).unsqueeze(-1) - 1


@wrong("build_y", read="choose-device", slip=True)
def labels_stay_behind(labels, device):
    """결과를 device에 두지 않았습니다. 확률은 GPU에, 라벨은 CPU에 있게 됩니다."""
    return torch.tensor(labels, dtype=torch.float32).unsqueeze(-1)


# SentimentClassifier -------------------------------------------------------------------------------------------


@right_answer("SentimentClassifier")
class _Right(nn.Module):
    """What the wrong classifiers below get right."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert
        self.W_hy = nn.Linear(bert.config.hidden_size, 1)

    def forward(self, X):
        return self.outputs(X).last_hidden_state

    def outputs(self, X):
        return self.bert(input_ids=X[:, 0], token_type_ids=X[:, 1], attention_mask=X[:, 2])

    def logits(self, X):
        return self.W_hy(self(X)[:, 0])

    def predict(self, X):
        return self.logits(X).sigmoid()

    def training_step(self, X, y):
        return F.binary_cross_entropy(self.predict(X), y, reduction="sum")


@wrong("SentimentClassifier", read="argument-order")
class PositionalInputs(_Right):
    """문장 구분이 어텐션 마스크 자리에 들어갔습니다. 이름 없이 넘기면 BertModel은 둘째 인자를 마스크로 읽습니다. 이름과 차례를 보십시오."""

    def outputs(self, X):
        return self.bert(X[:, 0], X[:, 1], X[:, 2])


@wrong("SentimentClassifier", read="batch-padding")
class NoAttentionMask(_Right):
    """어텐션 마스크를 BERT에 넘기지 않았습니다. 문장이 패딩까지 보게 되어, 어떤 문장과 한 배치인지에 따라 답이 달라집니다."""

    def outputs(self, X):
        return self.bert(X[:, 0], token_type_ids=X[:, 1])


@wrong("SentimentClassifier", read="argument-order")
class NoTokenTypes(_Right):
    """문장 구분(token_type_ids)을 BERT에 넘기지 않았습니다. X의 셋째 줄뿐 아니라 둘째 줄도 입력입니다."""

    def outputs(self, X):
        return self.bert(X[:, 0], attention_mask=X[:, 2])


@wrong("SentimentClassifier", read="bert-classifier", slip=True)
class ForwardGivesClsOnly(_Right):
    """forward가 [CLS]의 벡터만 돌려줍니다. 모든 토큰의 은닉 상태 (N, L, H)를 돌려주고, [CLS]는 predict에서 고르십시오."""

    def forward(self, X):
        return self.outputs(X).last_hidden_state[:, 0]

    def logits(self, X):
        return self.W_hy(self(X))


@wrong("SentimentClassifier", read="cls-head")
class ReadsThePooler(_Right):
    """pooler_output을 읽었습니다. 그것은 [CLS]가 층 하나와 tanh를 더 지난 값입니다. 은닉 상태의 첫 토큰을 쓰십시오."""

    def logits(self, X):
        return self.W_hy(self.outputs(X).pooler_output)


@wrong("SentimentClassifier", read="cls-head")
class ReadsTheLastToken(_Right):
    """마지막 토큰을 읽었습니다. 그 자리는 [SEP]이거나 패딩입니다. [CLS]는 첫 토큰입니다."""

    def logits(self, X):
        return self.W_hy(self(X)[:, -1])


@wrong("SentimentClassifier", read="cls-head")
class ReadsTheMean(_Right):
    """모든 자리의 평균을 읽었습니다. 패딩 자리까지 섞입니다. 이 문제의 분류층은 [CLS] 하나를 읽습니다."""

    def logits(self, X):
        return self.W_hy(self(X).mean(dim=1))


@wrong("SentimentClassifier", read="sigmoid")
class PredictsLogits(_Right):
    """predict에 시그모이드가 없습니다. 지금 돌려주는 것은 로짓이어서 0보다 작거나 1보다 클 수 있습니다."""

    def predict(self, X):
        return self.logits(X)

    def training_step(self, X, y):
        return F.binary_cross_entropy_with_logits(self.logits(X), y, reduction="sum")


@wrong("SentimentClassifier", read="sigmoid")
class SoftmaxOfOne(_Right):
    """수 하나에 소프트맥스를 취했습니다. 하나뿐인 값의 소프트맥스는 언제나 1입니다. 시그모이드를 쓰십시오."""

    def predict(self, X):
        return self.logits(X).softmax(dim=-1)


@wrong("SentimentClassifier", read="sigmoid")
class SoftmaxOverTheBatch(_Right):
    """배치 축으로 소프트맥스를 취했습니다. 한 문장의 확률이 함께 들어온 문장들에 따라 달라집니다."""

    def predict(self, X):
        return self.logits(X).softmax(dim=0)


@wrong("SentimentClassifier", read="cut-gradient")
class RoundsProbabilities(_Right):
    """확률을 0과 1로 반올림했습니다. 반올림한 값에는 기울기가 흐르지 않아 학습되지 않습니다."""

    def predict(self, X):
        return self.logits(X).sigmoid().round()


@wrong("SentimentClassifier", read="cut-gradient")
class PredictsWithoutGradient(_Right):
    """predict에서 기울기를 끊었습니다 (no_grad나 detach). 학습에도 쓰이는 함수이므로 기울기가 흘러야 합니다."""

    @torch.no_grad()
    def predict(self, X):
        return self.logits(X).sigmoid()


@wrong("SentimentClassifier", read="cut-gradient")
class CutsTheBody(_Right):
    """BERT에서 기울기를 끊었습니다 (no_grad나 detach). 분류층만 학습됩니다. 동결은 freeze의 일이고, 여기서는 BERT까지 흘러야 합니다."""

    def outputs(self, X):
        with torch.no_grad():
            return super().outputs(X)


@wrong("SentimentClassifier", read="binary-cross-entropy")
class MeanLoss(_Right):
    """손실이 합이 아니라 평균입니다. reduction="sum"을 쓰십시오."""

    def training_step(self, X, y):
        return F.binary_cross_entropy(self.predict(X), y)


@wrong("SentimentClassifier", read="sigmoid-twice")
class SigmoidTwice(_Right):
    """시그모이드가 두 번 적용되었습니다. 이름에 with_logits가 있는 손실은 확률이 아니라 로짓을 받습니다."""

    def training_step(self, X, y):
        return F.binary_cross_entropy_with_logits(self.predict(X), y, reduction="sum")


@wrong("SentimentClassifier", read="bert-classifier", slip=True)
class DropsBeforeTheHead(_Right):
    """W_hy 앞에 드롭아웃을 넣었습니다. Hugging Face의 분류기에는 있지만 이 문제에는 없습니다. 은닉 상태를 바로 W_hy에 넣으십시오."""

    def logits(self, X):
        return self.W_hy(F.dropout(self(X)[:, 0], 0.1, self.training))


@wrong("SentimentClassifier", read="binary-cross-entropy")
class SwapsLossArguments(_Right):
    """손실 함수의 두 인자를 바꾸어 넣었습니다. 확률이 먼저, 라벨이 나중입니다."""

    def training_step(self, X, y):
        return F.binary_cross_entropy(y, self.predict(X).detach(), reduction="sum").requires_grad_()


@wrong("SentimentClassifier", read="binary-cross-entropy")
class HalfTheLoss(_Right):
    """정답이 긍정인 문장만 손실에 들어갑니다. 부정인 문장의 항 (1 - y) log(1 - p)가 빠졌습니다."""

    def training_step(self, X, y):
        return -(y * F.logsigmoid(self.logits(X))).sum()


@wrong("SentimentClassifier", read="label-broadcast")
class LossOfEveryPair(_Right):
    """크기가 (N,)인 확률과 (N, 1)인 라벨이 (N, N)으로 번졌습니다. 두 텐서의 크기를 맞추십시오."""

    def training_step(self, X, y):
        logits = self.logits(X).squeeze(-1)
        return -(y * F.logsigmoid(logits) + (1 - y) * F.logsigmoid(-logits)).sum()


@wrong("SentimentClassifier", read="log-zero")
class LogOfZero(_Right):
    """확률이 1에 붙으면 손실이 NaN이 됩니다. log(0)은 -inf입니다. F.binary_cross_entropy나 로짓을 받는 손실을 쓰십시오."""

    def training_step(self, X, y):
        p = self.predict(X)
        return -(y * p.log() + (1 - y) * (1 - p).log()).sum()


@wrong("SentimentClassifier", read="cut-gradient")
class LossAsNumber(_Right):
    """손실을 파이썬의 수로 바꾸었습니다 (item). 역전파를 할 수 없습니다. 텐서를 돌려주십시오."""

    def training_step(self, X, y):
        return super().training_step(X, y).item()


@wrong("SentimentClassifier", read="label-broadcast", slip=True)
class PredictsWithoutTheAxis(_Right):
    """predict의 마지막 축을 없앴습니다. 라벨이 (N, 1)이므로 확률도 (N, 1)이어야 같은 자리끼리 만납니다."""

    def predict(self, X):
        return self.logits(X).sigmoid().squeeze(-1)

    def training_step(self, X, y):
        return F.binary_cross_entropy_with_logits(self.logits(X), y, reduction="sum")


# Analyser ------------------------------------------------------------------------------------------------------


@right_answer("Analyser")
class _RightAnalyser:
    """What the wrong analysers below get right."""

    def __init__(self, classifier, tokenizer, device):
        self.classifier, self.tokenizer, self.device = classifier, tokenizer, device

    def __call__(self, text):
        modes = [(module, module.training) for module in self.classifier.modules()]
        self.classifier.eval()
        with torch.no_grad():
            result = self.result(self.probability(text))
        for module, training in modes:
            module.training = training
        return result

    def probability(self, text):
        return self.classifier.predict(_stack(_batch([text], self.tokenizer), self.device))

    def result(self, probability):
        return probability.item()


@wrong("Analyser", read="evaluation-mode")
class KeepsDropout(_RightAnalyser):
    """드롭아웃을 끄지 않았습니다. 같은 문장의 확률이 부를 때마다 달라집니다. 부르는 동안 eval()이어야 합니다."""

    def __call__(self, text):
        with torch.no_grad():
            return self.probability(text).item()


@wrong("Analyser", read="evaluation-mode", slip=True)
class LeavesEvaluationMode(_RightAnalyser):
    """평가 모드로 바꾸고 되돌리지 않았습니다. 학습 도중에 부르면 그 뒤로는 드롭아웃 없이 학습합니다."""

    def __call__(self, text):
        self.classifier.eval()
        with torch.no_grad():
            return self.probability(text).item()


@wrong("Analyser", read="evaluation-mode", slip=True)
class AlwaysTrainsAfterwards(_RightAnalyser):
    """부르고 나면 언제나 학습 모드로 바꿉니다. 평가 모드였던 분류기는 평가 모드로 남아야 합니다."""

    def __call__(self, text):
        self.classifier.eval()
        with torch.no_grad():
            p = self.probability(text).item()
        self.classifier.train()
        return p


@wrong("Analyser", read="evaluation-mode", slip=True)
class RestoresOneModeForAll(_RightAnalyser):
    """모듈 전체를 한 모드로 되돌렸습니다. classifier.train()은 동결한 BERT의 드롭아웃까지 다시 켭니다. 모듈마다 되돌리십시오."""

    def __call__(self, text):
        was_training = self.classifier.training
        self.classifier.eval()
        with torch.no_grad():
            p = self.probability(text).item()
        self.classifier.train(was_training)
        return p


@wrong("Analyser", read="evaluation-mode")
class EvaluatesOnlyAtFirst(_RightAnalyser):
    """만들 때 한 번만 평가 모드로 바꾸었습니다. 그 뒤에 학습이 이어지면 드롭아웃이 켜진 채로 분석합니다."""

    def __init__(self, classifier, tokenizer, device):
        super().__init__(classifier.eval(), tokenizer, device)

    def __call__(self, text):
        with torch.no_grad():
            return self.probability(text).item()


@wrong("Analyser", read="evaluation-mode", slip=True)
class RecordsGradients(_RightAnalyser):
    """기울기를 기록하고 있습니다. 쓰지 않을 계산 그래프가 메모리를 차지합니다. torch.no_grad()를 쓰십시오."""

    def probability(self, text):
        with torch.enable_grad():
            return super().probability(text)


@wrong("Analyser", read="analyser")
class GivesTensor(_RightAnalyser):
    """텐서를 돌려주었습니다. item()으로 파이썬의 float를 꺼내십시오."""

    def result(self, probability):
        return probability


@wrong("Analyser", read="analyser")
class GivesVerdict(_RightAnalyser):
    """확률 대신 판정(0 또는 1)을 돌려주었습니다. 얼마나 확신하는지가 사라집니다. 확률을 그대로 돌려주십시오."""

    def result(self, probability):
        return float(probability.item() > 0.5)


@wrong("Analyser", read="analyser")
class GivesPercent(_RightAnalyser):
    """백분율로 바꾸었습니다. 0과 1 사이의 확률을 그대로 돌려주십시오."""

    def result(self, probability):
        return 100 * probability.item()


@wrong("Analyser", read="sigmoid-twice")
class AppliesSigmoidAgain(_RightAnalyser):
    """predict의 결과에 시그모이드를 한 번 더 적용했습니다. predict는 이미 확률입니다."""

    def result(self, probability):
        return probability.sigmoid().item()


# freeze --------------------------------------------------------------------------------------------------------


@wrong("freeze", read="freezing", slip=True)
def dropout_stays_on(bert):
    """드롭아웃이 켜져 있습니다. requires_grad와 모드는 다른 것입니다. eval()도 불러야 합니다."""
    return bert.requires_grad_(False)


@wrong("freeze", read="freezing")
def only_evaluation_mode(bert):
    """eval()은 드롭아웃만 끕니다. 파라미터는 여전히 학습됩니다. requires_grad_(False)도 불러야 합니다."""
    return bert.eval()


@wrong("freeze", read="freezing")
def attribute_of_the_module(bert):
    """bert.requires_grad = False는 모듈에 새 속성을 하나 붙일 뿐입니다. 밑줄이 있는 requires_grad_(False)가 파라미터를 바꿉니다."""
    bert.requires_grad = False
    return bert.eval()


@wrong("freeze", read="freezing")
def only_the_embeddings(bert):
    """임베딩만 동결했습니다. 인코더 층과 풀러의 파라미터도 동결해야 합니다."""
    bert.embeddings.requires_grad_(False)
    return bert.eval()


@wrong("freeze", read="freezing")
def forgets_the_pooler(bert):
    """풀러(pooler)가 남았습니다. bert.parameters()는 풀러까지 모두 돌려줍니다."""
    bert.embeddings.requires_grad_(False)
    bert.encoder.requires_grad_(False)
    return bert.eval()


@wrong("freeze", read="freezing", slip=True)
def returns_nothing(bert):
    """아무것도 돌려주지 않았습니다. 받은 모델을 돌려주어야 SentimentClassifier(freeze(bert))처럼 쓸 수 있습니다."""
    bert.requires_grad_(False).eval()


@wrong("freeze", read="freezing")
def freezes_a_copy(bert):
    """복사본을 동결했습니다. 받은 모델은 그대로 학습되고, 메모리는 두 배로 듭니다."""
    return copy.deepcopy(bert).requires_grad_(False).eval()


@wrong("freeze", read="freezing", slip=True)
def zeroes_the_weights(bert):
    """가중치를 바꾸었습니다. 동결은 학습을 막을 뿐이고, 미리 학습된 값은 그대로 두어야 합니다."""
    for parameter in bert.parameters():
        parameter.data.zero_()
    return bert.requires_grad_(False).eval()


@wrong("freeze", read="freezing")
def only_the_encoder(bert):
    """인코더만 동결했습니다. 임베딩과 풀러의 파라미터도 학습되지 않아야 합니다."""
    for parameter in bert.encoder.parameters():
        parameter.requires_grad = False
    return bert.eval()


@wrong("freeze", read="freezing")
def weights_without_biases(bert):
    """이름이 weight인 것만 동결했습니다. 편향도 파라미터입니다."""
    for name, parameter in bert.named_parameters():
        if name.endswith("weight"):
            parameter.requires_grad = False
    return bert.eval()
