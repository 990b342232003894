"""What drills compute, without a page: right answers are torch's, mistakes are told apart, and all is said in both languages."""

import math
import re

import drills
import pytest
import torch
from browsing import ROOT
from drill_oracles import ORACLES
from sampled import one_in
from test_drills_page import CHAPTERS
from test_english import KOREAN
from test_terms import departures, unwanted, variants

LEAST = 3  # drills a chapter
MOST = 60  # lines of a drill's computation and each of its languages
# Poses of each drill and level, with what they say; infinities as words, which JSON lacks.
POSES = """(chapter, count) => {
  const { html, judge, plain, pose } = drillKit;
  const named = (value) => (Array.isArray(value) ? value.map(named) : typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
  const written = (value) => drillKit.all(value).join(" ");
  return courseDrills[chapter].flatMap((drill) => Array.from({ length: drill.levels ?? 2 }, (_, level) => ({
    name: drill.name, kind: drill.kind, digits: drill.digits, level,
    poses: Array.from({ length: count }, (_, seed) => {
      const posed = pose(drill, seed, level);
      const { drawn, right, mistakes } = posed;
      return {
        drawn: Object.fromEntries(Object.entries(drawn).map(([key, value]) => [key, named(value)])), right: named(right),
        mistakes: mistakes.map(({ name, value }) => [name, named(value), judge(posed, written(value)).mistake?.name]),
        judged: judge(posed, written(right)).state,
        said: Object.fromEntries(["ko", "en"].map((language) => {
          const { ask, way, title, ...own } = drill.words[language];
          const told = mistakes.map(({ name }) => (typeof own[name] === "function" ? own[name](drawn) : own[name]));
          return [language, [title, plain(ask(drawn)), ...way(drawn).map(plain), ...told.map((sentence) => sentence && plain(sentence))]];
        })),
      };
    }),
  })));
}"""
SOURCES = """(chapter) => courseDrills[chapter].map(({ name, mistakes, words }) => ({
  name, mistakes: Object.keys(mistakes), reads: Object.values(mistakes).map(({ read }) => read),
  words: Object.fromEntries(["ko", "en"].map((language) => [language, Object.keys(words[language]).sort()])),
}))"""


def number(value):
    return [*map(number, value)] if isinstance(value, list) else float(value)


def posed(chapter: str, count: int):
    for drill in drills.run(chapter, POSES, chapter, count):
        for pose in drill["poses"]:
            yield drill, pose


def apart(a, b, digits) -> bool:
    """Whether no answer could be taken for both: a test of its own, not the kit's."""
    if any(isinstance(value, list) and value and isinstance(value[0], str) for value in (a, b)):
        return a != b
    a, b = (torch.tensor(number(value), dtype=torch.float64).flatten() for value in (a, b))
    distance = 1e-6 if digits is None else 2 * 10**-digits
    return a.shape != b.shape or not torch.allclose(a, b, atol=distance, rtol=0)


@pytest.mark.parametrize("chapter", one_in(3, CHAPTERS, rest="whole"))
@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_right_answers_are_torchs_and_mistakes_are_told_apart(chapter, count):
    for drill, pose in posed(chapter, count):
        name, right = f"{chapter} {drill['name']}", pose["right"]
        expected = ORACLES[name](pose["drawn"])
        if drill["kind"] == "tokens":
            assert right == list(expected), (name, pose)
        else:
            expected = torch.as_tensor(expected, dtype=torch.float64)
            found = torch.tensor(number(right), dtype=torch.float64)
            assert found.shape == expected.shape, (name, pose)
            assert torch.allclose(found, expected, atol=1e-9, rtol=1e-9), (name, expected, pose)
        assert pose["judged"] == "right", (name, pose)
        answers = [("right", right, None), *pose["mistakes"]]
        for i, (mistake, value, judged) in enumerate(answers):
            assert judged in (mistake, None) and (i == 0 or judged), (name, mistake, judged, pose)
            assert all(apart(value, other, drill.get("digits")) for _, other, _ in answers[:i]), (
                name,
                mistake,
                pose,
            )


@pytest.mark.parametrize("chapter", one_in(3, CHAPTERS, rest="whole"))
def test_each_mistake_is_met_and_all_is_said_in_both_languages(chapter):
    met = {}
    for nth, (drill, pose) in enumerate(posed(chapter, 80)):
        met.setdefault(drill["name"], set()).update(mistake for mistake, *_ in pose["mistakes"])
        if nth % 5:
            continue
        for language, said in pose["said"].items():
            assert all(said), (drill["name"], language, said)
            assert not any(re.search(r"NaN|undefined|\[object", sentence) for sentence in said), (
                drill["name"],
                said,
            )
            if language == "ko":
                assert unwanted(" ".join(said), variants()) == []
                assert departures(" ".join(said)) == []
                assert "!" not in "".join(said)
            elif chapter != "tokenization":
                assert KOREAN.findall(" ".join(said)) == [], (drill["name"], said)
    sources = drills.run(chapter, SOURCES, chapter)
    assert len(sources) >= LEAST
    for drill in sources:
        assert met[drill["name"]] == set(drill["mistakes"]), drill["name"]
        assert len(drill["mistakes"]) >= 2, drill["name"]
        for language in ("ko", "en"):
            assert set(drill["words"][language]) == {"title", "ask", "way", *drill["mistakes"]}, drill["name"]


