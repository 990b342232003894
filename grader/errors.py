"""Errors that the command line tells its user in one line."""


class GraderError(Exception):
    """Something that the user can put right; the message says what and how."""

    status = 2


class Interrupted(GraderError):
    """The user pressed Ctrl-C; the message says what is kept."""

    status = 130
