"""What the exercise `product_key_memory` is graded by."""

import math

import torch

from grader.judging.contract import assert_manners, bad_manners, how_refused, unreached
from grader.judging.memory import measured
from grader.judging.observed import alike, same, up_to_the_first_wrong
from grader.judging.suite import (
    assert_close,
    gradients,
    load,
    mutated,
    observes,
    outcome,
    parameters,
    place,
    points,
    reached,
    refuses,
    scattered,
)
from grader.judging.values import values_of


search_all = values_of(
    [
        ([['float64', 4, 4, -1.8734044, 1.8835469], ['float64', 5, 2, 10, -1.0808544, 5.1981933], ['float64', 5, 2, 10, 4.1983479, 4.7984925], 1], ({'dtype': 'float64', 'shape': [1], 'values': [1.6369164]}, {'dtype': 'int64', 'shape': [1], 'values': [15]})),
        ([['float64', 4, 4, -1.8734044, 1.8835469], ['float64', 5, 2, 10, -1.0808544, 5.1981933], ['float64', 5, 2, 10, 4.1983479, 4.7984925], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.6369164, 1.0954341, 1.0947956, 1.0178292]}, {'dtype': 'int64', 'shape': [4], 'values': [15, 17, 16, 5]})),
        ([['float64', 6, 6, 1.1944959, 3.3885624], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.0992285, 1.0397949, 0.97477776, 0.58164272]}, {'dtype': 'int64', 'shape': [4], 'values': [24, 22, 23, 19]})),
        ([['float64', 6, 6, -3.8651921, 2.9866488], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.2527701, 1.167798, 1.0724782, 0.86429211]}, {'dtype': 'int64', 'shape': [4], 'values': [20, 22, 21, 23]})),
        ([['float64', 6, 6, 1.3234812, 3.0278794], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.5878933, 1.0966564, 0.96956819, 0.89587778]}, {'dtype': 'int64', 'shape': [4], 'values': [21, 20, 24, 16]})),
        ([['float64', 6, 6, 1.0105478, 2.7607432], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.0902582, 1.0826761, 0.88941362, 0.72820301]}, {'dtype': 'int64', 'shape': [4], 'values': [14, 4, 9, 10]})),
        ([['float64', 6, 6, 7.2369669, 4.0539572], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [0.63086694, 0.55358236, 0.38739102, 0.31010644]}, {'dtype': 'int64', 'shape': [4], 'values': [14, 24, 13, 23]})),
        ([['float64', 6, 6, 3.2913255, 2.1523913], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [0.61686767, 0.52595403, 0.36641324, 0.34959534]}, {'dtype': 'int64', 'shape': [4], 'values': [23, 18, 8, 13]})),
        ([['float64', 6, 6, 2.8754469, 2.783035], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [0.59178935, 0.38733307, 0.22357417, 0.092041641]}, {'dtype': 'int64', 'shape': [4], 'values': [14, 12, 10, 13]})),
        ([['float64', 6, 6, -1.6447007, 3.1449736], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.1674816, 0.99103153, 0.86612437, 0.69833653]}, {'dtype': 'int64', 'shape': [4], 'values': [12, 2, 7, 10]})),
        ([['float64', 6, 6, -0.31026197, 3.6187167], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.5082388, 1.2796066, 0.975202, 0.84668353]}, {'dtype': 'int64', 'shape': [4], 'values': [9, 4, 19, 5]})),
        ([['float64', 6, 6, 0.18476827, 2.116178], ['float64', 5, 3, 15, -3.3436833, 5.654406], ['float64', 5, 3, 15, -4.0858681, 6.3931693], 4], ({'dtype': 'float64', 'shape': [4], 'values': [1.008589, 0.92217255, 0.87221973, 0.68000223]}, {'dtype': 'int64', 'shape': [4], 'values': [1, 11, 6, 16]})),
        ([['float64', 6, 6, 1.1944959, 3.3885624], ['float64', 3, 3, 9, -2.6930892, 3.2390465], ['float64', 3, 3, 9, -5.9734991, 4.1105951], 5], ({'dtype': 'float64', 'shape': [5], 'values': [0.33713804, 0.32089473, 0.056305196, -0.5245276, -0.54077091]}, {'dtype': 'int64', 'shape': [5], 'values': [2, 5, 8, 0, 3]})),
        ([['float64', 6, 6, 1.1944959, 3.3885624], ['float64', 3, 3, 9, -2.6930892, 3.2390465], ['float64', 3, 3, 9, -5.9734991, 4.1105951], 9], ({'dtype': 'float64', 'shape': [9], 'values': [0.33713804, 0.32089473, 0.056305196, -0.5245276, -0.54077091, -0.7006679, -0.71691121, -0.80536044, -0.98150075]}, {'dtype': 'int64', 'shape': [9], 'values': [2, 5, 8, 0, 3, 1, 4, 6, 7]})),
        ([['float64', 2, 1, -2.0, 2.0], ['float64', 6, 1, 6, 15.695525, 9.0], ['float64', 6, 1, 3, 5.9216257, 4.0], 5], ({'dtype': 'float64', 'shape': [5], 'values': [-2.0, -2.0, -2.0, -2.0, -2.0]}, {'dtype': 'int64', 'shape': [5], 'values': [12, 13, 14, 15, 16]})),
        ([['float64', 2, 2, -1.8284271, 3.0], ['float64', 6, 1, 6, 15.695525, 9.0], ['float64', 6, 1, 3, 5.9216257, 4.0], 5], ({'dtype': 'float64', 'shape': [5], 'values': [4.0, 4.0, 4.0, 3.0, 3.0]}, {'dtype': 'int64', 'shape': [5], 'values': [0, 6, 30, 12, 18]})),
        ([['float64', 2, 2, -3.8284271, 3.0], ['float64', 6, 1, 6, 15.695525, 9.0], ['float64', 6, 1, 3, 5.9216257, 4.0], 5], ({'dtype': 'float64', 'shape': [5], 'values': [1.0, 1.0, 1.0, 0.0, 0.0]}, {'dtype': 'int64', 'shape': [5], 'values': [12, 18, 24, 0, 6]})),
        ([['float64', 2, 2, 4.8284271, 4.0], ['float64', 6, 1, 5, 1.9953558, 8.0], ['float64', 6, 1, 5, 11.402997, 8.0], 9], ({'dtype': 'float64', 'shape': [9], 'values': [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 6.0, 6.0, 4.0]}, {'dtype': 'int64', 'shape': [9], 'values': [6, 9, 11, 30, 33, 35, 10, 34, 7]})),
        ([['float64', 2, 2, 2.4142136, 2.0], ['float64', 6, 1, 5, 1.9953558, 8.0], ['float64', 6, 1, 5, 11.402997, 8.0], 9], ({'dtype': 'float64', 'shape': [9], 'values': [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 3.0, 3.0, 2.0]}, {'dtype': 'int64', 'shape': [9], 'values': [6, 9, 11, 30, 33, 35, 10, 34, 7]})),
        ([['float64', 2, 2, 3.8284271, 3.0], ['float64', 6, 1, 5, 1.9953558, 8.0], ['float64', 6, 1, 5, 11.402997, 8.0], 9], ({'dtype': 'float64', 'shape': [9], 'values': [6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 4.0, 4.0, 4.0]}, {'dtype': 'int64', 'shape': [9], 'values': [6, 9, 11, 30, 33, 35, 10, 24, 27]})),
        ([['float64', 2, 1, -1.0, 1.0], ['float64', 6, 1, 5, 1.9953558, 8.0], ['float64', 6, 1, 5, 11.402997, 8.0], 9], ({'dtype': 'float64', 'shape': [9], 'values': [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]}, {'dtype': 'int64', 'shape': [9], 'values': [0, 1, 2, 3, 4, 5, 12, 13, 14]})),
        ([['float64', 2, 2, 0.82842712, 4.0], ['float64', 7, 1, 5, 8.2848159, 8.0], ['float64', 7, 1, 7, -7.2527223, 10.0], 1], ({'dtype': 'float64', 'shape': [1], 'values': [6.0]}, {'dtype': 'int64', 'shape': [1], 'values': [0]})),
        ([['float64', 2, 2, -2.4142136, 2.0], ['float64', 7, 1, 5, 8.2848159, 8.0], ['float64', 7, 1, 7, -7.2527223, 10.0], 1], ({'dtype': 'float64', 'shape': [1], 'values': [4.0]}, {'dtype': 'int64', 'shape': [1], 'values': [1]})),
        ([['float64', 2, 1, 2.8284271, 2.0], ['float64', 7, 1, 5, 8.2848159, 8.0], ['float64', 7, 1, 7, -7.2527223, 10.0], 1], ({'dtype': 'float64', 'shape': [1], 'values': [2.0]}, {'dtype': 'int64', 'shape': [1], 'values': [0]})),
        ([['float64', 2, 1, 2.0, 2.0], ['float64', 7, 1, 5, 8.2848159, 8.0], ['float64', 7, 1, 7, -7.2527223, 10.0], 1], ({'dtype': 'float64', 'shape': [1], 'values': [4.0]}, {'dtype': 'int64', 'shape': [1], 'values': [28]})),
        ([['float64', 2, 1, -2.0, 2.0], ['float64', 12, 1, 10, 16.724444, 14.0], ['float64', 12, 1, 10, -0.31907828, 18.0], 7], ({'dtype': 'float64', 'shape': [7], 'values': [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]}, {'dtype': 'int64', 'shape': [7], 'values': [96, 97, 98, 99, 100, 101, 102]})),
        ([['float64', 2, 1, -1.0, 1.0], ['float64', 12, 1, 10, 16.724444, 14.0], ['float64', 12, 1, 10, -0.31907828, 18.0], 7], ({'dtype': 'float64', 'shape': [7], 'values': [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]}, {'dtype': 'int64', 'shape': [7], 'values': [96, 97, 98, 99, 100, 101, 102]})),
        ([['float64', 2, 2, 4.8284271, 4.0], ['float64', 12, 1, 10, 16.724444, 14.0], ['float64', 12, 1, 10, -0.31907828, 18.0], 7], ({'dtype': 'float64', 'shape': [7], 'values': [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]}, {'dtype': 'int64', 'shape': [7], 'values': [72, 73, 75, 79, 80, 84, 85]})),
        ([['float64', 2, 2, 2.4142136, 2.0], ['float64', 12, 1, 10, 16.724444, 14.0], ['float64', 12, 1, 10, -0.31907828, 18.0], 7], ({'dtype': 'float64', 'shape': [7], 'values': [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]}, {'dtype': 'int64', 'shape': [7], 'values': [72, 73, 75, 79, 80, 84, 85]})),
    ]
)


