"""What the figures of attention, its heads, positions and norms compute, against torch."""

import math

import torch
import torch.nn.functional as F
from test_figures import alive, figure  # noqa: F401, a fixture

from solutions.positional_encoding import sinusoidal_encoding


def same(found: list, expected: torch.Tensor, **tolerances) -> None:
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float32), expected, **tolerances)


def attended(element, state: str) -> dict:
    """What a figure computes in a state."""
    return element.evaluate(f"e => {{ e.set({state}); return e.attend(); }}")


def test_a_dragged_query_weighs_its_keys_as_torch_does(figure):  # noqa: F811
    element = figure("attention-arrow")
    keys = torch.tensor([[2.0, 0], [0, 2], [-2, -2]])
    for query in ([-1.0, 1.0], [0.0, 0.0], [2.9, -1.3]):
        found = attended(element, f"{{ query: {query} }}")
        weights = (keys @ torch.tensor(query)).softmax(-1)
        same(found["weights"], weights)
        same(found["output"], weights @ keys)

    handle, status = element.get_by_role("button", name="질의의 끝"), element.locator(".lf-status")
    before, mouse = status.inner_text(), element.page.mouse
    handle.hover()
    mouse.down()
    box = handle.bounding_box()
    mouse.move(box["x"] - 60, box["y"] + 80)
    mouse.up()
    assert status.inner_text() != before, "the query does not follow the mouse"

    element = alive(element.page, "attention-scale")
    data = element.evaluate("e => e.data")
    for size, (dims, scores) in enumerate(zip(data["dims"], data["scores"], strict=True)):
        for scaled, divisor in (("false", 1), ("true", math.sqrt(dims))):
            found = attended(element, f"{{ size: {size}, scaled: {scaled} }}")
            weights = (torch.tensor(scores) / divisor).softmax(-1)
            same(found["weights"], weights)
            logits = (torch.tensor(scores) / divisor).requires_grad_()
            slopes = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), logits).diagonal()
            same(found["slopes"], slopes, atol=1e-6, rtol=1e-4)


def test_one_word_followed_through_self_attention(figure):  # noqa: F811
    element = figure("self-attention-steps")
    vectors = {"먹었다": [2.0, 0, 1], "탔다": [0.0, 2, 1]}
    w_q, w_k = torch.tensor([[1.0], [1], [-3]]), torch.tensor([[0.0], [0], [2]])
    for verb, vector in vectors.items():
        x = torch.tensor([[0.0, 0, -1], [1, 1, 0], vector])
        weights = (x @ w_q @ (x @ w_k).T).softmax(-1)
        for word in range(3):
            found = attended(element, f"{{ verb: '{verb}', word: {word} }}")
            same(found["weights"], weights[word])
            same(found["output"], weights[word] @ x[:, :2])


def test_two_heads_join_as_on_their_page(figure):  # noqa: F811
    element = figure("two-heads")
    x = torch.tensor([[1.0, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, -1]])
    person, place, motion = torch.eye(4)[:3]
    queries = torch.stack([torch.stack([3 * motion, 3 * sought], -1) for sought in (person, place)])
    keys = torch.stack([torch.stack([sought, motion], -1) for sought in (person, place)])
    heads = F.scaled_dot_product_attention(x @ queries, x @ keys, x @ keys)
    joined = heads.transpose(0, 1).reshape(3, 4)
    back = torch.stack([person, motion, place, motion])
    for word in range(3):
        found = attended(element, f"{{ word: {word}, first: true, second: true }}")
        same(found["joined"], joined[word])
        same(found["output"], joined[word] @ back)
    found = attended(element, "{ word: 2, first: false, second: true }")
    same(found["joined"], joined[2] * torch.tensor([0.0, 0, 1, 1]))


