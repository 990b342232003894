"""One thread: two processes on two cores are faster than two that fight for both."""

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def masking_class(tmp_path_factory):
    """A class folder with one exercise and nobody in it: copy it, and change the copy."""
    from grader.classroom.newclass import make_class
    from grader.exercise import find_exercise

    root = tmp_path_factory.mktemp("class") / "봄"
    make_class(root, [find_exercise("masking")], "https://book.test")
    return root
