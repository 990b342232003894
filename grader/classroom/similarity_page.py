"""Pairs of answers side by side, as a page for those who teach."""

from __future__ import annotations

from grader.classroom.page import STYLE
from grader.classroom.similarity import Pair, Similarity, marked_lines
from grader.shown import escape
from grader.words import IN_KOREAN, Words

MORE = """
body{max-width:80rem}.pair{display:grid;grid-template-columns:1fr 1fr;gap:.5rem}.pair pre{margin:0}
mark{background:#ffe08a;color:#1d2329;display:inline-block;width:100%}
@media(max-width:50rem){.pair{grid-template-columns:1fr}}
"""
ABOUT = (
    "닮은 답은 베꼈다는 증거가 아니라 물어볼 이유입니다. 함께 공부했거나 같은 자료를 보았을 수도 있습니다. 이름을 바꾸거나 순서를 "
    "바꾼 것은 같은 것으로 봅니다. 여럿이 똑같이 쓴 줄은 거의 세지 않습니다. '우연'은 서로 모르는 학생들의 학급에서 이만큼 닮은 쌍이 몇이나 "
    "나올지입니다."
)


def similarity_page(found: Similarity, names: dict[str, str], title: str, words: Words = IN_KOREAN) -> str:
    """The page's HTML. It names students.

    Args:
        names: how students are called, by id.
    """
    parts = [_pair(pair, found, names, words) for pair in found.pairs]
    count = words(f"닮은 쌍 {len(found.pairs)} (비교한 쌍 {found.compared:,})")
    head = f"<h1>{escape(title)}</h1><p>{words(ABOUT)}</p><p><b>{count}</b></p>"
    return (
        f'<!doctype html><html lang="{words.language}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{MORE}</style><body>{head}{''.join(parts)}</body></html>\n"
    )


def _pair(pair: Pair, found: Similarity, names: dict[str, str], words: Words) -> str:
    who = [names.get(student, student) for student in (pair.first, pair.second)]
    said = words(f"함께 가진 것 {pair.bits:.0f}비트, 우연 {_chance(pair.expected)}")
    parts = [f"<h2>{escape(who[0])} · {escape(who[1])}</h2><p>{said}</p>"]
    for question, shared in pair.shared.items():
        if shared:
            sides = (
                _side(found.answers[student][question], shared, name)
                for student, name in zip((pair.first, pair.second), who, strict=True)
            )
            parts.append(f'<h3><code>{escape(question)}</code></h3><div class="pair">{"".join(sides)}</div>')
    return f"<section>{''.join(parts)}</section>"


def _chance(expected: float) -> str:
    return f"{expected:.2f}쌍" if expected >= 0.01 else "0.01쌍 미만"


def _side(source: str, shared: set[str], name: str) -> str:
    marked = marked_lines(source, shared)
    lines = [
        f"<mark>{escape(line)}</mark>" if number in marked else escape(line)
        for number, line in enumerate(source.splitlines(), 1)
    ]
    text = "\n".join(lines).replace("</mark>\n", "</mark>")
    return f'<pre tabindex="0" aria-label="{escape(name)}">{text}</pre>'