def test_a_word_through_a_layer_of_the_encoder(figure):  # noqa: F811
    element = figure("encoder-word")
    x = torch.tensor([[1.0, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, -1]])
    heads = []
    for place in (0, 1):
        w_q, w_k = torch.zeros(2, 4, 2)
        w_q[place, 1] = w_q[2, 0] = 3
        w_k[place, 0] = w_k[2, 1] = 1
        heads.append(F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_k))
    gathered = torch.cat(heads, -1) @ torch.eye(4)[[0, 2, 1, 2]]
    w_1 = torch.tensor([[1.0, 0], [1, 0], [0, 1], [-1, 1]])
    for shortcut in (True, False):
        y = F.layer_norm(x * shortcut + gathered, (4,))
        added = (y @ w_1).relu() @ torch.eye(4)[[2, 3]]
        z = F.layer_norm(y * shortcut + added, (4,))
        for word in range(3):
            found = element.evaluate(
                f"e => {{ e.set({{ word: {word}, shortcut: {str(shortcut).lower()} }}); return e.pass(); }}"
            )
            for rows, shown in zip((x, gathered, y, added, z), found, strict=True):
                same(shown, rows[word], atol=1e-5, rtol=1e-4)


def test_the_decoder_never_sees_what_it_should_write(figure):  # noqa: F811
    element = figure("decoder-sees")
    look = "e => { e.set(%s); return e.look(); }"
    lower = torch.ones(4, 4, dtype=torch.bool).tril()
    assert element.evaluate(look % "{ mode: 'train', slip: true }")["sees"] == lower.tolist()
    assert element.evaluate(look % "{}")["read"] == ["SOS", "I", "go", "home"]
    found = element.evaluate(look % "{ mode: 'write', step: 2 }")
    assert found["read"] == ["SOS", "I", "went", None]
    assert found["sees"] == [*(row[:3] + [False] for row in lower[:3].tolist()), [False] * 4]


def test_hands_and_turned_vectors(figure):  # noqa: F811
    element = figure("position-hands")
    for dims in (4, 8, 16):
        rows = element.evaluate(
            f"e => {{ e.set({{ dims: {dims} }}); return [...Array(50).keys()].map(p => e.encoding(p)); }}"
        )
        same(rows, sinusoidal_encoding(50, dims))

    element = alive(element.page, "rotary-dot")
    for p, r in ((0, 0), (7, 3), (2, 19)):
        turned = torch.polar(torch.ones(2), torch.tensor([float(p), float(r)])) * torch.complex(
            torch.tensor([1.0, 0.3]), torch.tensor([0.5, 0.8])
        )
        score = (turned[0] * turned[1].conj()).real.item()
        assert (
            abs(element.evaluate(f"e => {{ e.set({{ p: {p}, r: {r} }}); return e.score(); }}") - score) < 1e-5
        )


def test_norms_take_the_axes_that_torch_takes(figure):  # noqa: F811
    element = figure("norm-axes")
    for value in (1.1, -2.5):
        found = element.evaluate(
            f"e => Object.fromEntries(Object.keys(e.words.kinds).map(kind =>"
            f" {{ e.set({{ kind, value: {value} }}); return [kind, e.normalise()]; }}))"
        )
        x = torch.tensor(found["token"]["numbers"]).view(2, 3, 4)
        assert x[0, 1, 1] == torch.tensor(value)
        channels = x.transpose(1, 2)  # (sentence, feature, word)
        by_torch = {
            "token": F.layer_norm(x, (4,)),
            "rms": F.rms_norm(x, (4,), eps=1e-5),
            "batch": F.batch_norm(channels, None, None, training=True).transpose(1, 2),
            "layer": F.layer_norm(x, (3, 4)),
            "instance": F.instance_norm(channels).transpose(1, 2),
            "group": F.group_norm(channels, 2).transpose(1, 2),
        }
        for kind, normed in by_torch.items():
            same(found[kind]["normed"], normed.flatten(), atol=1e-5, rtol=1e-4)
