"""Pretrain the course's tiny Korean BERT: a WordPiece vocabulary, then masked words and next parts.

    python -m course_data.pretrain --out build/tiny_bert

The model is the book's own (solutions/bert.py, solutions/bert_pretraining.py), so run it where the repository's root
is on the import path. The text is NSMC's train split, without its labels. What came of it is in tiny_bert/README.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
from course_data import nsmc
from course_data.packing import IGNORE, SPECIAL_TOKENS, Batch, batches
from course_data.precision import half_precision
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining

from solutions.bert import BertModel, init_weights
from solutions.bert_pretraining import MLMHead, NSPHead

VOCAB_SIZE = 7680
ALPHABET = 1400  # characters; the other 1,604 of the corpus make up 0.1 % of its text
ROW_LENGTH = 128
ROWS = 32
PEAK_RATE = 1.5e-3
WARMUP = 400
REPORT_EVERY = 100
CHECKPOINT_EVERY = 200
CONFIG = dict(
    vocab_size=VOCAB_SIZE,
    hidden_size=192,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=768,
    max_position_embeddings=ROW_LENGTH,
)


def tokenizer_of(folder: Path, texts: list[str]) -> BertWordPieceTokenizer:
    """A cased WordPiece tokenizer that keeps Hangul syllables whole (stripping accents would split them).

    Takes `vocab.txt` of the folder, and makes it first where there is none. The making breaks ties at random:
    two runs agree in all but a few entries, so a run that shall repeat another needs its vocabulary.
    """
    vocabulary = folder / "vocab.txt"
    if not vocabulary.exists():
        tokenizer = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
        tokenizer.train_from_iterator(
            texts,
            vocab_size=VOCAB_SIZE,
            limit_alphabet=ALPHABET,
            special_tokens=SPECIAL_TOKENS,
            show_progress=False,
        )
        by_id = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        draft = vocabulary.with_suffix(".writing")
        draft.write_text("".join(f"{token}\n" for token, _ in by_id), encoding="utf-8")
        draft.replace(vocabulary)
    return BertWordPieceTokenizer(str(vocabulary), lowercase=False, strip_accents=False)


def encode(tokenizer: BertWordPieceTokenizer, texts: list[str]) -> tuple[list[list[int]], list[list[int]]]:
    """Token ids of each text, and where in them its words begin."""
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
    ids = [e.ids for e in encoded]
    starts = [[i for i, token in enumerate(e.tokens) if not token.startswith("##")] for e in encoded]
    return ids, starts


class Pretrainer(nn.Module):
    """BERT with both heads of its pretraining."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.bert = BertModel(config)
        self.words = MLMHead(config, self.bert.embeddings.word_embeddings)
        self.pairs = NSPHead(config)
        init_weights(self, config.initializer_range)

    def as_hugging_face(self) -> BertForPreTraining:
        """The same model as a BertForPreTraining."""
        theirs = BertForPreTraining(self.bert.config)
        places = {"words.": "cls.predictions.", "pairs.": "cls."}
        state = {}
        for name, tensor in self.state_dict().items():
            part = next((part for part in places if name.startswith(part)), "")
            state[places.get(part, "") + name.removeprefix(part)] = tensor
        theirs.load_state_dict(state)
        return theirs


def pretraining_loss(model: Pretrainer, batch: Batch) -> tuple[Tensor, Tensor]:
    """Mean cross-entropies of the masked tokens and of the sentence pairs.

    The vocabulary's 7,680 logits are computed at the masked tokens only.
    """
    embedded = model.bert.embeddings(batch.input_ids, batch.token_type_ids, batch.position_ids)
    hidden = model.bert.encoder(embedded, batch.attention_mask).flatten(0, 1)
    word_logits = model.words(hidden[batch.predict_at])
    pair_logits = model.pairs(model.bert.pooler(hidden[batch.judge_at][:, None]))
    return (
        F.cross_entropy(word_logits.float(), batch.predict_labels),
        F.cross_entropy(pair_logits.float(), batch.judge_labels, ignore_index=IGNORE),
    )


def make_optimizer(model: nn.Module) -> torch.optim.AdamW:
    """AdamW, without decay of biases and norms."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=True)


def rate_at(step: int, steps: int) -> float:
    """Share of the peak learning rate: linear warm-up, then constant, then linear to zero in the last quarter.

    Until the last quarter it does not depend on `steps`: a run that is resumed may be made longer or shorter.
    """
    return min(step / WARMUP, 1.0, (steps - step + 1) / (steps / 4))


def endless_batches(ids, starts, seed: int, number: int, skip: int) -> Iterator[tuple[int, int, Batch]]:
    """(pass, index, batch) from a pass and index on; every pass is cut, paired, packed and masked anew."""
    while True:
        one_pass = batches(ids, starts, VOCAB_SIZE, ROWS, ROW_LENGTH, seed=1000 * seed + number)
        for index, batch in enumerate(one_pass):
            if index >= skip:
                yield number, index, batch
        number, skip = number + 1, 0


def train(model: Pretrainer, ids, starts, args: argparse.Namespace) -> None:
    """Run the steps, from the last checkpoint in `args.out` if there is one."""
    optimizer = make_optimizer(model)
    done, number, skip = 0, 0, 0
    checkpoint = args.out / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=args.device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done, number, skip = state["step"], state["pass"], state["index"] + 1
    stream = endless_batches(ids, starts, args.seed, number, skip)
    began, sums = time.perf_counter(), torch.zeros(2)
    for step in range(done + 1, args.steps + 1):
        number, index, batch = next(stream)
        batch = batch.to(args.device)
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * rate_at(step, args.steps)
        with half_precision(args.device):
            words, pairs = pretraining_loss(model, batch)
        (words + pairs).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        sums += torch.stack([words, pairs]).detach().float().cpu()
        if step % REPORT_EVERY == 0:
            words, pairs = (sums / REPORT_EVERY).tolist()
            print(
                f"step {step}  words {words:.4f}  pairs {pairs:.4f}  {time.perf_counter() - began:.0f} s",
                flush=True,
            )
            sums.zero_()
        if step % CHECKPOINT_EVERY == 0:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            state |= {"step": step, "pass": number, "index": index}
            torch.save(state, checkpoint.with_suffix(".writing"))
            checkpoint.with_suffix(".writing").replace(checkpoint)


def save(model: Pretrainer, folder: Path) -> None:
    """Write configuration and weights in Hugging Face's format, each beside its place and then renamed.

    The weights are stored in half precision; the configuration says float32, which is what they load as.
    """
    theirs = model.as_hugging_face()
    theirs.config.hidden_dropout_prob = theirs.config.attention_probs_dropout_prob = (
        0.1  # for who fine-tunes it
    )
    staging = folder / "writing"
    theirs.half().save_pretrained(staging)
    theirs.config.dtype = "float32"
    theirs.config.save_pretrained(staging)
    for file in staging.iterdir():
        file.replace(folder / file.name)
    staging.rmdir()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    texts, _ = nsmc.load("train")
    args.out.mkdir(parents=True, exist_ok=True)
    ids, starts = encode(tokenizer_of(args.out, texts), texts)
    print(f"{len(ids)} reviews, {sum(map(len, ids))} tokens", flush=True)

    config = BertConfig(**CONFIG, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = Pretrainer(config).to(args.device)
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    train(model, ids, starts, args)
    save(model, args.out)
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "model_max_length": ROW_LENGTH}
    (args.out / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")


if __name__ == "__main__":
    main()
