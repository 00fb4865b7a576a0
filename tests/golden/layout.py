"""Format a statement with one clause per line, so that differences are readable. Only whitespace changes."""

import re

_SHORT = 100


def lay_out(text: str) -> str:
    """Return the statement with a line break before each clause, also in brackets that are too long for a line.

    >>> print(lay_out("SELECT a FROM t WHERE x IN (SELECT 1)"))
    SELECT a FROM t WHERE x IN (SELECT 1)
    """
    return "\n".join(_lines(text, 0))


def _lines(text: str, depth: int) -> list[str]:
    indent = "  " * depth
    if len(text) + len(indent) <= _SHORT:
        return [indent + text]
    clauses = _split(text, _CLAUSES)
    if len(clauses) > 1:
        return [line for clause in clauses for line in _lines(clause, depth)]
    opened = _outer_bracket(text)
    if opened is None:
        return [indent + text]
    start, end = opened
    inner = [line for part in _split(text[start + 1 : end], _COMMAS) for line in _lines(part, depth + 1)]
    rest = _lines(text[end:], depth)
    return [indent + text[: start + 1], *inner, *rest]


_CLAUSES = re.compile(r" (?=(?:FROM|WHERE|ORDER BY|LIMIT|LEFT JOIN|JOIN|AND|OR|WHEN|THEN|ELSE)\b)")
_COMMAS = re.compile(r"(?<=,) ")


def _split(text: str, where: re.Pattern[str]) -> list[str]:
    """Return the text split at positions outside brackets and quotes."""
    level, pieces, start = _levels(text), [], 0
    for found in where.finditer(text):
        if level[found.start()] == 0:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]


def _outer_bracket(text: str) -> tuple[int, int] | None:
    """Return the start and end of the longest bracket."""
    level = _levels(text)
    starts = [at for at, letter in enumerate(text) if letter == "(" and level[at] == 1]
    spans = [
        (start, next(at for at in range(start, len(text)) if text[at] == ")" and level[at] == 1)) for start in starts
    ]
    return max(spans, key=lambda span: span[1] - span[0], default=None)


def _levels(text: str) -> list[int]:
    """Return the number of open brackets at each character, including itself; -1 inside quotes."""
    levels, depth, quoted = [], 0, ""
    for letter in text:
        if quoted:
            levels.append(-1)
            quoted = "" if letter == quoted else quoted
            continue
        depth += letter == "("
        levels.append(depth)
        depth -= letter == ")"
        if letter in "'\"":
            quoted, levels[-1] = letter, -1
    return levels
