"""Numbers that a chapter's cells hand to its live figures.

A chapter's cell starts with ``from figure_data import figure_data``.
"""

import json
from html import escape

import numpy as np


class FigureData:
    """Numbers that a figure of the page draws from; invisible where they stand."""

    def __init__(self, name: str, values: dict):
        self.name = name
        self.values = values

    def __repr__(self) -> str:
        return f"data of the figure {self.name}"

    def _repr_html_(self) -> str:
        values = json.dumps(self.values, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        return f'<script type="application/json" data-figure="{escape(self.name)}">{values}</script>'


def figure_data(name: str, digits: int = 4, **values) -> FigureData:
    """Hand numbers to the page's ``live-figure`` of that name; the last expression of a cell does it.

    values: what json knows, and tensors or arrays of any shape, which become nested lists, rounded to `digits` decimals
    (integers stay as they are). Raises TypeError for anything else.
    """

    def plain(value):
        if not hasattr(value, "tolist"):
            raise TypeError(
                f"{name}: a figure takes numbers, texts, lists and tensors, not {type(value).__name__}"
            )
        array = np.asarray(value.detach().cpu().tolist() if hasattr(value, "detach") else value)
        return np.round(array, digits).tolist() if array.dtype.kind == "f" else array.tolist()

    return FigureData(name, json.loads(json.dumps(values, default=plain)))
