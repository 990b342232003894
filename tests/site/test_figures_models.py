"""What the figures of models, from text to text, compute in the browser: as torch and the pages' own code do."""

import math
import re
import unicodedata

import pytest
import torch
from browsing import ROOT
from test_figures import figure  # noqa: F401 (a fixture)

from solutions.tokenization import bpe_encode, bpe_train, wordpiece_encode
from solutions.training import noam_lr


@pytest.fixture
def code_of():
    """code_of(chapter, first words) is the page's code cell that begins so."""

    def find(chapter: str, beginning: str) -> str:
        text = (ROOT / "chapters" / f"{chapter}.md").read_text("utf-8")
        cells = re.findall(r"```\{code-cell\} python\n(.*?)```", text, re.DOTALL)
        [cell] = [cell for cell in cells if re.search(rf"^{re.escape(beginning)}", cell, re.MULTILINE)]
        return re.sub(r"\A(?:---\n.*?\n---\n|(?::[^\n]*\n)+)", "", cell, flags=re.DOTALL)  # without options

    return find


def sampling_distribution(groups, temperature, top_k, top_p):
    """What solutions.decoding.sample_next draws from, a probability for each token, best first."""
    logits = torch.tensor([logit for logit, count in groups for _ in range(count)], dtype=torch.float64)
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(), len(logits)).double()
    p = (logits / temperature)[:top_k].softmax(-1)
    p = p.masked_fill(p.cumsum(-1) - p >= top_p, 0.0)
    return torch.nn.functional.pad(p / p.sum(), (0, len(logits) - len(p)))


def test_next_tokens_are_shaped_as_sample_next_does_and_drawn_as_often(figure):  # noqa: F811
    element = figure("decoding-sampling")
    for prompt in (0, 1):
        element.evaluate("(e, prompt) => e.set({ prompt })", prompt)
        groups = element.evaluate("e => e.groups.map(([logit, count]) => [logit, count])")
        for temperature, k, p in [
            (1, 10, 10),
            (0.5, 10, 10),
            (0, 10, 10),
            (1.5, 5, 10),
            (1, 10, 4),
            (0.7, 4, 5),
        ]:
            settings = {"temperature": temperature, "topK": k, "topP": p}
            shaped = element.evaluate(
                "(e, settings) => e.shaped(settings).map(({ count, p }) => [count, p])", settings
            )
            top_k = [1, 2, 3, 5, 10, 20, 50, 100, 500, 1000, None][k]
            top_p = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.1][p]
            expected = sampling_distribution(groups, temperature, top_k, top_p)
            sizes = [count for _, count in groups]
            of_groups = torch.stack([part.sum() for part in expected.split(sizes)])
            shown = torch.tensor([count * p for count, p in shaped], dtype=torch.float64)
            torch.testing.assert_close(shown, of_groups, atol=1e-9, rtol=1e-6)
    settings = {"prompt": 1, "temperature": 1, "topK": 10, "topP": 10}
    first, again = (
        element.evaluate("(e, settings) => { e.set(settings); e.pick(20000); return e.drawn; }", settings)
        for _ in range(2)
    )
    assert first == again
    share = torch.tensor(first).double() / 20_000
    expected = torch.stack([part.sum() for part in sampling_distribution(groups, 1, None, 1.1).split(sizes)])
    torch.testing.assert_close(share, expected, atol=0.015, rtol=0)


def test_the_tree_keeps_what_the_page_s_beam_search_keeps(figure, code_of):  # noqa: F811
    names = {"math": math}
    exec(code_of("decoding", "MODEL ="), names)
    exec(code_of("decoding", "def beam_in_loops"), names)
    element = figure("decoding-beam")
    kept = "(e, [size, each]) => { e.set({ size, each }); return e.beams().map((beam) => beam.map((n) => [n.sentence, n.p])); }"
    for size in (1, 2, 3, 4):
        beams = element.evaluate(kept, [size, False])
        for steps in (1, 2, 3):
            expected = names["beam_in_loops"](names["MODEL"], size, steps)
            assert [sentence for sentence, _ in beams[steps]] == [s.removeprefix("SOS ") for s, _ in expected]
            logs = torch.tensor([p for _, p in beams[steps]]).log()
            torch.testing.assert_close(logs, torch.tensor([log_p for _, log_p in expected]))
    assert [s for s, _ in element.evaluate(kept, [2, True])[3]] == ["내일 은 흐리다", "오늘 은 맑다"]


