# %% [markdown]
# # 연습: 감정 분석
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [감정 분석](../../chapters/sentiment.md)
#
# 사전학습한 BERT를 한국어 문장의 긍정과 부정을 가르는 분류기로 고칩니다. 문장을 텐서 `X`로, 정답을 텐서 `y`로 바꾸고,
# `[CLS]` 위에 분류층을 얹고, 손실을 계산하고, 문장 하나를 받아 확률을 돌려주는 분석기를 만듭니다.
#
# 글자의 뜻은 다음과 같습니다. `N`은 문장 수, `L`은 토큰 수(`[CLS]`와 `[SEP]` 포함), `H`는 BERT의 은닉 상태의 차원입니다. 라벨은
# 1이 긍정, 0이 부정입니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. BERT를 불러오느라 첫 검사는 몇 초 걸립니다.

# %%
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

# %% [markdown]
# ## 문제 1. 장치 고르기
#
# GPU(CUDA)가 있으면 GPU를, 없으면 CPU를 가리키는 `torch.device`를 돌려주십시오. 같은 노트북이 어느 컴퓨터에서나 돌아야
# 하므로, 있는지를 실행할 때 물어야 합니다.


# %% load_device tags=["question"]
def load_device() -> torch.device:
    """The device to compute on: CUDA where it is available, otherwise the CPU."""
    ### BEGIN SOLUTION
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 문장을 텐서 X로
#
# BERT는 입력을 세 가지 받습니다. 토큰 번호(`input_ids`), 문장 구분(`token_type_ids`), 어텐션 마스크(`attention_mask`)입니다.
# 셋을 **이 순서로** 쌓아 `(N, 3, L)` 텐서 하나로 만드십시오.
#
# ```text
# build_X(["좋다", "정말 좋다"], tokenizer, device)  →
#   [[[2, 8, 3, 0],  [0, 0, 0, 0],  [1, 1, 1, 0]],
#    [[2, 7, 8, 3],  [0, 0, 0, 0],  [1, 1, 1, 1]]]
# ```
#
# `7`과 `8`은 예로 든 번호입니다. 번호는 토크나이저마다 다릅니다.
#
# `tokenizer`는 Hugging Face의 토크나이저입니다. `tokenizer(문장들, ...)`처럼 부르면 세 텐서를 담은 사전을 돌려줍니다. 짧은
# 문장은 패딩으로 길이를 맞추고, 모델이 받을 수 있는 길이(`tokenizer.model_max_length`)를 넘는 문장은 자릅니다. `[CLS]`와
# `[SEP]`은 잘린 문장에도 남아야 합니다.


# %% build_X tags=["question"]
def build_X(
    sents: list[str], tokenizer, device: torch.device | str
) -> Int[Tensor, "N 3 L"]:
    """Turn sentences into what BERT reads.

    Args:
        sents: N sentences.
        tokenizer: a Hugging Face tokenizer.
        device: where the result lies.

    Returns:
        int64: input ids, token types, attention mask (1 = a real token), padded on the
        right; sentences longer than the tokenizer's `model_max_length` are truncated.
    """
    ### BEGIN SOLUTION
    batch = tokenizer(sents, padding=True, truncation=True, return_tensors="pt")
    rows = [batch["input_ids"], batch["token_type_ids"], batch["attention_mask"]]
    return torch.stack(rows, dim=1).to(device)
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 라벨을 텐서 y로
#
# 라벨 목록을 모양이 `(N, 1)`인 `float32` 텐서로 바꾸십시오. 확률도 `(N, 1)`이므로 둘은 같은 자리끼리 만납니다.


# %% build_y tags=["question"]
def build_y(labels: list[int], device: torch.device | str) -> Float[Tensor, "N 1"]:
    """Turn labels into what the loss compares with.

    Args:
        labels: N labels, 1 = positive, 0 = negative.
        device: where the result lies.

    Returns:
        float32.
    """
    ### BEGIN SOLUTION
    return torch.tensor(labels, dtype=torch.float32, device=device).unsqueeze(-1)
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 분류기
#
# `bert`는 Hugging Face의 `BertModel`입니다. 부르면 여러 값을 담은 결과를 돌려주는데, 그 가운데 `last_hidden_state`가
# 마지막 층의 은닉 상태 `(N, L, H)`입니다. 인자는 이름을 적어 넘기십시오. `BertModel.forward`의 인자 순서는 `X`의 순서와
# 다릅니다.
#
# - `W_hy`: `[CLS]`의 은닉 상태에서 수 하나를 만드는 `nn.Linear`. `H`는 `bert.config.hidden_size`입니다.
# - `forward(X)`: 모든 토큰의 은닉 상태 `H_all`.
# - `predict(X)`: `[CLS]`의 은닉 상태를 `W_hy`와 시그모이드에 통과시킨 긍정 확률. 학습에 쓰이므로 기울기가 흘러야 하고, 학습 모드와
#   평가 모드는 바꾸지 않습니다.
# - `training_step(X, y)`: 이진 교차 엔트로피의 **합**. 평균이 아닙니다. 확률이 0이나 1에 붙어도 유한해야 합니다.


