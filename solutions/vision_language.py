# %% [markdown]
# # 연습: 그림과 글
#
# **난이도** 3/3 · **시간** 80분 · **배점** 10점 · **먼저 읽을 장** [그림과 글](../../chapters/vision_language.md)
#
# 그림과 글을 잇는 세 방법의 핵심을 만듭니다. CLIP의 손실과 프롬프트로 하는 분류, 언어 모델에 그림을 끼우는 입력과 마스크, 그림만으로
# 배우는 DINO의 손실입니다. 다섯 함수는 서로 쓰지 않으므로 어느 것부터 풀어도 됩니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 받은 텐서는 바꾸지 않습니다. 안에서 만드는 텐서는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

# %% [markdown]
# ## 문제 1. CLIP의 손실
#
# `image`와 `text`의 같은 행이 짝입니다. 행마다 크기를 1로 만든 다음 모든 그림과 모든 글의 내적을 구하고, $e^s$를 곱합니다. $s$는
# `log_scale`입니다. 곱하는 수가 100을 넘으면 100으로 둡니다.
#
# $$Z_{ij} = \min(e^s, 100)\; \hat u_i \cdot \hat v_j$$
#
# 행마다 제 글을 맞히는 교차 엔트로피의 평균과, 열마다 제 그림을 맞히는 교차 엔트로피의 평균을 더해 2로 나눕니다. 짝의 수가 다르면
# `ValueError`를 냅니다.
#
# ```text
# image = [[1., 0.], [0., 2.]]   text = [[1., 0.], [3., 4.]]   log_scale = 0.
#   →  Z = [[1., 0.6], [0., 0.8]]   행의 평균 0.4421, 열의 평균 0.4557   손실 0.4489
# ```


