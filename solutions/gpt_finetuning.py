# %% [markdown]
# # 연습: GPT 파인튜닝
#
# **난이도** 2/3 · **시간** 60분 · **배점** 10점 · **먼저 읽을 장** [GPT 파인튜닝](../../chapters/gpt_finetuning.md)
#
# GPT에는 토큰이 한 줄로만 들어갑니다. 문장 하나, 문장 둘, 보기가 여럿인 문제를 모두 한 줄로 바꾸십시오. 그다음 배치에서 추출 토큰을
# 읽고, 손실 둘을 합치고, 파인튜닝 없이 묻는 프롬프트를 만들고, 라벨마다 점수를 매깁니다.
#
# 문제 1–4의 글은 모두 **토큰 번호의 리스트**입니다. 특수 토큰 셋의 번호 `start`, `delimiter`, `extract`는 이름을 적은 인자로 옵니다.
# 번호가 얼마인지는 부르는 쪽이 정합니다. 결과는 **새 리스트**이고, 받은 리스트는 바꾸지 않습니다.
#
# `# TODO`가 있는 칸을 채우고 그 아래의 `check` 칸을 실행하십시오. 점수와 함께 무엇이 어긋났는지 알려 줍니다.
#
# 안에서 만드는 텐서(마스크, 위치 번호, 0을 채운 것)는 입력과 같은 장치에, 실수이면 입력과 같은 자료형으로 만듭니다.

# %%
import torch
from jaxtyping import Float, Int
from torch import Tensor

# %% [markdown]
# ## 문제 1. 분류
#
# 시작 토큰, 글, 추출 토큰의 차례입니다. 분류층은 마지막에 있는 추출 토큰의 은닉 상태를 읽습니다.
#
# ```text
# format_classification([5, 6], start=1, extract=3)  →  [1, 5, 6, 3]
# ```


# %% format_classification tags=["question"]
def format_classification(text: list[int], *, start: int, extract: int) -> list[int]:
    """Make one sequence of a text to classify (Radford et al. 2018, figure 1).

    Args:
        text: token ids; left unchanged.
        start: id of the start token.
        extract: id of the token whose hidden state is classified.

    Returns:
        The ids, a new list.
    """
    ### BEGIN SOLUTION
    return [start, *text, extract]
    ### END SOLUTION


# %% [markdown]
# ## 문제 2. 함의
#
# 전제(`premise`)가 참이면 가설(`hypothesis`)도 참인지를 묻는 일입니다. 전제와 가설 **사이에** 구분 토큰을 하나 둡니다.
#
# ```text
# format_entailment([5, 6], [7], start=1, delimiter=2, extract=3)  →  [1, 5, 6, 2, 7, 3]
# ```


# %% format_entailment tags=["question"]
def format_entailment(
    premise: list[int],
    hypothesis: list[int],
    *,
    start: int,
    delimiter: int,
    extract: int,
) -> list[int]:
    """Make one sequence of a premise and a hypothesis.

    Radford et al. 2018, section 3.3.

    Args:
        premise: token ids; left unchanged.
        hypothesis: token ids; left unchanged.
        start: id of the start token.
        delimiter: id of the token between the two.
        extract: id of the token whose hidden state is classified.

    Returns:
        The ids, a new list.
    """
    ### BEGIN SOLUTION
    return [start, *premise, delimiter, *hypothesis, extract]
    ### END SOLUTION


# %% [markdown]
# ## 문제 3. 유사도
#
# 두 글이 같은 뜻인지를 묻는 일에는 앞뒤가 없습니다. 그래서 **두 차례 모두** 만듭니다. `a`가 앞에 오는 것이 먼저입니다. 한 줄의 모양은
# 문제 2와 같습니다.
#
# ```text
# format_similarity([5, 6], [7], start=1, delimiter=2, extract=3)  →  [[1, 5, 6, 2, 7, 3],
#                                                                     [1, 7, 2, 5, 6, 3]]
# ```


