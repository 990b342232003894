"""What the exercise `sentiment` is graded by."""

from functools import cache

import torch
import torch.nn.functional as F

from grader.judging.suite import assert_close, device_of, load, observes, outcome, place, points, scattered

# On the student's side -----------------------------------------------------------------------------------------


def tiny_tokenizer(max_length):
    """A WordPiece tokenizer of 14 words, called as every Hugging Face tokenizer is."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = "[PAD] [UNK] [CLS] [SEP] [MASK] 이 영화 정말 좋다 별로 재미 ##없다 ##있다 .".split()
    backend = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=max_length,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    # Whether long texts are cut is a question here; a warning at that is noise.
    tokenizer.deprecation_warnings["sequence-length-is-longer-than-the-specified-maximum"] = True
    return tokenizer


def tiny_bert():
    """A BERT of two layers with strong dropout."""
    from transformers import BertConfig, BertModel

    return BertModel(
        BertConfig(
            vocab_size=14,
            hidden_size=8,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=12,
            hidden_dropout_prob=0.5,
            attention_probs_dropout_prob=0.5,
        )
    )


def toy_classifier():
    """Adds up what its words are worth, with dropout, and notes how it is called."""

    class Toy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            worth = [0.0, -0.3, 0.2, -0.1, 0.0, 0.4, -0.5, 0.9, 1.1, -1.7, 0.3, -2.0, 1.3, -0.2]
            self.worth = torch.nn.Parameter(torch.tensor(worth))
            self.dropout = torch.nn.Dropout(0.5)
            self.body = torch.nn.Sequential(torch.nn.Sequential(torch.nn.Identity(), torch.nn.Identity()))
            self.calls = []

        def predict(self, X):
            self.calls.append([self.dropout.training, torch.is_grad_enabled()])
            worth = self.dropout(self.worth[X[:, 0]]) * X[:, 2]
            return worth.sum(dim=1, keepdim=True).sigmoid()

    return Toy()


def analyse(analyser, text, wanted=None):
    """What an analyser says with a right build_X of three sentences, whatever the notebook's own is."""
    from inspect import unwrap
    from unittest.mock import patch

    known = {"정말 좋다": [2, 7, 8, 3], "별로": [2, 9, 3], "이 영화 별로": [2, 5, 6, 9, 3]}

    def build_X(sents, tokenizer, device):
        assert wanted in (None, [tokenizer.model_max_length, str(device)]), "another tokenizer or device"
        sents = [sents] if isinstance(sents, str) else sents  # as a tokenizer takes them
        ids = [known[text] for text in sents]
        return torch.tensor([[row, [0] * len(row), [1] * len(row)] for row in ids], device=device)

    names = getattr(unwrap(type(analyser).__call__), "__globals__", {})
    with patch.dict(names, build_X=build_X), torch.set_grad_enabled(True):
        found = analyser(text)
        if wanted and not torch.is_grad_enabled():  # one test asks; the others go on with it restored
            raise AssertionError(
                "부르고 나서도 기울기를 기록하지 않습니다. 부르는 동안만 끄십시오 (with torch.no_grad():)."
            )
        return found


def load_device_where(load_device, has_gpu):
    """What load_device returns on a machine with or without a GPU: its class and its text."""
    from contextlib import ExitStack
    from unittest.mock import patch

    answers = {"torch.cuda.is_available": has_gpu, "torch.cuda.device_count": int(has_gpu)}
    if hasattr(torch, "accelerator"):
        answers["torch.accelerator.is_available"] = has_gpu
        answers["torch.accelerator.current_accelerator"] = torch.device("cuda") if has_gpu else None
    with ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(patch(name, return_value=answer))
        found = load_device()
    return [type(found).__name__, str(found)]


def backward(classifier, method, *args):
    """Gradients of all parameters after a call."""
    classifier.zero_grad()
    getattr(classifier, method)(*args).sum().backward()
    return {name: part.grad for name, part in classifier.named_parameters(remove_duplicate=False)}


def modes(module):
    return [part.training for part in module.modules()]


