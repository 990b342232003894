"""The ``so-far`` directive: the table of the model that grows, up to one of its rows, and what that row writes (or its one control).

    :::{so-far} four_heads
    :::

Rows come from ``data/stories/rows.json``: each is the mean of its seeds. A row may be followed by controls, which are
shown only where they are asked for, indented: ``:::{so-far} residual no_feed_forward``.
"""

import json
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROWS = Path(__file__).resolve().parents[2] / "data" / "stories" / "rows.json"
SKILLS = ("particle", "honorific", "counter", "name", "place", "owner", "sum")
WORDS = {
    "ko": {
        "loss": "손실",
        "floor": "바닥",
        "writes": "쓴 글: {}",
        "without": "↳ {}",
        "skills": dict(zip(SKILLS, ("조사", "높임", "단위", "이름", "장소", "임자", "덧셈"), strict=True)),
        "rows": {
            "counted": "세기 (앞의 세 글자)",
            "lstm": "순환 신경망",
            "mean": "앞의 평균",
            "one_head": "어텐션",
            "four_heads": "헤드 넷",
            "leak": "마스크 없이",
            "no_positions": "위치 없이",
            "plain": "세 층, 지름길 없이",
            "residual": "잔차 연결",
            "no_feed_forward": "피드포워드 없이",
            "plain_no_feed_forward": "지름길도 피드포워드도 없이",
            "norm": "정규화",
            "no_norm": "정규화 없이",
            "schedule": "학습률 스케줄",
            "wider": "차원 두 배",
        },
    },
    "en": {
        "part": "part added",
        "loss": "loss",
        "floor": "floor",
        "writes": "What it writes: {}",
        "without": "↳ {}",
        "skills": dict(
            zip(
                SKILLS,
                ("particle", "honorific", "counter", "name", "place", "owner", "sum"),
                strict=True,
            )
        ),
        "rows": {
            "counted": "counts (last three)",
            "lstm": "recurrent network",
            "mean": "mean of the past",
            "one_head": "attention",
            "four_heads": "four heads",
            "leak": "without the mask",
            "no_positions": "without positions",
            "plain": "three layers, no shortcut",
            "residual": "residual connection",
            "no_feed_forward": "without feed-forward",
            "plain_no_feed_forward": "neither shortcut nor feed-forward",
            "norm": "normalisation",
            "no_norm": "without normalisation",
            "schedule": "learning-rate schedule",
            "wider": "twice the dimensions",
        },
    },
}


@cache
def measured() -> dict:
    return json.loads(ROWS.read_text(encoding="utf-8"))


class SoFar(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(ROWS))
        last, *controls = self.arguments[0].split()
        rows = measured()["rows"]
        names = list(rows)
        unknown = [name for name in (last, *controls) if name not in rows]
        if unknown:
            raise self.error(f"so-far: no row {', '.join(unknown)}; there are {', '.join(names)}")
        words = WORDS.get(self.config.language, WORDS["en"])
        shown = [name for name in names[: names.index(last) + 1] if not rows[name]["control"]] + controls
        head = ["", words["loss"], *words["skills"].values()]
        body = [self.row(name, rows[name], words, new=name == last) for name in shown]
        body.append([(words["floor"], ""), (f"{measured()['floor']:.2f}", ""), *[("", "")] * len(SKILLS)])
        writer = controls[0] if len(controls) == 1 else last
        sample = nodes.block_quote("", paragraph(whole(rows[writer]["sample"])), classes=["so-far-sample"])
        said = paragraph(words["writes"].format(words["rows"][writer]), "so-far-writes")
        return [nodes.container("", table(head, body), said, sample, classes=["so-far-shown"])]

    def row(self, name: str, row: dict, words: dict, new: bool) -> list[tuple[str, str]]:
        """(text, class) of each cell."""
        said = words["rows"][name]
        cells = [(words["without"].format(said) if row["control"] else said, "so-far-new" if new else "")]
        cells.append((f"{row['loss']:.2f}", "so-far-new" if new else ""))
        for skill in SKILLS:
            share = row["skills"][skill]
            cells.append((f"{100 * share:.0f}", f"so-far-{round(4 * share)}"))
        return cells


def whole(sample: str) -> str:
    return sample if sample.endswith(".") else f"{sample} …"


def paragraph(text: str, name: str = "") -> nodes.paragraph:
    """Without a source, so that gettext does not ask for its translation: the words are ours in both languages."""
    return nodes.paragraph(text, text, classes=[name] if name else [])


def table(head: list[str], body: list[list[tuple[str, str]]]) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    group += nodes.thead("", nodes.row("", *(nodes.entry("", paragraph(text)) for text in head)))
    group += nodes.tbody(
        "",
        *(
            nodes.row(
                "", *(nodes.entry("", paragraph(text), classes=[name] if name else []) for text, name in row)
            )
            for row in body
        ),
    )
    return nodes.table("", group, classes=["so-far"])


def setup(app):
    app.add_directive("so-far", SoFar)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