# %% format_similarity tags=["question"]
def format_similarity(
    a: list[int], b: list[int], *, start: int, delimiter: int, extract: int
) -> list[list[int]]:
    """Make two sequences of two texts, one in each order.

    Radford et al. 2018, section 3.3.

    Args:
        a: token ids; left unchanged.
        b: token ids; left unchanged.
        start: id of the start token.
        delimiter: id of the token between the two.
        extract: id of the token whose hidden state is read.

    Returns:
        Two lists of ids: `a` first, then `b` first.
    """
    ### BEGIN SOLUTION
    orders = [(a, b), (b, a)]
    return [[start, *one, delimiter, *other, extract] for one, other in orders]
    ### END SOLUTION


# %% [markdown]
# ## 문제 4. 여러 보기
#
# 보기마다 한 줄을 만듭니다. `context`에는 글과 질문이 이미 이어져 있습니다. 줄마다 `context` 전체를 쓰고, 구분 토큰을 두고, 보기를 하나
# 씁니다. 줄의 길이는 서로 달라도 됩니다. 패딩은 나중 일입니다.
#
# ```text
# format_multiple_choice([5, 6], [[7], [8, 9]], start=1, delimiter=2, extract=3)  →  [[1, 5, 6, 2, 7, 3],
#                                                                                    [1, 5, 6, 2, 8, 9, 3]]
# ```


# %% format_multiple_choice tags=["question"]
def format_multiple_choice(
    context: list[int],
    choices: list[list[int]],
    *,
    start: int,
    delimiter: int,
    extract: int,
) -> list[list[int]]:
    """Make one sequence a choice (Radford et al. 2018, section 3.3).

    Args:
        context: token ids of the text and the question, already joined; left unchanged.
        choices: token ids of each possible answer; left unchanged.
        start: id of the start token.
        delimiter: id of the token between context and answer.
        extract: id of the token whose hidden state is scored.

    Returns:
        A list of ids for each choice, in the order of the choices.
    """
    ### BEGIN SOLUTION
    return [[start, *context, delimiter, *choice, extract] for choice in choices]
    ### END SOLUTION


# %% [markdown]
# ## 문제 5. 추출 토큰 읽기
#
# 문제 1–4의 줄을 배치 하나에 담으면 짧은 줄은 **뒤가** 패딩으로 찹니다. `lengths`는 줄마다 진짜 토큰의 수이고, 추출 토큰은 그
# 마지막입니다. 줄마다 추출 토큰의 은닉 상태를 꺼내십시오.
#
# ```text
# hidden (2, 3, 1)            lengths        결과 (2, 1)
# [[[1.], [2.], [9.]],
#  [[3.], [4.], [5.]]]        [2, 3]    →    [[2.], [5.]]
# ```
#
# - 줄은 적어도 한 토큰입니다. 가장 긴 줄도 패딩으로 끝날 수 있습니다. 다른 자리의 값은 NaN이라도 결과에 섞이지 않습니다.
# - 기울기가 은닉 상태로 흘러야 하고, 장치와 자료형은 `hidden`의 것입니다. 받은 텐서는 바꾸지 않습니다.


# %% read_extract tags=["question"]
def read_extract(
    hidden: Float[Tensor, "batch n d"], lengths: Int[Tensor, "batch"]
) -> Float[Tensor, "batch d"]:
    """Take the hidden state of each row's extract token, its last real one.

    Args:
        hidden: of rows padded on the right; gradients flow to it.
        lengths: number of real tokens of each row, at least one.
    """
    ### BEGIN SOLUTION
    rows = torch.arange(len(lengths), device=hidden.device)
    return hidden[rows, lengths - 1]
    ### END SOLUTION


# %% [markdown]
# ## 문제 6. 손실 합치기
#
# 분류의 손실에 언어 모델의 손실을 `lam`배 해서 더합니다. 논문의 $L_3 = L_2 + \lambda L_1$입니다. 기울기는 **두 손실 모두로** 흘러야
# 합니다.
#
# ```text
# combined_loss(tensor(2.0), tensor(4.0), 0.5)  →  tensor(4.0)
# ```


