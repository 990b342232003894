"""Automatic mutants: whether an exercise's suite notices that its reference has been changed a little.

Each mutant is judged on its own question in a process that may hang or die. One that keeps all points is a hole in the
suite, unless nothing could notice it; then the file beside the suite says why, one line each.
"""

from __future__ import annotations

import ast
import math
import multiprocessing
import os
import random
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path

from rich.text import Text

from grader.authoring.mutate import Mutant, mutants_of
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.judging.judge import judge
from grader.judging.suite import Local

# What loops for ever is noticed. Processor time, which a busy machine does not stretch; and, for what sleeps, time.
TIMES, AT_LEAST = 10, 3  # the reference's own processor seconds
SECONDS = 60
BECAUSE = "  #: "


@dataclass
class Found:
    """The outcome of judging an exercise's mutants.

    Attributes:
        survivors: those that keep all points and are not explained.
        equivalent: how many survive with an explanation.
        stale: explanations whose mutant is noticed, or does not exist any more.
    """

    stem: str
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)


def explanations_path(exercise: Exercise) -> Path:
    return exercise.suite_path.with_name(f"equivalent_{exercise.stem}.txt")


def read_explanations(path: Path) -> dict[tuple[str, str], str]:
    """Reasons why mutants cannot be noticed, by question and name: below `[QUESTION]` lines of `NAME  #: WHY`.

    Raises:
        GraderError: a line is neither.
    """
    found, question = {}, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        name, because, why = line.partition(BECAUSE)
        if line.startswith("[") and line.endswith("]"):
            question = line[1:-1]
        elif because and why.strip() and question:
            found[question, name] = why.strip()
        elif line.strip() and not line.startswith("#"):
            raise GraderError(f"{path}:{number}: write '[QUESTION]', or 'MUTANT{BECAUSE}WHY' below one.")
    return found


def mutants(exercise: Exercise) -> list[Mutant]:
    """The mutants of every question's reference."""
    tree = ast.parse(exercise.source.read_text(encoding="utf-8"))
    definitions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return [
        mutant
        for question in exercise.suite.questions
        if question in definitions
        for mutant in mutants_of(definitions[question])
    ]


def examine(
    exercise: Exercise,
    jobs: int,
    sample: int | None = None,
    done: Callable[[int, int], None] = lambda *_: None,
) -> Found:
    """Judge an exercise's mutants.

    Args:
        sample: only so many, the same each time; stale explanations are then not looked for.
        done: called with how many are judged, of how many.

    Raises:
        GraderError: the reference itself loses points.
    """
    everything = mutants(exercise)
    chosen = everything
    if sample is not None and sample < len(everything):
        chosen = random.Random(exercise.stem).sample(everything, sample)
    explained = read_explanations(explanations_path(exercise))
    found = Found(exercise.stem, mutants=len(chosen))
    noticed: set[tuple[str, str]] = set()
    for number, (mutant, survived) in enumerate(_judge_all(exercise, chosen, jobs), 1):
        key = (mutant.question, mutant.name)
        if not survived:
            noticed.add(key)
            found.killed += 1
        elif key in explained:
            found.equivalent += 1
        else:
            found.survivors.append(mutant)
        done(number, len(chosen))
    there = {(mutant.question, mutant.name) for mutant in everything}
    stale = noticed & explained.keys() | (explained.keys() - there)
    found.stale = [f"[{question}] {name}" for question, name in sorted(stale)]
    found.survivors.sort(key=chosen.index)
    return found


def _judge_all(exercise: Exercise, chosen: list[Mutant], jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant and whether it keeps all its points, as they are done."""
    import torch

    torch.set_num_threads(1)  # a process forked from one whose thread pool has worked would hang
    limits = {}
    for question in exercise.suite.questions:
        began = time.process_time()
        if not _keeps_all_points(exercise, exercise.reference, question):
            raise GraderError(f"{exercise.stem}: the reference itself loses points in '{question}'.")
        limits[question] = math.ceil(max(TIMES * (time.process_time() - began), AT_LEAST))
    context = multiprocessing.get_context("fork")
    waiting, running = deque(chosen), {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.popleft()
                process = context.Process(target=_judge_one, args=(exercise, mutant, limits[mutant.question]))
                process.start()
                running[process.sentinel] = (mutant, process, time.monotonic() + SECONDS)
            patience = min(deadline for *_, deadline in running.values()) - time.monotonic()
            ended = wait(list(running), max(0, patience))
            late = [s for s, (*_, deadline) in running.items() if deadline < time.monotonic()]
            for sentinel in {*ended, *late}:
                mutant, process, _ = running.pop(sentinel)
                if sentinel not in ended:
                    process.kill()
                process.join()
                yield mutant, process.exitcode == 0
    finally:
        for _, process, _ in running.values():
            process.kill()


def _judge_one(exercise: Exercise, mutant: Mutant, limit: int) -> None:
    """Leave the process with 0 if the mutant keeps all its points."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    status = 1
    try:
        names = dict(exercise.names)
        exec(compile(mutant.source, f"<{mutant.name}>", "exec"), names)
        student = Local({**exercise.names, mutant.question: names[mutant.question]})
        status = 0 if _keeps_all_points(exercise, student, mutant.question) else 1
    finally:
        sys.stdout.flush()
        os._exit(status)


def _keeps_all_points(exercise: Exercise, student: Local, question: str) -> bool:
    """Case by case, so that the first lost point ends it."""
    for case in exercise.suite.of(question):
        alone = replace(exercise.suite, cases=[case], observations={})
        [result] = judge(student, alone, reference=exercise.reference)
        if result.earned < result.possible:
            return False
    return True


def summary(found: Found) -> dict:
    """Plain data, for JSON."""
    survivors = [{"question": mutant.question, "name": mutant.name} for mutant in found.survivors]
    return {**vars(found), "survivors": survivors}


def report(found: Found) -> Text:
    """One line of counts, and below it what an author must look at."""
    counts = f"{found.mutants} mutants, {found.killed} noticed, {found.equivalent} equivalent"
    lines = [Text.assemble((found.stem, "bold"), f": {counts}")]
    lines += [Text(f"  not noticed: [{m.question}] {m.name}", style="red") for m in found.survivors]
    lines += [Text(f"  explained, but noticed or gone: {name}", style="yellow") for name in found.stale]
    return Text("\n").join(lines)