def at_one(function, value, *shapes):
    """What a function makes of one vector, given in the first of the shapes that it can take."""
    for shape in shapes:
        found = outcome(function, value.reshape(*shape, -1))
        if not isinstance(found, str):  # an error's name
            return found
    raise ValueError("takes none of the shapes")


# product_topk -----------------------------------------------------------------------------------------------

BY_HAND = torch.tensor([1.0, 1.0]), torch.tensor([[5.0], [3.0], [1.0]]), torch.tensor([[4.0], [3.0], [0.0]])


def whole_numbers(key, *shape):
    """Small integers, so that many scores are equal and none is rounded."""
    return (2.5 * scattered(shape, key)).round()


@points(0.25, "product_topk", read="pkm-pairs", step="warm-up")
def test_two_of_nine(student, device):
    """절반마다 k개를 고르고, 고른 것끼리 만드는 짝을 모두 더해 그 가운데 가장 큰 k개를 고르십시오. 슬롯 번호는 i * n + j입니다."""
    scores, slots = student.product_topk(*(x.to(device) for x in BY_HAND), 2)
    assert_close(scores, torch.tensor([9.0, 8.0]))
    assert_close(slots, torch.tensor([0, 1]))


@points(0.25, "product_topk", read="pkm-exact")
def test_equals_the_search_of_all_keys(student):
    """모든 키를 비교한 결과와 점수도 슬롯도 같아야 합니다. 점수는 두 절반의 내적을 더한 것이고, 나누지 않습니다."""
    query, half_keys = scattered((4,), 1), scattered((2, 5, 2), 2)
    for k in (1, 4):
        scores, slots = student.product_topk(query, *half_keys, k)
        expected_scores, expected_slots = search_all(query, *half_keys, k)
        assert_close(scores, expected_scores)
        assert_close(slots, expected_slots)


