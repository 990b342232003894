"""Wrong answers that people give to the exercise `gpt_finetuning`."""

import torch

from grader.judging.mistakes import wrong

# format_classification --------------------------------------------------------------------------------------


@wrong("format_classification", read="gft-extract")
def classification_without_start(text, *, start, extract):
    """시작 토큰을 빠뜨렸습니다. 줄의 첫 토큰은 start입니다."""
    return [*text, extract]


@wrong("format_classification", read="gft-extract")
def classification_without_extract(text, *, start, extract):
    """추출 토큰을 빠뜨렸습니다. 분류층이 읽을 자리가 없습니다."""
    return [start, *text]


@wrong("format_classification", read="gft-extract")
def extract_before_the_text(text, *, start, extract):
    """추출 토큰을 글 앞에 두었습니다. GPT는 앞만 보므로 그 자리에서는 글이 보이지 않습니다. 맨 뒤에 두십시오."""
    return [start, extract, *text]


@wrong("format_classification", read="gft-extract")
def reads_at_the_front(text, *, start, extract):
    """시작 토큰과 추출 토큰을 바꾸어 놓았습니다. BERT의 [CLS]처럼 맨 앞에서 읽을 수는 없습니다."""
    return [extract, *text, start]


@wrong("format_classification", read="gft-extract")
def classification_nested(text, *, start, extract):
    """글의 리스트를 리스트 안에 그대로 넣었습니다. *text로 펼쳐 번호만 한 줄로 놓으십시오."""
    return [start, text, extract]


@wrong("format_classification", read="gft-alias", slip=True)
def classification_in_place(text, *, start, extract):
    """받은 리스트에 토큰을 끼워 넣었습니다. 다시 부르면 특수 토큰이 두 번 붙습니다. 새 리스트를 만드십시오."""
    text.insert(0, start)
    text.append(extract)
    return text


@wrong("format_classification", read="gft-extract")
def extract_on_both_sides(text, *, start, extract):
    """추출 토큰이 글의 앞뒤에 있습니다. 앞은 시작 토큰이고, 추출 토큰은 끝에 하나뿐입니다."""
    return [extract, *text, extract]


@wrong("format_classification", read="gft-extract")
def extract_twice(text, *, start, extract):
    """추출 토큰이 둘입니다. 분류에는 구분 토큰이 없고, 추출 토큰은 끝에 하나뿐입니다."""
    return [start, *text, extract, extract]


@wrong("format_classification", read="gft-extract")
def marks_of_the_example(text, *, start, extract):
    """받은 번호가 아닌 것을 특수 토큰의 자리에 두었습니다. 번호는 부를 때마다 다를 수 있으니 start와 extract를 쓰십시오."""
    return [1, *text, 3]


@wrong("format_classification", read="gft-extract", slip=True)
def nothing_for_an_empty_text(text, *, start, extract):
    """글이 비어 있을 때를 달리 다루었습니다. 비어 있어도 시작 토큰과 추출 토큰은 있습니다."""
    return [start, *text, extract] if text else []


# format_entailment ------------------------------------------------------------------------------------------


@wrong("format_entailment", read="gft-delimiter")
def entailment_without_delimiter(premise, hypothesis, *, start, delimiter, extract):
    """구분 토큰을 빠뜨렸습니다. 전제가 어디에서 끝나는지 알 수 없습니다."""
    return [start, *premise, *hypothesis, extract]


@wrong("format_entailment", read="gft-delimiter")
def hypothesis_first(premise, hypothesis, *, start, delimiter, extract):
    """가설을 전제 앞에 두었습니다. 함의에는 방향이 있습니다."""
    return [start, *hypothesis, delimiter, *premise, extract]


@wrong("format_entailment", read="gft-delimiter")
def delimiter_after_both(premise, hypothesis, *, start, delimiter, extract):
    """구분 토큰이 둘입니다. BERT처럼 글의 끝마다 붙이지 않습니다. 구분 토큰은 둘 사이에 하나뿐입니다."""
    return [start, *premise, delimiter, *hypothesis, delimiter, extract]


@wrong("format_entailment", read="gft-extract")
def entailment_without_an_end(premise, hypothesis, *, start, delimiter, extract):
    """start나 extract로 받은 번호가 줄에 없습니다. 줄은 start로 시작하고 extract로 끝납니다."""
    return [start, *premise, delimiter, *hypothesis, delimiter]


@wrong("format_entailment", read="gft-delimiter")
def two_starts(premise, hypothesis, *, start, delimiter, extract):
    """가설 앞에 시작 토큰을 또 두었습니다. 두 글은 한 줄이므로 시작 토큰은 하나입니다."""
    return [start, *premise, delimiter, start, *hypothesis, extract]


@wrong("format_entailment", read="gft-delimiter")
def entailment_in_two_rows(premise, hypothesis, *, start, delimiter, extract):
    """전제와 가설을 두 줄로 나누었습니다. 한 줄에 있어야 가설이 전제를 볼 수 있습니다."""
    return [[start, *premise, extract], [start, *hypothesis, extract]]


