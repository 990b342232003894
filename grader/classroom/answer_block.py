"""The course's answer to a question, as a student's page shows it: folded, the lines to be written marked."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from grader.judging.answers import WHY, Answer
from grader.reading import in_code, link_to_read
from grader.shown import plain
from grader.words import Words

# Of Pygments' classes: keywords, names that are defined, strings, comments, numbers, and the lines that are marked.
CODE = """
:root{--word:#7b1fa2;--text-in-code:#1b5e20;--aside:#56616b;--number:#0a58ca}
@media(prefers-color-scheme:dark){:root{--word:#d9aaf2;--text-in-code:#9fd0a2;--aside:#a3afba;--number:#7db3ff}}
.answer{border:1px solid var(--line);padding:.3rem 1rem;margin:.5rem 0}.answer summary{cursor:pointer;font-weight:700}
.k,.kn,.kc,.kd,.ow{color:var(--word)}.nf,.nc{font-weight:700}.c1{color:var(--aside);font-style:italic}
.s1,.s2,.sd,.sa,.si{color:var(--text-in-code)}.mi,.mf{color:var(--number)}
.hll{display:block;border-left:3px solid var(--good);margin-left:-.7rem;padding-left:calc(.7rem - 3px)}
@media print{details>*{display:block}details::details-content{content-visibility:visible;height:auto}}
"""


def folded(answer: Answer, book_url: str, words: Words) -> str:
    """The answer and its reasons as HTML."""
    said = (
        f"<li>{'<br>'.join(in_code(words(hint)) for hint in hints)}<br>{link_to_read(read, book_url, words)}</li>"
        for read, hints in answer.why.items()
    )
    return (
        f'<details class="answer"><summary>{words("모범 답안")}</summary>'
        f"<p>{words('표시한 줄이 답입니다. 다르게 쓴 답도 시험을 통과하면 맞습니다.')}</p>"
        f"<pre>{highlighted(answer)}</pre>"
        f"<p>{words(WHY)}</p>"
        f"<ul>{''.join(said)}</ul></details>"
    )


def highlighted(answer: Answer) -> str:
    """The answer's code as HTML, escaped."""
    formatter = HtmlFormatter(nowrap=True, hl_lines=answer.lines)
    return highlight(plain(answer.code), PythonLexer(stripnl=False), formatter)
