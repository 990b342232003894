"""Pictures shared by the chapters: the interactive attention map and the look of every plot.

A chapter's cell starts with ``from plots import attention_map, style``.
"""

import os
from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from matplotlib_inline.backend_inline import set_matplotlib_formats

STATIC = Path(__file__).resolve().parent.parent / "assets" / "static"

# Tokens on an axis may be Korean, which matplotlib's DejaVu has not. Ours comes with the book (assets/fonts/make.py).
HANGUL_FONT = STATIC.parent / "fonts" / "NotoSansKR-plots.otf"

# Okabe and Ito's colours (yellow left out): told apart with any colour vision, and on white and on black.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]

DENSE = 10  # with more columns than this the numbers go from the cells to the line below the map
LIGHT_TEXT_IN_DARK_MODE, LIGHT_TEXT_IN_LIGHT_MODE = 0.49, 0.69  # where text flips to keep a contrast of 4.5


# Text, ticks and frames are drawn in a colour that nobody uses; the book's page puts its own text colour there.
INK = "#010203"


def style() -> None:
    """Set matplotlib's defaults for the book: drawings in the page's colours, legible on a phone.

    Text stays text, so that a page can set it in its own font and language (assets/extensions/plot_svg.py).
    """
    set_matplotlib_formats("svg")
    plt.rcParams.update(
        {
            "figure.figsize": (5, 3.1),
            "figure.facecolor": "none",
            "axes.facecolor": "none",
            "savefig.facecolor": "none",
            "svg.fonttype": "none",
            "svg.hashsalt": "course",
            **dict.fromkeys(
                ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK
            ),
            "figure.constrained_layout.use": True,
            "font.family": ["DejaVu Sans", hangul_family()],
            "font.size": 11,
            "axes.prop_cycle": plt.cycler(color=COLORS),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.3,
            "image.cmap": "Blues",
            "legend.frameon": False,
            "lines.linewidth": 2,
        }
    )


def hangul_family() -> str:
    """The name by which matplotlib finds the book's font, which it is told of.

    Raises RuntimeError where the file is missing or broken.
    """
    manager = font_manager.fontManager
    try:
        if all(font.fname != str(HANGUL_FONT) for font in manager.ttflist):
            manager.addfont(HANGUL_FONT)
    except (OSError, RuntimeError):
        raise RuntimeError(
            f"the plots' font cannot be read; restore it: git checkout assets/fonts/{HANGUL_FONT.name}"
        ) from None
    return next(font.name for font in manager.ttflist if font.fname == str(HANGUL_FONT))


class AttentionMap:
    """Attention weights as a heat map to move over; a plain table where there is no JavaScript."""

    def __init__(
        self, weights: np.ndarray, queries: list[str], keys: list[str], heads: list[str], title: str
    ):
        self.weights = weights  # (heads, queries, keys); NaN where the mask hides a key
        self.queries = queries
        self.keys = keys
        self.heads = heads
        self.title = title

    def _repr_html_(self) -> str:
        scale = np.nanmax(self.weights, initial=0.0) or 1.0
        tables = "".join(self._table(i, scale) for i in range(len(self.heads)))
        caption = f"<figcaption>{escape(self.title)}</figcaption>" if self.title else ""
        markup = f'<figure class="attention-map" data-max="{scale:.2f}">{caption}{tables}</figure>'
        return markup if os.environ.get("COURSE_BOOK") else markup + _script()

    def _table(self, head: int, scale: float) -> str:
        columns = "".join(f'<th scope="col"><span>{escape(key)}</span></th>' for key in self.keys)
        rows = "".join(
            f'<tr><th scope="row">{escape(query)}</th>{"".join(_cell(w, scale) for w in row)}</tr>'
            for query, row in zip(self.queries, self.weights[head], strict=True)
        )
        kind = "am-dense" if len(self.keys) > DENSE else ""
        caption = f"<caption>{escape(self.heads[head])}</caption>" if len(self.heads) > 1 else ""
        return (
            f'<div class="am-scroll"><table class="{kind}" data-head="{escape(self.heads[head])}">{caption}'
            f'<thead><tr><td class="am-corner">query \\ key</td>{columns}</tr></thead><tbody>{rows}</tbody></table></div>'
        )


def _cell(weight: float, scale: float) -> str:
    if np.isnan(weight):
        return '<td class="am-cell am-hidden">–</td>'
    shade = weight / scale
    kind = "am-cell"
    kind += " am-mid" if shade >= LIGHT_TEXT_IN_DARK_MODE else ""
    kind += " am-deep" if shade >= LIGHT_TEXT_IN_LIGHT_MODE else ""
    return f'<td class="{kind}" style="--w:{shade:.3f}" data-weight="{weight:.4f}">{weight:.2f}</td>'


def _script() -> str:
    """Script and style of the map for a notebook outside the book, whose pages bring their own."""
    css = (STATIC / "attention_map.css").read_text(encoding="utf-8")
    js = (STATIC / "attention_map.js").read_text(encoding="utf-8")
    return f"<style>{css}</style><script>{js}</script>"


def attention_map(weights, queries, keys, heads=None, title="", mask=None) -> AttentionMap:
    """Show attention weights as an interactive map; the last expression of a cell displays it.

    weights: tensor or array of shape (n_q, n_k) or (h, n_q, n_k), at least 0; NaN = hidden.
    queries, keys: the n_q and n_k words. heads: h names, by default "head 1", "head 2", ...
    mask: bool, broadcast against weights, True = may attend; cells that are False are drawn as hidden.
    Raises ValueError where shapes or names do not fit.
    """
    weights = _array(weights).astype(float)
    if weights.ndim == 2:
        weights = weights[None]
    if weights.ndim != 3:
        raise ValueError(f"weights must have shape (n_q, n_k) or (h, n_q, n_k), got {weights.shape}")
    queries, keys = list(map(str, queries)), list(map(str, keys))
    if weights.shape[1:] != (len(queries), len(keys)):
        raise ValueError(
            f"{len(queries)} queries and {len(keys)} keys do not fit weights of shape {weights.shape}"
        )
    heads = [f"head {i + 1}" for i in range(len(weights))] if heads is None else list(map(str, heads))
    if len(heads) != len(weights):
        raise ValueError(f"{len(heads)} head names do not fit {len(weights)} heads")
    if mask is not None:
        weights = np.where(_array(mask).astype(bool), weights, np.nan)
    return AttentionMap(weights, queries, keys, heads, title)


def _array(values) -> np.ndarray:
    if hasattr(values, "detach"):  # a torch tensor, bfloat16 and on a GPU perhaps
        values = values.detach().cpu()
        values = values.float() if values.is_floating_point() else values
    return np.asarray(values)
