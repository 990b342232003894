"""What figures that replay a cell's numbers draw and say at each step, read back from the drawing, on bare pages."""

import re

import pytest
import torch
from test_figures_part_v import ask  # noqa: F401, a fixture

SIGNED = """const signed = (cell) => {
  const opacity = Number(cell.getAttribute("fill-opacity"));
  return cell.getAttribute("fill").includes("accent-2") ? -opacity : opacity;
};"""


def drawn(ask, name: str, state: dict, script: str) -> dict:  # noqa: F811
    """What a script finds in the drawing of a figure `e` in that state."""
    number = "const number = (node, key) => Number(node.getAttribute(key));"
    return ask(
        name, state, f"(() => {{ {number} {SIGNED} return {{ said: e.status.textContent, {script} }}; }})()"
    )


def numbers(sentence: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", sentence)]


def same(found, expected: torch.Tensor, within: float) -> None:
    torch.testing.assert_close(torch.tensor(found).float(), expected.float(), atol=within, rtol=0)


LOOKS = """
  middles: e.read.map(({ group }) => number(group.querySelector("text"), "x")),
  lines: [...e.looks.children].map((path) => [path.getAttribute("d"), number(path, "stroke-width"), number(path, "opacity")]),
  shades: ["read", "wrote"].map((kind) => e[kind].map(({ group }) => number(group, "opacity"))),
  states: ["read", "wrote"].map((kind) => e[kind].map(({ cells }) => cells.map(signed))),
  letters: e.wrote.map(({ letter }) => letter.textContent),
  struck: e.wrote.map(({ letter }) => letter.getAttribute("style").includes("line-through")),
"""


@pytest.mark.parametrize("model", ["attention", "one way"])
def test_a_written_letter_looks_back_where_its_weights_are(ask, model):  # noqa: F811
    data = ask("look-back-steps", {}, "e.data")
    letters, run = data["text"], data["models"][model]
    n, answer = len(letters), letters[::-1]
    weights = torch.zeros(n, n)  # without attention, all comes by the last state, once
    weights[0, -1] = 1
    weights = weights if run["weights"] is None else torch.tensor(run["weights"])
    right = torch.tensor([a == b for a, b in zip(run["written"], answer, strict=True)])
    for step in range(2 * n + 1):
        shown = drawn(ask, "look-back-steps", {"model": model, "step": step}, LOOKS)
        wrote = max(step - n, 0)  # letters
        thick, clear = torch.zeros(2, n, n)
        for path, width, opacity in shown["lines"]:
            ends = [float(x) for x in re.fullmatch(r"M(\S+) \S+L(\S+) \S+", path).groups()]
            start, end = ((torch.tensor(shown["middles"]) - x).abs().argmin() for x in ends)
            thick[end, start], clear[end, start] = (width - 1) / 5, opacity
        now = weights * (torch.arange(n) < wrote)[:, None] * (weights > 0.02)
        same(thick.tolist(), now, 0.011)
        past = torch.tensor([1.0 if i == wrote - 1 or run["weights"] is None else 0.3 for i in range(n)])
        same(clear.tolist(), now * past[:, None], 0.006)

        for kind, states in zip(("read", "wrote"), shown["states"], strict=True):
            same(states, torch.tensor(run[kind]), 1e-6)
        handed = [1 if run["weights"] or not wrote or j == n - 1 else 0.3 for j in range(n)]
        assert shown["shades"][0] == [handed[j] if j < step else 0.12 for j in range(n)]
        assert shown["shades"][1] == [1 if i < wrote else 0.12 for i in range(n)]
        assert shown["letters"] == run["written"][:wrote] + [""] * (n - wrote)
        assert shown["struck"] == (~right).tolist()
        if wrote:
            score = [wrote, right[:wrote].sum().item()]
            best, place = weights[wrote - 1].max(-1)
            looked = [place.item() + 1, round(best.item(), 2)] if run["weights"] else []
            assert numbers(shown["said"]) == [wrote, *looked, *score]
            assert f"‘{run['written'][wrote - 1]}’" in shown["said"]
            assert not looked or f"읽은 ‘{letters[place]}’" in shown["said"]
        elif step:
            assert numbers(shown["said"]) == [step] and f"‘{letters[step - 1]}’" in shown["said"]


STACKS = """
  cells: e.stacks.map(({ cells }) => cells.map(signed)),
  points: e.stacks.map(({ point }) => [number(point, "cx"), number(point, "cy")]),
  curves: [...e.querySelectorAll(".lf-stage path[d*=L]")].map((path) => path.getAttribute("d")),
  axes: e.querySelector(".lf-stage path[d*=H]").getAttribute("d"),
  here: e.here.getAttribute("d"),
  gradients: e.stacks.map(({ gradient }) => gradient.textContent),
"""


def test_blocks_passed_show_their_rows_their_cosine_and_their_gradient(ask):  # noqa: F811
    stacks = ask("residual-layers", {}, "e.data")["stacks"]
    alike = torch.tensor([stack["alike"] for stack in stacks])
    last = alike.shape[1] - 1
    for layer in range(last + 1):
        shown = drawn(ask, "residual-layers", {"layer": layer}, STACKS)
        rows = torch.tensor([stack["rows"][layer] for stack in stacks]).flatten(1)
        same(shown["cells"], (2 * rows).clamp(-1, 1), 0.006)

        left, top, bottom, width = numbers(shown["axes"])
        right = width  # "H" is where the axis ends
        points = torch.tensor(shown["points"])
        same(((points[:, 0] - left) / (right - left) * last).tolist(), torch.full((3,), layer), 0.01)
        same(((bottom - points[:, 1]) / (bottom - top)).tolist(), alike[:, layer], 0.001)
        for k, curve in enumerate(shown["curves"]):
            points = torch.tensor(numbers(curve)).view(-1, 2)
            same(((bottom - points[:, 1]) / (bottom - top)).tolist(), alike[k], 0.001)
        assert numbers(shown["here"])[0] == pytest.approx(shown["points"][0][0])

        assert numbers(shown["said"]) == [layer, *(round(value, 2) for value in alike[:, layer].tolist())]
        powers = [round(stack["gradient"][layer - 1]) for stack in stacks] if layer else []
        assert shown["gradients"] == ([f"기울기 10{power}".replace("-", "−") for power in powers] or [""] * 3)


RANKS = """
  change: [number(e.B, "width"), number(e.B, "height"), number(e.A, "width"), number(e.A, "height")],
  frozen: (([frozen]) => [number(frozen, "width"), number(frozen, "height")])(e.querySelectorAll(".lf-stage rect")),
  axes: e.querySelector(".lf-stage path[d*=H]").getAttribute("d"),
  dots: Object.fromEntries(e.curves.map(({ key, dot }) => [key, [number(dot, "cx"), number(dot, "cy")]])),
  marks: Object.fromEntries([...e.querySelectorAll(".lf-stage text")].map((text) => [text.textContent, number(text, "x")])),
  count: e.count.textContent,
"""


def test_a_rank_costs_what_lora_costs_and_holds_what_singular_values_say(ask):  # noqa: F811
    data = ask("lora-rank", {}, "e.data")
    squares = torch.linalg.svdvals(torch.randn(576, 192, generator=torch.Generator().manual_seed(0))).square()
    chance = squares.cumsum(0) / squares.sum()
    for layer in range(len(data["change"])):
        for at, rank in enumerate(data["ranks"]):
            shown = drawn(ask, "lora-rank", {"at": at, "layer": layer}, RANKS)
            A, B = torch.empty(rank, 192), torch.empty(576, rank)
            learned = A.numel() + B.numel()
            steps = torch.tensor([shown["marks"][str(mark)] for mark in (1, 4, 16, 64)]).diff()
            same(steps.tolist(), steps[:1].expand(3), 0.001)  # the axis is logarithmic
            wide, tall = shown["frozen"]
            thin = max(rank * wide / 192, 0.8)  # or nobody would see it
            assert shown["change"] == pytest.approx([thin, tall, wide, thin])

            left, top, bottom, _ = numbers(shown["axes"])
            held = {"change": data["change"][layer][at], "weight": data["weight"][layer][at]}
            held["chance"] = chance[rank - 1].item()
            for key, (x, y) in shown["dots"].items():
                assert (bottom - y) / (bottom - top) == pytest.approx(held[key], abs=0.0006)
                if str(rank) in shown["marks"] and rank < 192:  # 192 stands below W, too
                    assert x == pytest.approx(shown["marks"][str(rank)])
            assert numbers(shown["count"]) == [learned]
            *counted, moved, random = numbers(shown["said"])
            assert counted == [rank, learned, pytest.approx(100 * learned / (576 * 192), abs=0.5)]
            assert moved == pytest.approx(100 * held["change"], abs=0.51)
            assert random == pytest.approx(100 * held["chance"], abs=0.51)


HEADS = """
  bars: e.bars.map(({ bar }) => [number(bar, "y"), number(bar, "height"), number(bar, "fill-opacity")]),
  floor: e.querySelector(".lf-stage path").getAttribute("d"),
  told: e.bars.map(({ number }) => Number(number.textContent)),
  places: e.places.map(({ input }) => number(input, "x") + number(input, "width") / 2),
  written: e.places.map(({ written }) => written.textContent).join("."),
  sought: e.places.map(({ middle }) => middle.getAttribute("stroke").includes("accent-2")),
  lines: [...e.lines.children].map((line) => [line.getAttribute("stroke").includes("accent-2") ? 0 : 1,
    number(line, "x1"), number(line, "x2"), number(line, "stroke-width")]),
  asks: [number(e.asks, "cx"), e.asking.textContent],
"""


@pytest.mark.parametrize("off", ["on", "first", "second"])
def test_two_layers_look_write_and_foretell_as_the_run_did(ask, off):  # noqa: F811
    data = ask("induction-head", {}, "e.data")
    text = "ABCDEFABCDEFAB"
    tokens = torch.tensor([ord(letter) - ord("A") for letter in text])
    notes, looks, chances = (
        torch.tensor(values) for values in (data["layer1"], data["layer2"][off], data["next"][off])
    )
    for at in range(6, 14):
        shown = drawn(ask, "induction-head", {"step": at - 6, "off": off}, HEADS)
        follows = torch.zeros(14, dtype=torch.bool)
        follows[1 : at + 1] = tokens[:at] == tokens[at]
        assert shown["sought"] == follows.tolist()
        written = [text[i - 1] if 0 < i <= at and off != "first" else "" for i in range(14)]
        assert shown["written"] == ".".join(written)
        assert shown["asks"] == [shown["places"][at], text[at]]

        expected = torch.stack([notes * (off != "first"), torch.zeros(14, 14)])
        expected[0, at + 1 :] = 0  # not yet read
        expected[1, at] = looks[at]
        found = torch.zeros(2, 14, 14)
        for layer, start, end, width in shown["lines"]:
            found[layer, shown["places"].index(start), shown["places"].index(end)] = (width - 1) / 4
        same(found.tolist(), expected * (expected > 0.02), 0.002)

        floor = numbers(shown["floor"])[1]
        bars = torch.tensor(shown["bars"])
        same((bars[:, 0] + bars[:, 1]).tolist(), torch.full((6,), floor), 0.001)
        same((bars[:, 1] / bars[:, 1].sum()).tolist(), chances[at] / chances[at].sum(), 0.001)
        same(shown["told"], chances[at], 0.0051)
        comes = (at + 1) % 6
        assert bars[:, 2].argmax() == comes and f"‘{text[comes]}’일 확률" in shown["said"]
        share = [looks[at][follows].sum().item()] if off != "second" else []
        assert numbers(shown["said"]) == pytest.approx([*share, chances[at, comes].item()], abs=0.0051)
