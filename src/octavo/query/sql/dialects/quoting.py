"""How names and constant texts stand in SQL, where there is no `Dialect` to ask."""


def quoted(name: str) -> str:
    """An identifier."""
    return f'"{name.replace(chr(34), chr(34) * 2)}"'


def literal(text: str) -> str:
    """A constant text: never a caller's value."""
    return "'" + text.replace("'", "''") + "'"
