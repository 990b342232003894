"""The plots' font: python assets/fonts/make.py NotoSansCJK-Regular.ttc

The 2,350 syllables of KS X 1001 and what our texts hold besides, jamo, Latin, Greek and the signs of formulas, cut from Noto Sans CJK KR (Debian's
package fonts-noto-cjk), so that plots look alike on every machine and none has an empty box. fontTools comes with
matplotlib.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection

FONT = Path(__file__).parent / "NotoSansKR-plots.otf"
SOURCE, FAMILY = (
    "Noto Sans CJK KR",
    "Noto Sans KR plots",
)  # a name of its own: no installed font takes its place
RANGES = [
    (0x20, 0x7E),  # Latin
    (0xA0, 0x17F),
    (0x391, 0x3C9),  # Greek
    (0x2010, 0x2026),  # dashes, quotation marks
    (0x2070, 0x209C),  # raised and lowered digits
    (0x2190, 0x21D4),  # arrows
    (0x2200, 0x22FF),  # mathematics, the minus sign
    (0x25A0, 0x25FF),
    (0x2605, 0x2606),
    (0x2713, 0x2717),
    (0x3000, 0x3015),  # punctuation
    (0x3131, 0x318E),  # jamo
]
RARE = "힣뷁렜"  # syllables of our own texts that KS X 1001 has not


def characters() -> set[int]:
    """The code points that the font is asked to hold."""
    found = {code for first, last in RANGES for code in range(first, last + 1)}
    for row in range(0xB0, 0xC9):  # the syllables in KS X 1001's order
        for cell in range(0xA1, 0xFF):
            found.add(ord(bytes([row, cell]).decode("euc_kr")))
    return found | set(map(ord, RARE))


def main() -> None:
    collection = TTCollection(sys.argv[1])
    (font,) = (font for font in collection.fonts if font["name"].getDebugName(1) == SOURCE)
    options = subset.Options()
    options.layout_features = ["kern", "ccmp"]
    options.hinting = options.glyph_names = False
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.name_languages = [0x409]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters())
    subsetter.subset(font)
    for entry in font["name"].names:
        entry.string = (
            str(entry).replace(SOURCE, FAMILY).replace(SOURCE.replace(" ", ""), FAMILY.replace(" ", ""))
        )
    font.save(FONT)
    print(f"{FONT.name}: {FONT.stat().st_size // 1000} kB, {len(font.getBestCmap())} characters")


if __name__ == "__main__":
    main()
