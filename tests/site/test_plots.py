"""Plots in the page: its colours, its language, its captions, and panels that stack on a phone."""

import io
import re
from html import unescape

import map_words
import matplotlib.pyplot as plt
import numpy as np
import plots
import pytest
from browsing import ROOT
from lighter_svg import step_by_step
from PIL import Image
from plot_svg import labels_in, page_markup
from test_site import pages

LATIN = re.compile(r"[A-Za-z]{2}")
HANGUL = re.compile(r"[가-힣]")


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """drawn(panels, inches, ...) is the SVG of a figure with so many panels side by side, drawn in the book's style."""
    monkeypatch.setattr(
        plots, "set_matplotlib_formats", lambda _: None
    )  # would leave a shell in this process

    def drawn(panels: int, width: float = 7, sharey: bool = False, **settings) -> str:
        with plt.rc_context():
            plots.style()
            figure, axes = plt.subplots(1, panels, figsize=(width, 3), squeeze=False, sharey=sharey)
            for axis in axes[0]:
                axis.plot([0, 1], [0, 100])
                axis.bar([0, 1], [50, 90], yerr=5, alpha=0.5)
                axis.set(xlabel="training step", title="layer 3", **settings)
            figure.savefig(tmp_path / "plot.svg")
            plt.close(figure)
        return (tmp_path / "plot.svg").read_text(encoding="utf-8")

    return drawn


def test_a_plot_takes_the_pages_colours_and_language(drawn):
    markup = page_markup(drawn(1), "plot-7", "a <plot>", labels_in("ko"))
    assert 'aria-label="a &lt;plot&gt;"' in markup
    assert ">학습 걸음<" in markup and ">층 3<" in markup and "training" not in markup
    assert "currentColor" in markup and "font-family" not in markup
    assert "#010203" not in markup and "#000000" not in markup, "black on a dark page"
    assert "<style" not in markup, "its rules would hold for the whole page"
    ids = re.findall(r'\bid="([^"]+)"', markup)
    assert len(ids) == len(set(ids)) and all(name.startswith("plot-7") for name in ids)
    assert {name for name in re.findall(r"#(plot-7[\w-]*)", markup)} <= set(ids)


@pytest.mark.parametrize(("panels", "stacked"), [(1, 0), (2, 2), (3, 3)])
def test_panels_side_by_side_can_be_stacked(drawn, panels, stacked):
    markup = page_markup(drawn(panels), "plot-0", "a plot", labels_in("ko"))
    boxes = [tuple(map(float, box.split())) for box in re.findall(r'viewBox="([^"]+)" aria-hidden', markup)]
    assert len(boxes) == stacked
    assert sum(box[2] for box in boxes) == pytest.approx(504 if stacked else 0, abs=10)
    shares = [float(share) for share in re.findall(r'style="width: ([\d.]+)%"', markup)]
    assert max(shares, default=100) == 100
    assert [box[2] / share for box, share in zip(boxes, shares, strict=True)] == pytest.approx(
        [max(box[2] for box in boxes) / 100] * stacked if stacked else [], rel=0.01
    ), "of one scale"


