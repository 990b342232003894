"""The rows of the table: each adds one part to the row above it; a control takes one away."""

from __future__ import annotations

from dataclasses import replace

from course_data.stories.model import Recipe

ROWS: dict[str, Recipe] = {"lstm": Recipe(past="lstm")}  # each adds to the one above it
_last = Recipe(past="mean", positions=True)
for _name, _change in {
    "mean": {},
    "one_head": dict(past="attention"),
    "four_heads": dict(heads=4),
    "plain": dict(layers=3, feed_forward=True),
    "residual": dict(residual=True),
    "norm": dict(norm="before", rate=1e-2),
    "wider": dict(width=128, rate=5e-3, steps=1000),
    "schedule": dict(schedule=True),
}.items():
    ROWS[_name] = _last = replace(_last, **_change)

CONTROLS = {  # a row without one of its parts
    "no_positions": replace(ROWS["four_heads"], positions=False),
    "leak": replace(ROWS["norm"], mask=False),
    "no_feed_forward": replace(ROWS["residual"], feed_forward=False),
    "plain_no_feed_forward": replace(ROWS["plain"], feed_forward=False),
    "no_norm": replace(ROWS["norm"], norm="none"),
}

SMALL = replace(ROWS["schedule"], width=64, steps=800, rate=1e-2)  # every part, in a third of the time
WITHOUT = {  # it, without one part; the norm stands before a residual's part and goes with it
    "attention": replace(SMALL, past="mean"),
    "heads": replace(SMALL, heads=1),
    "mask": replace(SMALL, mask=False),
    "positions": replace(SMALL, positions=False),
    "layers": replace(SMALL, layers=1),
    "residual": replace(SMALL, residual=False, norm="none"),
    "feed_forward": replace(SMALL, feed_forward=False),
    "norm": replace(SMALL, norm="none"),
}
