"""A student is told everything in the language of the notebook, and is graded alike in all of them.

Whatever the catalogues hold, these tests translate every sentence of ours by putting WORD for each Korean word: what is
left in Korean has not passed through a translation.
"""

import copy
import io
import json
import re
import shutil
from types import SimpleNamespace

import msgspec
import nbformat
import pytest
from one_judge import OneJudge
from rich.console import Console

from grader import reading
from grader.authoring import release as releasing
from grader.authoring.build import translated
from grader.classroom import demo
from grader.classroom.batch import grade_class
from grader.classroom.feedback import write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.newclass import make_class, update_class
from grader.classroom.pin import rules_digest
from grader.classroom.platforms.gradescope_run import results_of
from grader.classroom.report import report_page
from grader.classroom.sample import Sample, grade_id
from grader.classroom.scores import report, scores
from grader.classroom.similarity import Pair, Similarity
from grader.classroom.similarity_page import similarity_page
from grader.errors import GraderError
from grader.exercise import PublicExercise, find_exercise, words_file
from grader.gradebook.converters import generate_assignment
from grader.notebook import Template, compare, parse
from grader.student import check as checking
from grader.student import selfcheck
from grader.translation import catalogue
from grader.translation.catalogue import Catalogue
from grader.translation.markdown import KOREAN
from grader.translation.sources import find_sources, update
from grader.translation.voices import to_instructors, voices
from grader.words import IN_KOREAN, OPENINGS, Words

STEM, WORD = "masking", "word"
HANGUL = re.compile("[가-힣ㄱ-ㆎ]+")


def worded(text):
    return HANGUL.sub(WORD, text)


@pytest.fixture(scope="module")
def locale(tmp_path_factory):
    """Catalogues in which every sentence of the exercise and of the grader is translated."""
    root = tmp_path_factory.mktemp("locale")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "LOCALE", root)
        korean = json.loads(reading.HEADINGS.read_text(encoding="utf-8"))["ko"]
        english = {read: worded(heading) for read, heading in korean.items()}
        patch.setattr(reading, "_headings", lambda: {"ko": korean, "en": english})
        for source in find_sources([f"exercises/{STEM}", f"hints/{STEM}", "grader", "instructors"]):
            update(source, "en")
            known = Catalogue("en", source.name)
            for message in known.messages:
                message.string = worded(message.id)
            known.write()
        yield root


@pytest.fixture(scope="module")
def words(locale):
    return voices(find_exercise(STEM))["en"]


