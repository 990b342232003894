"""One thread: two processes on two cores are faster than two that fight for both."""

import gc

import loaded
import pytest
import sampled
import torch
from once import once

from grader.sandbox import launch

torch.set_num_threads(1)


def pytest_configure(config):
    sampled.left_out = {rest for rest in ("exhaustive", "whole") if f"not {rest}" in config.option.markexpr}


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Nothing that is loaded for the tests is ever garbage: a quarter of the time went into looking for some."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def with_torch():
    return loaded.Loaded()


@pytest.fixture(scope="module", autouse=True)
def sandboxes(request):
    """Sandboxes that start with torch loaded, but where their start is what is tested."""
    with pytest.MonkeyPatch.context() as patched:
        if not request.module.__name__.startswith(loaded.FRESH):
            patched.setattr(
                launch, "begin", lambda *a, **k: request.getfixturevalue("with_torch").begin(*a, **k)
            )
        yield


@pytest.fixture(scope="session")
def masking_class(tmp_path_factory):
    """A class folder with one exercise and nobody in it: copy it, and change the copy."""
    from grader.classroom.newclass import make_class
    from grader.exercise import find_exercise

    def make(folder):
        make_class(folder / "봄", [find_exercise("masking")], "https://book.test")

    return once(tmp_path_factory, "masking class", make) / "봄"
