"""Catalogues follow their sources, and a translation keeps what is no prose."""

import pytest

from grader.authoring.build import instructor_notebook, translated
from grader.errors import GraderError
from grader.exercise import ROOT, find_exercise
from grader.notebook import Template
from grader.translation import catalogue, strings
from grader.translation.catalogue import LOCALE, Catalogue
from grader.translation.faults import OTHER_NUMBERS, faults
from grader.translation.sources import Source, find_sources, update
from grader.words import OPENINGS, Words, fill, fillings, language_of

NAMES = sorted(str(path.relative_to(LOCALE / "en").with_suffix("")) for path in (LOCALE / "en").rglob("*.po"))


@pytest.fixture(scope="module")
def everything():
    return find_sources()


def test_catalogues_hold_what_their_sources_say(everything):
    said = {source.name: list(dict.fromkeys(text for text, _ in source.said)) for source in everything}
    found = {name: [message.id for message in Catalogue("en", name).messages] for name in said}
    assert [name for name in said if found[name] != said[name]] == [], "run 'grader translate'"


def test_everything_is_translated_and_nothing_is_stale(everything):
    states = [update(source, "en", write=False) for source in everything]
    assert [str(state) for state in states if not state.complete] == []


def test_what_is_the_same_in_both_languages_is_meant_to_be():
    """Examples and data, one a line in locale/en/identical.txt; a sentence there was forgotten."""
    same = {
        f"{name}: {message.id!r}"
        for name in NAMES
        for message in Catalogue("en", name).messages
        if message.string == message.id
    }
    listed = (LOCALE / "en" / "identical.txt").read_text(encoding="utf-8").splitlines()
    assert same == set(listed)


@pytest.mark.parametrize("name", NAMES)
def test_a_translation_changes_nothing_but_words(name):
    wrong = {
        message.id: found
        for message in Catalogue("en", name).messages
        if message.string and not message.fuzzy
        if (found := list(faults(message.id, message.string, _other_numbers(name, message))))
    }
    assert wrong == {}


def _other_numbers(name, message):
    """Whether a reason is given; in a drawing, which is narrow, a word for a number may become a digit."""
    return name == "figures" or any(comment.startswith(OTHER_NUMBERS) for comment in message.user_comments)


@pytest.mark.parametrize(
    ("korean", "english"),
    [
        ("{}개 가운데 {}개", "{} of them"),
        ("{}개", "{} of {}"),
        ("{} 대신 {}", "{1} for {1}"),
        ("`mask`입니다.", "It is a mask."),
        ("값이 3입니다.", "It is 4."),
        ("[장](../a.md)", "[chapter](../b.md)"),
    ],
)
def test_what_a_translation_must_not_change_is_found(korean, english):
    assert list(faults(korean, english))


def test_a_translation_may_turn_a_sentence_round():
    assert list(faults("{} 대신 {}", "{1} instead of {0}")) == []


@pytest.fixture
def locale(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "LOCALE", tmp_path)
    return tmp_path


def test_a_changed_sentence_keeps_its_old_translation_as_stale(locale):
    path = ROOT / "solutions" / "masking.py"
    once, now = (f"긴 문장 {count} 여기 있고, " * 8 + "여기서 끝납니다." for count in ("하나가", "둘이"))
    before = Source("x", path, lambda: [(once, 1), ("지울 말", 2)])
    assert update(before, "en").missing == [once, "지울 말"]
    known = Catalogue("en", "x")
    for message in known.messages:
        message.string = f"translated {message.id}"
    known.write()
    assert update(before, "en").complete
    after = Source("x", path, lambda: [(now, 1), ("새로 온 다른 이야기", 2)])
    assert update(after, "en", write=False).stale == [now]
    assert Catalogue("en", "x").messages[0].id == once  # nothing was written
    state = update(after, "en")
    assert (state.stale, state.missing) == ([now], ["새로 온 다른 이야기"])
    assert not update(after, "en").behind
    known = Catalogue("en", "x")
    message = known.messages[0]
    assert message.string == f"translated {once}"
    assert " ".join(message.user_comments) == f"was: {once}"  # which Babel breaks into lines
    assert known.texts == {}  # what is stale is not shown
    message.flags.discard("fuzzy")
    known.write()
    update(after, "en")
    assert Catalogue("en", "x").messages[0].user_comments == []