def freeze_and_look(freeze, bert, ids):
    """What freeze returns, what is still trained, whether two runs agree, and whether the weights are the same."""
    bert.requires_grad_(True).train()
    before = {name: value.clone() for name, value in bert.state_dict().items()}
    returned = freeze(bert)
    after = bert.state_dict()
    first, second = (bert(ids).last_hidden_state for _ in range(2))
    return {
        "returned": "the same" if returned is bert else type(returned).__name__,
        "trained": [name for name, parameter in bert.named_parameters() if parameter.requires_grad],
        "steady": torch.equal(first, second),
        "kept": before.keys() == after.keys() and all(torch.equal(before[n], after[n]) for n in before),
        "flag": hasattr(bert, "requires_grad"),
    }


# load_device ---------------------------------------------------------------------------------------------------


@points(0.25, "load_device", read="choose-device", step="warm-up")
def test_cpu_without_a_gpu(student):
    """GPU가 없는 컴퓨터에서는 CPU를 가리키는 torch.device를 돌려주어야 합니다. 문자열은 torch.device가 아닙니다."""
    kind, name = place(student, load_device_where)(student.load_device, False)
    assert (kind, name) == ("device", "cpu"), f"GPU가 없을 때 {kind} {name!r}을 돌려주었습니다."


@observes("load_device")
def observe_load_device(student):
    found = []
    for has_gpu in (False, True):
        try:
            found.append(place(student, load_device_where)(student.load_device, has_gpu))
        except Exception as error:
            found.append(type(error).__name__)
    return found


### BEGIN HIDDEN TESTS
@points(0.25, "load_device", read="choose-device")
def test_gpu_where_there_is_one(student):
    """GPU가 있는 컴퓨터에서는 cuda를 골라야 합니다. 있는지는 실행할 때 torch.cuda에 물어봅니다."""
    kind, name = place(student, load_device_where)(student.load_device, True)
    assert kind == "device" and name.split(":")[0] == "cuda", (
        f"GPU가 있을 때 {kind} {name!r}을 돌려주었습니다."
    )


### END HIDDEN TESTS


# build_X -------------------------------------------------------------------------------------------------------


def assert_inputs(X, ids):
    """X holds these token ids, padded on the right to the longest of them or further."""
    assert isinstance(X, torch.Tensor), f"텐서를 돌려주어야 하는데 {type(X).__name__}입니다."
    assert X.dim() == 3 and X.shape[:2] == (len(ids), 3), (
        f"모양이 ({len(ids)}, 3, L)이어야 하는데 {tuple(X.shape)}입니다."
    )
    assert X.shape[2] >= max(map(len, ids)), f"토큰이 {max(map(len, ids))}개인데 L이 {X.shape[2]}입니다."
    assert X.dtype in (torch.int64, torch.int32), f"자료형이 정수여야 하는데 {X.dtype}입니다."
    expected = torch.zeros(len(ids), 3, X.shape[2], dtype=X.dtype)
    for row, tokens in zip(expected, ids, strict=True):
        row[0, : len(tokens)] = torch.tensor(tokens)
        row[2, : len(tokens)] = 1
    assert_close(X, expected)


@points(1, "build_X", read="tensor-x", step="warm-up")
def test_three_rows_for_each_sentence(student, device):
    """문장마다 토큰 번호, 문장 구분, 어텐션 마스크를 이 순서로 둘째 축에 쌓은 (N, 3, L)이어야 합니다."""
    tokenizer = place(student, tiny_tokenizer)(12)
    sents = ["정말 좋다", "별로", "이 영화 정말 재미없다 ."]
    X = student.build_X(sents, tokenizer, device)
    assert_inputs(X, [[2, 7, 8, 3], [2, 9, 3], [2, 5, 6, 7, 10, 11, 13, 3]])


@observes("build_X")
def observe_build_X(student):
    build, tokenizer = student.build_X, place(student, tiny_tokenizer)
    return [
        build(["정말 좋다", "별로", "이 영화 재미있다 ."], tokenizer(12), "cpu"),
        build(["좋다 정말 좋다", "별로"], tokenizer(4), "cpu"),
        device_of(student, build, ["좋다"], tokenizer(12), "meta"),
    ]