def test_there_are_enough_and_each_has_an_oracle():
    names = [
        f"{chapter} {drill['name']}"
        for chapter in CHAPTERS
        for drill in drills.run(chapter, SOURCES, chapter)
    ]
    assert sorted(names) == sorted(ORACLES)
    assert len(names) >= 60


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_mistake_leads_to_a_paragraph(chapter):
    for drill in drills.run(chapter, SOURCES, chapter):
        for read in drill["reads"]:
            stem, _, anchor = read.partition("#")
            page = (ROOT / "chapters" / f"{stem}.md").read_text(encoding="utf-8")
            assert f"\n({anchor})=\n" in page, (drill["name"], read)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_shows_its_drills_just_above_its_exercise(chapter):
    page = (ROOT / "chapters" / f"{chapter}.md").read_text(encoding="utf-8")
    after = "여기까지 왔다면" if chapter == "warm_up" else "연습"
    label = r"(?:\([\w-]+\)=\n)?"
    assert re.search(rf"\n## 손으로 풀기\n\n:::\{{drills\}} {chapter}\n:::\n\n{label}## {after}\n", page)


JUDGED = """(kind, right, answers, digits) => {
  const posed = { drill: { kind, digits }, right, mistakes: [] };
  return answers.map((answer) => drillKit.judge(posed, answer).state);
}"""


@pytest.mark.parametrize(
    ("kind", "right", "digits", "answer", "state"),
    [
        ("number", 1 / 3, 2, "1/3", "right"),
        ("number", 1 / 3, 2, "0.33", "right"),
        ("number", 1 / 3, 2, " 0,33 ", "right"),
        ("number", 1 / 3, 2, "33%", "right"),
        ("number", 1 / 3, 2, "0.36", "near"),
        ("number", 1 / 3, 2, "0.5", "wrong"),
        ("number", 1024, None, "1,024", "right"),
        ("number", 1024, None, "1025", "wrong"),
        ("number", -0.5, 2, "−1/2", "right"),
        ("number", 0.5, 2, "½", "right"),
        ("number", 0.5, 2, "50 %", "right"),
        ("vector", [0.5, 1], 2, "０．５、１", "right"),
        ("vector", [0.5, 1], 2, "0.5，1", "right"),
        ("number", 0.5, 2, "", "unreadable"),
        ("number", 0.5, 2, "half", "unreadable"),
        ("vector", [0.5, 0.5], 2, "(1/2, 0.50)", "right"),
        ("vector", [0.5, 0.5], 2, ".5 .5", "right"),
        ("vector", [0.5, 0.5], 2, "0.5", "unreadable"),
        ("vector", [1, 0], None, "T F", "right"),
        ("matrix", [[1, 2], [3, 4]], None, "1 2\n3 4", "right"),
        ("matrix", [[1, 2], [3, 4]], None, "[[1, 2], [3, 4]]", "right"),
        ("matrix", [[1, 2], [3, 4]], None, "1 3; 2 4", "wrong"),
        ("shape", [2, 4, 8], None, "(2, 4, 8)", "right"),
        ("shape", [2, 4, 8], None, "2 4 8", "right"),
        ("shape", [2, 4, 8], None, "2, 32", "wrong"),
        ("tokens", ["a", "bc"], None, "a bc", "right"),
        ("tokens", ["a", "bc"], None, "ab c", "wrong"),
    ],
)
def test_an_answer_may_be_written_in_any_usual_way(kind, right, digits, answer, state):
    assert drills.run("masking", JUDGED, kind, right, [answer], digits) == [state]


def test_minus_infinity_may_be_written_in_any_usual_way():
    posed = "(answers) => answers.map((a) => drillKit.judge({ drill: { kind: 'vector' }, right: [0, -Infinity], mistakes: [] }, a).state)"
    assert drills.run("masking", posed, ["0 -inf", "0, −∞", "0 -Infinity", "0 inf"]) == ["right"] * 3 + [
        "wrong"
    ]


def test_the_same_seed_poses_the_same():
    first, second = (drills.examples.__wrapped__("masking", "ko") for _ in range(2))
    assert first == second
    assert math.isfinite(len(first[0]["ask"]))