@wrong("format_entailment", read="gft-alias", slip=True)
def entailment_in_place(premise, hypothesis, *, start, delimiter, extract):
    """받은 리스트를 바꾸었습니다. append, insert, extend, +=는 부른 쪽의 리스트를 바꿉니다. 새 리스트를 만드십시오."""
    premise += [delimiter, *hypothesis]
    return [start, *premise, extract]


@wrong("format_entailment", read="gft-extract")
def extract_behind_each(premise, hypothesis, *, start, delimiter, extract):
    """글마다 뒤에 추출 토큰을 두었습니다. 사이에는 구분 토큰, 추출 토큰은 끝에 하나입니다."""
    return [start, *premise, extract, *hypothesis, extract]


@wrong("format_entailment", read="gft-delimiter")
def delimiter_and_extract_exchanged(premise, hypothesis, *, start, delimiter, extract):
    """구분 토큰과 추출 토큰이 바뀌었습니다. 사이가 구분 토큰, 끝이 추출 토큰입니다."""
    return [start, *premise, extract, *hypothesis, delimiter]


@wrong("format_entailment", read="gft-delimiter", slip=True)
def no_delimiter_beside_nothing(premise, hypothesis, *, start, delimiter, extract):
    """전제나 가설이 비어 있을 때를 달리 다루었습니다. 비어 있어도 구분 토큰과 나머지 특수 토큰은 그대로 있습니다."""
    return [start, *premise, *([delimiter] if premise and hypothesis else []), *hypothesis, extract]


# format_similarity ------------------------------------------------------------------------------------------


@wrong("format_similarity", read="gft-both-orders")
def one_order_only(a, b, *, start, delimiter, extract):
    """한 차례만 만들었습니다. 유사도에는 앞뒤가 없으므로 b가 앞인 줄도 필요합니다."""
    return [[start, *a, delimiter, *b, extract]]


@wrong("format_similarity", read="gft-both-orders")
def similarity_as_entailment(a, b, *, start, delimiter, extract):
    """한 차례만, 그것도 리스트에 담지 않고 돌려주었습니다. 두 줄의 리스트여야 합니다."""
    return [start, *a, delimiter, *b, extract]


@wrong("format_similarity", read="gft-both-orders")
def same_order_twice(a, b, *, start, delimiter, extract):
    """같은 차례를 두 번 넣었습니다. 둘째 줄은 b가 앞이어야 합니다."""
    return [[start, *a, delimiter, *b, extract]] * 2


@wrong("format_similarity", read="gft-both-orders")
def reverses_the_tokens(a, b, *, start, delimiter, extract):
    """두 글의 차례가 아니라 토큰의 차례를 뒤집었습니다. 글 안의 차례는 그대로 둡니다."""
    return [[start, *row, extract] for row in ([*a, delimiter, *b], [*a, delimiter, *b][::-1])]


@wrong("format_similarity", read="gft-both-orders")
def both_orders_in_one_row(a, b, *, start, delimiter, extract):
    """두 차례를 한 줄로 이었습니다. 따로 넣고, 추출 토큰의 은닉 상태를 나중에 더합니다."""
    return [start, *a, delimiter, *b, delimiter, *a, extract]


@wrong("format_similarity", read="gft-delimiter")
def similarity_without_delimiter(a, b, *, start, delimiter, extract):
    """구분 토큰을 빠뜨렸습니다. 한 글이 어디에서 끝나는지 알 수 없습니다."""
    return [[start, *a, *b, extract], [start, *b, *a, extract]]


@wrong("format_similarity", read="gft-both-orders")
def one_row_a_text(a, b, *, start, delimiter, extract):
    """두 글을 따로 한 줄씩 만들었습니다. 한 줄에 둘이 함께 있어야 서로 비교할 수 있습니다."""
    return [[start, *a, extract], [start, *b, extract]]


@wrong("format_similarity", read="gft-both-orders")
def b_before_a(a, b, *, start, delimiter, extract):
    """b가 앞인 줄을 먼저 두었습니다. a가 앞인 줄이 먼저입니다."""
    return [[start, *b, delimiter, *a, extract], [start, *a, delimiter, *b, extract]]


@wrong("format_similarity", read="gft-both-orders")
def two_rows_in_one_list(a, b, *, start, delimiter, extract):
    """두 줄을 한 리스트로 이었습니다. 줄마다 리스트가 따로 있어야 합니다."""
    return [start, *a, delimiter, *b, extract, start, *b, delimiter, *a, extract]


@wrong("format_similarity", read="gft-both-orders")
def second_without_delimiter(a, b, *, start, delimiter, extract):
    """둘째 줄에 구분 토큰이 없습니다. 두 줄은 글의 차례만 다릅니다."""
    return [[start, *a, delimiter, *b, extract], [start, *b, *a, extract]]


