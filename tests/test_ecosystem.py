"""The one block of the page on libraries that no build executes, where its library is installed."""

import re

import pytest
import torch
from course_data import TINY_BERT, load_sentences
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

from grader.exercise import ROOT

PAGE = (ROOT / "chapters" / "ecosystem.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_it_is_the_only_block_that_is_not_executed():
    assert len(BLOCKS) == 1 and "from datasets import" in BLOCKS[0]


def test_the_tables_rows_are_those_of_the_book_and_train(tmp_path, capsys, monkeypatch):
    pytest.importorskip("datasets", reason="pip install datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    sents, labels = load_sentences("train")
    names = {
        "AutoTokenizer": AutoTokenizer,
        "TINY_BERT": TINY_BERT,
        "train_sents": sents,
        "train_labels": labels,
    }
    exec(BLOCKS[0], names)
    tokenizer = AutoTokenizer.from_pretrained(TINY_BERT)

    found = [(row["input_ids"], row["labels"]) for part in names["parts"].values() for row in part]
    assert sorted(found) == sorted(zip(tokenizer(sents)["input_ids"], labels, strict=True))
    assert [len(names["parts"][part]) for part in ("train", "test")] == [288, 32]
    assert str(found[0][0]) in capsys.readouterr().out

    torch.manual_seed(0)
    trainer = Trainer(
        model=AutoModelForSequenceClassification.from_pretrained(TINY_BERT, num_labels=2),
        train_dataset=names["parts"]["train"],
        data_collator=DataCollatorWithPadding(tokenizer),
        args=TrainingArguments(tmp_path, max_steps=1, use_cpu=True, disable_tqdm=True, save_strategy="no"),
    )
    assert 0 < trainer.train().training_loss < 2
