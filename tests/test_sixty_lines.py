"""The whole Transformer in sixty lines (chapters/sixty_lines.py, printed on the sheet) is torch's."""

import sys

import pytest
import torch
from torch import nn

from grader.exercise import ROOT

sys.path.insert(0, str(ROOT / "chapters"))

from number_words import EOS, SOS, english, korean  # noqa: E402
from shipped import number_translator, renamed  # noqa: E402
from sixty_lines import Transformer  # noqa: E402

from solutions.transformer import Transformer as Reference  # noqa: E402


def test_they_are_sixty():
    code = (ROOT / "chapters" / "sixty_lines.py").read_text(encoding="utf-8").splitlines()
    assert len(code[2:]) == 60, "the sheet prints them from the third line on"


@pytest.fixture
def pair():
    torch.manual_seed(0)
    theirs = Reference(11, 13, d_model=16, num_heads=2, d_ff=24, num_layers=3, max_length=9).eval()
    ours = Transformer(11, 13, d=16, heads=2, inside=24, layers=3, longest=9)
    ours.load_state_dict(renamed(theirs.state_dict()))
    return ours, theirs


def test_the_logits_are_those_of_torchs_layers(pair):
    ours, theirs = pair
    source, target = torch.randint(3, 11, (4, 7)), torch.randint(3, 13, (4, 5))
    real = torch.arange(7) < torch.tensor([[7], [3], [5], [1]])
    torch.testing.assert_close(ours(source, target, real), theirs(source, target, real))


def test_each_attention_is_torchs(pair):
    ours, _ = pair
    attention, x = ours.decoder[0].attentions[1], torch.randn(2, 5, 16)
    memory, real = torch.randn(2, 7, 16), torch.arange(7) < torch.tensor([[7], [4]])
    oracle = nn.MultiheadAttention(16, 2, batch_first=True)
    parts = [attention.query, attention.key, attention.value]
    oracle.load_state_dict(
        {
            "in_proj_weight": torch.cat([part.weight for part in parts]),
            "in_proj_bias": torch.cat([part.bias for part in parts]),
            "out_proj.weight": attention.merge.weight,
            "out_proj.bias": attention.merge.bias,
        }
    )
    expected, weights = oracle(x, memory, memory, key_padding_mask=~real, average_attn_weights=False)
    torch.testing.assert_close(attention(x, memory, real[:, None, None]), expected)
    torch.testing.assert_close(attention.weights, weights)


@pytest.mark.parametrize("number", [35_000, 73, 873_569])
def test_the_shipped_translator_runs_in_them(number):
    model, source, target = number_translator()
    with torch.no_grad():
        written = model.write([source.index(word) for word in english(number)], SOS, EOS)
    assert [target[i] for i in written] == ["[SOS]", *korean(number), "[EOS]"]
