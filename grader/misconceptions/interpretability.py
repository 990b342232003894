"""Wrong answers that people give to the exercise `interpretability`."""

import torch

from grader.judging.mistakes import right_answer, wrong

# attention_rollout ------------------------------------------------------------------------------------------


def _identity(weights):
    layer = weights[0]
    return torch.eye(layer.shape[-1], dtype=layer.dtype, device=layer.device)


def _mixed(weights, residual, over_heads=lambda layer: layer.mean(1)):
    return [residual * _identity(weights) + (1 - residual) * over_heads(layer) for layer in weights]


def _product(layers):
    rollout = layers[0]
    for layer in layers[1:]:
        rollout = layer @ rollout
    return rollout


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def layers_in_the_other_order(weights, residual=0.5):
    """층을 반대 차례로 곱했습니다. 나중 층을 왼쪽에서 곱합니다. 마지막 층의 행에서 시작해 첫 층의 열에서 끝나야 합니다."""
    return _product(_mixed(weights, residual)[::-1])


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def without_residual(weights, residual=0.5):
    """잔차 연결을 빠뜨리고 가중치만 곱했습니다. 층마다 r·I + (1 - r)·A를 곱합니다."""
    return _product([layer.mean(1) for layer in weights])


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def averages_the_layers(weights, residual=0.5):
    """층을 곱하지 않고 평균했습니다. 둘째 층이 본 것은 첫째 층이 이미 섞은 벡터이므로 이어 곱해야 합니다."""
    return torch.stack(_mixed(weights, residual)).mean(0)


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def identity_added_without_sharing(weights, residual=0.5):
    """A에 I를 더하고 나누지 않았습니다. 행의 합이 층마다 두 배가 됩니다. r·I + (1 - r)·A로 섞으십시오."""
    return _product([layer.mean(1) + _identity(weights) for layer in weights])


@wrong("attention_rollout", read="interpretability-rollout")
def always_half(weights, residual=0.5):
    """residual을 쓰지 않고 언제나 반씩 섞었습니다."""
    return _product(_mixed(weights, 0.5))


@wrong("attention_rollout", read="interpretability-rollout")
def shares_swapped(weights, residual=0.5):
    """r과 1 - r이 바뀌었습니다. r은 잔차 연결, 곧 항등 행렬의 몫입니다."""
    return _product(_mixed(weights, 1 - residual))


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def transposed_rollout(weights, residual=0.5):
    """결과의 행과 열이 바뀌었습니다. 행이 마지막 층의 위치, 열이 입력의 위치이고 행의 합이 1입니다."""
    return _product(_mixed(weights, residual)).transpose(-2, -1)


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def maximum_over_heads(weights, residual=0.5):
    """헤드를 평균하지 않고 최댓값을 썼습니다. 행의 합이 1이 아니게 됩니다."""
    return _product(_mixed(weights, residual, lambda layer: layer.amax(1)))


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def only_the_first_head(weights, residual=0.5):
    """첫 헤드만 썼습니다. 층 안에서는 모든 헤드를 평균합니다."""
    return _product(_mixed(weights, residual, lambda layer: layer[:, 0]))


@wrong("attention_rollout", read="interpretability-rollout")
def only_the_last_layer(weights, residual=0.5):
    """마지막 층의 가중치만 보았습니다. 마지막 층이 본 벡터는 아래층들이 이미 섞은 것입니다."""
    return _mixed(weights, residual)[-1]


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def multiplied_entry_by_entry(weights, residual=0.5):
    """행렬 곱이 아니라 원소끼리 곱했습니다. 두 층을 잇는 길은 가운데 위치를 모두 더한 것이므로 @를 씁니다."""
    rollout = 1.0
    for layer in _mixed(weights, residual):
        rollout = rollout * layer
    return rollout


@wrong("attention_rollout", read="interpretability-rollout-mistakes", hint=multiplied_entry_by_entry.__doc__)
def multiplied_with_the_identity_at_first(weights, residual=0.5):
    return multiplied_entry_by_entry(weights, residual) * _identity(weights)


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def residual_once_at_the_end(weights, residual=0.5):
    """잔차 연결을 마지막에 한 번만 섞었습니다. 잔차 연결은 층마다 있습니다."""
    passed = _product([layer.mean(1) for layer in weights])
    return residual * _identity(weights) + (1 - residual) * passed


@wrong("attention_rollout", read="interpretability-rollout", slip=True)
def identity_elsewhere(weights, residual=0.5):
    """항등 행렬을 가중치의 장치와 자료형으로 만들지 않았습니다. torch.eye(n, dtype=…, device=…)로 만드십시오."""
    identity = torch.eye(weights[0].shape[-1])
    return _product([residual * identity + (1 - residual) * layer.mean(1) for layer in weights])


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def attention_not_shrunk(weights, residual=0.5):
    """A를 1 - r로 줄이지 않고 r·I를 더했습니다. 행의 합이 층마다 1 + r배가 됩니다."""
    return _product([residual * _identity(weights) + layer.mean(1) for layer in weights])


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def identity_not_shrunk(weights, residual=0.5):
    """I를 r로 줄이지 않고 더했습니다. 행의 합이 층마다 2 - r배가 됩니다."""
    return _product([_identity(weights) + (1 - residual) * layer.mean(1) for layer in weights])


@wrong("attention_rollout", read="interpretability-rollout")
def shared_by_the_sum_of_a_row(weights, residual=0.5):
    """r·I를 더한 다음 행의 합 1 + r로 나누었습니다. 그러면 잔차 연결의 몫이 r보다 작습니다."""
    mixed = [residual * _identity(weights) + layer.mean(1) for layer in weights]
    return _product([layer / layer.sum(-1, keepdim=True) for layer in mixed])


@wrong("attention_rollout", read="interpretability-rollout")
def residual_added_everywhere(weights, residual=0.5):
    """r을 항등 행렬에 곱하지 않고 모든 칸에 더했습니다. 잔차 연결은 자기 자리만 지나갑니다."""
    return _product([residual + (1 - residual) * layer.mean(1) for layer in weights])


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def sum_over_heads(weights, residual=0.5):
    """헤드를 평균하지 않고 더했습니다. 행의 합이 1이 아니게 됩니다."""
    return _product(_mixed(weights, residual, lambda layer: layer.sum(1)))


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def minimum_over_heads(weights, residual=0.5):
    """헤드를 평균하지 않고 최솟값을 썼습니다. 행의 합이 1이 아니게 됩니다."""
    return _product(_mixed(weights, residual, lambda layer: layer.amin(1)))


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def each_head_for_itself(weights, residual=0.5):
    """헤드마다 따로 층을 곱하고 마지막에 평균했습니다. 다음 층은 모든 헤드가 섞은 벡터를 봅니다. 층 안에서 먼저 평균합니다."""
    return _product(_mixed(weights, residual, lambda layer: layer.transpose(0, 1))).mean(0)


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def heads_kept_apart(weights, residual=0.5):
    """헤드를 평균하지 않았습니다. 헤드의 축이 결과에 남습니다."""
    return _product(_mixed(weights, residual, lambda layer: layer))


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def averaged_over_sentences(weights, residual=0.5):
    """헤드가 아니라 문장을 평균했습니다. 가중치의 축은 (batch, heads, n, n)입니다."""
    return _product(_mixed(weights, residual, lambda layer: layer.mean(0)))


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def no_residual_in_the_first_layer(weights, residual=0.5):
    """첫 층에는 잔차 연결을 섞지 않았습니다. 잔차 연결은 첫 층에도 있습니다."""
    return _product([weights[0].mean(1), *_mixed(weights, residual)[1:]])


