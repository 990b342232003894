"""The formulas' font: python assets/fonts/formulas.py STIXTwoMath.woff2

STIX Two Math with the signs that formulas of this book may hold, in half the bytes: every page with a formula loads it.
Its input is the font that this writes, or one with more signs whose tall roots are narrowed to the width of the small one
(formulas.css says why). Needs fontTools and brotli.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FONT = Path(__file__).parents[1] / "static" / "formulas" / "STIXTwoMath.woff2"
SIGNS = "±×÷·ˆ˜¯‖…′″‾ℒℓℝ𝔼←→↑↓↔⇒⇔∀∂∃∅∇∈∉∋∏∑−∓∗∘√∝∞∣∥∧∨∩∪∫∼≈≠≡≤≥≺≻≪≫⊂⊃⊆⊙⊕⊗⊤⊥⋅⋮⋯⋱⌈⌉⌊⌋⏞⏟⟨⟩ϕϵ"
UNSEEN = "\xa0\u2061\u2062\u2063\u2064"  # spaces; what a function is applied with
CHARACTERS = {*map(chr, range(0x20, 0x7F)), *map(chr, range(0x391, 0x3CA)), *SIGNS, *UNSEEN}
# A letter alone is set in italics: ℎ stands apart from the others
ITALIC = {"ℎ", *map(chr, range(0x1D434, 0x1D468)), *map(chr, range(0x1D6FC, 0x1D71C))}


def main() -> None:
    options = subset.Options(layout_features=["*"], hinting=False, glyph_names=False, notdef_outline=True)
    options.flavor = "woff2"
    font = TTFont(sys.argv[1])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=map(ord, CHARACTERS | ITALIC))
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(FONT)
    print(f"{FONT.name}: {FONT.stat().st_size // 1000} kB, {len(font.getGlyphOrder())} glyphs")


if __name__ == "__main__":
    main()
