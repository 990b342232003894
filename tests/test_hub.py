"""What the JupyterHub guide gives to copy: commands that exist, files that are read, and the service's line as it stands."""

import configparser
import json
import re
import shlex
import shutil
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from one_judge import OneJudge
from traitlets.config.loader import PyFileConfigLoader
from typer.main import get_command

from grader.classroom import judges
from grader.classroom.folder import Classroom
from grader.classroom.sample import Sample
from grader.cli import main
from grader.cli.program import app
from grader.exercise import ROOT, find_exercise
from grader.gradebook.times import zone_of

HUB = ROOT / "docs" / "hub"
GUIDES = [ROOT / "docs" / name for name in ("hub.md", "hub.ko.md")]
STEM = "masking"


def commands(path):
    """The lines of its `console` blocks without comments."""
    blocks = re.findall(r"^```console\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+#.*", "", line) for block in blocks for line in block.splitlines()]


def settings(path):
    return PyFileConfigLoader(path.name, path=str(path.parent)).load_config()


def service():
    read = configparser.ConfigParser(interpolation=None, strict=False)
    read.optionxform = str
    read.read(HUB / "attentively-watch@.service")
    return read["Service"]


def test_both_guides_give_the_same_commands():
    assert commands(GUIDES[0]) == commands(GUIDES[1]) != []


def test_nobody_renames_a_class_in_the_exchange():
    """nbgrader#1225: everybody must be able to write into it; without the sticky bit whoever may write may also move."""
    [line] = [
        line for line in commands(GUIDES[0]) if "/srv/nbgrader/exchange" in line and "install -d" in line
    ]
    assert int(re.search(r"-m (\d+)", line)[1], 8) == 0o3777


def test_graders_commands_exist_with_their_options():
    known = get_command(app).commands

    def parse(name, arguments):
        command = known[name]
        command.make_parser(command.context_class(command)).parse_args(shlex.split(arguments))

    lines = re.findall(r"(?m)(?:^|/|-m )grader ([\w-]+)(.*)$", "\n".join(commands(GUIDES[0])))
    for name, arguments in lines:
        parse(name, arguments)
    assert len(lines) > 7
    with pytest.raises(Exception, match="--no-such"):
        parse("dates", "--no-such")


def test_each_file_is_named_and_read():
    files = {path for path in HUB.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    for guide in GUIDES:
        text = guide.read_text(encoding="utf-8")
        assert {path.name for path in files if path.name not in text} == set()
    for path in files:
        if path.suffix == ".json":
            json.loads(path.read_bytes())
    assert settings(HUB / "jupyterhub_config.py").Spawner.mem_limit == "2G"


def test_containers_get_what_is_theirs(monkeypatch):
    """A teacher's container sees class and checkout, as the group; once no teacher, no more."""
    monkeypatch.setattr("grp.getgrnam", lambda name: SimpleNamespace(gr_gid={"teachers": 77}[name]))
    groups = {"kim": [1000, 77], "minsu": [1002]}
    monkeypatch.setattr("os.getgrouplist", lambda name, own: groups[name])
    mount = settings(HUB / "docker_spawner.py").Spawner.pre_spawn_hook

    def mounted(name):
        spawner.user.name = name
        mount(spawner)
        return set(spawner.volumes), spawner.extra_host_config

    spawner = SimpleNamespace(user=SimpleNamespace(), group_id=1, environment={"PATH": "/bin"})
    students = {"/srv/nbgrader", "/srv/handout"}, {}
    teachers = students[0] | {"/srv/classes", "/srv/course"}, {"group_add": ["77"]}
    assert mounted("minsu") == students and mounted("kim") == teachers
    groups["kim"] = [1000]
    assert mounted("kim") == students
    assert spawner.environment["PATH"] == "/bin"
    assert zone_of(spawner.environment["TZ"])  # the machine's days, not the container's


def test_the_image_takes_nothing_of_the_checkout_but_what_is_installed():
    last = (HUB / "Dockerfile").read_text(encoding="utf-8").rpartition("\nFROM ")[2]
    assert re.findall(r"^(?:COPY|ADD) (.*)$", last, re.MULTILINE) == [
        "--from=built /opt/attentively /opt/attentively"
    ]


def test_an_end_by_the_kernel_does_not_stop_the_service():
    assert service()["OOMPolicy"] == "continue" and "MemoryMax" not in service()


@pytest.mark.timeout(120)
def test_the_services_line_finds_the_exchange_of_the_hub(masking_class, tmp_path, monkeypatch, capsys):
    """As on a hub: the environment says where the exchange is, the class does not."""
    spring = Path(shutil.copytree(masking_class, tmp_path / "spring"))
    course = Classroom.open(spring).config.CourseDirectory.course_id
    environment = (HUB / "environment" / "nbgrader_config.py").read_text(encoding="utf-8")
    said = settings(HUB / "environment" / "nbgrader_config.py").Exchange.root
    assert said.removesuffix("/exchange") in (HUB / "attentively-watch@.service").read_text(encoding="utf-8")
    (tmp_path / "jupyter").mkdir()
    there = environment.replace(said, str(tmp_path / "exchange"))
    (tmp_path / "jupyter" / "nbgrader_config.py").write_text(there)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))

    folder = tmp_path / "exchange" / course / "inbound" / f"kim+{STEM}+2027-03-01 10:00:00.0 UTC+Xyz"
    folder.mkdir(parents=True)
    solved = Sample(Classroom(spring), find_exercise(STEM)).solved()
    (folder / f"{STEM}.ipynb").write_text(json.dumps(solved))
    (folder / "timestamp.txt").write_text("2027-03-01 10:00:00.0 UTC")

    judge = OneJudge(Classroom(spring), STEM)
    lent = SimpleNamespace(lent=lambda settings: nullcontext(judge), close=lambda: None)
    monkeypatch.setattr(judges, "WarmJudges", lambda count, early: lent)
    line = service()["ExecStart"].replace("%i", STEM).replace("/srv/classes/spring", str(spring))
    monkeypatch.setattr("sys.argv", [*shlex.split(line), "--once"])
    with pytest.raises(SystemExit) as ended:
        main()
    judge.close()
    printed = capsys.readouterr()
    assert not ended.value.code, printed.out + printed.err
    assert Classroom.open(spring).result(STEM, "kim").earned == 10
