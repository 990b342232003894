"""Numbers of things, as English says them."""


def counted(number: float, one: str, many: str | None = None) -> str:
    """'1 page', '2 pages'; `many` where an s is not enough: '3 people'."""
    return f"{number:g} {one if number == 1 else many or one + 's'}"