@observes("product_topk")
def observe_product_topk(student):
    find = student.product_topk
    query, half_keys = scattered((6,), 7), scattered((2, 5, 3), 4)
    right_scores, right_slots = search_all(query, *half_keys, 4)

    def search(query, half_keys, k):
        scores, slots = at_one(lambda x: find(x, *half_keys, k), query, (), (1,))
        return scores.flatten(), slots.flatten()

    def order():
        scores, _ = search(query, half_keys, 4)
        if not scores.is_floating_point():
            return "whole numbers"
        steps = scores.diff()
        if not steps.isfinite().all():
            return "not finite"
        return "descending" if (steps <= 0).all() else "ascending" if (steps >= 0).all() else "none"

    def scores_to_the_first():
        scores, _ = search(query, half_keys, 4)
        return scores / scores[0]

    def slots():
        best_first = torch.tensor([[9.0, 8.0, 3.0, 1.0, 0.0], [7.0, 5.5, 5.0, 4.0, 1.0]])
        _, found = search(query, half_keys, 4)
        few = bool((found < 16).all())  # as many as there are candidates
        return search(torch.ones(2), best_first[..., None], 4)[1].tolist(), same(found, right_slots), few

    def is_right(query, half_keys, k):
        scores, slots = find(query, *half_keys, k)
        expected = [search_all(row, *half_keys, k) for row in query.reshape(-1, query.shape[-1])]
        shape = (*query.shape[:-1], k)
        return same(scores, torch.stack([row for row, _ in expected]).reshape(shape)) and same(
            slots, torch.stack([row for _, row in expected]).reshape(shape)
        )

    def every_number_of_axes():
        queries = [query, scattered((3, 6), 5), scattered((2, 3, 6), 6)]
        return all(outcome(is_right, x, half_keys, 4) is True for x in queries)

    def beyond_n():
        found, _ = find(query, *half_keys[:, :3], 5)
        return len(found), is_right(query, half_keys[:, :3], 5)

    def ties():
        return all(
            is_right(whole_numbers(key, 4, 2), whole_numbers(key + 1, 2, n, 1), k)
            for key, (n, k) in enumerate([(6, 5), (6, 9), (7, 1), (12, 7)], start=5)
        )

    batch = scattered((2, 3, 6), 3), *half_keys, 3
    return up_to_the_first_wrong(
        (order, "descending"),
        (scores_to_the_first, right_scores / right_scores[0]),
        (lambda: same(search(query, half_keys, 4)[0], right_scores), True),
        (slots, [[0, 5, 1, 2], True, False]),
        (every_number_of_axes, True),
        (lambda: measured(student, find, query, *scattered((2, 64, 3), 10), 3)[0] < 1000, True),
        (beyond_n, [5, True]),
        (lambda: is_right(query, half_keys[:, :3], 9), True),
        (ties, True),
        (lambda: how_refused(find, query, *half_keys[:, :3], 10), "refused"),
        (lambda: bad_manners(student, find, *batch), "none"),
    )