### BEGIN HIDDEN TESTS
WORDS = ["이", "영화", "정말", "좋다", "별로"]  # ids from 5


def random_sentences(sizes, rng):
    ids = [torch.randint(5, 10, (size,), generator=rng).tolist() for size in sizes]
    return [" ".join(WORDS[i - 5] for i in row) for row in ids], [[2, *row, 3] for row in ids]


@points(0.5, "build_X", read="batch-padding")
def test_any_number_of_sentences(student, rng):
    """문장이 하나여도, 길이가 모두 같아도, 문장 수가 3이어도 (N, 3, L)이고 패딩 자리의 마스크는 0이어야 합니다."""
    tokenizer = place(student, tiny_tokenizer)(12)
    for sizes in [[1], [6], [3, 3, 3], [1, 10, 4, 2, 7]]:
        sents, ids = random_sentences(sizes, rng)
        assert_inputs(student.build_X(sents, tokenizer, "cpu"), ids)


@points(0.5, "build_X", read="truncation")
def test_long_sentences_are_cut(student, rng):
    """모델이 받을 수 있는 길이를 넘는 문장은 토크나이저가 자르게 하십시오. 잘린 뒤에도 [CLS]와 [SEP]은 남습니다."""
    tokenizer = place(student, tiny_tokenizer)(8)
    sents, ids = random_sentences([2, 40, 6, 7], rng)
    X = student.build_X(sents, tokenizer, "cpu")
    assert_inputs(X, [row if len(row) <= 8 else [*row[:7], 3] for row in ids])
    assert X.shape[2] == 8, f"모델은 토큰 8개까지 받는데 L이 {X.shape[2]}입니다."


@points(0.5, "build_X", read="choose-device", step="robust")
def test_inputs_lie_on_the_device(student):
    """결과는 device 인자가 가리키는 장치에 있는 int64 텐서여야 합니다."""
    # The meta device is there without a GPU: it has shapes and no values.
    tokenizer = place(student, tiny_tokenizer)(12)
    where = device_of(student, student.build_X, ["정말 좋다", "별로"], tokenizer, "meta")
    assert where == "meta", f"device를 'meta'로 주었는데 {where}에 있습니다."
    dtype = student.build_X(["정말 좋다"], tokenizer, "cpu").dtype
    assert dtype == torch.int64, f"자료형이 int64여야 하는데 {dtype}입니다."


### END HIDDEN TESTS


# build_y -------------------------------------------------------------------------------------------------------


@points(0.5, "build_y", read="tensor-y", step="warm-up")
def test_one_row_for_each_label(student, device):
    """라벨 하나가 한 행인 (N, 1) 크기의 float32 텐서여야 합니다."""
    y = student.build_y([1, 0, 0, 1], device)
    assert_close(y, torch.tensor([[1.0], [0.0], [0.0], [1.0]]))
    assert y.dtype == torch.float32, f"자료형이 float32여야 하는데 {y.dtype}입니다."


@observes("build_y")
def observe_build_y(student):
    y = student.build_y([1, 0, 0, 1], "cpu")
    return [y, str(y.dtype), device_of(student, student.build_y, [1, 0], "meta")]


### BEGIN HIDDEN TESTS
@points(0.25, "build_y", read="tensor-y")
def test_any_number_of_labels(student, rng):
    """라벨이 하나여도, 모두 같아도 (N, 1)이고 값은 라벨 그대로여야 합니다."""
    for labels in [[1], [0], [1, 1], torch.randint(0, 2, (17,), generator=rng).tolist()]:
        assert_close(student.build_y(labels, "cpu"), torch.tensor([[float(label)] for label in labels]))


@points(0.25, "build_y", read="choose-device", step="robust")
def test_labels_lie_on_the_device(student):
    """결과는 device 인자가 가리키는 장치에 있어야 합니다."""
    where = device_of(student, student.build_y, [1, 0, 1], "meta")
    assert where == "meta", f"device를 'meta'로 주었는데 {where}에 있습니다."


### END HIDDEN TESTS


