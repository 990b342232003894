"""The limits of a run. A class sets the first of them, `wall`; the others follow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one run.

    Attributes:
        wall: seconds that the judge waits for the worker, cells and calls together.
        call: seconds that it waits for one call.
        cpu: seconds of processor time.
        memory_mb: what the worker may add to the memory that it inherits.
        output_mb: what its cells may print and show.
        scratch_mb: what it may keep in its folder.
        threads: how many threads it may have.
    """

    wall: float = 60
    call: float = 20
    cpu: float = 120
    memory_mb: int = 2048
    output_mb: float = 1
    scratch_mb: int = 64
    threads: int = 32

    @classmethod
    def within(cls, wall: float) -> Limits:
        """The limits of a notebook that may take `wall` seconds in all."""
        return cls(wall=wall, call=min(wall, cls.call), cpu=max(cls.cpu, 2 * wall))