# ProductKeyMemory -------------------------------------------------------------------------------------------


def known(student, d_model, n, d_value, k, num_heads, make):
    """A module in float64 and the parameters that it was given; a bias of the query may be missing."""
    module = student.ProductKeyMemory(d_model, n, d_value, k, num_heads).double()
    shapes = {
        "query.weight": (num_heads * d_model, d_model),
        "query.bias": (num_heads * d_model,),
        "half_keys": (num_heads, 2, n, d_model // 2),
        "values.weight": (n * n, d_value),
    }
    values = {name: make(name, shape) for name, shape in shapes.items()}
    return module, load(student, module, values, optional=["query.bias"])


def read_all(x, state, k):
    """What the memory returns; a bias that it lacks is zero."""
    bias = torch.zeros(len(state["query.weight"]))
    return with_all_keys(x, {"query.bias": bias} | state, k)


with_all_keys = values_of(
    [
        ([['float64', 3, 4, 12, -0.78578519, 6.504732], [['float64', 2, 2, 3, 2, 24, -29.643802, 20.997566], ['float32', 8, 0, 0.0, 0.0], ['float64', 8, 4, 32, -1.3951365, 35.865559], ['float64', 9, 5, 45, -15.554556, 49.812957]], 2], {'dtype': 'float64', 'shape': [3, 5], 'values': [1.2014247, 0.29072837, -0.28148885, -0.25579663, 0.37862494, -0.75549546, -1.5615826, 0.27838007, -1.2281254, 0.30532129, -1.1680451, -1.1994589, 0.39668528, -0.41104228, 0.39979667]}),
        ([['float64', 6, 6, 4.1883606, 3.7381982], [['float64', 1, 2, 3, 3, 18, -12.821454, 14.820837], ['float32', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 7.9964481, 40.386964], ['float64', 9, 5, 45, -15.554556, 49.812957]], 3], {'dtype': 'float64', 'shape': [5], 'values': [-0.20045544, -0.58299531, -1.0707989, -0.4645165, -0.93290488]}),
        ([['float64', 6, 6, 4.1883606, 3.7381982], [['float64', 2, 2, 3, 3, 36, -33.484964, 32.823204], ['float32', 12, 0, 0.0, 0.0], ['float64', 12, 6, 72, 25.387615, 70.360925], ['float64', 9, 5, 45, -15.554556, 49.812957]], 3], {'dtype': 'float64', 'shape': [5], 'values': [1.6121158, 0.72300344, -1.510763, -1.9926725, -0.33449939]}),
        ([['float64', 6, 6, 4.1883606, 3.7381982], [['float64', 1, 2, 3, 3, 18, -12.821454, 14.820837], ['float32', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 1.3327414, 6.7311607], ['float64', 9, 5, 45, -15.554556, 49.812957]], 3], {'dtype': 'float64', 'shape': [5], 'values': [0.27517416, -0.52109156, -0.6178792, -0.92295997, -0.38042005]}),
        ([['float64', 6, 6, 4.1883606, 3.7381982], [['float64', 1, 2, 3, 3, 18, -12.821454, 14.820837], ['float32', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 2.6654827, 13.462321], ['float64', 9, 5, 45, -15.554556, 49.812957]], 3], {'dtype': 'float64', 'shape': [5], 'values': [0.18224049, -0.49561238, -0.73405428, -0.8167845, -0.50453216]}),
        ([['float64', 6, 6, 4.1883606, 3.7381982], [['float64', 1, 2, 3, 3, 18, -12.821454, 14.820837], ['float32', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 3.2645363, 16.487909], ['float64', 9, 5, 45, -15.554556, 49.812957]], 3], {'dtype': 'float64', 'shape': [5], 'values': [0.1391304, -0.49159739, -0.78219669, -0.77097962, -0.55874852]}),
        ([['float64', 6, 6, 4.1883606, 3.7381982], [['float64', 1, 2, 3, 3, 18, -12.821454, 14.820837], ['float32', 6, 0, 0.0, 0.0], ['float64', 6, 6, 36, 4.6167515, 23.317425], ['float64', 9, 5, 45, -15.554556, 49.812957]], 3], {'dtype': 'float64', 'shape': [5], 'values': [0.040545899, -0.49778478, -0.8809679, -0.67302233, -0.67612043]}),
        ([['float64', 4, 4, -0.51875472, 1.6559964], [['float64', 2, 2, 3, 2, 24, -29.643802, 20.997566], ['float32', 8, 0, 0.0, 0.0], ['float64', 8, 4, 32, -1.3951365, 35.865559], ['float64', 9, 5, 45, -15.554556, 49.812957]], 2], {'dtype': 'float64', 'shape': [5], 'values': [1.2014247, 0.29072837, -0.28148885, -0.25579663, 0.37862494]}),
        ([['float64', 2, 3, 4, 24, 2.0408821, 13.119588], [['float64', 2, 2, 3, 2, 24, -29.643802, 20.997566], ['float32', 8, 0, 0.0, 0.0], ['float64', 8, 4, 32, -1.3951365, 35.865559], ['float64', 9, 5, 45, -15.554556, 49.812957]], 2], {'dtype': 'float64', 'shape': [2, 3, 5], 'values': [1.2014247, 0.29072837, -0.28148885, -0.25579663, 0.37862494, -0.75549546, -1.5615826, 0.27838007, -1.2281254, 0.30532129, -1.1680451, -1.1994589, 0.39668528, -0.41104228, 0.39979667, 1.488819, -0.27231757, 0.78613024, -0.4272782, 1.7796906, -1.0064176, -0.90245951, -0.77126755, -0.70952048, -0.3316565, 0.73829204, 0.57855706, -2.0334804, 0.031178212, -1.4512118]}),
    ]
)


def fixed_weights(name, shape):
    return torch.zeros(shape) if name.endswith("bias") else 2 * scattered(shape, name)


@points(0.25, "ProductKeyMemory", read="pkm-heads", step="warm-up")
def test_shapes_of_parameters(student):
    """이름과 모양이 글에 적힌 것과 같아야 합니다: query는 (h * d_model, d_model), half_keys는 (h, 2, n, d_model / 2), values는 n * n행입니다."""
    found = parameters(student, student.ProductKeyMemory(6, 4, 5, 3, 2))
    shapes = {name: tuple(value.shape) for name, value in found.items() if name != "query.bias"}
    assert shapes == {"query.weight": (12, 6), "half_keys": (2, 2, 4, 3), "values.weight": (16, 5)}, shapes


@points(0.5, "ProductKeyMemory", read="pkm-heads")
def test_equals_masked_attention_over_all_keys(student, device):
    """헤드마다 찾은 k개의 점수에 소프트맥스를 취해 그 슬롯의 값을 섞고, 헤드의 결과를 더합니다. 점수는 나누지 않습니다."""
    module, state = known(student, 4, 3, 5, 2, 2, fixed_weights)
    x = scattered((3, 4), 0.5)
    assert_close(module.to(device)(x.to(device)), read_all(x, state, 2), atol=1e-9)


@observes("ProductKeyMemory")
def observe_product_key_memory(student):
    make = student.ProductKeyMemory
    names = ("query.weight", "half_keys", "values.weight")
    one, shapes = scattered((6,), 0.7), [(1, 1), (1,), ()]

    def shapes_of(*sizes):
        found = parameters(student, make(*sizes))
        shapes = [list(found[name].shape) if name in found else None for name in names]
        return *shapes, bool(found.keys() - {*names, "query.bias"})

    def output_of(x, *sizes):
        module, state = known(student, *sizes, fixed_weights)
        return at_one(module, x, *shapes), state

    def right_output(heads):
        make = {"half_keys": (heads, 2, 3, 3), "values.weight": (9, 5), "query.weight": (heads * 6, 6)}
        return read_all(one, {name: fixed_weights(name, shape) for name, shape in make.items()}, 3)

    def divides():
        found, state = output_of(one, 6, 3, 5, 3, 1)
        divided = [{**state, "query.weight": state["query.weight"] / by} for by in (6, 3, 6**0.5, 3**0.5)]
        return any(same(found.flatten(), read_all(one, other, 3)) for other in divided)

    def forgets_the_length():
        """Another length of the query changes nothing, another direction does."""
        module, _ = known(student, 6, 3, 5, 3, 1, fixed_weights)
        short, long = (at_one(module, x, *shapes) for x in (one, 3 * one))
        return same(short, long) and "0" in at_one(lambda x: reached(module, x), one, *shapes)

    def every_number_of_axes():
        module, state = known(student, 4, 3, 5, 2, 2, fixed_weights)
        inputs = [scattered((*shape, 4), 0.5) for shape in [(), (3,), (2, 3)]]
        return all(outcome(lambda x: same(module(x), read_all(x, state, 2)), x) is True for x in inputs)

    def cut():
        module, _ = known(student, 4, 3, 5, 2, 2, fixed_weights)
        return unreached(["0", *names], module, scattered((3, 4), 0.5))

    def start():
        make = place(student, where_nothing_is_filled)
        keys, again = (
            parameters(student, make(student.ProductKeyMemory, 8, 4, 5, 2, 3))["half_keys"].flatten(0, 2)
            for _ in range(2)
        )
        if keys.isnan().any():
            return "not filled"
        return {1: "equal", len(keys): "apart"}.get(len(keys.unique(dim=0)), "some equal"), same(keys, again)

    return up_to_the_first_wrong(
        (lambda: shapes_of(6, 4, 5, 3, 2), [[12, 6], [2, 2, 4, 3], [16, 5], False]),
        (lambda: type(output_of(one, 6, 3, 5, 3, 1)[0]).__name__, "Tensor"),
        (divides, False),
        (forgets_the_length, False),
        (lambda: output_of(one, 6, 3, 5, 3, 1)[0].flatten(), right_output(1)),
        (lambda: output_of(one, 6, 3, 5, 3, 2)[0].flatten(), right_output(2)),
        (every_number_of_axes, True),
        (lambda: bool(parameters(student, make(4, 2, 5, 4, 2))), True),
        (lambda: bool(output_of(1e4 * one, 6, 3, 5, 3, 1)[0].isfinite().all()), True),
        (cut, []),
        (start, ["apart", False]),
        (
            lambda: [how_refused(make, 5, 4, 5, 3, 2), how_refused(make, 4, 2, 5, 5, 2)],
            ["refused", "refused"],
        ),
        (lambda: bad_manners(student, make(4, 3, 5, 2, 2).double(), scattered((2, 4), 1), learns=()), "none"),
    )




def where_nothing_is_filled(make, *sizes):
    """A module made where memory that nobody fills is NaN, not what happened to be there."""
    import torch

    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("error")  # use_deterministic_algorithms loads torch's compiler
    try:
        return make(*sizes)
    finally:
        torch.set_deterministic_debug_mode(before)


# candidate_pairs --------------------------------------------------------------------------------------------


all_that_can_be_chosen = values_of(
    [
        ([9, 6], [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [3, 0], [4, 0], [5, 0]]),
        ([4, 6], [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [3, 0]]),
    ]
)


def in_order(pairs):
    """As lists, in order, whatever the order was."""
    return sorted([int(number) for number in pair] for pair in pairs.tolist())


@points(0.25, "candidate_pairs", read="pkm-exact", step="warm-up")
def test_three_of_twenty_five(student):
    """앞 절반의 등수도 뒤 절반의 등수도 (i, j)에 뒤지지 않는 다른 짝은 언제나 앞섭니다. 그런 짝이 k개보다 적을 때만 뽑힐 수 있습니다."""
    assert in_order(student.candidate_pairs(5, 3)) == [[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]]
    assert in_order(student.candidate_pairs(4, 1)) == [[0, 0]]


@observes("candidate_pairs")
def observe_candidate_pairs(student):
    pairs = student.candidate_pairs

    def found(*sizes):
        return in_order(pairs(*sizes))

    return up_to_the_first_wrong(
        (lambda: list(pairs(9, 6).shape[1:]), [2]),
        (lambda: found(9, 6), all_that_can_be_chosen(9, 6)),
        (lambda: found(4, 6), all_that_can_be_chosen(4, 6)),
        (lambda: len(found(2, 9)), 4),
        (lambda: pairs(9, 6).tolist(), all_that_can_be_chosen(9, 6)),
        (lambda: str(pairs(4, 4).dtype), "torch.int64"),
    )




# memory_usage -----------------------------------------------------------------------------------------------


def assert_usage(found, share, kl):
    assert isinstance(found, tuple | list) and len(found) == 2, "둘을 돌려주어야 합니다."
    for name, value, expected in zip(["쓰인 비율", "KL"], found, [share, kl], strict=True):
        assert isinstance(value, float), f"{name}이 float가 아니라 {type(value).__name__}입니다."
        assert abs(value - expected) < 1e-5, f"{name}: {expected:.4f} 대신 {value:.4f}"


@points(0.25, "memory_usage", read="pkm-usage", step="warm-up")
def test_one_slot_and_all_slots(student):
    """한 슬롯만 읽으면 비율은 1 / N, KL은 ln N입니다. 모든 슬롯을 고르게 읽으면 1과 0입니다. 로그의 밑은 e입니다."""
    assert_usage(
        student.memory_usage(torch.full((3, 2), 5), torch.full((3, 2), 0.5), 16), 1 / 16, math.log(16)
    )
    assert_usage(student.memory_usage(torch.arange(4), torch.full((4,), 0.5), 4), 1.0, 0.0)


@points(0.5, "memory_usage", read="pkm-usage")
def test_weights_not_reads(student, device):
    """읽은 횟수가 아니라 받은 가중치를 더합니다. 같은 슬롯이 되풀이되면 쌓입니다. 그런 다음 전체 합으로 나눕니다."""
    uneven = math.log(4) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)
    slots, weights = torch.tensor([[1, 3]], device=device), torch.tensor([[0.75, 0.25]], device=device)
    assert_usage(student.memory_usage(slots, weights, 4), 0.5, uneven)
    slots = torch.tensor([[1, 3], [1, 1]], device=device)
    weights = torch.tensor([[0.5, 0.5], [0.75, 0.25]], device=device)
    assert_usage(student.memory_usage(slots, weights, 4), 0.5, uneven)