@wrong("format_similarity", read="gft-alias")
def similarity_in_place(a, b, *, start, delimiter, extract):
    """받은 리스트를 바꾸었습니다. append, insert, extend, +=는 부른 쪽의 리스트를 바꿉니다. 새 리스트를 만드십시오."""
    a.append(delimiter)
    return [[start, *a, *b, extract], [start, *b, *a, extract]]


@wrong("format_similarity", read="gft-delimiter")
def similarity_with_wrong_marks(a, b, *, start, delimiter, extract):
    """특수 토큰이 빠졌거나 더 있습니다. 줄마다 받은 start, delimiter, extract가 하나씩 있습니다."""
    return [[start, *x, delimiter, *y, delimiter, extract] for x, y in ((a, b), (b, a))]


@wrong("format_similarity", read="gft-both-orders")
def rows_sorted(a, b, *, start, delimiter, extract):
    """줄의 차례가 글의 값이나 길이에 따라 달라집니다. 정렬하지 말고, 언제나 a가 앞인 줄을 먼저 두십시오."""
    return sorted([[start, *a, delimiter, *b, extract], [start, *b, delimiter, *a, extract]])


@wrong("format_similarity", read="gft-both-orders", slip=True)
def one_row_for_equal_texts(a, b, *, start, delimiter, extract):
    """두 글이 같을 때 한 줄만 남겼습니다. 같아도 줄은 둘입니다."""
    rows = [[start, *a, delimiter, *b, extract], [start, *b, delimiter, *a, extract]]
    return rows[:1] if a == b else rows


# format_multiple_choice -------------------------------------------------------------------------------------


@wrong("format_multiple_choice", read="gft-choices")
def all_choices_in_one_row(context, choices, *, start, delimiter, extract):
    """보기를 모두 한 줄에 넣었습니다. 보기마다 줄이 따로 있어야 점수도 따로 나옵니다."""
    row = [start, *context]
    for choice in choices:
        row += [delimiter, *choice]
    return [[*row, extract]]


@wrong("format_multiple_choice", read="gft-choices")
def choices_alone(context, choices, *, start, delimiter, extract):
    """글과 질문을 빠뜨렸습니다. 보기만 보고는 맞는지 알 수 없습니다."""
    return [[start, *choice, extract] for choice in choices]


@wrong("format_multiple_choice", read="gft-choices")
def context_in_the_first_row_only(context, choices, *, start, delimiter, extract):
    """글과 질문을 첫 줄에만 넣었습니다. 줄은 서로를 볼 수 없으므로 줄마다 있어야 합니다."""
    return [[start, *(() if i else context), delimiter, *choice, extract] for i, choice in enumerate(choices)]


@wrong("format_multiple_choice", read="gft-delimiter")
def choices_without_delimiter(context, choices, *, start, delimiter, extract):
    """구분 토큰을 빠뜨렸습니다. 질문이 어디에서 끝나고 보기가 시작되는지 알 수 없습니다."""
    return [[start, *context, *choice, extract] for choice in choices]


@wrong("format_multiple_choice", read="gft-choices")
def choice_before_context(context, choices, *, start, delimiter, extract):
    """보기를 글 앞에 두었습니다. 글과 질문이 먼저, 보기가 나중입니다."""
    return [[start, *choice, delimiter, *context, extract] for choice in choices]


@wrong("format_multiple_choice", read="gft-alias")
def context_grows(context, choices, *, start, delimiter, extract):
    """한 리스트에 보기를 이어 붙여, 뒤의 줄에 앞의 보기가 섞였습니다. 줄마다 새 리스트를 만드십시오."""
    rows = []
    for choice in choices:
        context += [delimiter, *choice]
        rows.append([start, *context, extract])
    return rows


@wrong("format_multiple_choice", read="gft-choices")
def returns_in_the_loop(context, choices, *, start, delimiter, extract):
    """반복문 안에서 돌려주어 첫 보기만 남았습니다. 보기의 수만큼 줄이 있어야 합니다."""
    for choice in choices:
        return [[start, *context, delimiter, *choice, extract]]


@wrong("format_multiple_choice", read="gft-choices")
def pads_the_rows(context, choices, *, start, delimiter, extract):
    """줄의 길이를 맞추려고 뒤에 토큰을 채웠습니다. 추출 토큰이 마지막이어야 하고, 패딩은 이 함수의 일이 아닙니다."""
    rows = [[start, *context, delimiter, *choice, extract] for choice in choices]
    longest = max(map(len, rows))
    return [row + [0] * (longest - len(row)) for row in rows]


@wrong("format_multiple_choice", read="gft-choices")
def all_choices_in_one_list(context, choices, *, start, delimiter, extract):
    """보기를 모두 이어 리스트 하나로 돌려주었습니다. 보기마다 줄(리스트)이 따로 있어야 합니다."""
    return all_choices_in_one_row(context, choices, start=start, delimiter=delimiter, extract=extract)[0]


@wrong("format_multiple_choice", read="gft-choices")
def first_two_choices(context, choices, *, start, delimiter, extract):
    """앞의 보기 둘만 넣었습니다. 보기의 수만큼 줄을 만드십시오."""
    return [[start, *context, delimiter, *choice, extract] for choice in choices[:2]]