# %% combined_loss tags=["question"]
def combined_loss(
    clf_loss: Float[Tensor, ""], lm_loss: Float[Tensor, ""], lam: float
) -> Float[Tensor, ""]:
    """Add the language model's loss as a second objective.

    Radford et al. 2018, equation 5.

    Args:
        clf_loss: the task's loss.
        lm_loss: the language model's loss on the same texts.
        lam: the weight of `lm_loss`; 0.5 in the paper.

    Returns:
        A loss through which gradients reach both.
    """
    ### BEGIN SOLUTION
    return clf_loss + lam * lm_loss
    ### END SOLUTION


# %% [markdown]
# ## 문제 7. 퓨샷 프롬프트
#
# 이제 토큰 번호가 아니라 글입니다. 예를 몇 개 보여 주고, 같은 꼴로 묻고, **답이 시작될 자리에서** 끝냅니다. 예 하나가 문단 하나입니다.
#
# ```text
# few_shot_prompt([("또 보고 싶다", "긍정"), ("졸았다", "부정")], "표가 아깝다", "감정을 적으십시오.")
#
# 감정을 적으십시오.
#
# 문장: 또 보고 싶다
# 감정: 긍정
#
# 문장: 졸았다
# 감정: 부정
#
# 문장: 표가 아깝다
# 감정:
# ```
#
# - 문단과 문단 사이는 빈 줄 하나(`"\n\n"`)입니다. `문장: `과 `감정: `이라는 말은 다른 말로 바꾸어도 되지만 예와 물음에서 같아야 합니다.
# - 예는 받은 차례를 지키고, 물음이 마지막입니다. 물음에는 라벨이 없고, 예와 같은 꼴로 라벨 바로 앞까지 씁니다.
# - 마지막 글자는 위의 `:`처럼 **공백이나 줄바꿈이 아닌** 글자입니다. 공백은 모델이 쓸 답의 몫입니다.
# - `instruction`이 빈 문자열이면 그 문단은 없습니다. `examples`가 비어 있으면 물음만 남습니다(제로샷).


# %% few_shot_prompt tags=["question"]
def few_shot_prompt(
    examples: list[tuple[str, str]], query: str, instruction: str = ""
) -> str:
    """Write a prompt that shows a task by examples (Brown et al. 2020, figure 2.1).

    Args:
        examples: pairs (text, label); left unchanged, and empty for zero-shot.
        query: the text to be labelled.
        instruction: what to do, as the first paragraph; none if empty.

    Returns:
        Paragraphs with one empty line between them: instruction, examples, and the
        query in the examples' form up to where its label would begin, with no space at
        the end.
    """
    ### BEGIN SOLUTION
    paragraphs = [instruction] if instruction else []
    paragraphs += [f"문장: {text}\n감정: {label}" for text, label in examples]
    paragraphs.append(f"문장: {query}\n감정:")
    return "\n\n".join(paragraphs)
    ### END SOLUTION


# %% [markdown]
# ## 문제 8. 라벨에 점수 매기기
#
# 프롬프트 뒤에 라벨을 이어 붙인 줄을 라벨마다 하나씩 만들어 모델에 넣었습니다. **라벨의 토큰**이 그 자리에 올 로그 확률을 더하면 그
# 라벨의 점수입니다. `log_probs[i, t]`는 `i`번째 줄을 `t`번째 토큰까지 읽은 모델이 **그다음** 토큰에 매긴 로그 확률이고,
# `ids[i, t]`는 그 줄의 `t`번째 토큰입니다. `t`는 0부터 셉니다.
#
# - 줄은 프롬프트, 라벨, 패딩의 차례입니다. 프롬프트는 모든 줄에서 `prompt_length`토큰이고, `lengths[i]`는 프롬프트와 라벨을 더한
#   토큰의 수입니다. 둘 다 적어도 한 토큰입니다.
# - `per_token`이 `True`이면 라벨의 **토큰 수로 나눈** 값입니다.
# - 라벨이 아닌 토큰의 로그 확률은 `-inf`라도 점수에 아무 영향이 없습니다.
# - 결과의 장치와 자료형은 `log_probs`의 것입니다.
#
# ```text
# 프롬프트 두 토큰 뒤에 라벨의 토큰 둘이 확률 1/2과 1/3로 이어지면
#   합    ln 1/2 + ln 1/3 = -1.792
#   평균  -1.792 / 2      = -0.896
# ```