# %% SentimentClassifier tags=["question"]
class SentimentClassifier(nn.Module):
    """BERT with a logistic regression on the last hidden state of [CLS].

    Args:
        bert: a Hugging Face `BertModel`; it is trained along unless it is frozen.

    Attributes:
        W_hy: `nn.Linear` from the hidden size H to 1.
    """

    def __init__(self, bert: nn.Module):
        ### BEGIN SOLUTION
        super().__init__()
        self.bert = bert
        self.W_hy = nn.Linear(bert.config.hidden_size, 1)
        ### END SOLUTION

    def forward(self, X: Int[Tensor, "N 3 L"]) -> Float[Tensor, "N L H"]:
        """H_all, the last hidden states of all tokens."""
        ### BEGIN SOLUTION
        input_ids, token_type_ids, attention_mask = X.unbind(dim=1)
        output = self.bert(
            input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask
        )
        return output.last_hidden_state
        ### END SOLUTION

    def predict(self, X: Int[Tensor, "N 3 L"]) -> Float[Tensor, "N 1"]:
        """Probabilities that the sentences are positive; gradients flow."""
        ### BEGIN SOLUTION
        return torch.sigmoid(self.W_hy(self(X)[:, 0]))
        ### END SOLUTION

    def training_step(
        self, X: Int[Tensor, "N 3 L"], y: Float[Tensor, "N 1"]
    ) -> Float[Tensor, ""]:
        """Binary cross-entropy, summed over the sentences; finite for every logit."""
        ### BEGIN SOLUTION
        # From the logits: a probability may round to 1, whose log(1 - p) is infinite.
        logits = self.W_hy(self(X)[:, 0])
        return F.binary_cross_entropy_with_logits(logits, y, reduction="sum")
        ### END SOLUTION


# %% [markdown]
# ## 문제 5. 분석기
#
# 학습이 끝난 분류기를 문장 하나에 씁니다. `Analyser(classifier, tokenizer, device)("재미있다")`는 긍정 확률을 파이썬의
# `float`로 돌려줍니다. 분류기는 `classifier.predict`로 부르고, 앞에서 만든 `build_X`를 쓰십시오.
#
# - 부르는 동안에는 드롭아웃을 끄고 기울기를 기록하지 않습니다.
# - 부르고 나면 분류기를 **원래 모드**로 되돌립니다. 학습하던 분류기는 학습 모드로, 평가하던 분류기는 평가 모드로 둡니다.
#   일부 모듈만 평가 모드라면(동결한 BERT가 그렇습니다) 그것도 그대로여야 합니다.


# %% Analyser tags=["question"]
class Analyser:
    """Judges one sentence at a time.

    Args:
        classifier: a module with `predict(X)`, such as `SentimentClassifier`.
        tokenizer: the Hugging Face tokenizer that its BERT was trained with.
        device: where the classifier lies.
    """

    def __init__(self, classifier: nn.Module, tokenizer, device: torch.device | str):
        ### BEGIN SOLUTION
        self.classifier = classifier
        self.tokenizer = tokenizer
        self.device = device
        ### END SOLUTION

    def __call__(self, text: str) -> float:
        """The probability that `text` is positive; no dropout, no gradients.

        Every module of the classifier is afterwards in the mode (training or
        evaluation) that it was in.
        """
        ### BEGIN SOLUTION
        modes = [(module, module.training) for module in self.classifier.modules()]
        self.classifier.eval()
        X = build_X([text], self.tokenizer, self.device)
        with torch.no_grad():
            probability = self.classifier.predict(X).item()
        for module, training in modes:
            module.training = training
        return probability
        ### END SOLUTION


# %% [markdown]
# ## 문제 6. BERT 동결
#
# 분류층만 학습시키고 싶을 때 BERT를 동결합니다. 파라미터가 하나도 학습되지 않게 하고, 드롭아웃도 끈 다음, **받은 그 모델**을
# 돌려주십시오.