@pytest.fixture(scope="module")
def classroom(masking_class, locale, words, tmp_path_factory):
    """A class whose students hand in the same in Korean and in English."""
    root = shutil.copytree(masking_class, tmp_path_factory.mktemp("class") / "mixed")
    (root / "course" / STEM / words_file("en")).write_bytes(msgspec.json.encode(words.texts))
    mixed = Classroom(root)
    sample = Sample(mixed, find_exercise(STEM))
    for name, notebook in handed_in(sample).items():
        for language in OPENINGS:
            path = mixed.submitted(STEM, f"{name} {language}")
            path.parent.mkdir(parents=True)
            path.write_text(in_language(notebook, language), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        judge = OneJudge(mixed, STEM)
        patch.setattr("grader.classroom.batch.Judges", judge)
        assert not grade_class(mixed, STEM, jobs=1).failures
        judge.close()
    write_feedback(mixed, STEM)
    return mixed


def handed_in(sample):
    """Some of the sample class' notebooks, and one that builds on a wrong answer and has lost its metadata."""
    made = demo.submissions(sample)
    kinds = ("01", "04", "05", "06", "10", "11", "12")
    chosen = {name[:2]: made[name] for name in made if name[:2] in kinds}
    bare = copy.deepcopy(made["02 one mistake"])
    for cell in bare["cells"]:
        cell["metadata"] = {}
    return {**chosen, "no metadata": {**bare, "metadata": {}}}


def in_language(notebook, language):
    if isinstance(notebook, str):  # a notebook that was cut off
        return notebook.replace(OPENINGS["ko"], OPENINGS[language])
    if language == "ko":
        return json.dumps(notebook, ensure_ascii=False)
    english = translated(nbformat.reads(json.dumps(notebook), as_version=4), worded, language)
    if not notebook["metadata"]:
        english.metadata.clear()
    return json.dumps(english)


def pairs(classroom):
    found = {submission.student: submission for submission in scores(classroom, STEM)}
    names = sorted({student.rpartition(" ")[0] for student in found})
    assert len(names) == 8
    return [(found[f"{name} ko"], found[f"{name} en"]) for name in names]


@pytest.mark.whole
def test_scores_do_not_depend_on_the_language(classroom):
    for korean, english in pairs(classroom):
        assert (korean.language, english.language) == ("ko", "en")
        # Also in its words, which are Korean where nobody reads them.
        assert without_what_is_drawn(korean) == without_what_is_drawn(english)
    verdicts = [(korean.verdict, korean.earned) for korean, _ in pairs(classroom)]
    assert len({earned for _, earned in verdicts}) > 3 and ("ungradable", 0) in verdicts


def without_what_is_drawn(submission):
    """A result without what differs from file to file: hidden inputs, and so what is seen in them."""
    found = {**submission.summary(), "student": ""}
    for result in found["questions"]:
        for case in result["cases"]:
            case.detail = "" if case.hidden else case.detail
    return found


def test_a_student_is_told_everything_in_the_language_of_the_notebook(classroom, words):
    given = json.loads(PublicExercise(find_exercise(STEM).folder).notebook.read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in given["cells"] if cell["cell_type"] == "code"]
    data = set(HANGUL.findall("".join(code)))  # what a model reads, the same in every language
    for korean, english in pairs(classroom):
        theirs = classroom.marked(STEM, english.student).read_text(encoding="utf-8")
        page = classroom.feedback(STEM, english.student).read_text(encoding="utf-8")
        assert set(HANGUL.findall(theirs)) <= data and set(HANGUL.findall(page)) <= data
        assert '<html lang="en">' in page
        told = json.dumps(english.summary(words), default=msgspec.to_builtins, ensure_ascii=False)
        assert not HANGUL.findall(told)
        before = classroom.feedback(STEM, korean.student).read_text(encoding="utf-8")
        assert '<html lang="ko">' in before and KOREAN.search(before)
        if korean.reason or korean.earned < korean.possible:
            assert WORD in told
    assert "https://book.test/en/chapters/masking.html#" in page
    assert "https://book.test/chapters/masking.html#" in before


def test_an_instructor_reads_what_the_student_reads(classroom, words):
    console = Console(width=200, file=io.StringIO())
    english = [submission for _, submission in pairs(classroom)]
    console.print(report(["q"], english, voices={"en": words}))
    shown = console.file.getvalue()
    assert WORD in shown and not HANGUL.findall(shown)


def test_the_report_is_the_same_in_the_instructors_language(classroom):
    korean, english = (report_page(classroom, [STEM], language) for language in OPENINGS)
    assert english == in_english(korean) != korean
    assert "https://book.test/en/chapters/masking.html#" in english


@pytest.mark.parametrize("expected", [0.034, 0.0001])
def test_pairs_are_shown_in_the_instructors_language(words, expected):
    alike = Pair("a", "b", 41.0, expected, {"q": {"# ours"}})
    found = Similarity([alike], {"a": {"q": "# ours"}, "b": {"q": "# ours"}}, compared=1225)
    korean, english = (similarity_page(found, {}, "t", voice) for voice in (IN_KOREAN, to_instructors(words)))
    assert english == in_english(korean) != korean and not HANGUL.findall(english)


def test_without_catalogues_there_is_no_page_half_in_korean(words, monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "LOCALE", tmp_path)
    with pytest.raises(GraderError, match="No translations here"):
        to_instructors(words)
    assert to_instructors(IN_KOREAN) is IN_KOREAN


def in_english(page):
    """What a page is when each sentence of ours on it is translated, and the book is the English one."""
    return (
        worded(page)
        .replace('<html lang="ko">', '<html lang="en">')
        .replace("book.test/chapters", "book.test/en/chapters")
    )


def test_gradescope_speaks_the_language_of_the_notebook(classroom, words):
    for korean, english in pairs(classroom):
        ours, theirs = (
            results_of(korean, "https://book.test"),
            results_of(english, "https://book.test", words),
        )
        assert not HANGUL.findall(json.dumps(theirs, ensure_ascii=False))
        worth = [
            [(test["score"], test["max_score"]) for test in one.get("tests", [])] for one in (ours, theirs)
        ]
        assert worth[0] == worth[1]


def test_an_opening_in_either_language_is_no_change(masking_class):
    template = Template.read(masking_class / "release" / STEM / f"{STEM}.ipynb")
    notebook = {"nbformat": 4, "cells": copy.deepcopy(template.cells)}
    opening = next(cell for cell in notebook["cells"] if grade_id(cell) == "opening")
    opening["source"] = OPENINGS["en"]
    assert compare(parse(json.dumps(notebook).encode()), template).notes == []
    given = next(cell for cell in notebook["cells"] if grade_id(cell).startswith("given"))
    given["source"] = OPENINGS["en"]
    sheet = compare(parse(json.dumps(notebook).encode()), template)
    assert len(sheet.notes) == 1 and grade_id(given) in sheet.notes[0]
    assert [cell.source for cell in sheet.cells].count(
        OPENINGS["en"]
    ) == 2  # the opening, and what stood in `given`


@pytest.fixture(scope="module")
def bundle(locale, tmp_path_factory):
    """What is handed out in English, but for the wheel, which takes seconds."""
    to = tmp_path_factory.mktemp("release") / "bundle"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(releasing, "students_package", lambda folder: folder / "attentively.whl")
        releasing.release([find_exercise(STEM)], to, "https://book.test", language="en")
    return to


def test_an_english_bundle_has_the_usual_names(bundle):
    names = sorted(path.name for path in (bundle / STEM).iterdir())
    assert names == ["book_url.txt", "checks.py", "masking.ipynb", "mistakes.json", "words.en.json"]
    notebook = nbformat.read(bundle / STEM / f"{STEM}.ipynb", as_version=4)
    nbformat.validate(notebook)
    said = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert not HANGUL.findall(said) and "(https://book.test/en/chapters/masking.html)" in said
    readme = (bundle / "README.md").read_text(encoding="utf-8")
    assert not HANGUL.findall(readme)
    assert "https://book.test/en" in readme and "grader check masking" in readme


def test_no_hidden_hint_is_handed_out(bundle):
    suite = find_exercise(STEM).suite
    public = {case.hint for case in suite.cases if not case.hidden}
    hidden = {case.hint for case in suite.cases if case.hidden} - public
    told = PublicExercise(bundle / STEM).words("en").texts
    assert public <= told.keys() and hidden and not hidden & told.keys()


@pytest.fixture
def folder(bundle, tmp_path):
    return shutil.copytree(bundle / STEM, tmp_path / STEM)


def mistaken(masking_class):
    sample = Sample(Classroom(masking_class), find_exercise(STEM))
    wrong = sample.mistaken("look_ahead_mask", "forgot_the_diagonal")
    return sample.solved(
        look_ahead_mask=wrong, masked_softmax="def masked_softmax(scores, mask): return scores * mask"
    )


def checked(folder, notebook, language):
    """What `grader check` finds and shows."""
    path, exercise = folder / f"{STEM}.ipynb", PublicExercise(folder)
    path.write_text(in_language(notebook, language), encoding="utf-8")
    words = exercise.words(language)
    results, errors = selfcheck.run(path, exercise, words)
    shown = selfcheck.Shown(exercise, results, errors, words)
    return results, "\n".join(map(str, shown.__rich_console__(None, None)))


def test_a_check_at_home_gives_the_same_points_in_either_language(folder, masking_class):
    ours, said = checked(folder, mistaken(masking_class), "ko")
    theirs, told = checked(folder, mistaken(masking_class), "en")
    assert ours == theirs and ours[1].mistake == "forgot_the_diagonal"
    assert KOREAN.search(said) and "https://book.test/chapters/masking.html#diagonal" in said
    assert not HANGUL.findall(told) and "https://book.test/en/chapters/masking.html#diagonal" in told
    report = checking.Report(theirs, "https://book.test", PublicExercise(folder).words("en"))
    assert not HANGUL.findall(repr(report) + report._repr_html_())
    assert "https://book.test/en/chapters/" in report._repr_html_()


def test_the_check_cell_speaks_the_language_that_the_notebook_opens_with(folder, monkeypatch):
    shown = []
    monkeypatch.chdir(folder)
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(user_ns={}))
    monkeypatch.setattr("IPython.display.display", shown.append)
    for opening in OPENINGS.values():
        exec(f"{opening}\ncheck({STEM!r}, 'padding_mask')", {})
    korean, english = map(repr, shown)
    assert KOREAN.search(korean) and not HANGUL.findall(english) and "Read: " in english


