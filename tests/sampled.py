"""What `make test` runs of what is one of many: one in so many, the rest by -m exhaustive (of one exercise by -m "" -k STEM)."""

import pytest

nothing_else = False  # conftest.py says so: thousands of tests that will not be run take seconds to make


def one_in(count, rows, name=None):
    """Parameters for `pytest.mark.parametrize`.

    Args:
        rows: what a test is given: a tuple of its arguments, or its only one.
        name: of the row's arguments, the test's name; pytest's own if None.
    """
    marked = []
    for number, row in enumerate(rows):
        if number % count and nothing_else:
            continue
        row = row if isinstance(row, tuple) else (row,)
        marks = [pytest.mark.exhaustive] if number % count else []
        marked.append(pytest.param(*row, id=name(*row) if name else None, marks=marks))
    return marked