@wrong("attention_rollout", read="interpretability-rollout")
def first_layer_left_out(weights, residual=0.5):
    """첫 층을 빠뜨렸습니다. 모든 층을 곱합니다."""
    return _product([_identity(weights).expand_as(weights[0][:, 0]), *_mixed(weights, residual)[1:]])


@wrong("attention_rollout", read="interpretability-rollout")
def last_layer_left_out(weights, residual=0.5):
    """마지막 층을 빠뜨렸습니다. 모든 층을 곱합니다."""
    return _product([_identity(weights).expand_as(weights[0][:, 0]), *_mixed(weights, residual)[:-1]])


@wrong("attention_rollout", read="interpretability-rollout")
def only_the_first_layer(weights, residual=0.5):
    """첫 층의 가중치만 보았습니다. 모든 층을 곱합니다."""
    return _mixed(weights, residual)[0]


@wrong("attention_rollout", read="interpretability-rollout-mistakes")
def residual_beside_the_product(weights, residual=0.5):
    """층마다 잔차 연결을 항등 행렬과 섞었습니다. 층을 비켜 가는 것은 아래층들이 이미 섞은 벡터입니다. r·I + (1 - r)·A를 만들어 곱하십시오."""
    rollout = _identity(weights)
    for layer in weights:
        rollout = residual * _identity(weights) + (1 - residual) * layer.mean(1) @ rollout
    return rollout


# erasure_scores ---------------------------------------------------------------------------------------------


def _without(predict, ids, mask_id):
    predictions = []
    for i in range(len(ids)):
        erased = ids.clone()
        erased[i] = mask_id
        predictions.append(predict(erased[None])[0])
    return torch.stack(predictions)


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def sign_reversed(predict, ids, mask_id):
    """부호가 반대입니다. 지우지 않은 예측에서 지운 예측을 뺍니다. 도움이 되는 토큰이 양수입니다."""
    return _without(predict, ids, mask_id) - predict(ids[None])


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def token_deleted(predict, ids, mask_id):
    """토큰을 빼서 문장을 줄였습니다. 뒤의 토큰이 한 자리씩 당겨져 위치까지 바뀝니다. mask_id로 바꾸십시오."""
    whole = predict(ids[None])
    rest = [torch.cat([ids[:i], ids[i + 1 :]]) for i in range(len(ids))]
    return torch.cat([whole - predict(part[None]) for part in rest])


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def replaced_by_zero(predict, ids, mask_id):
    """mask_id를 쓰지 않고 0번 토큰으로 바꾸었습니다. 0번은 다른 뜻이 있는 토큰일 수 있습니다."""
    return predict(ids[None]) - _without(predict, ids, 0)


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def erased_one_after_another(predict, ids, mask_id):
    """지운 토큰을 되돌려 놓지 않고 다음 토큰을 지웠습니다. 뒤로 갈수록 여러 토큰이 지워집니다. 매번 ids에서 새로 베끼십시오."""
    erased, scores = ids.clone(), []
    for i in range(len(ids)):
        erased[i] = mask_id
        scores.append(predict(ids[None])[0] - predict(erased.clone()[None])[0])
    return torch.stack(scores)


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def all_at_once(predict, ids, mask_id):
    """모든 토큰을 한꺼번에 지웠습니다. 어느 토큰 때문인지 알 수 없습니다. 하나씩 지우십시오."""
    everything = torch.full_like(ids, mask_id)
    return (predict(ids[None]) - predict(everything[None])).expand(len(ids))


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def only_the_token_kept(predict, ids, mask_id):
    """그 토큰만 남기고 나머지를 지웠습니다. 반대로, 그 토큰만 지우고 나머지를 남깁니다."""
    kept = torch.full_like(ids, mask_id).repeat(len(ids), 1)
    kept.diagonal().copy_(ids)
    return predict(ids[None]) - predict(kept)


@wrong("erasure_scores", read="interpretability-erasure")
def prediction_instead_of_difference(predict, ids, mask_id):
    """지운 예측을 그대로 돌려주었습니다. 지우지 않은 예측에서 뺀 것이 점수입니다."""
    return _without(predict, ids, mask_id)


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def size_of_the_difference(predict, ids, mask_id):
    """절댓값을 취했습니다. 지웠더니 예측이 커지는 토큰은 음수여야 합니다. 부호가 방향을 말해 줍니다."""
    return (predict(ids[None]) - _without(predict, ids, mask_id)).abs()


@wrong("erasure_scores", read="interpretability-erasure")
def relative_difference(predict, ids, mask_id):
    """차이를 원래 예측으로 나누었습니다. 점수는 나누지 않은 차이입니다."""
    whole = predict(ids[None])
    return (whole - _without(predict, ids, mask_id)) / whole


@wrong("erasure_scores", read="interpretability-erasure-mistakes", slip=True)
def spoils_the_sentence(predict, ids, mask_id):
    """받은 ids를 제자리에서 바꾸었습니다. clone()으로 베껴서 바꾸십시오."""
    whole, scores = predict(ids.clone()[None])[0], []
    for i, token in enumerate(ids.tolist()):
        ids[i] = mask_id
        scores.append(whole - predict(ids.clone()[None])[0])
        if i + 1 < len(ids):
            ids[i] = token
    return torch.stack(scores)


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def against_the_step_before(predict, ids, mask_id):
    """바로 앞 걸음의 예측에서 뺐습니다. 지운 토큰을 되돌려 놓고, 언제나 아무것도 지우지 않은 예측에서 뺍니다."""
    erased, before, scores = ids.clone(), predict(ids[None])[0], []
    for i in range(len(ids)):
        erased[i] = mask_id
        now = predict(erased.clone()[None])[0]
        scores.append(before - now)
        before = now
    return torch.stack(scores)


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def the_rest_erased_too(predict, ids, mask_id):
    """토큰 하나가 아니라 그 뒤까지 모두 지웠습니다. 하나씩 지우십시오."""
    rest = torch.ones(len(ids), len(ids), dtype=torch.bool, device=ids.device).triu()
    return predict(ids[None]) - predict(ids.masked_fill(rest, mask_id))


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def equal_tokens_together(predict, ids, mask_id):
    """번호가 같은 토큰을 모두 함께 지웠습니다. 같은 토큰이 또 있어도 그 자리 하나만 지웁니다."""
    return predict(ids[None]) - predict(ids.masked_fill(ids == ids[:, None], mask_id))


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def shifted_and_filled(predict, ids, mask_id):
    """토큰을 빼고 끝을 mask_id로 채웠습니다. 뒤의 토큰이 한 자리씩 당겨집니다. 그 자리를 mask_id로 바꾸십시오."""
    filler = ids.new_tensor([mask_id])
    rows = [torch.cat([ids[:i], ids[i + 1 :], filler]) for i in range(len(ids))]
    return predict(ids[None]) - predict(torch.stack(rows))