def test_a_name_chooses_sources():
    found = [source.name for source in find_sources(["masking"])]
    assert found == ["chapters/masking", "exercises/masking", "hints/masking"]
    assert [source.name for source in find_sources(["grader"])] == ["grader"]
    with pytest.raises(GraderError, match="'mask'"):
        find_sources(["mask"])


def test_hints_are_found_by_their_place_and_data_is_not():
    code = '''
"""모듈"""
SHARED = "모두의 힌트"

@points(1, "q", read="b")
def test_one(student):
    """힌트 하나"""
    for name, text in [("가중치", "자료")]:
        assert student.f("나는") == text, f"{name}: {text!r} 대신 {1:.2f}"
    both(student, "출력")
    raise AssertionError("틀림")

def both(found, what):
    """설명"""
    assert found, f"{what} 둘" if what else "둘"

@wrong("q", read="b", hint=SHARED)
def answer(): ...
'''
    assert [text for text, _ in strings.hints(code)] == [
        "모두의 힌트",
        "힌트 하나",
        "가중치",
        "{}: {} 대신 {}",
        "출력",
        "틀림",
        "{} 둘",
        "둘",
    ]
    assert [text for text, _ in strings.spoken('"""문서"""\nx = f"{a}번째" + "칸"\n')] == ["{}번째", "칸"]


WORDS = Words({"{} 대신 {}": "{1} for {0}", "값": "value", "{}: {} 대신 {}": "{}: not {} but {}"}, "en")


@pytest.mark.parametrize(
    ("korean", "english"),
    [
        ("값", "value"),
        ("2 대신 값", "value for 2"),
        ("값: 1 대신 2", "value: not 1 but 2"),  # the longer template
        ("모르는 말", "모르는 말"),
        (" 대신 ", " for "),
    ],
)
def test_words_are_found_whole_or_by_their_template(korean, english):
    assert WORDS(korean) == english
    assert (korean in WORDS) == (korean != "모르는 말")


def test_a_long_text_from_a_stranger_costs_no_time():
    assert fillings(["", "a", "a", "a", "b"], "a" * 1_000_000) is None
    assert WORDS("대신 " * 1_000_000) == "대신 " * 1_000_000
    assert fill("{} {} {}", ["{}", "{0}", "x"]) == "{} {0} x"


@pytest.mark.parametrize(
    ("content", "language"),
    [
        (b'{"metadata": {"lang": "en"}}', "en"),
        (b'{"cells": [{"source": ["from grader.en import check"]}], "metadata": {}', "en"),
        (b'{"metadata": {"language_info": {"name": "python"}}}', "ko"),
        (b"\xff\xfe", "ko"),
        (b"", "ko"),
    ],
)
def test_a_notebook_says_its_language_even_where_it_is_broken(content, language):
    assert language_of(content) == language


def test_another_language_changes_text_cells_and_the_opening_alone():
    korean = instructor_notebook(find_exercise("masking"))
    english = translated(korean, lambda text: "words", "en")
    for ours, theirs in zip(korean.cells, english.cells, strict=True):
        assert {**ours, "source": ""} == {**theirs, "source": ""}
        same = ours.source == theirs.source
        assert same != (ours.cell_type == "markdown" or ours.source == OPENINGS["ko"])
    assert english.metadata == {**korean.metadata, "lang": "en"}


@pytest.mark.parametrize("folder", sorted((ROOT / "exercises").iterdir()), ids=lambda folder: folder.name)
def test_english_notebooks_equal_the_korean_ones(folder):
    korean, english = (Template.read(folder / f"{folder.name}{end}.ipynb") for end in ("", ".en"))
    assert english.metadata == {**korean.metadata, "lang": "en"}
    for ours, theirs in zip(korean.cells, english.cells, strict=True):
        same = OPENINGS["en"] if ours["source"] == OPENINGS["ko"] else ours["source"]
        assert {**ours, "source": ""} == {**theirs, "source": ""}
        assert ours["cell_type"] == "markdown" or theirs["source"] == same
