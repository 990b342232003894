"""The system's Chromium, for pages that no person looks at."""

import shutil

# The shell without Chrome's own windows, extensions and profiles opens a page for a third of the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def installed() -> str | None:
    """Its path; None lets playwright take its own."""
    return next(filter(None, map(shutil.which, NAMES)), None)