@wrong("format_multiple_choice", read="gft-choices", slip=True)
def choices_sorted(context, choices, *, start, delimiter, extract):
    """보기를 정렬했습니다. 라벨이 보기의 번호이므로 받은 차례를 지켜야 합니다."""
    return [[start, *context, delimiter, *choice, extract] for choice in sorted(choices, key=len)]


@wrong("format_multiple_choice", read="gft-alias", slip=True)
def choices_in_place(context, choices, *, start, delimiter, extract):
    """받은 글이나 보기의 리스트를 바꾸었습니다. append, insert, +=는 부른 쪽의 리스트를 바꿉니다. 새 리스트를 만드십시오."""
    for choice in choices:
        choice.append(extract)
    return [[start, *context, delimiter, *choice] for choice in choices]


@wrong("format_multiple_choice", read="gft-delimiter")
def choices_with_wrong_marks(context, choices, *, start, delimiter, extract):
    """특수 토큰이 빠졌거나 더 있습니다. 줄마다 받은 start, delimiter, extract가 하나씩 있습니다."""
    return [[start, *context, delimiter, *choice, delimiter, extract] for choice in choices]


@wrong("format_multiple_choice", read="gft-choices", slip=True)
def skips_empty_choices(context, choices, *, start, delimiter, extract):
    """빈 보기를 건너뛰거나 달리 다루었습니다. 라벨이 보기의 번호이므로, 비어 있어도 그 보기의 줄이 있습니다."""
    return [[start, *context, delimiter, *choice, extract] for choice in choices if choice]


# read_extract -----------------------------------------------------------------------------------------------


@wrong("read_extract", read="gft-read")
def last_column(hidden, lengths):
    """텐서의 마지막 열을 읽었습니다. 짧은 줄에서 그 자리는 패딩입니다. 줄마다 lengths - 1번째를 읽으십시오."""
    return hidden[:, -1]


@wrong("read_extract", read="gft-extract")
def first_column(hidden, lengths):
    """맨 앞의 토큰을 읽었습니다. BERT의 [CLS]가 아닙니다. GPT의 맨 앞은 글을 보지 못합니다."""
    return hidden[:, 0]


@wrong("read_extract", read="gft-read")
def one_too_far(hidden, lengths):
    """lengths번째 자리를 읽었습니다. 0부터 세므로 마지막 토큰은 lengths - 1번째이고, 그다음은 패딩이거나 없는 자리입니다."""
    return hidden[torch.arange(len(lengths)), lengths]


@wrong("read_extract", read="gft-read")
def one_too_early(hidden, lengths):
    """추출 토큰의 바로 앞을 읽었습니다. 마지막 토큰은 lengths - 1번째입니다. 1을 두 번 빼지 않았는지 보십시오."""
    return hidden[torch.arange(len(lengths)), lengths - 2]


@wrong("read_extract", read="gft-read")
def every_row_at_every_length(hidden, lengths):
    """hidden[:, lengths - 1]은 모든 줄에서 모든 길이의 자리를 꺼냅니다. 줄의 번호도 함께 짝지어 주어야 합니다."""
    return hidden[:, lengths - 1]


@wrong("read_extract", read="gft-read")
def end_of_the_longest(hidden, lengths):
    """가장 긴 줄의 끝을 모든 줄에서 읽었습니다. 짧은 줄에서 그 자리는 패딩입니다."""
    return hidden[:, int(lengths.max()) - 1]


@wrong("read_extract", read="gft-read")
def mean_of_the_real_tokens(hidden, lengths):
    """꺼낸 것이 어느 한 자리의 은닉 상태가 아닙니다. 평균이나 합을 내지 마십시오. 분류층은 추출 토큰 하나만 읽습니다."""
    return torch.stack([row[:n].mean(dim=0) for row, n in zip(hidden, lengths.tolist(), strict=True)])


@wrong("read_extract", read="gft-read")
def always_in_the_first_row(hidden, lengths):
    """줄을 모두 이어 놓고 lengths - 1번째를 읽어, 모든 결과가 첫 줄에서 나왔습니다. 줄마다 앞의 줄들만큼 밀린 자리입니다."""
    return hidden.flatten(0, 1)[lengths - 1]


@wrong("read_extract", read="gft-read")
def keeps_the_axis(hidden, lengths):
    """결과에 길이 1인 축이 남았습니다. 모양은 (batch, d)여야 합니다."""
    return hidden[torch.arange(len(lengths)), lengths - 1][:, None]


@wrong("read_extract", read="gft-cut")
def read_without_gradient(hidden, lengths):
    """기울기가 끊겼습니다. detach()나 no_grad, 새 torch.tensor를 지나면 분류층만 배우고 GPT는 그대로 남습니다."""
    return hidden.detach()[torch.arange(len(lengths)), lengths - 1]


