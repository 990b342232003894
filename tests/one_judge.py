"""A stand-in for `Judges`: one grader in this process, warm from run to run."""

from grader.classroom.judges import JudgeSettings, make_grader


class OneJudge:
    """`monkeypatch.setattr("grader.classroom.batch.Judges", OneJudge(classroom, stem))`, and close it at the end."""

    def __init__(self, classroom, stem):
        self._grader, self._job = make_grader(JudgeSettings(classroom.root, stem, unconfined=False)), None

    def __call__(self, sitting, count):
        return self

    def __enter__(self):
        self._job = None
        return self

    def __exit__(self, *_):
        pass

    @property
    def busy(self):
        return self._job is not None

    @property
    def free(self):
        return self._job is None

    def submit(self, job):
        self._job = job

    def next(self, seconds=None):
        job, self._job = self._job, None
        return job, self._grader.grade(job)

    def close(self):
        self._grader.close()
