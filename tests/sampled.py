"""What `make test` runs of what is one of many: one in so many. `make test-whole` and `-m exhaustive` run the rest."""

import pytest

left_out = set()  # conftest.py says what: thousands of tests that will not be run take seconds to make


def one_in(count, rows, name=None, rest="exhaustive"):
    """Parameters for `pytest.mark.parametrize`.

    Args:
        rows: what a test is given: a tuple of its arguments, or its only one.
        name: of the row's arguments, the test's name; pytest's own if None.
        rest: the marker of all others.
    """
    marked = []
    for number, row in enumerate(rows):
        if number % count and rest in left_out:
            continue
        row = row if isinstance(row, tuple) else (row,)
        marks = [getattr(pytest.mark, rest)] if number % count else []
        marked.append(pytest.param(*row, id=name(*row) if name else None, marks=marks))
    return marked