# %% freeze tags=["question"]
def freeze(bert: nn.Module) -> nn.Module:
    """Make a BERT a fixed function: no parameter is trained, no dropout.

    Returns:
        The same module.
    """
    ### BEGIN SOLUTION
    return bert.requires_grad_(False).eval()
    ### END SOLUTION


# %% [markdown]
# ## 두 문장으로 학습시키기
#
# 여섯 문제를 풀었으면 조립합니다. 아래 칸은 이 책의 작은 한국어 BERT로 여러분의 분류기를 만들고, 두 문장으로 학습시키고, 네
# 문장을 판정합니다. 몇 초면 끝납니다. 점수는 없습니다.
#
# - 손실이 내려갑니까? 네 시험을 모두 맞힙니까?
# - 새 칸에서 `learn_two(lr=0.0003)`과 `learn_two(lr=0.0003, seed=2)`를 불러 보십시오. 무엇이 달라지고, 무엇이 우연입니까?
# - `learn_two()`가 돌려준 분석기에 아무 문장이나 넣어 보십시오. 학습한 단어가 없는 문장도 맞힙니까?

# %%
DATA = [("난 너를 좋아해", 1), ("난 너를 싫어해", 0)]
TESTS = [
    "나는 자연어처리가 좋아",
    "나는 자연어처리가 싫어",
    "나는 너가 좋다",
    "너는 참 좋다",
]
EPOCHS = 20
LR = 0.0001


def learn_two(lr: float = LR, seed: int = 0) -> Analyser:
    """Train on DATA and print the loss of every epoch, then the verdicts on TESTS."""
    from course_data import bert_name
    from transformers import AutoTokenizer, BertModel, logging

    device = load_device()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    tokenizer = AutoTokenizer.from_pretrained(bert_name())
    X = build_X([sent for sent, _ in DATA], tokenizer, device)
    y = build_y([label for _, label in DATA], device)

    torch.manual_seed(seed)
    classifier = SentimentClassifier(BertModel.from_pretrained(bert_name())).to(device)
    optimizer = torch.optim.Adam(classifier.parameters(), lr=lr)
    for epoch in range(EPOCHS):
        loss = classifier.training_step(X, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"epoch:{epoch}, loss:{loss.item():.4f}")

    analyser = Analyser(classifier, tokenizer, device)
    for text in TESTS:
        print(f"{analyser(text):.2f}  {text}")
    return analyser


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    learn_two()

# %% [markdown]
# ## 320문장으로
#
# 새 칸에서 `analyser = fine_tune()`을 실행하면 이 책의 320문장으로 학습시키고, 시험 문장 504개를 몇 개 맞히는지 적습니다. 1분쯤 걸립니다.
# 위의 네 시험도 넣어 보십시오. `fine_tune(frozen=True, epochs=30, lr=1e-2)`는 BERT를 동결하고 분류층만 학습시킵니다.


# %%
def fine_tune(frozen: bool = False, epochs: int = 8, lr: float = 3e-4) -> Analyser:
    """Train a classifier on the course's sentences and print its accuracy on others.

    A large BERT wants smaller steps: `lr=3e-5`.
    """
    from course_data import bert_name, load_sentences
    from transformers import AutoTokenizer, BertModel

    device = load_device()
    tokenizer = AutoTokenizer.from_pretrained(bert_name())
    bert = BertModel.from_pretrained(bert_name())  # in evaluation mode
    classifier = SentimentClassifier(freeze(bert) if frozen else bert.train())
    classifier = classifier.to(device)
    train_sents, train_labels = load_sentences("train")
    test_sents, test_labels = load_sentences("test")
    X, y = build_X(train_sents, tokenizer, device), build_y(train_labels, device)

    trained = [p for p in classifier.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=lr)
    for _ in range(epochs):
        for rows in torch.randperm(len(y), device=device).split(32):
            loss = classifier.training_step(X[rows], y[rows]) / len(rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    analyser = Analyser(classifier, tokenizer, device)
    pairs = zip(test_sents, test_labels, strict=True)
    right = sum((analyser(sent) > 0.5) == bool(label) for sent, label in pairs)
    print(f"{right} of {len(test_sents)} test sentences right")
    return analyser


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 다른 가중치의 BERT, 문장 하나짜리 배치, 아주 긴 문장, 여러 모드처럼 이 글에 적힌 약속을 그대로 시험합니다.
