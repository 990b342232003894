"""Vocabulary, optimizer, schedule and a loop that resumes, for the recipes of the tiny BERT and GPT."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from course_data.errors import CourseDataError
from course_data.packing import SPECIAL_TOKENS
from course_data.precision import half_precision
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn
from transformers import PreTrainedModel

VOCAB_SIZE = 7680
ALPHABET = 1400  # characters; the other 1,604 of the corpus make up 0.1 % of its text
ROW_LENGTH = 128
REPORT_EVERY = 100
CHECKPOINT_EVERY = 200


def arguments(about: str, steps: int) -> argparse.Namespace:
    """A recipe's command-line options; it runs `steps` steps unless told otherwise."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


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


def make_optimizer(model: nn.Module) -> torch.optim.AdamW:
    """AdamW, without decay of biases and norms."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=True)


def rate_at(step: int, steps: int, warmup: int) -> float:
    """Share of the peak learning rate: linear warm-up, then constant, then linear to zero in the last quarter.

    Until the last quarter it does not depend on `steps`: a run that is resumed may be made longer or shorter.
    """
    return min(step / warmup, 1.0, (steps - step + 1) / (steps / 4))


def endless(one_pass: Callable[[int], Iterator], number: int, skip: int) -> Iterator[tuple[int, int, object]]:
    """(pass, index, batch) from a pass and index on.

    Raises:
        CourseDataError: a pass has no batch.
    """
    while True:
        index = -1
        for index, batch in enumerate(one_pass(number)):
            if index >= skip:
                yield number, index, batch
        if index < 0:
            raise CourseDataError("The text is too short for one batch.")
        number, skip = number + 1, 0


def learn(
    model: nn.Module,
    losses_of: Callable[[nn.Module, object], dict[str, Tensor]],
    one_pass: Callable[[int], Iterator],
    args: argparse.Namespace,
    *,
    peak: float,
    warmup: int,
    evaluate: Callable[[nn.Module], dict] = lambda model: {},
) -> None:
    """Run the steps, from the last checkpoint in `args.out` if there is one.

    Args:
        losses_of: named losses of a batch; their sum is minimised.
        one_pass: the batches of the pass with this number, the same each time.
        peak, warmup: the highest learning rate, and the steps that it takes to get there.
        evaluate: what to note beside the mean losses in `log.jsonl`.
    """
    optimizer = make_optimizer(model)
    done, number, skip, log = 0, 0, 0, []
    checkpoint = args.out / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=args.device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done, number, skip, log = state["step"], state["pass"], state["index"] + 1, state["log"]
    stream = endless(one_pass, number, skip)
    seconds = log[-1]["seconds"] if log else 0
    began, sums = time.perf_counter() - seconds, 0.0
    for step in range(done + 1, args.steps + 1):
        number, index, batch = next(stream)
        batch = batch.to(args.device)
        for group in optimizer.param_groups:
            group["lr"] = peak * rate_at(step, args.steps, warmup)
        with half_precision(args.device):
            losses = losses_of(model, batch)
        sum(losses.values()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        sums = sums + torch.stack(list(losses.values())).detach().float().cpu()
        if step % REPORT_EVERY == 0:
            means = dict(zip(losses, (sums / REPORT_EVERY).tolist(), strict=True))
            seconds, sums = round(time.perf_counter() - began), 0.0
            shown = "  ".join(f"{name} {value:.4f}" for name, value in means.items())
            print(f"step {step}  {shown}  {seconds} s", flush=True)
            log.append({"step": step, "seconds": seconds, **means, **evaluate(model)})
            lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in log)
            replace(
                args.out / "log.jsonl", lambda file, lines=lines: file.write_text(lines, encoding="utf-8")
            )
        if step % CHECKPOINT_EVERY == 0:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "log": log}
            state |= {"step": step, "pass": number, "index": index}
            replace(checkpoint, lambda file, state=state: torch.save(state, file))


def replace(file: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place and then rename it: nobody sees half of it."""
    draft = file.with_suffix(".writing")
    write(draft)
    draft.replace(file)


def save(theirs: PreTrainedModel, folder: Path, dropouts: tuple[str, ...]) -> None:
    """Write configuration, weights and the tokenizer's settings in Hugging Face's format.

    The weights are stored in half precision; the configuration says float32, which is what they load as, and
    gives the named dropouts the usual 0.1, for who fine-tunes the model.
    """
    for name in dropouts:
        setattr(theirs.config, name, 0.1)
    staging = folder / "writing"
    theirs.half().save_pretrained(staging)
    theirs.config.dtype = "float32"
    theirs.config.save_pretrained(staging)
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "model_max_length": ROW_LENGTH}
    (staging / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")
    for file in staging.iterdir():
        file.replace(folder / file.name)
    staging.rmdir()
