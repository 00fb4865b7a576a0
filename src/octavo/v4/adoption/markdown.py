"""Render the report as Markdown."""

from collections.abc import Iterator
from typing import Final

from octavo.v4.adoption.report import Report
from octavo.v4.adoption.sections import Section, sections

_LONGEST: Final = 500
_ESCAPED: Final = str.maketrans({"|": "\\|", "<": "&lt;", ">": "&gt;"})


def to_markdown(report: Report) -> str:
    """Return the complete report."""
    head = [
        "# Moving from Strapi v4 to Octavo",
        "",
        "Created by `octavo adopt`, which ran no code and changed nothing.",
    ]
    parts = [line for section in sections(report) for line in _section(section)]
    return "\n".join([*head, *parts]) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield ""
    yield f"## {section.title}"
    for line in section.lead:
        yield ""
        yield _cell(line)
    if section.rows:
        yield ""
        yield f"| {' | '.join(section.columns)} |"
        yield f"|{'---|' * len(section.columns)}"
        yield from (f"| {' | '.join(map(_cell, row))} |" for row in section.rows)
    if section.then:
        yield ""
        yield from (f"- {_cell(line)}" for line in section.then)
    if section.code:
        yield f"\n```toml\n{section.code}\n```"


def _cell(text: str) -> str:
    """Return a table cell: one line, with Markdown and HTML syntax escaped."""
    printable = "".join(char if char.isprintable() else " " for char in text[:_LONGEST])
    return printable.translate(_ESCAPED) + ("..." if len(text) > _LONGEST else "")
