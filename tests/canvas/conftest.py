"""A class that is connected to a stand-in for Canvas, with five people in two sections."""

import pytest
from canvas_server import DOE, KIM, LEE, MOON, PARK, TOKEN, Canvas
from connected_class import classroom, connect, enrol, notebook, run, waited

__all__ = ["classroom", "notebook", "run", "waited"]


@pytest.fixture
def canvas():
    made = Canvas()
    made.sections = {1: "월요일", 2: "수요일"}
    made.enrol(KIM, "김민", "657700", section=1, login="kim")
    made.enrol(DOE, "Doe, John", "657701", section=2)
    made.enrol(LEE, "이서", "657702", section=2)
    made.enrol(MOON, "문하", "657703", section=1)
    made.enrol(PARK, "박온", "657704", section=1)
    made.assign(70, "Masking quiz")
    made.assign(71, "masking")
    made.assign(72, "attention")
    yield made
    made.close()


@pytest.fixture
def connected(canvas, classroom):
    return connect(classroom, canvas, TOKEN)


@pytest.fixture
def enrolled(connected, classroom):
    return enrol(classroom, connected, "canvas")
