"""Blanks and pairs in the course's own test sentences, which no model here has read: made once, the same for all.

The chapter bert_pretraining makes the same ones, step by step.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from course_data import sentence_rows
from course_data.packing import IGNORE, MASK
from torch import Tensor, nn
from transformers import PreTrainedTokenizerBase

from solutions.bert_pretraining import make_nsp_pairs, mask_tokens


@dataclass
class Examination:
    """B pairs of at most L tokens, M of which are blanks.

    Attributes:
        input_ids, token_type_ids, attention_mask: (B, L).
        labels: (B, L), the token that was at a blank, IGNORE elsewhere.
        following: (B,), 0 = the second part is next, 1 = random.
    """

    input_ids: Tensor
    token_type_ids: Tensor
    attention_mask: Tensor
    labels: Tensor
    following: Tensor

    @torch.no_grad()
    def of(self, model: nn.Module) -> dict[str, float]:
        """Mean loss of the blanks in nats, and the shares of blanks and of pairs that are right.

        Args:
            model: has `bert`, `words` and `pairs`, as `pretrain.Pretrainer` has.
        """
        device = next(model.parameters()).device
        hidden, pooled = model.bert(
            *(t.to(device) for t in (self.input_ids, self.token_type_ids, self.attention_mask))
        )
        blank = self.labels != IGNORE
        words, answers = model.words(hidden[blank.to(device)]).cpu(), self.labels[blank]
        pairs = model.pairs(pooled).cpu()
        return {
            "held_out": F.cross_entropy(words, answers).item(),
            "blanks": (words.argmax(-1) == answers).float().mean().item(),
            "next_parts": (pairs.argmax(-1) == self.following).float().mean().item(),
        }


def examination(tokenizer: PreTrainedTokenizerBase) -> Examination:
    """Every test sentence of two words or more, cut in the middle, as a document of two parts."""
    documents = []
    for row in sentence_rows("test"):
        words = row["sentence"].split()
        if half := len(words) // 2:
            documents.append([" ".join(words[:half]), " ".join(words[half:])])
    first, second, following = zip(*make_nsp_pairs(documents, torch.Generator().manual_seed(0)), strict=True)
    encoded = tokenizer(
        list(first), list(second), padding=True, return_tensors="pt", return_special_tokens_mask=True
    )
    input_ids, labels = mask_tokens(
        encoded["input_ids"],
        encoded["special_tokens_mask"],
        len(tokenizer),
        MASK,
        torch.Generator().manual_seed(0),
    )
    return Examination(
        input_ids, encoded["token_type_ids"], encoded["attention_mask"], labels, torch.tensor(following)
    )
