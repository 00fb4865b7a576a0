"""Names and constant texts as SQL has them, on every database."""


def quote(name: str) -> str:
    """An identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A constant text (names, JSON keys, defaults of definitions): never a caller's value."""
    return "'" + text.replace("'", "''") + "'"
