"""Numbers of things, as people say them."""


def counted(number: int, one: str, many: str = "") -> str:
    """`1 piece`, `2 pieces`, `1,200 copies`; `many` where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