@wrong("read_extract", read="gft-alias", slip=True)
def lengths_in_place(hidden, lengths):
    """lengths -= 1로 받은 텐서를 바꾸었습니다. 다음에 부르면 한 자리 앞을 읽게 됩니다."""
    lengths -= 1
    return hidden[torch.arange(len(lengths)), lengths]


@wrong("read_extract", read="gft-read")
def counted_from_the_end(hidden, lengths):
    """텐서의 끝에서부터 세었습니다. 가장 긴 줄도 패딩으로 끝날 수 있습니다. 앞에서 lengths - 1번째입니다."""
    return hidden[torch.arange(len(lengths)), hidden.shape[1] - 1 - (lengths.max() - lengths)]


@wrong("read_extract", read="gft-read", slip=True)
def squeezes_every_axis(hidden, lengths):
    """길이 1인 축이 사라졌습니다. squeeze()는 batch나 d가 1일 때 그 축도 없앱니다. 없앨 축의 번호를 주십시오."""
    return hidden[torch.arange(len(lengths)), lengths - 1].squeeze()


@wrong("read_extract", read="gft-shift", slip=True)
def multiplies_by_zeros(hidden, lengths):
    """다른 자리에 0을 곱해서 지웠습니다. NaN은 0을 곱해도 NaN입니다. 번호로 꺼내십시오."""
    last = torch.arange(hidden.shape[1]) == lengths[:, None] - 1
    return (hidden * last[..., None]).sum(dim=1)


@wrong("read_extract", read="gft-read", slip=True)
def read_into_another_kind(hidden, lengths):
    """결과의 자료형이나 장치가 hidden의 것이 아닙니다. 결과를 담을 텐서를 만들 때 둘을 hidden에 맞추십시오."""
    return hidden[torch.arange(len(lengths)), lengths - 1].float()


# combined_loss ----------------------------------------------------------------------------------------------


@wrong("combined_loss", read="gft-lambda")
def plain_sum(clf_loss, lm_loss, lam):
    """lam을 쓰지 않고 더했습니다. 언어 모델의 손실에 lam을 곱하십시오."""
    return clf_loss + lm_loss


@wrong("combined_loss", read="gft-lambda")
def weighted_mean(clf_loss, lm_loss, lam):
    """(1 - lam)을 분류의 손실에 곱했습니다. 분류의 손실은 그대로 두고 lam배를 더합니다."""
    return (1 - lam) * clf_loss + lam * lm_loss


@wrong("combined_loss", read="gft-lambda")
def weighs_the_classifier(clf_loss, lm_loss, lam):
    """lam을 분류의 손실에 곱했습니다. 거드는 쪽은 언어 모델의 손실입니다."""
    return lam * clf_loss + lm_loss


@wrong("combined_loss", read="gft-lambda")
def weighs_the_sum(clf_loss, lm_loss, lam):
    """lam을 합 전체에 곱했습니다. 언어 모델의 손실에만 곱합니다."""
    return lam * (clf_loss + lm_loss)


@wrong("combined_loss", read="gft-lambda")
def mean_of_both(clf_loss, lm_loss, lam):
    """더한 값을 2로 나누었습니다. 평균이 아니라 합입니다."""
    return (clf_loss + lam * lm_loss) / 2


@wrong("combined_loss", read="gft-lambda")
def subtracts(clf_loss, lm_loss, lam):
    """언어 모델의 손실을 빼었습니다. 둘 다 줄여야 하므로 더합니다."""
    return clf_loss - lam * lm_loss


@wrong("combined_loss", read="gft-cut")
def detached(clf_loss, lm_loss, lam):
    """두 손실 가운데 하나에서 기울기가 끊겼습니다. detach()나 item()을 지나면 값은 맞지만 그 손실에서는 아무것도 배우지 못합니다."""
    return clf_loss + lam * lm_loss.detach()


@wrong("combined_loss", read="gft-cut")
def by_item(clf_loss, lm_loss, lam):
    """기울기가 어느 쪽으로도 흐르지 않습니다. 꺼낸 수를 새 텐서에 담으면, requires_grad를 켜도 두 손실과 이어지지 않습니다."""
    return clf_loss.new_tensor(clf_loss.item() + lam * lm_loss.item())


@wrong("combined_loss", read="gft-lambda")
def always_half(clf_loss, lm_loss, lam):
    """lam과 상관없이 0.5를 곱했습니다. 받은 lam을 쓰십시오."""
    return clf_loss + 0.5 * lm_loss


@wrong("combined_loss", read="gft-lambda")
def average_of_both(clf_loss, lm_loss, lam):
    """1 + lam으로 나누었습니다. 식은 평균이 아니라 합입니다."""
    return (clf_loss + lam * lm_loss) / (1 + lam)


@wrong("combined_loss", read="gft-alias", slip=True)
def loss_in_place(clf_loss, lm_loss, lam):
    """받은 손실을 제자리에서 바꾸었습니다. +=나 add_ 대신 새 텐서로 더하십시오."""
    clf_loss += lam * lm_loss
    return clf_loss


