"""Quote names and constant texts in SQL without a `Dialect`."""


def quoted(name: str) -> str:
    """Quote an identifier."""
    return f'"{name.replace(chr(34), chr(34) * 2)}"'


def literal(text: str) -> str:
    """Quote a constant text. Never used for a caller's value."""
    return "'" + text.replace("'", "''") + "'"