@wrong("erasure_scores", read="interpretability-erasure")
def whole_numbers(predict, ids, mask_id):
    """점수를 정수로 만들어 소수점 아래를 버렸습니다. ids와 같은 자료형이 아니라 실수로 모으십시오."""
    return (predict(ids[None]) - _without(predict, ids, mask_id)).long()


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def rises_cut_off(predict, ids, mask_id):
    """음수를 0으로 잘랐습니다. 지웠더니 예측이 커지는 토큰은 음수여야 합니다."""
    return (predict(ids[None]) - _without(predict, ids, mask_id)).clamp(min=0)


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def squared_difference(predict, ids, mask_id):
    """차이를 제곱했습니다. 점수는 차이 그대로이고, 부호가 방향을 말해 줍니다."""
    return (predict(ids[None]) - _without(predict, ids, mask_id)).square()


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def ratio_of_predictions(predict, ids, mask_id):
    """빼지 않고 지운 예측을 원래 예측으로 나누었습니다. 점수는 차이입니다."""
    return _without(predict, ids, mask_id) / predict(ids[None])


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def shares_of_all_scores(predict, ids, mask_id):
    """점수를 합이 1이 되도록 나누었습니다. 점수는 나누지 않은 차이입니다."""
    scores = predict(ids[None]) - _without(predict, ids, mask_id)
    return scores / scores.sum()


@wrong("erasure_scores", read="interpretability-erasure")
def softmax_of_scores(predict, ids, mask_id):
    """점수에 소프트맥스를 씌웠습니다. 점수는 차이 그대로입니다."""
    return (predict(ids[None]) - _without(predict, ids, mask_id)).softmax(dim=-1)


@wrong("erasure_scores", read="interpretability-erasure", slip=True)
def sentence_without_batch(predict, ids, mask_id):
    """predict에 batch 축이 없는 문장을 넘겼습니다. predict는 (batch, n)을 받습니다. 문장 하나도 ids[None]으로 넘기십시오."""
    rows = ids.repeat(len(ids), 1).fill_diagonal_(mask_id)
    return torch.stack([predict(ids) - predict(row) for row in rows])


@wrong("erasure_scores", read="interpretability-erasure")
def list_of_scores(predict, ids, mask_id):
    """리스트를 돌려주었습니다. 점수를 (n,) 텐서 하나로 모으십시오."""
    return list(predict(ids[None]) - _without(predict, ids, mask_id))


@wrong("erasure_scores", read="interpretability-erasure")
def axis_left_over(predict, ids, mask_id):
    """점수의 모양이 (n,)이 아닙니다. predict의 결과에는 batch 축이 있으므로 문장 하나의 예측은 [0]으로 꺼냅니다."""
    return (predict(ids[None]) - _without(predict, ids, mask_id))[:, None]


@wrong("erasure_scores", read="interpretability-erasure", slip=True)
def scores_elsewhere(predict, ids, mask_id):
    """안에서 만든 텐서가 ids의 장치에 있지 않습니다. device=ids.device를 넘기거나 ids에서 만드십시오."""
    return torch.tensor((predict(ids[None]) - _without(predict, ids, mask_id)).tolist())


@wrong("erasure_scores", read="interpretability-erasure-mistakes")
def both_predictions_of_the_same(predict, ids, mask_id):
    """지우지 않은 예측까지 지운 문장으로 구해 차이가 언제나 0입니다. ids를 clone()으로 베껴서 바꾸십시오."""
    erased = _without(predict, ids, mask_id)
    return erased - erased


# counterfactual_weights -------------------------------------------------------------------------------------


@right_answer("counterfactual_weights")
def _permuted(weights, generator, noise_shape=None, visible_only=True):
    noise = torch.rand(noise_shape or weights.shape, generator=generator).expand(weights.shape)
    if not visible_only:
        return weights.gather(-1, noise.argsort(-1))
    hidden = weights == 0
    shuffled = noise.masked_fill(hidden, 2.0).argsort(-1)
    in_order = hidden.int().argsort(dim=-1, stable=True)
    return torch.zeros_like(weights).scatter(-1, in_order, weights.gather(-1, shuffled))


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def hidden_places_too(weights, generator):
    """가려진 자리까지 섞었습니다. 0이던 자리에 가중치가 생깁니다. 0이 아닌 자리끼리만 섞으십시오."""
    return _permuted(weights, generator, visible_only=False)


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def same_order_in_every_row(weights, generator):
    """모든 행을 같은 차례로 섞었습니다. 행마다 따로 섞어야 합니다."""
    return _permuted(weights, generator, weights.shape[-1:])


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes", slip=True)
def same_order_in_every_head(weights, generator):
    """모든 헤드를 같은 차례로 섞었습니다. 헤드마다 따로 섞어야 합니다."""
    return _permuted(weights, generator, weights.shape[-2:])


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes", slip=True)
def permuted_in_place(weights, generator):
    """받은 weights를 제자리에서 바꾸었습니다. 새 텐서를 돌려주십시오."""
    return weights.copy_(_permuted(weights.clone(), generator))


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes", slip=True)
def from_the_global_generator(weights, generator):
    """generator를 쓰지 않았습니다. 같은 generator로도 부를 때마다 결과가 달라집니다. torch.rand나 torch.randperm에 generator를 넘기십시오."""
    return _permuted(weights, None)


@wrong("counterfactual_weights", read="interpretability-counterfactual")
def only_reversed(weights, generator):
    """차례를 뒤집기만 했습니다. 무작위가 아니므로 언제나 같은 결과입니다."""
    rows = weights.clone().flatten(0, -2)
    for row in rows:
        seen = row.nonzero().flatten()
        row[seen] = row[seen.flip(0)]
    return rows.view(weights.shape)


@wrong("counterfactual_weights", read="interpretability-counterfactual")
def only_rolled(weights, generator):
    """자리를 무작위로 밀기만 했습니다. 나오지 않는 차례가 있습니다. 모든 차례가 같은 확률로 나와야 합니다."""
    rows = weights.clone().flatten(0, -2)
    for row in rows:
        seen = row.nonzero().flatten()
        if len(seen):
            row[seen] = row[seen].roll(int(torch.randint(len(seen), (), generator=generator)))
    return rows.view(weights.shape)


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def values_drawn_anew(weights, generator):
    """가중치를 새로 뽑았습니다. 값은 그대로 두고 자리만 바꾸어야, 바뀐 것이 자리뿐이라고 말할 수 있습니다."""
    noise = torch.rand(weights.shape, generator=generator) * (weights != 0)
    return noise / noise.sum(-1, keepdim=True).clamp(min=1e-9)


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def rows_permuted(weights, generator):
    """키가 아니라 질의의 차례를 섞었습니다. 행 안에서 섞어야 합니다."""
    order = torch.randperm(weights.shape[-2], generator=generator)
    return weights[..., order, :]