@wrong("combined_loss", read="gft-lambda", slip=True)
def zero_means_half(clf_loss, lm_loss, lam):
    """lam이 0일 때 다른 값을 썼습니다. 0도 받은 값입니다. or는 0을 없는 것으로 봅니다."""
    return clf_loss + (lam or 0.5) * lm_loss


# few_shot_prompt --------------------------------------------------------------------------------------------


def _prompt(examples, query, instruction, *, gap="\n\n", end="감정:"):
    parts = [instruction] if instruction else []
    parts += [f"문장: {text}\n감정: {label}" for text, label in examples]
    return gap.join([*parts, f"문장: {query}\n{end}"])


@wrong("few_shot_prompt", read="gft-prompt-end")
def trailing_space(examples, query, instruction=""):
    """'감정:' 뒤에 빈칸을 남겼습니다. 빈칸은 모델이 쓸 답의 첫머리입니다."""
    return _prompt(examples, query, instruction, end="감정: ")


@wrong("few_shot_prompt", read="gft-prompt-end")
def trailing_newline(examples, query, instruction=""):
    """마지막에 줄바꿈을 남겼습니다. 예에서는 라벨이 같은 줄에 있으므로 물음도 그 줄에서 끝나야 합니다."""
    return _prompt(examples, query, instruction, end="감정:\n")


@wrong("few_shot_prompt", read="gft-prompt-end")
def gives_an_answer(examples, query, instruction=""):
    """물음 뒤에 라벨을 적었습니다. 답은 모델이 씁니다. 앞의 예의 라벨이 남아 있지 않은지 보십시오."""
    label = examples[-1][1] if examples else "긍정"
    return _prompt(examples, query, instruction, end=f"감정: {label}")


@wrong("few_shot_prompt", read="gft-prompt")
def query_without_the_form(examples, query, instruction=""):
    """물음을 예와 다른 꼴로 썼습니다. '감정:'이 없으면 모델은 문장을 이어 쓸 수도 있습니다."""
    return _prompt(examples, query, instruction).removesuffix(f"문장: {query}\n감정:") + query


@wrong("few_shot_prompt", read="gft-prompt")
def no_place_for_the_label(examples, query, instruction=""):
    """물음에 라벨 자리가 없습니다. 예와 같이 라벨 바로 앞의 '감정:'까지 쓰십시오."""
    return _prompt(examples, query, instruction).removesuffix("\n감정:")


@wrong("few_shot_prompt", read="gft-prompt")
def no_empty_lines(examples, query, instruction=""):
    """문단 사이의 빈 줄이 없습니다. 예 하나가 어디에서 끝나는지 보여야 합니다."""
    return _prompt(examples, query, instruction, gap="\n")


@wrong("few_shot_prompt", read="gft-prompt")
def examples_reversed(examples, query, instruction=""):
    """예의 차례가 거꾸로입니다. 받은 차례를 지키십시오."""
    return _prompt(examples[::-1], query, instruction)


@wrong("few_shot_prompt", read="gft-prompt")
def query_first(examples, query, instruction=""):
    """물음을 예보다 먼저 썼습니다. 모델은 글의 끝을 이어 쓰므로 물음이 마지막이어야 합니다."""
    parts = [instruction] if instruction else []
    parts += [f"문장: {query}\n감정:", *(f"문장: {text}\n감정: {label}" for text, label in examples)]
    return "\n\n".join(parts)


@wrong("few_shot_prompt", read="gft-prompt")
def examples_without_labels(examples, query, instruction=""):
    """예에 라벨이 없습니다. 무엇을 답해야 하는지 예가 보여 주지 못합니다."""
    parts = [instruction] if instruction else []
    return "\n\n".join(parts + [f"문장: {text}\n감정:" for text in [*(pair[0] for pair in examples), query]])


@wrong("few_shot_prompt", read="gft-instruction")
def empty_instruction_leaves_a_gap(examples, query, instruction=""):
    """지시문이 비어 있어도 문단을 만들어 빈 줄로 시작합니다. 비어 있으면 그 문단은 없습니다."""
    return instruction + "\n\n" + _prompt(examples, query, "")


@wrong("few_shot_prompt", read="gft-instruction", slip=True)
def instruction_in_each_paragraph(examples, query, instruction=""):
    """지시문을 예마다 되풀이했습니다. 맨 앞에 한 번만 씁니다."""
    first = f"{instruction}\n\n" if instruction else ""
    parts = [f"문장: {text}\n감정: {label}" for text, label in examples]
    return "\n\n".join(first + part for part in [*parts, f"문장: {query}\n감정:"])


@wrong("few_shot_prompt", read="gft-instruction", slip=True)
def instruction_before_the_query(examples, query, instruction=""):
    """지시문을 예 다음, 물음 앞에 두었습니다. 지시문은 맨 앞의 문단입니다."""
    parts = [f"문장: {text}\n감정: {label}" for text, label in examples]
    parts += [instruction] if instruction else []
    return "\n\n".join([*parts, f"문장: {query}\n감정:"])