def test_merges_are_learnt_as_bpe_train_does(figure):  # noqa: F811
    element = figure("tokenization-training")
    states = element.evaluate("e => e.states")
    text = ["먹었다"] * 3 + ["웃었다"] * 2 + ["먹는다"] * 2 + ["웃는다"]
    merges = bpe_train(text, 4)
    assert [state["pairs"][0]["pair"] for state in states[:4]] == [" ".join(pair) for pair in merges]
    for learnt, state in enumerate(states):
        assert [word for word, _ in state["words"]] == [
            bpe_encode(word, merges[:learnt]) for word in dict.fromkeys(text)
        ]


def test_typed_text_is_cut_as_the_page_s_functions_do(figure):  # noqa: F811
    element = figure("tokenization-typed")
    data = element.evaluate("e => e.data")
    for typed in ("학교까지 재미있었습니다.", "나는 뷁 집에 간다", "ㅋㅋㅋ 아버지가방에 GPT 하하하하", ""):
        for count in (0, 40, 200):
            element.evaluate("(e, [text, merges]) => e.set({ text, merges })", [typed, count])
            cut = element.evaluate("e => e.cut()")
            merges = [tuple(pair.split(" ")) for pair in data["merges"][:count]]
            pieces = set(data["alphabet"]) | {"".join(pair) for pair in merges}
            pieces |= {f"##{piece}" for piece in pieces}
            words = typed.split()
            assert cut["bpe"] == [bpe_encode(word, merges) for word in words]
            assert cut["wordpiece"] == [wordpiece_encode(word, pieces) for word in words]
            assert cut["jamo"] == [list(unicodedata.normalize("NFD", word)) for word in words]
            assert cut["bytes"] == [[f"{byte:02x}" for byte in word.encode()] for word in words]


def test_the_path_shows_what_the_cell_computed_row_by_row(figure):  # noqa: F811
    """What torch computed is written in the cells; a replay hides rows of the decoder and changes none."""
    element = figure("transformer-path", width=1280)
    tensors = {key: (i, values) for i, (key, _, values) in enumerate(element.evaluate("e => e.data.tensors"))}
    shown = "e => [...e.querySelectorAll('.lf-stage [data-place] + text')].map((text) => text.textContent.replace('−', '-'))"
    for key, rows in [("memory", 3), ("last cross", 2), ("dec norm3", 2)]:
        stage, values = tensors[key]
        element.evaluate("(e, stage) => e.set({ stage, written: 1 })", stage)
        numbers = torch.tensor([float(number) for number in element.evaluate(shown)])
        torch.testing.assert_close(numbers, torch.tensor(values[:rows]).flatten(), atol=0.051, rtol=0)
    stage, values = tensors["memory"]
    element.evaluate("(e, stage) => e.set({ stage })", stage)
    element.locator(".lf-stage [data-place='2 1']").hover()
    assert f"{values[2][1]:.2f}".replace("-", "−") in element.locator(".lf-status").inner_text()


def test_paths_in_the_valley_are_those_of_torch_optim(figure):  # noqa: F811
    element = figure("training-paths")
    makers = {
        "sgd": lambda point, rate: torch.optim.SGD([point], lr=rate),
        "momentum": lambda point, rate: torch.optim.SGD([point], lr=rate, momentum=0.9),
        "adam": lambda point, rate: torch.optim.Adam([point], lr=rate, betas=(0.9, 0.98)),
    }
    rates = {"sgd": {5: 0.0019, 6: 0.0021}, "momentum": {7: 0.0035}, "adam": {13: 0.2, 15: 0.8}}
    steep = torch.tensor([1.0, 1000.0], dtype=torch.float64)
    for angle in (0, 30, 45):
        turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
        turn = torch.linalg.matrix_exp(math.radians(angle) * turn)
        for name, by_place in rates.items():
            for place, rate in by_place.items():
                settings = {"angle": angle, name: place}
                shown = element.evaluate(
                    "(e, [s, name]) => { e.set(s); return e.paths()[name]; }", [settings, name]
                )
                point = turn.T @ torch.tensor([-8.0, 0.25], dtype=torch.float64)
                point.requires_grad_()
                optimizer, places = makers[name](point, rate), []
                for _ in range(100):
                    places.append(turn @ point.detach())
                    optimizer.zero_grad()
                    ((steep * (turn @ point) ** 2).sum() / 2).backward()
                    optimizer.step()
                shown = torch.tensor(shown[:100], dtype=torch.float64)
                torch.testing.assert_close(shown, torch.stack(places), rtol=1e-6, atol=1e-6)


