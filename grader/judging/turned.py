"""Answers whose two results are right, in the wrong order: seen, whatever the exercise, by what they pass turned round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from grader.judging.suite import gradients, mutated

NAME = "results_swapped"
HINT = "돌려준 둘의 차례가 바뀌었습니다. 함수의 첫 줄과 설명이 말하는 차례대로 `return`에 쓰십시오."
_DATA = (torch.Tensor, bool, int, float, complex, str, bytes, list, tuple, dict, type(None))


class Turned:
    """A student whose answer to one question returns its pairs turned round; all else is the student's."""

    def __init__(self, student: Any, question: str):
        self.__student, self.__question = student, question

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__student, name)
        return _wrapped(found) if name == self.__question else found

    def __place__(self, source: str, name: str) -> Callable:
        placed = self.__student.__place__(source, name)
        return lambda *args, **kwargs: placed(*map(_bare, args), **kwargs)


class _Answer:
    """A function, a class, what a class makes, or a method of that."""

    def __init__(self, answer: Any):
        self.__answer = answer

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.__answer(*args, **kwargs)
        if isinstance(found, tuple | list) and len(found) == 2:
            return found[::-1]
        return _wrapped(found)

    def __getattr__(self, name: str) -> Any:
        return _wrapped(getattr(self.__answer, name))

    def __gradients__(self, args: tuple, kwargs: dict, output: int, cotangent: Any) -> dict:
        return gradients(self.__answer, *args, output=1 - output, cotangent=cotangent, **kwargs)

    def __mutated__(self, args: tuple, kwargs: dict) -> list:
        return mutated(self.__answer, *args, **kwargs)


def _wrapped(found: Any) -> Any:
    return found if isinstance(found, _DATA) else _Answer(found)


def _bare(value: Any) -> Any:
    return vars(value)["_Answer__answer"] if isinstance(value, _Answer) else value