@wrong("counterfactual_weights", read="interpretability-counterfactual")
def largest_two_swapped(weights, generator):
    """가장 큰 가중치 둘만 맞바꾸었습니다. 0이 아닌 자리를 모두 섞어야 합니다."""
    if weights.shape[-1] < 2:
        return weights.clone()
    values, places = weights.topk(2, dim=-1)
    swapped = torch.where(values[..., 1:] > 0, values.flip(-1), values)
    return weights.scatter(-1, places, swapped)


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes", slip=True)
def same_order_in_every_sentence(weights, generator):
    """모든 문장을 같은 차례로 섞었습니다. 문장마다 따로 섞어야 합니다."""
    return _permuted(weights, generator, weights.shape[1:])


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def columns_permuted(weights, generator):
    """열의 차례를 한 번 정해 모든 행에 썼습니다. 가려진 자리까지 옮겨집니다. 행마다 따로, 0이 아닌 자리끼리만 섞으십시오."""
    return weights[..., torch.randperm(weights.shape[-1], generator=generator)]


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def hidden_places_taken_to_be_last(weights, generator):
    """0이 아닌 자리가 앞에 모여 있다고 여겼습니다. 가운데가 가려진 행에서는 가려진 자리에 가중치가 생깁니다."""
    rows = weights.clone().flatten(0, -2)
    for row in rows:
        count = int((row != 0).sum())
        row[:count] = row[:count][torch.randperm(count, generator=generator)]
    return rows.view(weights.shape)


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def drawn_with_replacement(weights, generator):
    """행 안의 값을 되풀이해 뽑거나 잃었습니다. 값마다 꼭 한 번씩 나오게, 차례만 바꾸십시오."""
    rows = weights.clone().flatten(0, -2)
    for row in rows:
        seen = row.nonzero().flatten()
        if len(seen):
            row[seen] = row[seen[torch.randint(len(seen), (len(seen),), generator=generator)]]
    return rows.view(weights.shape)


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def shuffled_across_rows(weights, generator):
    """행을 넘어 섞었습니다. 값이 다른 행으로 가서 행의 합이 달라집니다. 행마다 따로 섞으십시오."""
    mixed = weights.clone()
    for matrix in mixed.flatten(0, -3):
        values = matrix[matrix != 0]
        matrix[matrix != 0] = values[torch.randperm(len(values), generator=generator)]
    return mixed


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes")
def values_changed_afterwards(weights, generator):
    """섞은 다음 가중치의 값을 바꾸었습니다. 소프트맥스를 다시 씌우거나 나누지 말고 자리만 바꾸십시오."""
    return _permuted(weights, generator).masked_fill(weights == 0, -torch.inf).softmax(dim=-1)


@wrong("counterfactual_weights", read="interpretability-counterfactual-mistakes", slip=True)
def seeded_anew(weights, generator):
    """generator의 상태와 상관없이 언제나 같은 결과입니다. 시드를 안에서 정하지 말고 받은 generator를 그대로 쓰십시오."""
    return _permuted(weights, torch.Generator().manual_seed(0))


@wrong("counterfactual_weights", read="interpretability-counterfactual")
def nothing_moves(weights, generator):
    """아무것도 섞이지 않았습니다. 결과가 받은 weights와 같습니다."""
    return weights.clone()


@wrong("counterfactual_weights", read="interpretability-counterfactual")
def one_pair_swapped(weights, generator):
    """행마다 두 자리만 맞바꾸었습니다. 나오지 않는 차례가 있습니다. 0이 아닌 자리를 모두 섞어야 합니다."""
    rows = weights.clone().flatten(0, -2)
    for row in rows:
        seen = row.nonzero().flatten()
        pair = seen[torch.randperm(len(seen), generator=generator)[:2]]
        row[pair] = row[pair.flip(0)]
    return rows.view(weights.shape)


@wrong("counterfactual_weights", read="interpretability-counterfactual", slip=True)
def nothing_stays(weights, generator):
    """제자리에 남는 값이 하나도 없습니다. 그대로 남는 것까지 모든 차례가 같은 확률로 나와야 합니다."""
    rows = weights.clone().flatten(0, -2)
    for row in rows:
        seen = row.nonzero().flatten()
        order = torch.arange(len(seen))
        while len(seen) > 1 and (order == torch.arange(len(seen))).any():
            order = torch.randperm(len(seen), generator=generator)
        row[seen] = row[seen[order]]
    return rows.view(weights.shape)


@wrong("counterfactual_weights", read="interpretability-counterfactual", slip=True)
def another_type(weights, generator):
    """결과를 weights의 자료형으로 만들지 않았습니다. torch.zeros_like(weights)나 weights.clone()에서 시작하십시오."""
    return _permuted(weights.float(), generator)


@wrong("counterfactual_weights", read="interpretability-counterfactual", slip=True)
def nothing_visible_gives_nan(weights, generator):
    """보이는 자리가 없는 행에서 오류나 NaN이 납니다. 그런 행은 그대로 돌려줍니다."""
    shuffled = _permuted(weights, generator)
    return shuffled / shuffled.sum(-1, keepdim=True) * weights.sum(-1, keepdim=True)


@wrong("counterfactual_weights", read="interpretability-counterfactual")
def only_so_many_axes(weights, generator):
    """앞에 축이 정해진 만큼 있는 weights만 받습니다. 앞에 축이 몇 개 있어도 마지막 축에서 섞습니다."""
    batch, heads, queries, keys = weights.shape
    return _permuted(weights, generator)


@wrong("counterfactual_weights", read="interpretability-counterfactual")
def sorted_by_size(weights, generator):
    """섞지 않고 크기 순으로 늘어놓았습니다. 0이 아닌 자리끼리 무작위로 섞으십시오."""
    return weights.sort(dim=-1, descending=True).values


# selectivity --------------------------------------------------------------------------------------------


def _by_kind(kinds, labels, generator):
    numbers, which = kinds.unique(return_inverse=True)
    return labels[torch.randint(len(labels), (len(numbers),), generator=generator)][which]


def _below(real, controls):
    return real - sum(controls) / len(controls)


def _rare(real, controls):
    return (1 + sum(control >= real for control in controls)) / (1 + len(controls))


@right_answer("selectivity")
def _selective(accuracy, kinds, labels, rounds, generator, *, draw=_by_kind, gap=_below, p=_rare):
    """The right reading of a control, in parts that a mistake can replace."""
    if rounds < 1 or len(kinds) != len(labels):
        raise ValueError("control")
    real = float(accuracy(labels))
    controls = [float(accuracy(draw(kinds, labels, generator))) for _ in range(rounds)]
    return gap(real, controls), p(real, controls)


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def a_label_for_each_token(*args):
    """토큰마다 라벨을 따로 뽑았습니다. 종류가 같아도 라벨이 다르면 외울 수 없어서 대조의 정확도가 낮아지고 선택성이 부풀려집니다. 종류마다 하나입니다."""
    return _selective(*args, draw=lambda k, y, g: y[torch.randint(len(y), (len(y),), generator=g)])


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def labels_shuffled_over_tokens(*args):
    """라벨을 토큰에 걸쳐 섞었습니다. 종류가 같아도 라벨이 달라져 외울 수 없습니다. 종류마다 라벨을 하나씩 정하십시오."""
    return _selective(*args, draw=lambda k, y, g: y[torch.randperm(len(y), generator=g)])


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def labels_renamed(*args):
    """라벨의 이름만 서로 바꾸었습니다. 진짜 과제와 똑같이 쉬운 과제입니다. 라벨이 아니라 종류마다 무작위로 정하십시오."""

    def draw(kinds, labels, generator):
        names = labels.unique()
        order = torch.randperm(len(names), generator=generator)
        while (order == torch.arange(len(names))).all():
            order = torch.randperm(len(names), generator=generator)
        return names[order][torch.searchsorted(names, labels)]

    return _selective(*args, draw=draw)


