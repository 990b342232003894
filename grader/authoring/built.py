"""An exercise's folder is known to be built of today's sources without building it: that runs every wrong answer."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from grader.authoring.build import CHECKS, MISTAKES, write_checks
from grader.exercise import ROOT, Exercise, PublicExercise, words_file
from grader.judging.mistakes import Mistake
from grader.results import write_whole
from grader.words import ENGLISH

FILE = Path(__file__).with_suffix(".json")


def digest(exercise: Exercise) -> str:
    """SHA-256 over the exercise's own sources and what was built of them; the builder's code does not count."""
    catalogues = [ROOT / "locale" / "en" / kind / f"{exercise.stem}.po" for kind in ("exercises", "hints")]
    sources = [exercise.source, exercise.suite_path, exercise.bank_path, *catalogues]
    made = sorted(path for path in exercise.folder.iterdir() if path.is_file())
    sha = hashlib.sha256()
    for path in sources:  # a new exercise has no catalogue yet
        sha.update(hashlib.sha256(path.read_bytes() if path.exists() else b"").digest())
    for path in made:
        sha.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return sha.hexdigest()[:16]


def known() -> dict[str, str]:
    """Digests by stem, as the last builds left them."""
    return msgspec.json.decode(FILE.read_bytes()) if FILE.exists() else {}


def is_current(exercise: Exercise) -> bool:
    """True if the exercise's folder is what today's sources make."""
    return exercise.folder.is_dir() and known().get(exercise.stem) == digest(exercise)


def mistakes_of(exercise: Exercise) -> list[Mistake]:
    """Its wrong answers with what they return: as the last build has it, observed anew if a source has changed since."""
    return PublicExercise(exercise.folder).mistakes if is_current(exercise) else exercise.mistakes


def write_checks_of(exercise: Exercise, folder: Path) -> None:
    """The same for all that `check` needs beside a notebook."""
    if is_current(exercise):
        for name in (CHECKS, MISTAKES, words_file(ENGLISH)):
            write_whole(folder / name, (exercise.folder / name).read_bytes())
    else:
        write_checks(exercise, folder)


def remember(exercises: list[Exercise]) -> None:
    digests = known() | {exercise.stem: digest(exercise) for exercise in exercises}
    write_whole(
        FILE, msgspec.json.format(msgspec.json.encode(dict(sorted(digests.items()))), indent=1) + b"\n"
    )
