"""What the figures of models, from text to text, compute in the browser: as torch and the pages' own code do."""

import re

import pytest
import torch
from browsing import ROOT
from test_figures import figure  # noqa: F401 (a fixture)


@pytest.fixture
def code_of():
    """code_of(chapter, first words) is the page's code cell that begins so."""

    def find(chapter: str, beginning: str) -> str:
        text = (ROOT / "chapters" / f"{chapter}.md").read_text("utf-8")
        cells = re.findall(r"```\{code-cell\} python\n(.*?)```", text, re.DOTALL)
        [cell] = [cell for cell in cells if re.search(rf"^{re.escape(beginning)}", cell, re.MULTILINE)]
        return cell

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
    names = {"math": __import__("math")}
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