@observes("memory_usage")
def observe_memory_usage(student):
    def measure(slots, weights, num_keys):
        """The two numbers, of reads along one axis."""
        for leading in [(), (1,)]:
            reads = torch.tensor(slots).reshape(*leading, -1), torch.tensor(weights).reshape(*leading, -1)
            found = outcome(lambda reads: [float(x) for x in student.memory_usage(*reads, num_keys)], reads)
            if not isinstance(found, str):  # an error's name
                return found
        raise ValueError("takes neither shape")

    def share(*reads):
        return measure(*reads)[0]

    def divergence(*reads):
        return measure(*reads)[1]

    def forgets_the_total():
        once, thrice = (divergence([2, 0, 3, 1], [0.5 * x, 0.25 * x, x, x], 4) for x in (1.0, 3.0))
        return "not finite" if math.isnan(once - thrice) else abs(once - thrice) < 1e-4

    def every_number_of_axes():
        slots, weights = torch.tensor([0, 1, 0, 2, 2, 1, 4, 0]), scattered((8,), 3).abs() + 0.1
        flat = measure(slots.tolist(), weights.tolist(), 5)
        found = [
            outcome(lambda shape: student.memory_usage(slots.view(shape), weights.view(shape), 5), shape)
            for shape in [(8,), (4, 2), (2, 2, 2)]
        ]
        return all(outcome(lambda x: alike([float(y) for y in x], flat), one) is True for one in found)

    def types():
        return [type(x).__name__ for x in student.memory_usage(torch.arange(2), torch.ones(2), 4)]

    unused, unread = ([4, 1], [0.5, 1.5], 5), ([0, 2, 1], [1.0, 0.0, 0.5], 5)
    return up_to_the_first_wrong(
        (forgets_the_total, True),
        (lambda: measure([2, 0, 3, 1], [0.5, 0.25, 1.0, 1.0], 4), [1.0, 0.12264]),
        (lambda: measure([0, 1, 0, 2, 0], [0.5, 0.5, 0.25, 0.5, 0.75], 3), [1.0, 0.148342]),
        (lambda: share(*unused), 0.4),
        (lambda: divergence(*unused), 1.047103),
        (lambda: share(*unread), 0.4),
        (lambda: divergence(*unread), 0.972924),
        (lambda: share([0, 2], [1.0, 1e-12], 5), 0.4),
        (every_number_of_axes, True),
        (types, ["float", "float"]),
        (lambda: mutated(student.memory_usage, torch.arange(2), torch.ones(2), 4), []),
    )
