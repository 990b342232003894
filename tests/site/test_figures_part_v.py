"""What the figures of Part V compute themselves, against torch and the exercises' references, on bare pages."""

import json
import random
from dataclasses import asdict, dataclass

import pytest
import torch
from course_data import load_sentences
from draw_stills import bare_page
from sklearn.datasets import load_digits
from test_figures_models import code_of  # noqa: F401, a fixture
from torch.nn import functional as F

from solutions.efficient_attention import sliding_window_mask
from solutions.evaluation import paired_difference
from solutions.experts import bias_route, kept_in_capacity, update_bias
from solutions.inference import quantize_groups
from solutions.interpretability import total_variation
from solutions.linear_attention import gated_delta_rule, recurrent_linear_attention
from solutions.product_key_memory import product_topk
from solutions.reasoning import clipped_loss
from solutions.vision_language import clip_loss
from solutions.vit import patchify


@pytest.fixture
def ask(browser):
    """ask(name, state, expression): what a figure `e` says to an expression once it is in that state."""
    page = browser.new_page()
    shown = []

    def ask(name: str, state: dict, expression: str):
        if shown != [name]:
            page.goto("about:blank")  # a new document: scripts of the last figure are gone
            page.set_content(bare_page(name))
            page.locator(".lf-stage").wait_for()
            shown[:] = [name]
        found = page.locator(f"course-{name}").evaluate(
            f"(e, state) => {{ e.set(state); return {expression}; }}", state
        )
        return torch.tensor(found, dtype=torch.float64) if isinstance(found, list) else found

    yield ask
    page.close()


def test_two_tiles_give_the_softmax_of_the_whole(ask):
    values = torch.tensor([1.0, 2, 3, 4], dtype=torch.float64)
    for scores in [[1, 3, 2, 5], [6, 0, 0.5, 2], [4, 4, 4, 4]]:
        expression = "[e.pass().output, e.pass().whole, e.pass().first.after.D, e.pass().first.after.o]"
        output, whole, total, mixed = ask("online-softmax", {"scores": scores}, expression)
        scores = torch.tensor(scores, dtype=torch.float64)
        parts = (scores[:2] - scores[:2].max()).exp()
        torch.testing.assert_close(output, scores.softmax(-1) @ values)
        torch.testing.assert_close(whole, output)
        torch.testing.assert_close(
            torch.stack([total, mixed]), torch.stack([parts.sum(), parts @ values[:2]])
        )