@wrong("selectivity", read="interpretability-selectivity-mistakes", slip=True)
def every_label_as_often(*args):
    """라벨을 모두 같은 확률로 뽑았습니다. 진짜 과제보다 찍어서 맞히기 어려운 대조가 됩니다. labels에 든 비율대로 뽑으십시오."""

    def draw(kinds, labels, generator):
        names, (numbers, which) = labels.unique(), kinds.unique(return_inverse=True)
        return names[torch.randint(len(names), (len(numbers),), generator=generator)][which]

    return _selective(*args, draw=draw)


@wrong("selectivity", read="interpretability-selectivity-mistakes", slip=True)
def kinds_as_places(*args):
    """종류의 번호를 자리로 썼습니다. 번호는 음수일 수도, 띄엄띄엄할 수도 있습니다. `kinds.unique(return_inverse=True)`가 0부터 다시 매깁니다."""

    def draw(kinds, labels, generator):
        drawn = torch.randint(len(labels), (int(kinds.max()) + 1,), generator=generator)
        return labels[drawn][kinds]

    return _selective(*args, draw=draw)


@wrong("selectivity", read="interpretability-selectivity-mistakes", slip=True)
def kinds_swap_labels(*args):
    """종류끼리 라벨을 맞바꾸었습니다. 토큰이 많은 종류의 라벨도 한 번만 뽑힙니다. 토큰에서 골라 비율을 지키십시오."""

    def draw(kinds, labels, generator):
        numbers, which = kinds.unique(return_inverse=True)
        first = torch.stack([labels[kinds == kind][0] for kind in numbers])
        return first[torch.randperm(len(numbers), generator=generator)][which]

    return _selective(*args, draw=draw)


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def one_label_for_all(*args):
    """모든 토큰에 같은 라벨을 주었습니다. 그러면 언제나 다 맞히는 대조가 됩니다. 종류마다 따로 뽑으십시오."""

    def draw(kinds, labels, generator):
        return labels[torch.randint(len(labels), (), generator=generator)].expand(len(labels)).clone()

    return _selective(*args, draw=draw)


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def the_same_control_again(accuracy, kinds, labels, rounds, generator):
    """대조 과제 하나를 되풀이해서 쟀습니다. 라벨을 rounds번 새로 뽑으십시오."""
    control = _by_kind(kinds, labels, generator)
    return _selective(accuracy, kinds, labels, rounds, generator, draw=lambda *_: control)


@wrong("selectivity", read="interpretability-probes")
def control_minus_real(*args):
    """부호가 반대입니다. 진짜 정확도에서 대조의 정확도를 뺍니다."""
    return _selective(*args, gap=lambda real, controls: -_below(real, controls))


@wrong("selectivity", read="interpretability-probes")
def times_the_control(*args):
    """진짜 정확도를 대조로 나누었습니다. 선택성은 차이입니다."""
    return _selective(*args, gap=lambda real, controls: real * len(controls) / sum(controls))


@wrong("selectivity", read="interpretability-probes")
def accuracy_itself(*args):
    """진짜 정확도를 그대로 돌려주었습니다. 외워서 얻는 몫인 대조의 정확도를 빼십시오."""
    return _selective(*args, gap=lambda real, controls: real)