# %% clip_loss tags=["question"]
def clip_loss(
    image: Float[Tensor, "n d"],
    text: Float[Tensor, "m d"],
    log_scale: Float[Tensor, ""],
) -> Float[Tensor, ""]:
    """The symmetric contrastive loss of pictures and their captions.

    Radford et al. 2021, figure 3.

    Args:
        image, text: row i of the one belongs to row i of the other; of any length.
        log_scale: logarithm of what the cosines are multiplied by, 100 at most.

    Raises:
        ValueError: there are not as many pictures as captions.
    """
    ### BEGIN SOLUTION
    if len(image) != len(text):
        raise ValueError(f"{len(image)} pictures and {len(text)} captions")
    image, text = F.normalize(image, dim=-1), F.normalize(text, dim=-1)
    logits = log_scale.exp().clamp(max=100) * image @ text.T
    own = torch.arange(len(image), device=image.device)
    return (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 프롬프트로 분류하기
#
# 분류마다 프롬프트가 하나 이상 있고, 그 수는 분류마다 다를 수 있습니다. 프롬프트의 벡터를 **하나씩 크기 1로 만들어 평균하고, 그 평균을 다시
# 크기 1로** 만듭니다. 이것이 분류의 벡터입니다. 크기를 1로 만든 그림과의 내적을 `(n, classes)`로 돌려주십시오.
#
# ```text
# image = [[0., 2.]]   prompts = [[[3., 0.], [0., 1.]], [[0.6, 0.8]]]
#   →  분류의 벡터 (0.7071, 0.7071), (0.6, 0.8)   [[0.7071, 0.8]]
# ```


# %% zero_shot tags=["question"]
def zero_shot(
    image: Float[Tensor, "n d"], prompts: list[Float[Tensor, "_ d"]]
) -> Float[Tensor, "n classes"]:
    """Cosines of pictures with classes that prompts describe.

    Radford et al. 2021, section 3.1.4.

    Args:
        prompts: for each class the vectors of its prompts, one or more.
    """
    ### BEGIN SOLUTION
    means = [F.normalize(vectors, dim=-1).mean(dim=0) for vectors in prompts]
    classes = F.normalize(torch.stack(means), dim=-1)
    return F.normalize(image, dim=-1) @ classes.T
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 글에 그림 끼우기
#
# 글의 토큰 `ids`에 그림의 자리를 뜻하는 `image_id`가 꼭 한 번 나옵니다. 그 한 자리를 빼고 패치의 벡터 `patches`를 모두 끼웁니다. 나머지 자리에는
# 표 `embedding`의 행이 갑니다. 정답 `labels`도 같은 길이로 만듭니다. 대답(`answer`가 참인 자리)에는 그 토큰의 번호, 그림과 물음에는
# −100을 둡니다. 정답을 한 칸 미는 일은 여기서 하지 않습니다. 손실이 합니다.
#
# `image_id`는 표에 없는 번호일 수 있습니다. 음수이거나, 표의 행의 수보다 클 수도 있습니다. 꼭 한 번 나오지 않으면 `ValueError`를 냅니다.
#
# ```text
# ids = [5, −1, 2, 7]   answer = [F, F, F, T]   image_id = −1   패치 셋 p₀ p₁ p₂
#   →  벡터 E[5] p₀ p₁ p₂ E[2] E[7]   labels = [−100, −100, −100, −100, −100, 7]
# ```


# %% insert_picture tags=["question"]
def insert_picture(
    ids: Int[Tensor, " n"],
    answer: Bool[Tensor, " n"],
    embedding: Float[Tensor, "vocab d"],
    patches: Float[Tensor, "patches d"],
    image_id: int,
) -> tuple[Float[Tensor, "n_new d"], Int[Tensor, " n_new"]]:
    """What a language model reads of a text with a picture, and what it is to write.

    Liu et al. 2023, sections 4.1 and 4.2.

    Args:
        ids: tokens of the text, one of them `image_id`.
        answer: True where the model is to write the token; not at the picture.
        embedding: the language model's own table.
        patches: the picture's projected patch vectors.
        image_id: the placeholder; perhaps no row of the table.

    Returns:
        Vectors of all n − 1 + patches places, and labels, −100 outside the answer.

    Raises:
        ValueError: the placeholder is not there exactly once.
    """
    ### BEGIN SOLUTION
    places = (ids == image_id).nonzero().flatten().tolist()
    if len(places) != 1:
        raise ValueError(f"{len(places)} placeholders of a picture")
    at = places[0]
    before, after = embedding[ids[:at]], embedding[ids[at + 1 :]]
    labels = ids.masked_fill(~answer, -100)
    nothing = labels.new_full((len(patches),), -100)
    return (
        torch.cat([before, patches, after]),
        torch.cat([labels[:at], nothing, labels[at + 1 :]]),
    )
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 그림은 서로 보고, 글은 앞만 보기
#
# `picture`는 자리마다의 번호입니다. 글은 0, 첫 그림의 패치는 모두 1, 둘째 그림의 패치는 모두 2입니다. 어느 자리든 자기와 앞의 모든 자리를 봅니다.
# 거기에 더해, 그림의 패치는 **같은 그림의** 뒤 패치도 봅니다. 보면 참인 `(n, n)`을 돌려주십시오. 행이 보는 쪽입니다.
#
# ```text
# picture = [0, 1, 1, 0]
#   →  [[T, F, F, F], [T, T, T, F], [T, T, T, F], [T, T, T, T]]
# ```


# %% prefix_mask tags=["question"]
def prefix_mask(picture: Int[Tensor, " n"]) -> Bool[Tensor, "n n"]:
    """Causal over the text, both ways within a picture.

    Beyer et al. 2024, figure 2, where the prefix is a picture alone; as Gemma 3 does.

    Args:
        picture: 0 for text; the patches of one picture share a number above 0.
    """
    ### BEGIN SOLUTION
    same = (picture[:, None] == picture) & (picture > 0)
    places = torch.arange(len(picture), device=picture.device)
    return same | (places[:, None] >= places)
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. DINO의 손실과 중심
#
# 학생은 보기(view) $S$개를, 선생은 그 가운데 **앞의** $T$개를 보고 저마다 로짓 $K$개를 냈습니다. 선생의 로짓에서 중심 $c$를 **빼고** 선생의 온도로 나눈
# 소프트맥스가 정답 $p$이고, 학생은 학생의 온도로 나눈 소프트맥스 $q$로 그것을 맞힙니다. 학생에게서는 중심을 빼지 않습니다. 같은 보기끼리의 쌍은 빼고, 남은 모든 쌍과
# 배치에 걸쳐 교차 엔트로피를 평균합니다.
#
# $$\text{loss} = \frac{1}{|\{t \ne s\}|} \sum_{t \ne s} \frac{1}{B} \sum_b -\,p_{t,b} \cdot \log q_{s,b}$$
#
# 새 중심은 $m\,c + (1 - m)\,\bar z$입니다. $\bar z$는 선생의 로짓을 보기와 배치에 걸쳐 평균한 것입니다. 손실과 새 중심을 차례로
# 돌려주십시오. 손실에는 **받은** 중심을 씁니다. 선생과 중심으로는 기울기가 흐르지 않습니다. 쌍이 하나도 없으면 `ValueError`를 냅니다.
#
# ```text
# student = [[[0., 0.]], [[1., 0.]]]   teacher = [[[2., 0.]]]   center = [1., 0.]   온도 1, 0.5   m = 0.9
#   →  p = (0.8808, 0.1192)   손실 0.4325   새 중심 [1.1, 0.]
# ```


# %% dino_loss tags=["question"]
def dino_loss(
    student: Float[Tensor, "views batch k"],
    teacher: Float[Tensor, "global_views batch k"],
    center: Float[Tensor, " k"],
    student_temperature: float = 0.1,
    teacher_temperature: float = 0.04,
    momentum: float = 0.9,
) -> tuple[Float[Tensor, ""], Float[Tensor, " k"]]:
    """Cross-entropy against a centred and sharpened teacher; the next centre.

    Caron et al. 2021, algorithm 1 and equation 4.

    Args:
        student: logits of all views.
        teacher: logits of the first of these views; no gradient flows here.
        center: subtracted from the teacher's logits.
        momentum: the part of the old centre in the new one.

    Raises:
        ValueError: there is no pair of different views.
    """
    ### BEGIN SOLUTION
    if len(teacher) * (len(student) - 1) < 1:
        raise ValueError("no pair of different views")
    teacher, center = teacher.detach(), center.detach()
    target = ((teacher - center) / teacher_temperature).softmax(dim=-1)
    log_guess = (student / student_temperature).log_softmax(dim=-1)
    losses = -torch.einsum("tbk,sbk->ts", target, log_guess) / student.shape[1]
    others = torch.ones_like(losses, dtype=torch.bool).fill_diagonal_(False)
    mean = teacher.mean(dim=(0, 1))
    return losses[others].mean(), momentum * center + (1 - momentum) * mean
    ### END SOLUTION


# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 표에 없는 자리 번호, 이웃한 두 그림, 뒤의 보기처럼 이 글에 적힌 약속을 그대로 시험합니다.
