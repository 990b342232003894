"""Runs students' notebooks in a process of their own and lets a suite talk to them in plain data."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .doctor import Layer, doctor
from .errors import SandboxError, SandboxUnavailable, ServerDied, WorkerDied, WorkerKilled, WorkerTimeout
from .limits import Limits

if TYPE_CHECKING:
    from .client import Sandbox
    from .run import CellRun, Record, Run

__all__ = [
    "CellRun",
    "Layer",
    "Limits",
    "Record",
    "Run",
    "SandboxError",
    "SandboxUnavailable",
    "Sandbox",
    "ServerDied",
    "WorkerDied",
    "WorkerKilled",
    "WorkerTimeout",
    "doctor",
]

# They load torch, for which `launch` must not wait.
_LATE = {"Sandbox": "client", "CellRun": "run", "Record": "run", "Run": "run"}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATE[name]}", __name__), name)
