"""Drawings with English words in them: longer than Korean ones, they still fit."""

from browsing import ROOT

from grader.translation.catalogue import Catalogue
from grader.translation.drawing import translated

FIGURES = ROOT / "chapters" / "figures"
ASIDE = 1.5  # pixels that nobody sees
# Of each drawing, the words that leave it, run into other words, or leave the box in whose middle they stand
BADLY_PLACED = """aside => Object.fromEntries([...document.querySelectorAll("figure")].map((figure) => {
  const frame = figure.querySelector("svg").getBoundingClientRect();
  const boxes = [...figure.querySelectorAll("rect")].map((rect) => rect.getBoundingClientRect()).filter((box) => Math.min(box.width, box.height) > 8);
  const texts = [...figure.querySelectorAll("text")].map((text) => [text.textContent.trim(), text.getBoundingClientRect()]).filter(([words]) => words);
  const bad = [];
  texts.forEach(([words, at], i) => {
    const beyond = (box) => Math.max(box.left - at.left, at.right - box.right);
    if (beyond(frame) > aside) bad.push([words, "leaves the drawing"]);
    const [x, y] = [(at.left + at.right) / 2, (at.top + at.bottom) / 2];
    const around = boxes.filter((box) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom);
    const [box] = around.sort((a, b) => a.width * a.height - b.width * b.height);
    if (box && beyond(box) > aside) bad.push([words, "leaves its box"]);
    for (const [others, other] of texts.slice(i + 1)) {
      const wide = Math.min(at.right, other.right) - Math.max(at.left, other.left);
      const high = Math.min(at.bottom, other.bottom) - Math.max(at.top, other.top);
      if (wide > aside && high > 0.35 * Math.min(at.height, other.height)) bad.push([words, `runs into ‘${others}’`]);
    }
  });
  return [figure.id, bad];
}))"""


def test_english_words_fit_their_drawings(browser):
    words = Catalogue("en", "figures")
    page = browser.new_page(viewport={"width": 800, "height": 900})
    css = (ROOT / "assets" / "static" / "course.css").read_text(encoding="utf-8")

    def badly_placed(translate) -> dict[str, list]:
        drawings = "".join(
            f'<figure id="{path.relative_to(FIGURES).as_posix()}">{translated(path.read_text(encoding="utf-8"), translate)}</figure>'
            for path in sorted(FIGURES.rglob("*.svg"))
        )
        page.set_content(f"<style>{css}</style>{drawings}")
        return page.evaluate(BADLY_PLACED, ASIDE)

    korean, english = badly_placed(str), badly_placed(words)
    page.close()
    assert len(english) > 50
    worse = {name: bad for name, bad in english.items() if len(bad) > len(korean[name])}
    assert worse == {}
