"""The one exception of this package."""


class CourseDataError(RuntimeError):
    """Data cannot be had; the message is one line that says why and what to do."""