# SentimentClassifier -------------------------------------------------------------------------------------------


own_bert = cache(
    tiny_bert
)  # the judge's, with other weights in each test; to make one takes longer than to ask it


HEAD = 91  # the key of its weights


class Oracle:
    """Hugging Face's BERT with a head in float64, and a student's classifier with the same weights."""

    def __init__(self, values=lambda *key: 2 * scattered(*key)):
        self.bert = own_bert().double().eval()
        state = self.bert.state_dict()
        state |= {
            name: values(value.shape, number)
            for number, (name, value) in enumerate(state.items())
            if value.is_floating_point()
        }
        self.bert.load_state_dict(state)
        self.weight = values(torch.Size([1, 8]), HEAD).requires_grad_()
        self.bias = values(torch.Size([1]), 92).requires_grad_()

    def classifier(self, student, dtype=torch.float32):
        """The student's, in evaluation mode."""
        bert = place(student, tiny_bert)()
        bert.to(dtype).load_state_dict(self.bert.state_dict())
        classifier = student.SentimentClassifier(bert)
        classifier.to(dtype).eval()
        head = {"W_hy.weight": self.weight.detach(), "W_hy.bias": self.bias.detach()}
        load(student, classifier, head)
        return classifier

    def hidden(self, X):
        ids, types, mask = X[:, 0], X[:, 1], X[:, 2]
        return self.bert(ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    def logits(self, X, hidden=None):
        hidden = self.hidden(X) if hidden is None else hidden
        return F.linear(hidden[:, 0], self.weight, self.bias)

    def logits_of(self, classifier, X):
        """From the classifier's own hidden states where they have the shape, so that a wrong forward is paid once."""
        right, own = self.hidden(X), outcome(classifier, X)
        fits = isinstance(own, torch.Tensor) and own.shape == right.shape
        return self.logits(X, own.detach().double() if fits else right)


# Right answers in float32 differ by this much: some put a small number into the logarithm, some use the logits.
ROUNDED = {"rtol": 1e-3, "atol": 1e-4}


def summed_loss(logits, y):
    return F.binary_cross_entropy_with_logits(logits, y.double(), reduction="sum")


def example_X():
    """Two inputs, the first padded; the second has two segments, so that no two rows are alike."""
    return torch.tensor(
        [
            [[2, 7, 8, 3, 0, 0], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0]],
            [[2, 6, 3, 10, 11, 3], [0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1]],
        ]
    )


def example_y():
    return torch.tensor([[1.0], [0.0]])


@points(0.25, "SentimentClassifier", read="bert-classifier", step="warm-up")
def test_forward_gives_all_hidden_states(student):
    """forward는 마지막 층의 모든 토큰의 은닉 상태 (N, L, H)를 돌려주어야 합니다. 세 입력을 이름으로 넘겼는지 보십시오."""
    oracle = Oracle()
    H_all = oracle.classifier(student, torch.float64)(example_X())
    assert_close(H_all, oracle.hidden(example_X()), rtol=1e-10, atol=1e-10)


@points(0.25, "SentimentClassifier", read="cls-head")
def test_predict_gives_probabilities(student):
    """predict는 [CLS](첫 토큰)의 은닉 상태를 W_hy와 시그모이드에 통과시킨 (N, 1) 확률이어야 합니다."""
    oracle = Oracle()
    classifier = oracle.classifier(student)
    p = classifier.predict(example_X())
    assert_close(p, oracle.logits_of(classifier, example_X()).sigmoid(), **ROUNDED)


@points(0.5, "SentimentClassifier", read="binary-cross-entropy")
def test_loss_is_summed(student):
    """training_step은 문장마다 계산한 이진 교차 엔트로피의 합, 수 하나여야 합니다."""
    oracle = Oracle()
    classifier = oracle.classifier(student)
    loss = classifier.training_step(example_X(), example_y())
    assert_close(loss, summed_loss(oracle.logits_of(classifier, example_X()), example_y()), **ROUNDED)


