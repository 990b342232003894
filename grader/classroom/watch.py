"""Work graded as it comes in: collect, autograde and feedback again and again, with judges that stay warm.

Nothing is kept here that is not in the class' folder: whoever is killed and begun again takes up what is there, as
'grader collect' and 'grader autograde' do. Once a minute everything is looked through, whether or not something came in:
so what a killed run has left, what others have put there, a new date, points by hand find their way onto the pages.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from grader.classroom.answers_due import answers_to_show, last_moment
from grader.classroom.arrivals import Source
from grader.classroom.batch import alone, grade_class
from grader.classroom.early import Shown, before_due, of_tries
from grader.classroom.feedback import write_feedback
from grader.classroom.folder import Classroom
from grader.classroom.judges import WarmJudges
from grader.classroom.recognise import MISTAKEN
from grader.classroom.tries import Tries
from grader.classroom.watch_page import watch_page
from grader.counted import counted
from grader.errors import GraderError, Interrupted, in_words
from grader.gradebook.entries import StudentGrades
from grader.gradebook.ours import now
from grader.gradebook.register import Register
from grader.results import Submission, sweep, write_whole

ALL_SECONDS = 60.0  # between two looks at everything
PAUSE_SECONDS = 5.0  # before the next try, where something went wrong
PAGE_SECONDS = 1.0  # between two pages on the class
BESIDE = (  # what a killed run may have left half written
    "submitted/*/{0}/.{0}.ipynb.*", "submitted/*/{0}/.timestamp.txt.*", "replaced/*/.{0}.*", "collected/.{0}.*",
    "feedback/*/{0}/.*.*", "tries/.{0}.*", ".watch-{0}.html.*",
)  # fmt: skip


@dataclass(frozen=True)
class Rules:
    """The rules of a watch.

    Attributes:
        tries: how many notebooks of each are graded; None for any number.
        shown: what pages show before the exercise is due.
        names: whether the page on the class says who.
        language: of the page on the class.
    """

    tries: int | None = None
    shown: Shown = Shown.all
    names: bool = False
    language: str = "ko"
    unconfined: bool = False


class Watch:
    """Watches a source for a class, until it is interrupted.

    Args:
        say: told what happens, without names: it may end in a log.
    """

    def __init__(
        self,
        root: Path,
        stem: str,
        source: Source,
        rules: Rules,
        judges: WarmJudges,
        say: Callable[[str], None] = print,
    ):
        self._root, self._stem, self._source, self._rules, self._judges = root, stem, source, rules, judges
        self._say, self._said = say, ""
        self._classroom = Classroom.open(root)
        self._classroom.template(stem)
        self.page = self._classroom.root / f"watch-{stem}.html"
        self._tries = Tries(self._classroom, stem, rules.tries)
        self._finished: set[str] = set()
        self._waiting: set[str] = set()  # who has handed in more after all their tries
        self._next_page = self._next_all = self._not_before = 0.0

    def run(self, once: bool = False, begun: Callable[[], None] = lambda: None) -> None:
        """Watch.

        Args:
            once: until what is there is graded, and no longer.
            begun: called when it is certain that nobody else watches.

        Raises:
            GraderError: another watches already; once alone, also what else goes wrong.
        """
        with alone(self._classroom, self._stem, "watch"):
            for pattern in BESIDE:
                sweep(self._classroom.root.glob(pattern.format(self._stem)))
            self._tries.note(self._classroom.students(self._stem))
            try:
                begun()
                while True:
                    began = time.monotonic()
                    worked = self._guarded(once)
                    if once and not self._source.moving:
                        self._next_page = 0.0
                        return self._publish()
                    # Looking at a large folder, or a slow one, is not to be all that this machine does.
                    time.sleep(max(self._source.every, 0.0 if worked else 4 * (time.monotonic() - began)))
            finally:
                self._judges.close()

    def _guarded(self, once: bool) -> bool:
        try:
            return self._round()
        except Interrupted:
            raise
        # In a lecture nobody looks here: whatever it is, the next round may go well.
        except Exception as error:
            if once:
                raise
            self._say_once(f"{_in_words(error)} Trying again.")
            self._source.again()
            self._next_all = 0.0
            time.sleep(PAUSE_SECONDS)
            return True

    def _round(self) -> bool:
        """Grade what has come in, or once in a while all; False if there was nothing to do."""
        everything = time.monotonic() >= self._next_all
        self._came = self._source.look() or everything
        if not self._came:
            self._publish()
            return False
        if everything:
            self._source.forget()
        self._classroom = Classroom.open(self._root)
        self._open = self._others_may_hand_in()
        students = self._source.gradable(self._classroom, self._stem, self._tries.spent) if everything else []
        outcome = grade_class(
            self._classroom,
            self._stem,
            students=students,
            unconfined=self._rules.unconfined,
            done=lambda student: self._finished.add(student),
            more=self._more,
            judges=self._judges.lent,
        )
        self._publish()
        if everything:
            self._next_all = time.monotonic() + ALL_SECONDS
        if outcome.failures:
            self._say(
                f"{len(outcome.failures)} not graded, for want of the machine; tried again in a minute."
            )
        if outcome.graded:
            self._say(f"{outcome.graded} graded, {len(self._classroom.students(self._stem))} handed in.")
        return True

    def _more(self) -> dict[str, list[str]]:
        """Works that have come in since the last look; pages of those graded meanwhile."""
        if time.monotonic() >= self._not_before:
            self._publish()
        try:
            came, self._came = self._came, False
            if not (came or self._source.look()):
                return {}
            found = self._source.take(self._classroom, self._stem, self._tries.spent)
        except (GraderError, OSError) as error:
            self._say_once(f"{_in_words(error)} Trying again.")
            self._source.again()
            self._next_all = time.monotonic() + PAUSE_SECONDS
            return {}
        self._finished |= {*found.spent} - self._waiting
        self._waiting |= {*found.spent}
        odd = {
            "of nobody on the roster": found.unmatched,
            "by one student under another's name, left out": found.forged,
            "that cannot be read": found.unreadable,
            MISTAKEN: [other for other in found.others if other.endswith(MISTAKEN)],
            "with several notebooks, of which one counts": found.several,
            "in submitted/ that are links, or whose names can be nobody's": self._classroom.refused(
                self._stem
            ),
        }
        if any(odd.values()):
            counts = ", ".join(f"{len(which)} {said}" for said, which in odd.items() if which)
            self._say_once(f"{counts}: 'grader collect' and 'grader autograde' say which these are.")
        new = {*found.new, *found.newer}
        works = self._classroom.works(self._stem).items() if new else ()
        return {author: members for author, members in works if new & {author, *members}}

    def _publish(self) -> None:
        """Write the pages of those whose results are there, and the page on the class."""
        began, students, self._finished = time.monotonic(), self._finished, set()
        students = {s for s in students if self._classroom.marked(self._stem, s).exists()}
        if students:
            self._tries.note(students)
            _, failures = write_feedback(
                self._classroom, self._stem, sorted(students), answers=self._answers(), told=self._told
            )
            if failures:
                self._say_once(f"{counted(len(failures), 'page')} not written: 'grader feedback' says why.")
            self._next_page = min(self._next_page, time.monotonic() + PAGE_SECONDS)
        if time.monotonic() >= self._next_page:
            self._next_page = float("inf")
            tries = self._tries.of if self._rules.names else None
            page = watch_page(self._classroom, self._stem, self._rules.language, tries)
            write_whole(self.page, page.encode())
        # What is read for a page is the whole class': of a large one several wait for each other, and grading goes on.
        self._not_before = 2 * time.monotonic() - began

    def _told(self, submission: Submission, grades: StudentGrades) -> tuple[Submission, StudentGrades]:
        """The part of a result that its student's page may tell now."""
        student, limit = submission.student, self._rules.tries
        told, marks = before_due(submission, grades, self._rules.shown if self._open else Shown.all)
        said = of_tries(submission, self._tries.of(student), limit, student in self._waiting)
        return structs.replace(told, notes=[*said, *told.notes]), marks

    def _others_may_hand_in(self) -> bool:
        last = last_moment(self._classroom, self._stem)
        return last is None or now() <= last

    def _answers(self) -> dict:
        """The course's answers where an instructor has shown them already: to be first is for 'grader feedback'."""
        with Register(self._classroom.database) as register:
            shown = register.answers_shown(self._stem)
        return answers_to_show(self._classroom, self._stem, now()) if shown else {}

    def _say_once(self, line: str) -> None:
        if line != self._said:
            self._say(line)
        self._said = line


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError):
        return in_words(error)
    return str(error) if isinstance(error, GraderError) else f"Unexpected {type(error).__name__}: {error}"
