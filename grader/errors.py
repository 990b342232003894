"""What the command line tells its user in one line."""


class GraderError(Exception):
    """Something that the user can put right; the message says what and how."""
