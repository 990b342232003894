"""A stand-in for `Judges`: one grader in this process, warm from run to run."""

from collections import deque

from grader.classroom.judge_process import JudgeSettings, make_grader


class OneJudge:
    """`monkeypatch.setattr("grader.classroom.batch.Judges", OneJudge(classroom, stem))`, and close it at the end.

    Attributes:
        at_once: how many answers are ready together, as where judges are faster than the writer.
    """

    def __init__(self, classroom, stem):
        self._grader, self._jobs = make_grader(JudgeSettings(classroom.root, stem, unconfined=False)), deque()
        self.at_once = 1

    def __call__(self, sitting, count):
        return self

    def __enter__(self):
        self._jobs.clear()
        return self

    def __exit__(self, *_):
        pass

    @property
    def busy(self):
        return len(self._jobs)

    @property
    def free(self):
        return self.busy < self.at_once

    def submit(self, job):
        self._jobs.append(job)

    def next(self, seconds=None):
        job = self._jobs.popleft()
        return job, self.grade(job)

    def grade(self, job):
        return self._grader.grade(job)

    def close(self):
        self._grader.close()
