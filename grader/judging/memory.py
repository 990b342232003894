"""Sizes of the tensors that a call makes: who makes n x n of them has saved nothing."""

from __future__ import annotations

from typing import Any

from grader.judging.suite import place


def measured(student: Any, function: Any, *args: Any) -> tuple[int, int, Any]:
    """The numbers in the largest tensor that a call makes, in all of them together, and what it returns."""
    return place(student, tensors_made)(function, list(args))


def tensors_made(function, args):
    """`measured`, on the student's side."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    largest = made = 0

    def tensors(tree):
        """Those in lists, tuples and dicts: operations know nothing else, and torch's own way takes longer than they do."""
        if isinstance(tree, torch.Tensor):
            return [tree]
        parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list | tuple) else ()
        return [x for part in parts for x in tensors(part)]

    class Watch(TorchDispatchMode):
        _should_skip_dynamo = classmethod(lambda cls: False)  # torch would load its compiler, for 1.6 s

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            nonlocal largest, made
            given = {x.untyped_storage().data_ptr() for x in tensors([args, kwargs])}
            found = operation(*args, **(kwargs or {}))
            for tensor in tensors(found):
                numbers = tensor.untyped_storage().nbytes() // tensor.element_size()
                largest = max(largest, numbers)
                made += numbers * (tensor.untyped_storage().data_ptr() not in given)  # a view makes none
            return found

    with Watch():
        result = function(*args)
    return largest, made, result
