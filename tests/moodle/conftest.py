"""A class that is connected to a stand-in for Moodle, with five people in two groups."""

import pytest
from connected_class import classroom, connect, enrol, notebook, run, waited
from moodle_server import DOE, KIM, LEE, MOON, PARK, TOKEN, Moodle

__all__ = ["classroom", "notebook", "run", "waited"]


@pytest.fixture
def moodle():
    made = Moodle()
    made.enrol(KIM, "김", "민", "657700", groups=["월요일"])
    made.enrol(DOE, "Doe", "John", "657701", groups=["수요일"])
    made.enrol(LEE, "이", "서", "657702", groups=["수요일"])
    made.enrol(MOON, "문", "하", "657703", groups=["월요일"])
    made.enrol(PARK, "박", "온", "657704")
    made.enrol(90, "최", "교수", "100001", role="editingteacher")
    made.assign(70, "Masking quiz")
    made.assign(71, "masking")
    made.assign(72, "attention")
    yield made
    made.close()


@pytest.fixture
def connected(moodle, classroom):
    return connect(classroom, moodle, TOKEN)


@pytest.fixture
def enrolled(connected, classroom):
    return enrol(classroom, connected, "moodle")