# %% score_labels tags=["question"]
def score_labels(
    log_probs: Float[Tensor, "labels n vocab"],
    ids: Int[Tensor, "labels n"],
    lengths: Int[Tensor, "labels"],
    prompt_length: int,
    per_token: bool = False,
) -> Float[Tensor, "labels"]:
    """Score each label by its own tokens' log-probabilities after a prompt.

    Brown et al. 2020, section 2.4.

    Args:
        log_probs: the model's, of the token after each one.
        ids: one row a label: prompt, label, padding.
        lengths: number of real tokens of each row, prompt and label.
        prompt_length: number of the prompt's tokens, the same in all rows.
        per_token: the mean over the label's tokens instead of their sum.

    Returns:
        A score for each label, higher is likelier.
    """
    ### BEGIN SOLUTION
    scores = log_probs[:, :-1].gather(-1, ids[:, 1:, None]).squeeze(-1)
    places = torch.arange(1, ids.shape[1], device=ids.device)
    in_label = (places >= prompt_length) & (places < lengths[:, None])
    total = scores.masked_fill(~in_label, 0.0).sum(dim=-1)
    return total / (lengths - prompt_length) if per_token else total
    ### END SOLUTION


# %% [markdown]
# ## 가르치지 않고 묻기
#
# 라벨을 하나도 본 적 없는 작은 한국어 GPT에게 이 책의 영화평이 긍정인지 묻습니다. 문장 뒤에 '최고'와 '최악'을 이어 붙이고 여러분의
# `score_labels`로 어느 쪽이 그럴듯한지 봅니다. 아무 문장도 없을 때의 치우침은 뺍니다. 그다음 `few_shot_prompt`로 예를 보여 주고 같은 것을 묻습니다.
# 점수는 없습니다.
#
# - 동전 던지기보다 얼마나 낫습니까?
# - 예를 보여 주면 나아집니까? 영화평만 읽은 작은 모델에게 예는 무엇으로 보이겠습니까?


# %%
@torch.no_grad()
def leaning(gpt, tokenizer, prompt: str) -> float:
    """How much likelier the first label is than the second after a prompt."""
    start = tokenizer(prompt)["input_ids"][:-1]  # without [SEP]
    labels = tokenizer.convert_tokens_to_ids(["최고", "최악"])
    ids = torch.tensor([[*start, label] for label in labels])
    log_probs = gpt(ids).logits.log_softmax(dim=-1)
    lengths = torch.tensor([len(start) + 1] * 2)
    good, bad = score_labels(log_probs, ids, lengths, len(start)).tolist()
    return good - bad


def ask(examples: list[tuple[str, str]], count: int = 200) -> None:
    """Print for how many sentences on films tiny GPT leans to the right side."""
    from course_data import load_model, sentence_rows

    gpt, tokenizer = load_model("GPT2LMHeadModel")

    def prompt(text):
        return few_shot_prompt(examples, text) if examples else text

    nothing = leaning(gpt, tokenizer, prompt(""))
    rows = [row for row in sentence_rows("test") if row["domain"] == "film"][:count]
    right = 0
    for row in rows:
        good = leaning(gpt, tokenizer, prompt(row["sentence"])) > nothing
        right += good == (row["label"] == "1")
    print(f"{len(examples)} examples: {right} of {len(rows)} sentences right")


# %% tags=["at-home"]
if __name__ == "__main__":  # in the notebook
    ask([])
    ask([("정말 재미있다", "최고"), ("돈이 아깝다", "최악")])

# %% [markdown]
# ## 끝내기 전에
#
# 모든 칸을 처음부터 다시 실행하고(Restart & Run All), 아래 칸으로 전체 점수를 확인하십시오. 제출한 뒤에는 여기 보이지 않는
# 시험이 더 있습니다. 다른 번호의 특수 토큰, 빈 글, 한 줄뿐인 배치, 예가 없는 프롬프트, Hugging Face의 손실과 같은 점수처럼 이 글에
# 적힌 약속을 그대로 시험합니다.