def test_without_translations_an_english_student_gets_korean_hints(folder, masking_class):
    before, _ = checked(folder, mistaken(masking_class), "ko")
    (folder / words_file("en")).unlink()
    results, told = checked(folder, mistaken(masking_class), "en")
    assert results == before
    assert results[1].in_two(IN_KOREAN)[0] in told and "https://book.test/en/chapters/masking.html" in told


def test_a_class_takes_new_translations_and_regrades_nothing(classroom, locale, tmp_path):
    mixed = Classroom(shutil.copytree(classroom.root, tmp_path / "class"))
    path = mixed.root / "course" / STEM / words_file("en")
    told = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({}))
    [change] = update_class(mixed, [], None)
    assert change.parts == ["other translations"] and change.anew == 0
    assert msgspec.json.decode(path.read_bytes()) == told


@pytest.fixture(scope="module")
def english(locale, tmp_path_factory):
    root = tmp_path_factory.mktemp("class") / "english"
    make_class(root, [find_exercise(STEM)], "https://book.test", language="en")
    return Classroom(root)


class TestEnglishClass:
    """The notebooks of the class folder itself are English; students hand in whichever they like."""

    @pytest.fixture
    def copied(self, english, tmp_path):
        return Classroom(shutil.copytree(english.root, tmp_path / "class"))

    def rooms(self, classroom):
        return [classroom.root / room / STEM / f"{STEM}.ipynb" for room in ("source", "release")]

    def test_what_is_edited_and_handed_out_is_english(self, copied):
        generate_assignment(copied.root, STEM, copied.config)  # formgrader's button
        for path in self.rooms(copied):
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
            said = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
            assert not HANGUL.findall(said) and "(https://book.test/en/chapters/masking.html)" in said
            assert (
                OPENINGS["en"] in [cell.source for cell in notebook.cells] and notebook.metadata.lang == "en"
            )
        assert (copied.released(STEM) / "book_url.txt").read_text() == "https://book.test\n"

    def test_it_is_graded_like_a_korean_one(self, english, masking_class):
        assert rules_digest(english, STEM) == rules_digest(Classroom(masking_class), STEM)

    def test_each_student_still_reads_the_notebooks_language(self, copied, monkeypatch):
        notebook = mistaken(copied.root)
        korean = Sample(Classroom(copied.root), find_exercise(STEM)).solved()
        korean["metadata"].pop("lang")
        for cell in korean["cells"]:
            cell["source"] = "".join(cell["source"]).replace(OPENINGS["en"], OPENINGS["ko"])
        for student, content in (("en", notebook), ("ko", korean)):
            path = copied.submitted(STEM, student)
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(content))
        judge = OneJudge(copied, STEM)
        monkeypatch.setattr("grader.classroom.batch.Judges", judge)
        assert grade_class(copied, STEM).graded == 2
        judge.close()
        write_feedback(copied, STEM)
        for student, language in (("en", "en"), ("ko", None)):
            marked = nbformat.read(copied.marked(STEM, student), as_version=4)
            assert marked.metadata.get("lang") == language and copied.result(STEM, student).notes == []
        pages = {s: copied.feedback(STEM, s).read_text(encoding="utf-8") for s in ("en", "ko")}
        assert (
            "<title>연습: 마스킹</title>" in pages["ko"] and f"<title>{WORD}: {WORD}</title>" in pages["en"]
        )

    def test_an_update_keeps_it_and_takes_another_text(self, copied, locale):
        assert update_class(copied, [], None) == []
        path = locale / "en" / "exercises" / f"{STEM}.po"
        before = path.read_text(encoding="utf-8")
        try:
            path.write_text(
                before.replace(f'msgstr "{WORD}: {WORD}"', 'msgstr "Exercise: masking"'), encoding="utf-8"
            )
            [change] = update_class(copied, [], None)
        finally:
            path.write_text(before, encoding="utf-8")
        assert "another English text" in change.parts and change.anew == 0
        for room in self.rooms(copied):
            assert "Exercise: masking" in room.read_text(encoding="utf-8")

    def test_one_that_is_there_can_change_its_language(self, copied, masking_class):
        [change] = update_class(copied, [], None, language="ko")
        assert change.parts == ["its notebook will be Korean"] and change.anew == 0
        released = Template.read(copied.released(STEM) / f"{STEM}.ipynb")
        ours = Template.read(masking_class / "release" / STEM / f"{STEM}.ipynb")
        assert [cell["source"] for cell in released.cells] == [cell["source"] for cell in ours.cells]
        assert update_class(copied, [], None) == [] and copied.language(STEM) == "ko"

    def test_the_command_line(self, copied, monkeypatch, capsys):
        from grader.cli import main

        monkeypatch.setattr(
            "sys.argv", ["grader", "new-class", str(copied.root), "--update", "--language", "ko"]
        )
        with pytest.raises(SystemExit):
            main()
        assert "its notebook will be Korean" in capsys.readouterr().out


def test_words_say_where_the_book_is():
    assert Words({}, "en").book("https://book.test") == "https://book.test/en"
    assert Words({}, "ko").book("https://book.test") == "https://book.test"
    assert Words({}, "en").book("") == ""