@pytest.mark.parametrize(("panels", "shared"), [(2, True), (3, True), (2, False)])
def test_a_stacked_panel_has_the_numbers_of_the_scale_it_shares(drawn, panels, shared):
    markup = page_markup(drawn(panels, sharey=shared), "plot-0", "a plot", labels_in("ko"))
    numbers = [float(x) for x in re.findall(r'text-anchor: end[^>]* x="([\d.]+)"', markup)]
    assert numbers and (len({round(x) // 50 for x in numbers}) == 1) == shared, "matplotlib draws them once"
    stacked = re.findall(r'aria-hidden="true"[^>]*>((?:<svg[^>]*></svg>)+)', markup)
    for panel in stacked:
        shown = [tuple(map(float, box.split())) for box in re.findall(r'viewBox="([^"]+)"', panel)]
        assert any(left <= min(numbers) <= left + width for left, _, width, _ in shown) or not shared
        assert [float(x) for x in re.findall(r' x="(\d+)"', panel)] == [0, shown[0][2]][: len(shown)]
    assert [panel.count("<svg") for panel in stacked] == [1, *[1 + shared] * (panels - 1)]


def test_lines_are_drawn_in_steps_of_tenths():
    line = "M 10.04 20 \nL 10.52 20 \nL 10.52 20.01 \nL 9 19.5 \nz\nM 0.2 0 \nL 0.2 0 "
    assert step_by_step(line) == "M10 20l.5 0-1.5-.5zM.2 0l0 0"
    curve = "M 1 2 C 1 2 3 4 5 6"
    assert step_by_step(curve) == curve


def test_markers_look_as_matplotlib_draws_them(tmp_path, monkeypatch, browser):
    """A browser shows the same of matplotlib's own SVG: ticks, markers of a line, edged and transparent points."""
    monkeypatch.setattr(plots, "set_matplotlib_formats", lambda _: None)
    with plt.rc_context():
        plots.style()
        figure, axis = plt.subplots(figsize=(5, 3))
        axis.plot(range(9), [0, 4, 1, 5, 2, 6, 3, 7, 4], "o-", markersize=9)
        axis.plot(range(9), [1, 3, 2, 4, 3, 5, 4, 6, 5], "s", markeredgecolor="white")
        axis.plot(range(9), [7, 7, 6, 6, 5, 5, 4, 4, 3], "x", markersize=8)
        axis.scatter([1, 1.1, 1.2, 5], [6, 6.1, 6, 1], s=300, alpha=0.4)
        figure.savefig(tmp_path / "plot.svg")
        plt.close(figure)
    own = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    own = own[own.index("<svg") :]
    ours = page_markup(own, "plot-0", "", labels_in("en"))
    assert own.count("<use") > 40 and "<use" not in ours

    def shown(markup: str) -> np.ndarray:
        page.set_content(
            f"<style>svg {{ width: 720px; height: 432px; color: #010203 }} text {{ display: none }}</style>{markup}"
        )
        return np.asarray(Image.open(io.BytesIO(page.locator("svg").screenshot())).convert("L"), float)

    page = browser.new_page(viewport={"width": 800, "height": 600})
    apart = np.abs(shown(own) - shown(ours)) > 32
    page.close()
    assert apart.mean() < 0.001


def test_the_smallest_words_are_legible_on_a_phone(drawn):
    def smallest(markup: str) -> float:
        return min(float(size) for size in re.findall(r"font-size: ([\d.]+)px", markup))

    logarithmic = drawn(1, width=5, yscale="log", ylim=(1e-3, 1e3))
    assert "7.7px" in logarithmic, "exponents are drawn small"
    assert smallest(page_markup(logarithmic, "plot-0", "", labels_in("en"))) * 342 / 360 >= 10


def test_a_language_without_labels_keeps_those_of_the_code(drawn):
    assert ">training step<" in page_markup(drawn(1), "plot-0", "", labels_in("en"))


def test_every_plot_of_the_book_is_in_korean_and_has_a_caption(book):
    labels, maps, missing = labels_in("ko"), map_words.labels_in("ko"), []
    said, maps_said = set(labels.texts.values()), set(maps.texts.values())
    for name in pages(book):
        html = (book / name).read_text(encoding="utf-8")
        if re.search(r'<img[^>]*src="[^"]*_images/[0-9a-f]{40,}\.png', html):
            missing.append(f"{name}: a plot is a picture of dots")
        for plot in re.findall(r'<div class="course-plot.*?</svg>', html, re.DOTALL):
            for text in re.findall(r"<text[^>]*>([^<]+)</text>", plot):
                if LATIN.search(text) and not HANGUL.search(text) and text not in labels and text not in said:
                    missing.append(f"{name}: no label in locale/ko/plots.po for {text!r}")
        for text in map_words.SAID.findall("".join(map_words.MAP.findall(html))):
            own = unescape(text[1])
            if LATIN.search(own) and not HANGUL.search(own) and own not in maps and own not in maps_said:
                missing.append(f"{name}: no label in locale/ko/maps.po for {own!r}")
        if html.count('<div class="course-plot ') + html.count('<div class="course-plot"') > len(
            re.findall(r'<div class="course-plot[ "](?:(?!</figure>).)*?<figcaption', html, re.DOTALL)
        ):
            missing.append(f"{name}: a plot without a caption")
    assert missing == []


# How far each legend's words stand inside their panel, and by how much the legend has grown
LEGENDS = """() => [...document.querySelectorAll(".plot-legend")].map((legend) => {
  const { right } = legend.closest("svg").getBoundingClientRect();
  const edge = Math.max(...[...legend.querySelectorAll("text")].map((text) => text.getBoundingClientRect().right));
  return [right - edge, new DOMMatrix(getComputedStyle(legend).transform).a];
})"""


def test_a_legend_grows_on_a_phone_as_far_as_there_is_room(tmp_path, browser):
    css = (ROOT / "assets" / "static" / "plots.css").read_text(encoding="utf-8")
    markup = ""
    for number, names in enumerate((["line"], ["divided, 512", "as it is, 512", "neither, 512"])):
        with plt.rc_context():
            plots.style()
            figure, axis = plt.subplots(figsize=(5, 3))
            for name in names:
                axis.plot([0, 1], label=name)
            axis.legend(loc="upper left", ncol=len(names))
            figure.savefig(tmp_path / "plot.svg")
            plt.close(figure)
        svg = (tmp_path / "plot.svg").read_text(encoding="utf-8").replace("neither", "둘 다")
        markup += page_markup(svg, f"plot-{number}", "", labels_in("en"))
    page = browser.new_page(viewport={"width": 342, "height": 800})
    page.set_content(f"<style>body {{ margin: 0 }} {css}</style>{markup}")
    (_, short), (left, long) = page.evaluate(LEGENDS)
    page.close()
    assert short == pytest.approx(1.18)
    assert 1 < long < 1.17 and left > -3