@wrong("selectivity", read="interpretability-probes")
def what_is_learnt_by_heart(*args):
    """대조의 정확도를 돌려주었습니다. 진짜 정확도에서 그것을 뺀 것이 선택성입니다."""
    return _selective(*args, gap=lambda real, controls: sum(controls) / len(controls))


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def best_control_taken_away(*args):
    """가장 높은 대조를 뺐습니다. 대조의 평균을 빼십시오."""
    return _selective(*args, gap=lambda real, controls: real - max(controls))


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def first_control_alone(*args):
    """대조 하나만 뺐습니다. 한 번 뽑은 대조는 우연에 크게 흔들립니다. rounds번의 평균을 빼십시오."""
    return _selective(*args, gap=lambda real, controls: real - controls[0])


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def median_taken_away(*args):
    """대조의 중앙값을 뺐습니다. 평균을 빼십시오."""
    return _selective(*args, gap=lambda real, controls: real - sorted(controls)[len(controls) // 2])


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def never_so_accurate(*args):
    """p에 1을 더하지 않았습니다. 진짜도 후보 하나로 세어 (1 + c) / (1 + rounds)입니다. 그래야 0이 되지 않습니다."""
    return _selective(*args, p=lambda real, controls: sum(c >= real for c in controls) / len(controls))


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def real_one_not_counted(*args):
    """p의 분자에 1을 더하지 않았습니다. 진짜는 자기 자신 이상이므로 함께 셉니다."""
    return _selective(*args, p=lambda real, controls: sum(c >= real for c in controls) / (1 + len(controls)))


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def more_than_all(*args):
    """p의 분모에 1을 더하지 않았습니다. 그러면 1을 넘을 수 있습니다."""
    return _selective(*args, p=lambda real, controls: (1 + sum(c >= real for c in controls)) / len(controls))


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def less_accurate_ones_counted(*args):
    """진짜보다 덜 정확한 대조를 세었습니다. p는 진짜 이상인 것의 비율이라, 작을수록 드문 일입니다."""
    return _selective(
        *args, p=lambda real, controls: (1 + sum(c <= real for c in controls)) / (1 + len(controls))
    )


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def equal_ones_not_counted(*args):
    """정확도가 같은 대조를 세지 않았습니다. 이상(>=)을 세십시오."""
    return _selective(
        *args, p=lambda real, controls: (1 + sum(c > real for c in controls)) / (1 + len(controls))
    )


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def one_less_p(*args):
    """p를 1에서 뺐습니다. 작을수록 드문 일이어야 합니다."""
    return _selective(*args, p=lambda real, controls: 1 - _rare(real, controls))


@wrong("selectivity", read="interpretability-selectivity-mistakes")
def one_round_fewer(accuracy, kinds, labels, rounds, generator):
    """대조를 rounds번 재지 않았습니다. 진짜를 빼고 rounds번입니다."""
    if rounds < 1 or len(kinds) != len(labels):
        raise ValueError("control")
    real = float(accuracy(labels))
    controls = [float(accuracy(_by_kind(kinds, labels, generator))) for _ in range(rounds - 1)] or [0.0]
    return _below(real, controls), _rare(real, controls)


@wrong("selectivity", read="interpretability-probes")
def p_before_selectivity(*args):
    """돌려주는 차례가 뒤바뀌었습니다. (선택성, p)입니다."""
    return _selective(*args)[::-1]


@wrong("selectivity", read="interpretability-selectivity-mistakes", slip=True)
def randomness_of_its_own(accuracy, kinds, labels, rounds, generator):
    """generator를 쓰지 않았습니다. 난수는 거기서만 얻어야 같은 대조를 다시 만들 수 있습니다."""
    return _selective(accuracy, kinds, labels, rounds, None)


@wrong("selectivity", read="interpretability-selectivity-mistakes", slip=True)
def anything_goes(accuracy, kinds, labels, rounds, generator):
    """rounds가 1보다 작거나 길이가 다를 때 ValueError를 내지 않았습니다."""
    n = min(len(kinds), len(labels))
    return _selective(accuracy, kinds[:n], labels[:n], max(rounds, 1), generator)


@wrong("selectivity", read="interpretability-selectivity-mistakes", slip=True)
def labels_overwritten(accuracy, kinds, labels, rounds, generator):
    """받은 labels를 대조의 것으로 덮어썼습니다. 새 텐서를 만드십시오."""
    found = _selective(accuracy, kinds, labels, rounds, generator)
    labels.copy_(_by_kind(kinds, labels, generator))
    return found


# head_importance --------------------------------------------------------------------------------------------


def _each_head(num_layers, num_heads, score):
    rows = [[score(layer, head) for head in range(num_heads)] for layer in range(num_layers)]
    return torch.tensor(rows)


def _one_off(num_layers, num_heads, layer, head):
    mask = torch.ones(num_layers, num_heads)
    mask[layer, head] = 0
    return mask


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def only_the_head_on(loss, num_layers, num_heads):
    """그 헤드만 켜고 나머지를 껐습니다. 반대로, 그 헤드만 끄고 나머지를 켭니다."""
    with_all = loss(torch.ones(num_layers, num_heads))
    return _each_head(
        num_layers,
        num_heads,
        lambda i, j: float(loss(1 - _one_off(num_layers, num_heads, i, j)) - with_all),
    )


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def gain_instead_of_loss(loss, num_layers, num_heads):
    """부호가 반대입니다. 헤드를 껐을 때의 손실에서 모두 켰을 때의 손실을 뺍니다. 필요한 헤드가 양수입니다."""
    with_all = loss(torch.ones(num_layers, num_heads))
    return _each_head(
        num_layers, num_heads, lambda i, j: float(with_all - loss(_one_off(num_layers, num_heads, i, j)))
    )


@wrong("head_importance", read="circuits#interpretability-heads")
def loss_without_the_head(loss, num_layers, num_heads):
    """껐을 때의 손실을 그대로 돌려주었습니다. 모두 켰을 때의 손실을 빼야 그 헤드의 몫이 남습니다."""
    return _each_head(num_layers, num_heads, lambda i, j: float(loss(_one_off(num_layers, num_heads, i, j))))


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def never_switched_on_again(loss, num_layers, num_heads):
    """끈 헤드를 다시 켜지 않고 다음 헤드를 껐습니다. 헤드마다 1로 채운 마스크에서 새로 시작하십시오."""
    mask = torch.ones(num_layers, num_heads)
    with_all = loss(mask.clone())

    def score(layer, head):
        mask[layer, head] = 0
        return float(loss(mask.clone()) - with_all)

    return _each_head(num_layers, num_heads, score)


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def whole_layers_off(loss, num_layers, num_heads):
    """층을 통째로 껐습니다. 헤드를 하나씩 끄십시오."""
    with_all = loss(torch.ones(num_layers, num_heads))

    def score(layer, head):
        mask = torch.ones(num_layers, num_heads)
        mask[layer] = 0
        return float(loss(mask) - with_all)

    return _each_head(num_layers, num_heads, score)


@wrong("head_importance", read="circuits#interpretability-heads")
def shares_of_the_total(loss, num_layers, num_heads):
    """손실의 차이를 합이나 가장 큰 값, 원래 손실 같은 다른 수로 나누었습니다. 차이를 그대로 돌려줍니다."""
    with_all = loss(torch.ones(num_layers, num_heads))
    importance = _each_head(
        num_layers, num_heads, lambda i, j: float(loss(_one_off(num_layers, num_heads, i, j)) - with_all)
    )
    return importance / importance.sum()


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def heads_before_layers(loss, num_layers, num_heads):
    """마스크의 층 축과 헤드 축이 바뀌었습니다. 모양은 (num_layers, num_heads)입니다."""
    with_all = loss(torch.ones(num_heads, num_layers))
    return _each_head(
        num_layers,
        num_heads,
        lambda i, j: float(loss(_one_off(num_heads, num_layers, j, i)) - with_all),
    )


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def against_no_heads(loss, num_layers, num_heads):
    """모두 켠 손실이 아니라 모두 끈 손실과 비교했습니다. 기준은 모두 켠 모델입니다."""
    with_none = loss(torch.zeros(num_layers, num_heads))
    return _each_head(
        num_layers, num_heads, lambda i, j: float(loss(_one_off(num_layers, num_heads, i, j)) - with_none)
    )


@wrong("head_importance", read="circuits#interpretability-head-mistakes", slip=True)
def boolean_masks(loss, num_layers, num_heads):
    """불리언 마스크를 넘겼습니다. loss는 0과 1로 된 float32 마스크를 받아 헤드의 출력에 곱합니다."""
    with_all = loss(torch.ones(num_layers, num_heads, dtype=torch.bool))
    return _each_head(
        num_layers,
        num_heads,
        lambda i, j: float(loss(_one_off(num_layers, num_heads, i, j).bool()) - with_all),
    )


@right_answer("head_importance")
def _differences(loss, num_layers, num_heads):
    with_all = loss(torch.ones(num_layers, num_heads))
    return _each_head(
        num_layers, num_heads, lambda i, j: float(loss(_one_off(num_layers, num_heads, i, j)) - with_all)
    )


@wrong("head_importance", read="circuits#interpretability-heads")
def size_of_the_change(loss, num_layers, num_heads):
    """절댓값을 취했습니다. 껐더니 손실이 줄어드는 헤드는 음수여야 합니다."""
    return _differences(loss, num_layers, num_heads).abs()


@wrong("head_importance", read="circuits#interpretability-heads")
def improvements_cut_off(loss, num_layers, num_heads):
    """음수를 0으로 잘랐습니다. 껐더니 손실이 줄어드는 헤드는 음수여야 합니다."""
    return _differences(loss, num_layers, num_heads).clamp(min=0)


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def result_transposed(loss, num_layers, num_heads):
    """결과의 층 축과 헤드 축이 바뀌었습니다. 모양은 (num_layers, num_heads)입니다."""
    return _differences(loss, num_layers, num_heads).T


@wrong("head_importance", read="circuits#interpretability-heads")
def lists_of_numbers(loss, num_layers, num_heads):
    """리스트를 돌려주었습니다. (num_layers, num_heads) 텐서로 만드십시오."""
    return _differences(loss, num_layers, num_heads).tolist()


@wrong("head_importance", read="circuits#interpretability-heads")
def all_heads_in_one_row(loss, num_layers, num_heads):
    """결과의 모양이 (num_layers, num_heads)가 아닙니다. 층마다 행 하나입니다."""
    return _differences(loss, num_layers, num_heads).flatten()


@wrong("head_importance", read="circuits#interpretability-heads")
def gradient_of_the_mask(loss, num_layers, num_heads):
    """어느 헤드도 0으로 끄지 않았습니다. 기울기처럼 조금 줄여 본 값은 어림입니다. 헤드를 하나씩 끄고 손실을 다시 구하십시오."""
    mask = torch.ones(num_layers, num_heads, requires_grad=True)
    return -torch.autograd.grad(loss(mask), mask)[0]


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def against_the_mask_before(loss, num_layers, num_heads):
    """바로 앞 걸음의 손실을 뺐습니다. 끈 헤드를 다시 켜고, 언제나 모두 켠 손실을 뺍니다."""
    mask = torch.ones(num_layers, num_heads)
    losses = [loss(mask.clone())]

    def score(layer, head):
        mask[layer, head] = 0
        losses.append(loss(mask.clone()))
        return float(losses[-1] - losses[-2])

    return _each_head(num_layers, num_heads, score)


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def same_head_in_every_layer(loss, num_layers, num_heads):
    """모든 층에서 같은 번호의 헤드를 한꺼번에 껐습니다. 층마다 헤드를 하나씩 끄십시오."""
    with_all = loss(torch.ones(num_layers, num_heads))

    def score(layer, head):
        mask = torch.ones(num_layers, num_heads)
        mask[:, head] = 0
        return float(loss(mask) - with_all)

    return _each_head(num_layers, num_heads, score)


def _alone(loss, num_layers, num_heads):
    with_none = loss(torch.zeros(num_layers, num_heads))
    return _each_head(
        num_layers, num_heads, lambda i, j: float(loss(1 - _one_off(num_layers, num_heads, i, j)) - with_none)
    )


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def ones_taken_for_off(loss, num_layers, num_heads):
    """모두 끈 모델에서 그 헤드만 켜 보았습니다. 1이 켜진 헤드, 0이 꺼진 헤드입니다. 모두 켠 모델에서 그 헤드만 끄십시오."""
    return _alone(loss, num_layers, num_heads)


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def gain_of_the_head_alone(loss, num_layers, num_heads):
    """모두 끈 모델에서 그 헤드만 켰을 때 손실이 주는 만큼을 쟀습니다. 모두 켠 모델에서 그 헤드만 끄십시오."""
    return -_alone(loss, num_layers, num_heads)


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def masks_of_another_shape(loss, num_layers, num_heads):
    """마스크의 모양이 (num_layers, num_heads)가 아닙니다. 축을 펴거나 더하지 말고 그대로 넘기십시오."""
    return _differences(lambda mask: loss(mask.flatten()), num_layers, num_heads)


@wrong("head_importance", read="circuits#interpretability-head-mistakes", slip=True)
def masks_of_another_type(loss, num_layers, num_heads):
    """마스크가 float32가 아닙니다. 정수나 float64로 만들지 마십시오."""
    return _differences(lambda mask: loss(mask.long()), num_layers, num_heads)


@wrong("head_importance", read="circuits#interpretability-head-mistakes")
def both_losses_of_the_same_mask(loss, num_layers, num_heads):
    """두 손실을 같은 마스크로 구해 차이가 언제나 0입니다. 모두 1인 마스크를 베껴서 고치십시오."""
    return _each_head(num_layers, num_heads, lambda i, j: 0 * loss(_one_off(num_layers, num_heads, i, j)))


@wrong("head_importance", read="circuits#interpretability-heads")
def neither_on_nor_off(loss, num_layers, num_heads):
    """마스크에 0도 1도 아닌 수가 있습니다. 켠 헤드는 1, 끈 헤드는 0입니다."""
    return _differences(lambda mask: loss((mask + 1) / 2), num_layers, num_heads)


@wrong("head_importance", read="circuits#interpretability-heads")
def importance_in_whole_numbers(loss, num_layers, num_heads):
    """중요도의 소수점 아래를 버렸습니다. 정수가 아니라 실수로 모으십시오."""
    return _differences(loss, num_layers, num_heads).long()


# induction_score --------------------------------------------------------------------------------------------


def _induction(weights, ids, place, rows=None):
    """Mean weight from i to place(i, earlier occurrences), over the i that have one."""
    found = []
    for i, token in enumerate(ids.tolist()):
        earlier = [j for j in range(i) if ids[j] == token]
        if earlier:
            found.append(place(i, earlier))
    return torch.stack(found).sum(0) / (rows or len(found)) if found else weights.new_zeros(len(weights))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def to_the_duplicate(weights, ids):
    """앞의 같은 토큰에 준 가중치를 모았습니다. 귀납 헤드가 보는 것은 그 바로 다음 자리입니다."""
    return _induction(weights, ids, lambda i, earlier: weights[:, i, earlier[-1]])


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def first_occurrence(weights, ids):
    """처음 나온 자리를 썼습니다. 마지막으로 나온 자리, 곧 가장 가까운 앞의 것을 쓰십시오."""
    return _induction(weights, ids, lambda i, earlier: weights[:, i, earlier[0] + 1])


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def mean_over_all_places(weights, ids):
    """앞에 같은 토큰이 없는 위치까지 세어 나누었습니다. 같은 토큰이 있는 위치에서만 평균합니다."""
    return _induction(weights, ids, lambda i, earlier: weights[:, i, earlier[-1] + 1], rows=len(ids))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def every_occurrence(weights, ids):
    """같은 토큰이 나온 모든 자리의 다음을 더했습니다. 마지막으로 나온 자리의 다음만 봅니다."""
    return _induction(weights, ids, lambda i, earlier: sum(weights[:, i, j + 1] for j in earlier))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def query_and_key_swapped(weights, ids):
    """질의와 키가 바뀌었습니다. 행이 지금 위치(질의), 열이 돌아보는 자리(키)입니다."""
    return _induction(weights, ids, lambda i, earlier: weights[:, earlier[-1] + 1, i])


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def summed(weights, ids):
    """평균하지 않고 더했습니다. 글이 길수록 점수가 커집니다."""
    return _induction(weights, ids, lambda i, earlier: weights[:, i, earlier[-1] + 1], rows=1)


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def heads_averaged(weights, ids):
    """헤드까지 평균했습니다. 헤드마다 수 하나를 돌려줍니다."""
    scores = _induction(weights, ids, lambda i, earlier: weights[:, i, earlier[-1] + 1])
    return scores.mean() if scores.any() else scores


@wrong("induction_score", read="circuits#interpretability-induction-mistakes", slip=True)
def nan_without_repeats(weights, ids):
    """앞에 같은 토큰이 없으면 NaN이 납니다. 그때는 모든 헤드가 0입니다."""
    if len(ids.unique()) == len(ids):
        return weights.new_full((len(weights),), float("nan"))
    return _induction(weights, ids, lambda i, earlier: weights[:, i, earlier[-1] + 1])


@wrong("induction_score", read="circuits#interpretability-induction-mistakes", slip=True)
def neighbours_left_out(weights, ids):
    """바로 앞 토큰이 같은 위치를 빼고 세었습니다. 그때 '바로 다음'은 자기 자신이고, 그 가중치도 셉니다."""
    found = []
    for i, token in enumerate(ids.tolist()):
        earlier = [j for j in range(i) if ids[j] == token]
        if earlier and earlier[-1] + 1 < i:
            found.append(weights[:, i, earlier[-1] + 1])
    return torch.stack(found).mean(0) if found else weights.new_zeros(len(weights))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def previous_token(weights, ids):
    """앞 토큰에 준 가중치를 모았습니다. 그것은 앞 토큰 헤드의 점수입니다. 같은 토큰이 나온 자리를 먼저 찾으십시오."""
    return _induction(weights, ids, lambda i, earlier: weights[:, i, i - 1])


def _after_the_last(weights):
    return lambda i, earlier: weights[:, i, earlier[-1] + 1]


def _repeats(ids):
    return len(ids.unique()) < len(ids)


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def mean_over_all_pairs(weights, ids):
    """같은 토큰이 나온 모든 자리를 세어 평균했습니다. 위치마다 마지막으로 나온 자리의 다음 하나만 봅니다."""
    pairs = [weights[:, i, j + 1] for i in range(len(ids)) for j in range(i) if ids[j] == ids[i]]
    return torch.stack(pairs).mean(0) if pairs else weights.new_zeros(len(weights))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def mean_over_occurrences(weights, ids):
    """위치마다 같은 토큰이 나온 모든 자리의 다음을 평균했습니다. 마지막으로 나온 자리의 다음만 봅니다."""

    def place(i, earlier):
        return sum(weights[:, i, j + 1] for j in earlier) / len(earlier)

    return _induction(weights, ids, place)


@wrong("induction_score", read="circuits#interpretability-induction-score")
def each_token_once(weights, ids):
    """되풀이되는 토큰마다 한 번만 세었습니다. 앞에 같은 토큰이 있는 위치를 모두 셉니다."""
    found, counted = [], set()
    for i, token in enumerate(ids.tolist()):
        earlier = [j for j in range(i) if ids[j] == token]
        if earlier and token not in counted:
            counted.add(token)
            found.append(weights[:, i, earlier[-1] + 1])
    return torch.stack(found).mean(0) if found else weights.new_zeros(len(weights))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def last_of_the_whole_text(weights, ids):
    """지금 위치나 그 뒤에 나온 같은 토큰까지 찾았습니다. 지금보다 앞에 나온 것 가운데 마지막을 씁니다."""

    def place(i, earlier):
        last = (ids == ids[i]).nonzero().flatten()[-1]
        return weights[:, i, (last + 1).clamp(max=len(ids) - 1)]

    return _induction(weights, ids, place)


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def later_ones_too(weights, ids):
    """뒤에만 같은 토큰이 있는 위치까지 세었습니다. 앞에 같은 토큰이 있는 위치에서만 평균합니다."""
    found = []
    for i, token in enumerate(ids.tolist()):
        others = [j for j in range(len(ids)) if j != i and ids[j] == token]
        if others:
            found.append(weights[:, i, min(others[-1] + 1, len(ids) - 1)])
    return torch.stack(found).mean(0) if found else weights.new_zeros(len(weights))


@wrong("induction_score", read="circuits#interpretability-induction-score")
def how_often_the_largest(weights, ids):
    """가중치를 평균하지 않고 그 자리의 가중치가 가장 큰 비율을 세었습니다. 가중치 자체를 평균합니다."""

    def place(i, earlier):
        return (weights[:, i].argmax(-1) == earlier[-1] + 1).to(weights.dtype)

    return _induction(weights, ids, place)


@wrong("induction_score", read="circuits#interpretability-induction-score")
def largest_instead_of_mean(weights, ids):
    """평균하지 않고 가장 큰 값을 골랐습니다."""
    largest = weights.new_zeros(len(weights))

    def place(i, earlier):
        largest.copy_(torch.maximum(largest, weights[:, i, earlier[-1] + 1]))
        return largest

    _induction(weights, ids, place)
    return largest


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def place_before_the_duplicate(weights, ids):
    """마지막으로 나온 자리의 앞을 보았습니다. 귀납 헤드가 보는 것은 그 바로 다음 자리입니다."""
    return _induction(weights, ids, lambda i, earlier: weights[:, i, max(earlier[-1] - 1, 0)])


@wrong("induction_score", read="circuits#interpretability-induction-mistakes")
def weight_on_itself(weights, ids):
    """자기 자신에게 준 가중치를 모았습니다. 마지막으로 나온 같은 토큰의 바로 다음 자리를 봅니다."""
    return _induction(weights, ids, lambda i, earlier: weights[:, i, i])


@wrong("induction_score", read="circuits#interpretability-induction-mistakes", slip=True)
def fails_without_repeats(weights, ids):
    """앞에 같은 토큰이 없으면 오류가 납니다. 그때는 모든 헤드가 0입니다."""
    if not _repeats(ids):
        raise RuntimeError
    return _induction(weights, ids, _after_the_last(weights))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes", slip=True)
def one_zero_without_repeats(weights, ids):
    """앞에 같은 토큰이 없으면 수 하나만 돌려줍니다. 그때도 헤드마다 0입니다."""
    return _induction(weights, ids, _after_the_last(weights)) if _repeats(ids) else weights.new_zeros(())


@wrong("induction_score", read="circuits#interpretability-induction-mistakes", slip=True)
def zeros_elsewhere(weights, ids):
    """앞에 같은 토큰이 없을 때의 0을 weights의 자료형과 장치로 만들지 않았습니다."""
    return _induction(weights, ids, _after_the_last(weights)) if _repeats(ids) else torch.zeros(len(weights))


@wrong("induction_score", read="circuits#interpretability-induction-score")
def scores_elsewhere_or_float32(weights, ids):
    """안에서 만든 텐서가 weights의 자료형과 장치를 따르지 않습니다."""
    return torch.zeros(len(weights)).copy_(_induction(weights, ids, _after_the_last(weights)))


@wrong("induction_score", read="circuits#interpretability-induction-mistakes", slip=True)
def neighbours_counted_as_nothing(weights, ids):
    """바로 앞 토큰이 같은 위치를 0으로 세었습니다. 그때 '바로 다음'은 자기 자신이고, 그 가중치를 셉니다."""

    def place(i, earlier):
        return weights[:, i, earlier[-1] + 1] * (earlier[-1] + 1 < i)

    return _induction(weights, ids, place)


@wrong("induction_score", read="circuits#interpretability-induction-score")
def finds_itself(weights, ids):
    """지금 위치도 같은 토큰으로 찾았습니다. 지금보다 앞에서 마지막으로 나온 자리를 찾으십시오."""
    if len(ids) < 2:
        return weights.new_zeros(len(weights))
    return weights.diagonal(1, dim1=-2, dim2=-1).mean(-1)


@wrong("induction_score", read="circuits#interpretability-induction-score")
def list_of_heads(weights, ids):
    """리스트를 돌려주었습니다. 헤드마다 수 하나인 텐서로 만드십시오."""
    return list(_induction(weights, ids, _after_the_last(weights)))
