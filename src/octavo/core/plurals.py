"""Format numbers of things in messages."""


def counted(number: int, one: str, many: str = "") -> str:
    """Return `1 piece`, `2 pieces`, `1,200 copies`; `many` is needed if the plural is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