@wrong("few_shot_prompt", read="gft-alias", slip=True)
def appends_to_the_examples(examples, query, instruction=""):
    """받은 예의 리스트에 물음을 덧붙였습니다. 다음에 부를 때 이 물음이 예로 섞입니다."""
    prompt = _prompt(examples, query, instruction)
    examples.append((query, ""))
    return prompt


@wrong("few_shot_prompt", read="gft-instruction", slip=True)
def ignores_the_instruction(examples, query, instruction=""):
    """지시문을 쓰지 않았습니다. 비어 있지 않으면 맨 앞의 문단입니다."""
    return _prompt(examples, query, "")


@wrong("few_shot_prompt", read="gft-prompt", slip=True)
def bare_query_without_examples(examples, query, instruction=""):
    """예가 없을 때 물음의 꼴이 달라지거나 오류가 납니다. 제로샷에서도 라벨 바로 앞까지 같은 꼴로 쓰십시오."""
    return _prompt(examples, query, instruction) if examples else query


@wrong("few_shot_prompt", read="gft-prompt")
def label_for_text(examples, query, instruction=""):
    """글과 라벨의 자리를 바꾸었습니다. 예는 (글, 라벨)의 짝입니다."""
    return _prompt([(label, text) for text, label in examples], query, instruction)


@wrong("few_shot_prompt", read="gft-prompt")
def query_in_other_words(examples, query, instruction=""):
    """예와 물음의 꼴이 다릅니다. 번호를 붙이지 말고, 글의 앞과 뒤에 쓰는 말을 예마다, 물음에서도 똑같이 하십시오."""
    return _prompt(examples, query, instruction).removesuffix(f"문장: {query}\n감정:") + f"질문: {query}\n답:"


@wrong("few_shot_prompt", read="gft-prompt")
def too_many_empty_lines(examples, query, instruction=""):
    """빈 줄이 더 있습니다. 빈 줄은 문단 사이에 하나씩만 있고, 예 하나는 문단 하나입니다."""
    return _prompt(examples, query, instruction, gap="\n\n\n")


@wrong("few_shot_prompt", read="gft-prompt", slip=True)
def repeated_texts_lost(examples, query, instruction=""):
    """글이 같은 예가 하나로 줄었습니다. 딕셔너리나 집합에 담지 말고 받은 예를 모두 쓰십시오."""
    return _prompt(dict(examples).items(), query, instruction)


# score_labels -----------------------------------------------------------------------------------------------


def _score(said, ids, inside, count):
    """Sum, or with `count` the mean, of what is said of the tokens `ids` where they count."""
    scores = said.gather(-1, ids[..., None]).squeeze(-1)
    total = scores.masked_fill(~inside, 0.0).sum(dim=-1)
    return total if count is None else total / count


def _places(ids, first=1):
    return torch.arange(first, ids.shape[1])


@wrong("score_labels", read="gft-shift")
def not_shifted(log_probs, ids, lengths, prompt_length, per_token=False):
    """한 칸 밀지 않았습니다. log_probs[i, t]는 ids[i, t]가 아니라 그다음 토큰의 로그 확률입니다."""
    places = _places(ids, 0)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs, ids, inside, lengths - prompt_length if per_token else None)


@wrong("score_labels", read="gft-shift")
def shifted_the_other_way(log_probs, ids, lengths, prompt_length, per_token=False):
    """거꾸로 밀었습니다. 토큰의 로그 확률은 그 토큰의 한 칸 앞에 있습니다."""
    places = _places(ids, 0)[:-1]
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs[:, 1:], ids[:, :-1], inside, lengths - prompt_length if per_token else None)


@wrong("score_labels", read="gft-shift")
def mask_not_shifted(log_probs, ids, lengths, prompt_length, per_token=False):
    """라벨의 첫 토큰이 빠졌습니다. 한 칸 밀었으면 마스크도 밀어야 합니다. 첫 토큰은 prompt_length - 1번째 로그 확률입니다."""
    places = _places(ids) - 1
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs[:, :-1], ids[:, 1:], inside, lengths - prompt_length if per_token else None)


@wrong("score_labels", read="gft-shift")
def counts_the_prompt(log_probs, ids, lengths, prompt_length, per_token=False):
    """프롬프트의 토큰까지 더했습니다. 합에서는 모든 라벨에 같은 값이 붙지만, 평균에서는 순위가 바뀔 수 있습니다."""
    inside = _places(ids) < lengths[:, None]
    return _score(log_probs[:, :-1], ids[:, 1:], inside, lengths - 1 if per_token else None)


@wrong("score_labels", read="gft-shift")
def counts_the_padding(log_probs, ids, lengths, prompt_length, per_token=False):
    """패딩까지 더했습니다. 짧은 라벨일수록 패딩이 많아 손해를 봅니다. lengths까지만 더하십시오."""
    inside = (_places(ids) >= prompt_length).expand(len(ids), -1)
    return _score(log_probs[:, :-1], ids[:, 1:], inside, ids.shape[1] - prompt_length if per_token else None)