def drops_nothing_of_its_own(student):
    """Whether a classifier in training, with a BERT that is not, says the same twice."""
    bert = place(student, tiny_bert)()
    classifier, X = student.SentimentClassifier(bert), example_X().repeat(8, 1, 1)
    classifier.train()
    bert.eval()
    return bool(torch.equal(classifier.predict(X), classifier.predict(X)))


@observes("SentimentClassifier")
def observe_sentiment_classifier(student):
    oracle = Oracle()
    classifier = oracle.classifier(student)
    H_all = classifier(example_X())
    found = {
        "shape": list(H_all.shape),
        "forward": H_all.flatten()[:4],
        "predict": classifier.predict(example_X()),
        "loss": classifier.training_step(example_X(), example_y()),
    }
    for method, args in {"predict": [example_X()], "training_step": [example_X(), example_y()]}.items():
        try:
            gradients = place(student, backward)(classifier, method, *args)
        except (AttributeError, RuntimeError, TypeError) as error:
            found[f"gradient of {method}"] = type(error).__name__
            continue
        head = gradients["W_hy.weight"]
        body = next(gradients[name] for name in gradients if name.endswith("word_embeddings.weight"))
        found[f"gradient of {method}"] = head if head is None else head[:, :2]
        found[f"body of {method} learns"] = body is not None and bool(body.any())
    found["own dropout"] = not drops_nothing_of_its_own(student)
    load(student, classifier, {"W_hy.weight": 1e4 * oracle.weight.detach()})
    found["finite"] = bool(
        torch.as_tensor(classifier.training_step(example_X(), 1 - example_y())).isfinite().all()
    )
    return found


