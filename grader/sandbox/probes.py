"""Observations of a call beside its result, at home and in the class alike: gradients, and changed arguments.

Both sides of the sandbox import this, so it imports nothing of the project. torch's functions are taken before a
notebook can put others in their place.
"""

from __future__ import annotations

from typing import Any

import torch

_grad, _ones_like, _equal, _enable_grad = torch.autograd.grad, torch.ones_like, torch.equal, torch.enable_grad


def gradients(
    function: Any, args: tuple, kwargs: dict, output: int = 0, cotangent: torch.Tensor | None = None
) -> dict:
    """Gradients of `(out * cotangent).sum()`, whatever the gradient mode; the arguments stay as they are.

    Args:
        output: which entry of a tuple or list that `function` returns.
        cotangent: the output's shape; ones if None.

    Returns:
        `output`, detached; `inputs`, a gradient (or None) for each floating argument, by position or keyword;
        `parameters`, by every name that they bear, where `function` is a module.

    Raises:
        RuntimeError: no gradient flows from the output.
    """
    copies = _copies(args, kwargs)
    inputs = {key: copy.requires_grad_() for key, copy in copies.items() if copy.is_floating_point()}
    with _enable_grad():
        out = _call(function, args, kwargs, copies)
        if isinstance(out, tuple | list):
            out = out[output]
        parameters = _learning(function) if isinstance(function, torch.nn.Module) else {}
        loss = (out * (_ones_like(out) if cotangent is None else cotangent)).sum()
    wanted = [*inputs.values(), *parameters.values()]
    found = _grad(loss, wanted, allow_unused=True)
    return {
        "output": out.detach(),
        "inputs": dict(zip(inputs, found[: len(inputs)], strict=True)),
        "parameters": dict(zip(parameters, found[len(inputs) :], strict=True)),
    }


def mutated(function: Any, args: tuple, kwargs: dict) -> list[int | str]:
    """Positions and keywords of the tensor arguments that a call changes in place; it is called with copies."""
    copies = _copies(args, kwargs)
    _call(function, args, kwargs, copies)
    return [key for key, value in _tensors(args, kwargs) if not _equal(copies[key], value)]


def _call(function: Any, args: tuple, kwargs: dict, copies: dict) -> Any:
    return function(
        *(copies.get(i, value) for i, value in enumerate(args)),
        **{key: copies.get(key, value) for key, value in kwargs.items()},
    )


def _copies(args: tuple, kwargs: dict) -> dict[int | str, torch.Tensor]:
    """Copies of the tensor arguments that require no gradient, as what crosses to a worker."""
    return {key: value.detach().clone() for key, value in _tensors(args, kwargs)}


def _learning(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The parameters that are not frozen, by every name that they bear."""
    found = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in found if parameter.requires_grad}


def _tensors(args: tuple, kwargs: dict) -> list[tuple[int | str, torch.Tensor]]:
    pairs = [*enumerate(args), *kwargs.items()]
    return [(key, value) for key, value in pairs if isinstance(value, torch.Tensor)]