def test_schedules_are_those_of_the_page(figure, code_of):  # noqa: F811
    element = figure("training-schedules")
    code = code_of("training", "STEPS, UP = 1000, 100").split("for kind in")[0]
    names = {"math": math}
    exec(code, names)
    names["STEPS"] = 20_000
    page_names = {
        "noam": "inverse square root",
        "linear": "linear",
        "cosine": "cosine",
        "stable": "warmup-stable-decay",
    }
    steps = [1, 500, 3999, 4000, 4001, 12_000, 16_500, 20_000]
    rates = "(e, [settings, steps]) => { e.set(settings); return steps.map((s) => e.rateAt(s)); }"
    for size, d_model in [(0, 64), (3, 512)]:
        for warmup in (500, 4000):
            names["UP"] = warmup
            for kind, page_name in page_names.items():
                settings = {"kind": kind, "size": size, "warmup": warmup}
                shown = torch.tensor(element.evaluate(rates, [settings, steps]))
                shares = torch.tensor([names["scheduled"](page_name, s) for s in steps])
                torch.testing.assert_close(shown, shares * (d_model * warmup) ** -0.5)
                if kind == "noam":
                    formula = torch.tensor([noam_lr(s, d_model, warmup) for s in steps])
                    torch.testing.assert_close(shown, formula)


def test_a_broken_run_is_named_by_what_gives_it_away(figure):  # noqa: F811
    element = figure("training-clinic")
    status = element.locator(".lf-status")
    data = element.evaluate("e => e.data")
    healthy = torch.tensor(data["healthy"])
    right = {}
    for patient, ill in enumerate(data["patients"]):
        gap = (torch.tensor(ill["losses"]) - healthy).abs()
        first, last = element.evaluate(
            "(e, patient) => { e.set({ patient }); return e.look().from; }", patient
        )
        shown = torch.zeros(len(gap), dtype=torch.bool)
        shown[first : last + 1] = True
        assert gap[shown].mean() > 1.5 * gap[~shown].mean(), "what is marked is not where the curves part"
        for other in data["patients"]:
            element.evaluate("(e, guess) => e.set({ guess })", other["fault"])
            said = status.inner_text()
            assert ("맞습니다" in said) != ("점선" in said)
            if "맞습니다" in said:
                right[patient] = other["fault"]
                assert f"정확도는 {ill['right']:.2f}" in said
            else:
                assert f"이 걸음의 손실이 {other['losses'][20]:.2f}" in said
    assert list(right.values()) == ["no shift", "softmax twice", "shuffled", "rate", "not cleared"]
    element.get_by_label("학습률 100배").check(force=True)
    assert status.inner_text() != said
    element.get_by_label("D", exact=True).check(force=True)
    assert "골라 보십시오" in status.inner_text()
    assert element.get_by_role("group", name="무엇이 고장 났습니까").locator(":checked").count() == 0


def test_masks_are_drawn_as_mask_tokens_does(figure):  # noqa: F811
    element = figure("bert-masks")
    for share in (0.15, 0.4):
        counts, readings = element.evaluate(
            """(e, share) => {
                e.set({ share });
                const readings = [];
                for (let i = 0; i < 300; i++) (e.read(1), readings.push(e.reading));
                e.read(20000);
                return [e.counts, readings];
            }""",
            share,
        )
        chosen = sum(counts[fate] for fate in ("mask", "random", "same"))
        assert chosen / counts["tokens"] == pytest.approx(share, abs=0.006)
        assert counts["mask"] / chosen == pytest.approx(0.8, abs=0.012)
        assert counts["random"] / chosen == pytest.approx(0.1, abs=0.01)
        assert counts["empty"] / counts["readings"] == pytest.approx((1 - share) ** 6, abs=0.012)
        for token, text, fate in (
            (t["token"], t["input"], t["fate"]) for reading in readings for t in reading
        ):
            assert not (fate and token in ("[CLS]", "[SEP]"))
            assert text == "[MASK]" if fate == "mask" else fate == "random" or text == token