### BEGIN HIDDEN TESTS
def random_X(N, L, rng):
    X = torch.zeros(N, 3, L, dtype=torch.int64)
    for row in X:
        length = int(torch.randint(1, L + 1, (), generator=rng))
        row[0, :length] = torch.randint(5, 14, (length,), generator=rng)
        row[1, length // 2 : length] = 1
        row[2, :length] = 1
    return X


def random_y(N, rng):
    return torch.randint(0, 2, (N, 1), generator=rng).float()


def random_oracle(rng):
    """With a mild head: of a sure mistake, `log(1 - p)` in float32 keeps few digits."""

    def values(shape, number):
        return torch.randn(shape, generator=rng, dtype=torch.float64) * (0.3 if number == HEAD else 1)

    return Oracle(values)


@points(0.25, "SentimentClassifier", read="bert-classifier")
def test_matches_hugging_face(student, device, rng):
    """어떤 가중치의 BERT에서도, 문장이 하나이거나 토큰이 하나여도 같은 식이어야 합니다."""
    for oracle in (random_oracle(rng), Oracle()):  # of the latter, hidden states are far apart
        exact, classifier = oracle.classifier(student, torch.float64), oracle.classifier(student).to(device)
        for N, L in [(1, 1), (1, 5), (5, 12)]:
            X, y = random_X(N, L, rng), random_y(N, rng)
            hidden = oracle.hidden(X)
            assert_close(exact(X), hidden, rtol=1e-10, atol=1e-10)
            logits, there = oracle.logits(X, hidden), (X.to(device), y.to(device))
            assert_close(classifier.predict(there[0]), logits.sigmoid(), **ROUNDED)
            assert_close(classifier.training_step(*there), summed_loss(logits, y), **ROUNDED)


@points(1.75, "SentimentClassifier", read="cut-gradient")
def test_gradients_reach_head_and_bert(student, rng):
    """predict와 training_step의 기울기는 W_hy와 BERT의 파라미터까지 흘러야 합니다. 합의 기울기이지 평균의 기울기가 아닙니다. 확률이 0이나 1에 붙어도 손실은 유한합니다."""
    oracle = random_oracle(rng)
    classifier = oracle.classifier(student)
    X, y = random_X(4, 6, rng), random_y(4, rng)
    logits = oracle.logits(X)
    wanted = [oracle.weight, oracle.bert.embeddings.word_embeddings.weight]
    for method, args, total in [
        ("training_step", [X, y], summed_loss(logits, y)),
        ("predict", [X], logits.sigmoid().sum()),
    ]:
        found = place(student, backward)(classifier, method, *args)
        embedding = next(found[name] for name in found if name.endswith("word_embeddings.weight"))
        for gradient, expected in zip(
            [found["W_hy.weight"], embedding],
            torch.autograd.grad(total, wanted, retain_graph=True),
            strict=True,
        ):
            assert gradient is not None, f"{method}의 기울기가 끊겼습니다."
            assert_close(gradient, expected, **ROUNDED)
    oracle.weight = (1e4 * oracle.weight).detach()
    sure = oracle.classifier(student)
    losses = torch.stack([sure.training_step(X, labels) for labels in (y, 1 - y)])
    assert losses.isfinite().all(), "손실이 유한하지 않습니다."


@points(0.25, "SentimentClassifier", read="log-zero", step="robust")
def test_loss_of_a_sure_mistake_is_finite(student, rng):
    """확률이 0이나 1에 붙어도 손실은 유한해야 합니다. log(0)은 -inf이고 0 × inf는 NaN입니다."""
    oracle = random_oracle(rng)
    oracle.weight = (1e4 * oracle.weight).detach()
    classifier = oracle.classifier(student)
    X = random_X(8, 6, rng)
    wrong = (oracle.logits(X) < 0).float()
    for y in [wrong, 1 - wrong]:
        assert classifier.training_step(X, y).isfinite().item(), "손실이 유한하지 않습니다."


@points(0.25, "SentimentClassifier", read="argument-order", step="robust")
def test_padding_changes_nothing(student, rng):
    """패딩이 더 붙어도 확률은 그대로여야 합니다(어텐션 마스크). predict와 training_step은 학습 모드와 평가 모드를 바꾸지 않습니다."""
    classifier = Oracle().classifier(student)  # whose hidden states are far apart
    X = random_X(3, 5, rng)
    padded = F.pad(X, (0, 4))
    padded[:, 0, 5:] = torch.randint(5, 14, (3, 4), generator=rng)  # a word, but one that the mask hides
    assert_close(classifier.predict(padded), classifier.predict(X), **ROUNDED)
    for training in (True, False):
        classifier.train(training)
        before = place(student, modes)(classifier)
        classifier.predict(X)
        classifier.training_step(X, torch.ones(3, 1))
        kept = place(student, modes)(classifier) == before
        assert kept, "predict와 training_step은 학습 모드와 평가 모드를 바꾸지 않습니다."
    assert drops_nothing_of_its_own(student), (
        "BERT의 것 말고는 드롭아웃이 없습니다. 은닉 상태를 바로 W_hy에 넣으십시오."
    )


### END HIDDEN TESTS


# Analyser ------------------------------------------------------------------------------------------------------


def analyser_of(student, classifier):
    return student.Analyser(classifier, place(student, tiny_tokenizer)(12), "cpu:0")


@points(0.25, "Analyser", read="analyser", step="warm-up")
def test_one_sentence_in_one_number_out(student):
    """문장 하나를 받아 분류기의 predict가 낸 긍정 확률을 파이썬의 float로 돌려주어야 합니다."""
    toy = place(student, toy_classifier)()
    toy.eval()
    analyser = analyser_of(student, toy)
    for text, worth in [("정말 좋다", 0.2 + 0.9 + 1.1 - 0.1), ("이 영화 별로", 0.2 + 0.4 - 0.5 - 1.7 - 0.1)]:
        p = place(student, analyse)(analyser, text)
        assert isinstance(p, float), f"float를 돌려주어야 하는데 {type(p).__name__}입니다."
        assert_close(torch.tensor(p), torch.tensor(worth).sigmoid())


@points(0.75, "Analyser", read="evaluation-mode")
def test_no_dropout(student):
    """학습 모드의 분류기를 받아도 부르는 동안에는 드롭아웃을 꺼야 합니다. 같은 문장의 확률은 언제나 같습니다."""
    toy = place(student, toy_classifier)()
    analyser = analyser_of(student, toy)
    toy.train()  # after the analyser was made
    found = {place(student, analyse)(analyser, "이 영화 별로") for _ in range(8)}
    assert len(found) == 1, "같은 문장인데 부를 때마다 확률이 다릅니다."
    assert_close(torch.tensor([*found]), torch.tensor([0.2 + 0.4 - 0.5 - 1.7 - 0.1]).sigmoid())
    assert toy.calls, "분류기에 묻지 않았습니다."


@observes("Analyser")
def observe_analyser(student):
    toy = place(student, toy_classifier)()
    analyser = analyser_of(student, toy)
    ask, modes_of = place(student, analyse), place(student, modes)
    found = [modes_of(toy)]
    toy.eval()
    found += [ask(analyser, "정말 좋다"), ask(analyser, "별로"), modes_of(toy)]
    toy.train()
    ask(analyser, "정말 좋다")
    found += [list(toy.calls), modes_of(toy)]
    toy.train()
    toy.dropout.eval()
    ask(analyser, "정말 좋다")
    return [*found, modes_of(toy)]


### BEGIN HIDDEN TESTS
@points(0.25, "Analyser", read="evaluation-mode")
def test_no_gradient_is_recorded(student):
    """분석할 때는 기울기를 기록하지 않습니다 (torch.no_grad). 입력은 받은 토크나이저와 device로 만듭니다."""
    toy = place(student, toy_classifier)()
    analyser = analyser_of(student, toy)
    place(student, analyse)(analyser, "정말 좋다", [12, "cpu:0"])
    assert toy.calls, "분류기에 묻지 않았습니다."
    assert not any(recorded for _, recorded in toy.calls), "기울기를 기록했습니다."


@points(0.25, "Analyser", read="evaluation-mode", step="robust")
def test_modes_are_restored(student):
    """부르고 나면 분류기의 모든 모듈이 부르기 전의 모드여야 합니다."""
    toy = place(student, toy_classifier)()
    analyser = analyser_of(student, toy)
    for training, dropout, inner in [(1, 1, 1), (0, 0, 0), (1, 0, 1), (1, 1, 0), (0, 0, 1)]:
        toy.train(bool(training))
        toy.dropout.train(bool(dropout))
        toy.body[0][1].train(bool(inner))
        before = place(student, modes)(toy)
        place(student, analyse)(analyser, "별로")
        after = place(student, modes)(toy)
        assert after == before, f"training이 {before}였는데 부르고 나서 {after}입니다."
    assert toy.calls, "분류기에 묻지 않았습니다."


### END HIDDEN TESTS


# freeze --------------------------------------------------------------------------------------------------------


def frozen_bert(student):
    ids = torch.tensor([[2, 7, 8, 3]])
    return place(student, freeze_and_look)(student.freeze, place(student, tiny_bert)(), ids)


@points(0.5, "freeze", read="freezing", step="warm-up")
def test_no_parameter_is_trained(student):
    """BERT의 모든 파라미터에서 requires_grad가 False여야 합니다."""
    trained = frozen_bert(student)["trained"]
    assert trained == [], f"{trained[0]} 등 {len(trained)}개의 파라미터가 아직 학습됩니다."


@observes("freeze")
def observe_freeze(student):
    found = frozen_bert(student)
    return {**found, "trained": len(found["trained"])}


### BEGIN HIDDEN TESTS
@points(0.25, "freeze", read="freezing")
def test_frozen_bert_is_steady(student):
    """동결한 BERT는 드롭아웃도 꺼져 있어야 합니다. 같은 입력에 같은 출력을 냅니다."""
    assert frozen_bert(student)["steady"], "같은 입력을 두 번 넣었는데 출력이 다릅니다."


@points(0.25, "freeze", read="freezing")
def test_the_same_bert_comes_back(student):
    """새로 만든 모델이 아니라 받은 그 모델을, 가중치를 바꾸지 않고 돌려주어야 합니다."""
    found = frozen_bert(student)
    returned = found["returned"]
    assert found["trained"] == [] or found["steady"], "동결한 것이 없습니다."
    assert returned == "the same", f"받은 모델이 아니라 {returned}을 돌려주었습니다."
    assert found["kept"], "BERT의 가중치가 바뀌었습니다."


### END HIDDEN TESTS
