"""The course's own data: a tiny Korean BERT and GPT and labelled Korean sentences, with the real ones a setting away.

- `COURSE_BERT=beomi/kcbert-base` names another BERT for `bert_name()`;
- `COURSE_GPT=skt/kogpt2-base-v2` names another GPT-2 for `gpt_name()`;
- `COURSE_SENTIMENT=nsmc` makes `load_sentences()` return the Naver sentiment movie corpus;
- `COURSE_CACHE` names the folder that downloads are kept in.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

from course_data.errors import CourseDataError

__all__ = [
    "TINY_BERT",
    "TINY_GPT",
    "CourseDataError",
    "bert_name",
    "gpt_name",
    "load_model",
    "load_sentences",
    "sentence_rows",
]

FOLDER = Path(__file__).resolve().parent
TINY_BERT = FOLDER / "tiny_bert"
TINY_GPT = FOLDER / "tiny_gpt"
SENTENCES = FOLDER / "sentences"


def bert_name() -> str:
    """The argument for `from_pretrained`: `COURSE_BERT` if it is set, otherwise the embedded model's folder."""
    return os.environ.get("COURSE_BERT") or str(TINY_BERT)


def gpt_name() -> str:
    """The argument for `from_pretrained`: `COURSE_GPT` if it is set, otherwise the embedded model's folder."""
    return os.environ.get("COURSE_GPT") or str(TINY_GPT)


def load_model(kind: str):
    """A trained model in evaluation mode, and its tokenizer.

    Args:
        kind: the class of transformers that it is, "BertModel", "BertForPreTraining", "GPT2LMHeadModel".
    """
    import transformers  # takes seconds, for which the sentences need not wait

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    name = bert_name() if kind.startswith("Bert") else gpt_name()
    model = getattr(transformers, kind).from_pretrained(name).eval()
    return model, transformers.AutoTokenizer.from_pretrained(name)


def load_sentences(split: str) -> tuple[list[str], list[int]]:
    """Sentences of a split ("train" or "test") and their labels, 1 = positive.

    They are the course's own unless `COURSE_SENTIMENT=nsmc`. Raises CourseDataError.
    """
    source = os.environ.get("COURSE_SENTIMENT") or "embedded"
    if source == "nsmc":
        from course_data import nsmc

        return nsmc.load(split)
    if source != "embedded":
        raise CourseDataError(f"COURSE_SENTIMENT is {source!r}: unset it, or set it to nsmc.")
    rows = sentence_rows(split)
    return [row["sentence"] for row in rows], [int(row["label"]) for row in rows]


def sentence_rows(split: str) -> list[dict[str, str]]:
    """The course's own sentences with what is noted of them: see sentences/README.md. Raises CourseDataError."""
    if split not in ("train", "test"):
        raise CourseDataError(f"There is no split {split!r}: choose train or test.")
    with open(SENTENCES / f"{split}.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