@pytest.mark.parametrize(("n", "b"), [(16, 4), (8, 6), (64, 8)])
def test_squares_count_what_is_computed(ask, n, b):
    bucket = torch.arange(n) // b
    same = (bucket[:, None] == bucket) & ~torch.eye(n, dtype=torch.bool)
    expected = {
        "full": n * n,
        "window": sliding_window_mask(n, b // 2, [0]).sum().item(),
        "buckets": same.sum().item(),
        "lowRank": n * b,
        "features": 2 * n * b,
        "latents": b * n,
    }
    found = ask("attention-squares", {"n": n, "b": b}, f"{list(expected)}.map((way) => e.count(way))")
    assert found.int().tolist() == list(expected.values())


def test_halves_find_the_slots_that_product_topk_finds(ask):
    generator = torch.Generator().manual_seed(0)
    missed = 0
    half_keys = None
    for _ in range(5):
        queries = 2 * torch.rand(2, 2, generator=generator, dtype=torch.float64) - 1
        state = {"k": 4, "perHalf": 4, "queries": queries.tolist()}
        found, slots = (
            ask("product-keys", state, f"e.search().{what}").long() for what in ("found", "pairs")
        )
        if half_keys is None:  # read back from scores: the two unit queries give the coordinates
            units = [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]
            columns = [ask("product-keys", {**state, "queries": unit}, "e.search().scores") for unit in units]
            half_keys = torch.stack(columns, dim=-1)
        _, expected = product_topk(queries.reshape(1, 4), *half_keys, 4)
        assert found.tolist() == expected[0].tolist()
        assert set(found.tolist()) <= set(slots.tolist())
        narrow = ask("product-keys", {**state, "perHalf": 2}, "e.search().found").long()
        missed += set(narrow.tolist()) != set(found.tolist())
    assert missed


def test_swapped_weights_move_the_output_within_their_distance(ask):
    first = torch.tensor([0.7, 0.2, 0.1], dtype=torch.float64)
    for third in (0, 0.5, 1):
        values = torch.tensor([1, 0, third], dtype=torch.float64)
        for weights in ([0.1, 0.2, 0.7], [0.7, 0.2, 0.1], [0, 1, 0]):
            q = torch.tensor(weights, dtype=torch.float64)
            state = {"weights": weights, "third": third}
            look = ask(
                "swapped-weights", state, "[e.look().far, e.look().first, e.look().now, e.look().limit]"
            )
            far = total_variation(first, q)
            limit = far * (values.max() - values.min())
            torch.testing.assert_close(look, torch.stack([far, first @ values, q @ values, limit]))
        # Of all maps with the same output, by steps of a hundredth, none is farther than the one that the button shows.
        alike = ask("swapped-weights", state, "e.farthestAlike()")
        steps = torch.arange(101, dtype=torch.float64) / 100
        maps = torch.cartesian_prod(steps, steps)
        maps = torch.column_stack([maps, 1 - maps.sum(dim=1)])
        maps = maps[(maps[:, 2] > -1e-9) & ((maps @ values - first @ values).abs() < 1e-9)]
        assert (
            alike.min() >= 0
            and alike.sum() == pytest.approx(1)
            and alike @ values == pytest.approx(first @ values)
        )
        assert total_variation(first, alike) == pytest.approx(total_variation(first, maps).max())


@pytest.mark.parametrize("soft", [True, False])
def test_a_span_weighs_and_slopes_as_in_torch(ask, soft):
    exps = torch.tensor([3, 1, 4, 4, 1, 2, 1, 2], dtype=torch.float64)
    back = torch.arange(8)
    for where in (0.3, 1.5, 4.7):
        z = torch.tensor(where, dtype=torch.float64, requires_grad=True)
        mask = ((2 + z - back) / 2).clamp(0, 1) if soft else (back <= z).double()
        weights = exps * mask / (exps * mask).sum()
        loss = -(0.1 + 0.8 * weights[2]).log() + 0.1 * z
        loss.backward()
        expression = "[...e.look().weights, e.look().loss, e.look().slope]"
        found = ask("span-ramp", {"soft": soft, "z": where, "price": 0.1}, expression)
        torch.testing.assert_close(found, torch.stack([*weights, loss, z.grad]).detach())


def test_spans_are_shown_as_they_were_learned(ask):
    """Their masks, what they cost, and who pushed the chosen one: the price by descent, the loss by the rest."""
    data = ask("span-learning", {}, "e.data")
    assert len({len(run["spans"]) for run in data["runs"]}) == 1
    price_alone = 0
    for run, told in enumerate(data["runs"]):
        spans = torch.tensor(told["spans"], dtype=torch.float64)
        for at in (1, 8, 41, len(spans) - 1):
            state = {"run": run, "head": 2, "at": at}
            mask = ((8 + spans[at, :, None] - torch.arange(40)) / 8).clamp(0, 1)
            torch.testing.assert_close(ask("span-learning", state, "e.look().masks"), mask)
            scores = (spans[at] + 8).clamp(max=40).sum().item()
            assert ask("span-learning", state, "e.look().scores") == pytest.approx(scores)
            assert ask("span-learning", state, "e.look().atFar") == pytest.approx(mask[2, 20].item())
            by = ask("span-learning", state, "e.look().pushed && Object.values(e.look().pushed)")
            assert (by is None) == (spans[at, 2].item() in (0, 40))
            if by is not None:
                assert by[0] == pytest.approx(-5 * 40 * told["price"] / 4)
                assert by.sum().item() == pytest.approx((spans[at, 2] - spans[at - 1, 2]).item())
                price_alone += told["price"] == 0.04 and abs(by[1]) < 0.1
    assert price_alone  # what is said to be the price's is what moved a span while the loss did not care


def test_learned_keys_weigh_by_relu_and_by_softmax(ask):
    context = torch.tensor([[1.5, 1.1], [-1.6, 0.9]], dtype=torch.float64)
    memory = torch.tensor([[2, 0], [0, 2], [-1.4, -1.4]], dtype=torch.float64)
    for query, hidden in [([1.2, 0.4], False), ([-0.9, -1.1], True), ([0.0, 0.0], False)]:
        x = torch.tensor(query, dtype=torch.float64)
        seen = torch.cat([context @ x + (-torch.inf if hidden else 0), memory @ x])
        state = {"query": query, "hidden": hidden}
        relu = ask("relu-or-softmax", state, "e.weigh().relu.slice(2)")
        torch.testing.assert_close(relu, F.relu(memory @ x - 2))
        torch.testing.assert_close(ask("relu-or-softmax", state, "e.weigh().softmax"), seen.softmax(-1))


def test_patches_are_those_of_patchify(ask):
    image = torch.tensor(load_digits().images[1032])
    for size in (1, 2, 4, 8):
        for shuffled in (False, True):
            state = {"size": size, "shuffled": shuffled, "chosen": [7, 7]}
            torch.testing.assert_close(
                ask("patch-cutter", state, "e.cut().patches"), patchify(image[None, None], size)[0]
            )
            order = ask("patch-cutter", state, "e.cut().order").long().tolist()
            assert sorted(order) == list(range(len(order)))
            assert (order != sorted(order)) == (shuffled and size < 8)
            assert ask("patch-cutter", state, "e.cut().chosen") == len(order) - 1


def test_a_card_is_counted_in_the_figure_as_on_its_page(ask, code_of):  # noqa: F811
    names = {"dataclass": dataclass}
    for cell in ("class Card", "def linear", "CARDS ="):
        exec("from __future__ import annotations\n" + code_of("model_cards", cell), names)
    cards = list(names["CARDS"].values())
    draw = random.Random(0)
    for _ in range(30):  # of the reader's own: some parts of one model, some of another, other numbers
        mixed = {field: getattr(draw.choice(cards), field) for field in asdict(cards[0])}
        for field, value in mixed.items():
            if field not in ("tied", "biases", "sinks", "context") and value:
                mixed[field] = draw.randint(1, value)
        mixed["chosen"] = min(mixed["chosen"], mixed["experts"])
        mixed["dense_layers"] = min(mixed["dense_layers"], mixed["layers"])
        mixed["window_layers"] = min(mixed["window_layers"], mixed["layers"])
        cards.append(names["Card"](**mixed))
    for card in cards:
        at = draw.randint(10, 20)
        expression = "[...Object.values(e.count().parts), ...['idle', 'total', 'active', 'each', 'cache'].map((key) => e.count()[key])]"
        found = ask("model-card", {**asdict(card), "at": at}, expression).long().tolist()
        parts = names["parts"](card)
        idle = parts.pop("idle experts")
        cache = [names["cache_bytes"](card, tokens) for tokens in (1, 2**at)]
        assert found == [*parts.values(), idle, names["total"](card), names["active"](card), *cache]


def test_a_model_fills_the_card_and_a_typed_number_takes_it_over(ask):
    fields = "Object.fromEntries(Object.entries(e.inputs).map(([key, { value }]) => [key, Number(value)]))"
    assert ask("model-card", {"model": "DeepSeek-V3"}, fields)["kv_rank"] == 512
    typed = "(e.inputs.kv_rank.value = '%s', e.inputs.kv_rank.dispatchEvent(new Event('input')), %s)"
    for text, kept in (("256", 256), ("2.5", 256), ("", 256)):
        state = {"model": "DeepSeek-V3"} if text == "256" else {}
        assert ask("model-card", state, typed % (text, "e.state.kv_rank")) == kept
        assert ask("model-card", {}, "e.state.model") is None
    assert ask("model-card", {}, typed % ("0", "e.count().each")) == 2 * 61 * 2 * 128 * 128


def test_few_bits_are_those_of_quantize_groups(ask):
    for bits, group, outlier in [(4, 16, 6), (4, 4, 6), (8, 2, 12), (2, 8, 1)]:
        state = {"bits": bits, "group": group, "outlier": outlier}
        weights = ask("quantised-groups", state, "e.quantise().weights")
        codes, scales = quantize_groups(weights, bits, group)
        torch.testing.assert_close(ask("quantised-groups", state, "e.quantise().scales"), scales)
        assert ask("quantised-groups", state, "e.quantise().codes").int().tolist() == codes.tolist()
        back = codes * scales.repeat_interleave(group)
        error = (back - weights).abs()[weights != outlier].mean().item()
        assert ask("quantised-groups", state, "e.quantise().error") == pytest.approx(error)


def test_what_a_ratio_earns_is_minus_the_clipped_loss(ask):
    for ratio, advantage, width in [
        (1.5, 1, 0.2),
        (0.5, 1, 0.2),
        (1.5, -1, 0.2),
        (0.5, -2, 0.3),
        (1, 0.5, 0.05),
    ]:
        new = torch.tensor([[ratio]], dtype=torch.float64).log().requires_grad_()
        one, all_chosen = torch.tensor([advantage], dtype=torch.float64), torch.ones(1, 1, dtype=torch.bool)
        loss = clipped_loss(new, torch.zeros_like(new), one, all_chosen, width, width)
        loss.backward()
        state = {"ratio": ratio, "advantage": advantage, "width": width}
        assert float(ask("clipped-objective", state, "e.earn().value")) == pytest.approx(-loss.item())
        slope = float(ask("clipped-objective", state, "e.earn().slope"))
        assert slope * ratio == pytest.approx(-new.grad.item())


def test_a_state_is_what_the_rules_write_and_reads_what_they_read(ask):
    keys = torch.tensor([[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1]], dtype=torch.float64)
    for written in ([[0, 0], [1, 1], [0, 2]], [[2, 1]], [[1, 0], [1, 2], [0, 0], [2, 2], [1, 1]]):
        key, value = keys[[k for k, _ in written]], torch.eye(3).double()[[v for _, v in written]]
        left, beta = (torch.full((len(written),), x).double() for x in (0.4, 0.7))
        never = torch.zeros_like(left)
        expected = {
            "add": recurrent_linear_attention(key, key, value, never),
            "decay": recurrent_linear_attention(key, key, value, left.log()),
            "delta": gated_delta_rule(key, key, value, beta, never),
            "gated": gated_delta_rule(key, key, value, beta, left.log()),
        }
        for rule, (_, state) in expected.items():
            shown = {"rule": rule, "left": 0.4, "beta": 0.7, "written": written}
            torch.testing.assert_close(ask("state-matrix", shown, "e.matrix()"), state)
            torch.testing.assert_close(ask("state-matrix", shown, "e.reads()"), keys @ state)


def test_intervals_are_those_of_the_questions_themselves(ask):
    """Questions are laid out one by one: right for both, for one of the two, for none; passages hold equal ones."""
    for n, a, b, apart, each in [
        (400, 0.7, 0.65, 0.12, 1),
        (400, 0.7, 0.65, 0.13, 5),
        (200, 0.6, 0.7, 0.2, 2),
    ]:
        passages = n // each
        only_a, only_b = round(passages * (apart + a - b) / 2), round(passages * (apart - a + b) / 2)
        both = round(passages * a) - only_a
        of_a = torch.zeros(passages, dtype=torch.float64)
        of_b = of_a.clone()
        of_a[: both + only_a] = 1
        of_b[:both], of_b[both + only_a : both + only_a + only_b] = 1, 1
        one, other = (x.repeat_interleave(each) for x in (of_a, of_b))
        difference, error = paired_difference(one, other, torch.arange(passages).repeat_interleave(each))
        unpaired = ((of_a.var() + of_b.var()) / passages).sqrt()
        shares = {"n": n, "a": of_a.mean().item(), "b": of_b.mean().item(), "each": each}
        shares["apart"] = (of_a - of_b).abs().mean().item()
        found = ask("paired-intervals", shares, "Object.values(e.measure())")
        expected = torch.stack(
            [difference, (of_a - of_b).abs().mean(), 1.959964 * unpaired, 1.959964 * error]
        )
        torch.testing.assert_close(found, expected)


def test_places_are_taken_as_kept_in_capacity_gives_them(ask):
    scores = torch.rand(8, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64) + 0.01
    for k, capacity, bias in [(1, 3, [0, 0, 0, 0]), (2, 3, [-0.5, 0.2, 0, 0.1]), (2, 0, [0.9, 0, 0, -1])]:
        state = {"k": k, "capacity": capacity, "scores": scores.tolist()}
        state |= {f"b{e}": b for e, b in enumerate(bias)}
        bias = torch.tensor(bias, dtype=torch.float64)
        experts = ask("expert-places", state, "e.choices()").long()
        assert torch.equal(experts, bias_route(scores, bias, k)[1])
        kept = ask("expert-places", state, "e.kept()").bool()
        assert torch.equal(kept, kept_in_capacity(experts, capacity))
        moved = update_bias(bias, experts, 0.1).clamp(-1, 1)
        torch.testing.assert_close(ask("expert-places", state, "e.moved()"), moved)


def test_a_feature_shades_its_sentences_and_says_them_in_english(browser):
    page = browser.new_page()
    page.set_content(bare_page("sparse-features"))
    figure = page.locator("course-sparse-features")
    figure.locator(".lf-stage").wait_for()
    data = figure.evaluate("e => e.data")
    ours = load_sentences("train")[0] + load_sentences("test")[0]
    marked = "e => [...e.querySelectorAll('mark')].map(m => [m.textContent, Number(m.style.getPropertyValue('--heat'))])"
    for kind, features in data["kinds"].items():
        figure.evaluate("(e, kind) => e.set({ number: 6 }) ?? e.set({ kind })", kind)
        slider = figure.locator("input[type=range]")
        assert (slider.input_value(), slider.get_attribute("max")) == ("1", str(len(features)))
        for number, feature in enumerate(features, 1):
            figure.evaluate("(e, number) => e.set({ number })", number)
            lines = figure.locator(".sf-text").all()
            for line, (sentence, strengths) in zip(lines, feature["shown"], strict=True):
                assert line.inner_text().replace(" ", "") == ours[sentence].replace(" ", "")
                pieces = data["texts"][str(sentence)].split()
                on = [
                    [piece.removeprefix("##"), pytest.approx(int(strength) / 9)]
                    for piece, strength in zip(pieces, strengths, strict=True)
                    if strength != "0"
                ]
                assert line.evaluate(marked) == on
            assert "9" in feature["shown"][0][1]
            assert feature["raises"][0].removeprefix("##") in figure.locator(".lf-status").inner_text()
    said = figure.evaluate("e => e.constructor.words.en.meaning")
    assert said.keys() == data["texts"].keys()
    page.close()


def test_the_last_feature_is_followed_by_the_first(browser):
    page = browser.new_page()
    page.set_content(bare_page("sparse-features"))
    figure = page.locator("course-sparse-features")
    figure.locator(".lf-stage").wait_for()
    back, onward = figure.locator(".lf-button").all()
    figure.evaluate("e => e.set({ number: 1 })")
    slider = figure.locator("input[type=range]")
    back.click()
    assert slider.input_value() == slider.get_attribute("max")
    onward.click()
    assert slider.input_value() == "1"
    page.close()


def test_captions_and_pictures_choose_as_clips_loss_has_it(browser):
    image, text = F.normalize(
        torch.randn(2, 6, 4, generator=torch.Generator().manual_seed(0)).double(), dim=-1
    )
    cosines = image @ text.T
    values = {"pictures": [[[8] * 8] * 8] * 6, "kinds": list(range(6)), "cosines": cosines.tolist()}
    data = f'<script type="application/json" data-figure="caption-table">{json.dumps(values)}</script>'
    page = browser.new_page()
    page.set_content(bare_page("caption-table").replace("<body>", f"<body>{data}"))
    page.locator(".lf-stage").wait_for()
    figure = page.locator("course-caption-table")
    for scale in (1, 14):
        for direction, axis in (("row", 1), ("column", 0)):
            found = figure.evaluate(
                "(e, state) => { e.set(state); return [e.chances(), e.loss()]; }",
                {"scale": scale, "direction": direction},
            )
            chances = torch.tensor(found[0], dtype=torch.float64)
            torch.testing.assert_close(chances, (scale * cosines).softmax(axis))
            expected = clip_loss(image, text, torch.tensor(scale).double().log())
            assert found[1] == pytest.approx(expected.item(), abs=1e-9)
    cells = page.locator("rect[role=button]")
    cells.nth(8).click()
    page.keyboard.press("ArrowDown")
    assert figure.evaluate("e => e.state.at") == [2, 2]
    page.close()
