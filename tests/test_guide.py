"""The instructors' guide: each of its commands, in its order, on one class."""

import json
import re
import shlex
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from one_judge import OneJudge

from grader.authoring import release
from grader.classroom import batch, judges
from grader.classroom.folder import Classroom
from grader.classroom.platforms import gradescope_autograder
from grader.classroom.sample import Sample
from grader.cli import main
from grader.exercise import ROOT, find_exercise

GUIDE, KOREAN = (ROOT / "docs" / name for name in ("teaching.md", "teaching.ko.md"))
STEM = "masking"
STUDENTS = 12
WHO = [(f"6577{number:02}", f"김{'가나다라마바사아자차카타'[number]}") for number in range(STUDENTS)]


def commands(path):
    """The lines of its `sh` blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def hand_in(classroom):
    """What Moodle gives: everybody but the last, one with a mistake, one copied, one that is no notebook."""
    sample = Sample(classroom, find_exercise("masking"))
    wrong = sample.mistaken("look_ahead_mask", "forgot_the_diagonal")
    own = (
        sample.answer("padding_mask").replace("return ", "limit = max_length * 1\n    return ")
        + "\n# 내 방법입니다"
    )
    with zipfile.ZipFile("moodle.zip", "w") as archive:
        for number, (student, name) in enumerate(WHO[:-1]):
            changed = {"look_ahead_mask": wrong} if number == 0 else {}
            changed |= {"padding_mask": own.replace("limit", f"m{number}")} if number in (4, 7) else {}
            content = "{" if number == 2 else json.dumps(sample.solved(**changed))
            archive.writestr(f"{name}_{student}_assignsubmission_file/masking.ipynb", content)


def watched(monkeypatch, judge):
    """One who has handed in hands in again: the same, in another file. The judge is lent."""
    [(student, _)] = WHO[1:2]
    path = Path("handed", f"{student}_{STEM}.ipynb")
    path.parent.mkdir()
    there = Path("classes", "spring", "submitted", student, STEM, f"{STEM}.ipynb")
    path.write_text(json.dumps(json.loads(there.read_bytes()), indent=2))
    lent = SimpleNamespace(lent=lambda settings: judge, close=lambda: None)
    monkeypatch.setattr(judges, "WarmJudges", lambda count, early: lent)


def write_files():
    """What the guide takes for granted: the files of a learning platform."""
    rows = [f"{student},{name},{student}@snu.test" for student, name in WHO]
    files = {
        "students.csv": ["학번,이름,이메일", *rows],
        "groups.csv": ["조,학번", *(f"1,{student}" for student, _ in WHO[-2:])],
        "requests.csv": ["타임스탬프,학번,문제,이유", f"2027,{WHO[0][0]},2번,다시 봐 주십시오"],
        "worksheet.csv": ["Identifier,Full name,Grade", *(f"Participant {s},{name}," for s, name in WHO)],
        "canvas.csv": ["Student,ID,SIS User ID,Section,masking (1)", *(f"{n},1,{s},A," for s, n in WHO)],
    }
    for name, lines in files.items():
        with open(name, "w", encoding="utf-8-sig") as file:
            file.write("\n".join(lines) + "\n")


@pytest.mark.timeout(600)
def test_each_command_in_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for module in (release, gradescope_autograder):  # the package's wheel is built, and tried, elsewhere
        monkeypatch.setattr(module, "students_package", lambda to: to / "attentively.whl")
    write_files()
    judge = None

    def run(line):
        monkeypatch.setattr("sys.argv", shlex.split(line, comments=True))
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert not ended.value.code, f"{line}\n{printed.out}{printed.err}"
        return SimpleNamespace(text=printed.out + printed.err)

    said = {}
    for line in commands(GUIDE):
        if " collect " in line:
            hand_in(Classroom.open(tmp_path / "classes" / "spring"))
        if " autograde " in line:
            judge = OneJudge(Classroom.open(tmp_path / "classes" / "spring"), "masking")
            monkeypatch.setattr(batch, "Judges", judge)
        if " watch " in line:
            watched(monkeypatch, judge)
        said[line.split()[1]] = run(line).text
    judge.close()
    assert "11 new" in said["collect"] or "11" in said["collect"]
    assert "2 people in 1 group" in said["groups"]  # the last has handed in nothing, but the group has
    assert "12 graded" in said["autograde"] and "1 to look at" in said["todo"]
    assert "10 pages" not in said["feedback"] and "11 pages in feedback.zip" in said["feedback"]
    assert "1 graded, 12 handed in" in said["watch"]
    assert "0 -> 1 points" in said["answer"] and "points by hand - -> 1" in said["history"]
    assert "1 of 45 pairs" in said["similarity"] and WHO[4][0] in said["similarity"]
    for name, words in (("report", "Frequent mistakes"), ("similarity-masking", "By chance")):
        page = (tmp_path / "classes" / "spring" / f"{name}.html").read_text(encoding="utf-8")
        assert '<html lang="en">' in page and words in page
    for name, score in (("graded-worksheet.csv", 9.5), ("graded-canvas.csv", 9.5), ("scores.csv", 9.5)):
        text = (tmp_path / name).read_text(encoding="utf-8-sig")
        rows = {student: line for line in text.splitlines() for student, _ in WHO if student in line}
        assert f",{score:g}" in rows[WHO[0][0]] and ",10" in rows[WHO[1][0]] and ",10" not in rows[WHO[2][0]]
    assert zipfile.is_zipfile(tmp_path / "masking-autograder.zip") and (tmp_path / "handout.zip").exists()


def test_the_korean_guide_gives_the_same_commands():
    """But for what is said, and the language of the pages for the instructor."""

    def bare(path):
        return [
            re.sub(r'--say ".*"|(?<=--class classes/spring) --language en$', "", line)
            for line in commands(path)
        ]

    assert bare(KOREAN) == bare(GUIDE)


def test_the_guide_leaves_out_no_command_for_instructors():
    from grader.cli.program import INSTRUCTORS, app

    ours = {
        c.name or c.callback.__name__ for c in app.registered_commands if c.rich_help_panel == INSTRUCTORS
    }
    text = GUIDE.read_text(encoding="utf-8")
    assert {name for name in ours - {"demo"} if f"grader {name}" not in text} == set()


def test_what_containers_and_clusters_start_is_there():
    """Nothing here can build or schedule; what the files call must exist."""
    import subprocess

    import yaml

    makefile = (ROOT / "Makefile").read_text()
    devcontainer = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    for text in ((ROOT / "Dockerfile").read_text(), devcontainer["postCreateCommand"]):
        for target in re.findall(r'make"?,? "?(\w+)', text):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    subprocess.run(["bash", "-n", ROOT / "docs" / "cluster" / "slurm.sh"], check=True)
    parts = list(yaml.safe_load_all((ROOT / "docs" / "cluster" / "kubernetes.yaml").read_text()))
    assert [part["kind"] for part in parts] == ["Service", "NetworkPolicy", "Deployment", "Deployment"]
    for path in (ROOT / "docs").glob("*.md"):
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", path.read_text(encoding="utf-8")):
            assert (path.parent / link).exists(), f"{path.name}: {link}"