@wrong("score_labels", read="gft-shift")
def length_of_the_label_alone(log_probs, ids, lengths, prompt_length, per_token=False):
    """lengths를 라벨의 길이로 읽었습니다. 프롬프트까지 더한 줄의 길이이므로, 패딩까지 더하게 됩니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < prompt_length + lengths[:, None])
    return _score(log_probs[:, :-1], ids[:, 1:], inside, lengths if per_token else None)


@wrong("score_labels", read="gft-score")
def first_token_alone(log_probs, ids, lengths, prompt_length, per_token=False):
    """라벨의 첫 토큰만 보았습니다. 첫 토큰이 같은 라벨을 가를 수 없습니다. 라벨의 토큰을 모두 더하십시오."""
    return log_probs[:, prompt_length - 1].gather(-1, ids[:, prompt_length, None]).squeeze(-1)


@wrong("score_labels", read="gft-score")
def always_the_sum(log_probs, ids, lengths, prompt_length, per_token=False):
    """per_token을 쓰지 않고 언제나 합을 냈습니다. True이면 라벨의 토큰 수로 나눕니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs[:, :-1], ids[:, 1:], inside, None)


@wrong("score_labels", read="gft-score")
def always_the_mean(log_probs, ids, lengths, prompt_length, per_token=False):
    """언제나 토큰 수로 나누었습니다. per_token이 False이면 합입니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs[:, :-1], ids[:, 1:], inside, lengths - prompt_length)


@wrong("score_labels", read="gft-score")
def divides_by_the_row(log_probs, ids, lengths, prompt_length, per_token=False):
    """평균을 낼 때 줄 전체의 길이로 나누었습니다. 라벨의 토큰 수는 lengths - prompt_length입니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs[:, :-1], ids[:, 1:], inside, lengths if per_token else None)


@wrong("score_labels", read="gft-score")
def divides_all_alike(log_probs, ids, lengths, prompt_length, per_token=False):
    """평균을 낼 때 모든 라벨을 같은 수로 나누었습니다. 그러면 순위가 합과 같습니다. 라벨마다 자기 토큰 수로 나눕니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs[:, :-1], ids[:, 1:], inside, ids.shape[1] - prompt_length if per_token else None)


@wrong("score_labels", read="gft-score")
def adds_probabilities(log_probs, ids, lengths, prompt_length, per_token=False):
    """로그를 풀어 확률을 더했습니다. 이어진 토큰의 확률은 곱하므로, 로그 확률을 더합니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(log_probs[:, :-1].exp(), ids[:, 1:], inside, lengths - prompt_length if per_token else None)


@wrong("score_labels", read="gft-score")
def loss_for_score(log_probs, ids, lengths, prompt_length, per_token=False):
    """부호를 바꾸어 손실을 냈습니다. 점수는 로그 확률의 합이고, 클수록 그럴듯합니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return -_score(log_probs[:, :-1], ids[:, 1:], inside, lengths - prompt_length if per_token else None)


@wrong("score_labels", read="gft-score")
def best_tokens_instead(log_probs, ids, lengths, prompt_length, per_token=False):
    """자리마다 가장 그럴듯한 토큰의 로그 확률을 더했습니다. 물은 라벨의 토큰이 매긴 값을 읽어야 합니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(
        log_probs[:, :-1],
        log_probs[:, :-1].argmax(dim=-1),
        inside,
        lengths - prompt_length if per_token else None,
    )


@wrong("score_labels", read="gft-shift", slip=True)
def multiplies_by_the_mask(log_probs, ids, lengths, prompt_length, per_token=False):
    """마스크를 곱해서 지웠습니다. 0에 -inf를 곱하면 NaN입니다. masked_fill이나 where로 고르십시오."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    scores = log_probs[:, :-1].gather(-1, ids[:, 1:, None]).squeeze(-1)
    total = (scores * inside).sum(dim=-1)
    return total / (lengths - prompt_length) if per_token else total


@wrong("score_labels", read="gft-shift")
def last_token_lost(log_probs, ids, lengths, prompt_length, per_token=False):
    """라벨의 마지막 토큰이 빠졌습니다. 줄의 마지막 토큰은 lengths - 1번째이고, 그것까지 더합니다."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None] - 1)
    return _score(log_probs[:, :-1], ids[:, 1:], inside, lengths - prompt_length if per_token else None)


@wrong("score_labels", read="gft-score", slip=True)
def scores_of_another_kind(log_probs, ids, lengths, prompt_length, per_token=False):
    """자료형이나 장치가 log_probs의 것이 아닙니다. 안에서 텐서를 만들 때 둘을 log_probs에 맞추십시오."""
    places = _places(ids)
    inside = (places >= prompt_length) & (places < lengths[:, None])
    return _score(
        log_probs[:, :-1], ids[:, 1:], inside, lengths - prompt_length if per_token else None
    ).float()
