"""How names and constant texts stand in SQL."""


def quoted(name: str, mark: str = '"') -> str:
    """An identifier."""
    return f"{mark}{name.replace(mark, mark + mark)}{mark}"


def literal(text: str) -> str:
    """A constant text: never a caller's value."""
    return "'" + text.replace("'", "''") + "'"
