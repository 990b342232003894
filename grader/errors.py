"""Errors that the command line tells its user in one line."""

import errno

# Whatever is written next cannot be, either.
NO_DISK = {
    errno.ENOSPC: "No space is left on the disk. Free some",
    errno.EDQUOT: "No space is left on the disk for this user. Free some",
    errno.EROFS: "The disk can only be read. Make it writable",
}


class GraderError(Exception):
    """Something that the user can put right; the message says what and how."""

    status = 2


class Interrupted(GraderError):
    """The user pressed Ctrl-C; the message says what is kept."""

    status = 130


def in_words(error: OSError) -> str:
    """An error of the system, said to the user in one line."""
    if error.errno in NO_DISK:
        return f"{NO_DISK[error.errno]}; the same command then goes on."
    if named := error.filename2 or error.filename:
        return f"{named}: {error.strerror}. Look at the path, and who may write there."
    return f"{error.strerror or error}."
