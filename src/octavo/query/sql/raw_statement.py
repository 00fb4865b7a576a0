"""Statements on system tables: written once for all databases, with named values."""

from functools import lru_cache
from string import Formatter
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import BasicDialect
from octavo.query.sql.statement import Statement

_CONSTANTS: Final = {"transaction": "transaction_number", "settled": "settled_before", "row_lock": "row_lock"}


@dataclass(frozen=True, slots=True)
class RawStatement:
    """A statement template with placeholders in braces for what differs between databases.

    `{name}` is a value; `{name:instant}` a value in milliseconds since 1970, UTC, as a stored instant;
    `{column:milliseconds}` a stored instant in milliseconds; `{key:name}` a column name that is a reserved word of some
    database. `{id:on_conflict}` is the conflict clause of an INSERT for this key, `{hits:proposed}` the value that
    was to be inserted into a column; `{id, name:returning}` returns columns of the new row. `{:transaction}` is the id
    of the transaction; `{:settled}` the id below which all transactions are finished. `{:row_lock}` locks the rows of a
    SELECT against changes and references by other transactions. Literal braces are doubled.
    """

    text: str

    def render(self, dialect: BasicDialect) -> tuple[str, tuple[str, ...]]:
        """Return the text for a database, and the names of its values in the order of their numbers."""
        return _render(self.text, dialect)

    def bind(self, dialect: BasicDialect, /, **values: Any) -> Statement:
        """Return the statement with a value for each name. Raises TypeError or KeyError for other names."""
        text, names = self.render(dialect)
        if len(values) != len(names):
            raise TypeError(f"expected values for {', '.join(names) or 'nothing'}; got {', '.join(values) or 'none'}")
        return Statement(text, tuple([values[name] for name in names]))


def escape_braces(text: str) -> str:
    """Escape the braces of compiled SQL, for use in a `RawStatement`."""
    return text.replace("{", "{{").replace("}", "}}")


@lru_cache(maxsize=512)
def _render(template: str, dialect: BasicDialect) -> tuple[str, tuple[str, ...]]:
    parts: list[str] = []
    names: dict[str, None] = {}
    for literal, field, form, _ in Formatter().parse(template):
        parts.append(literal)
        if field is None:
            continue
        match form:
            case "milliseconds":
                parts.append(dialect.milliseconds(field))
            case "name":
                parts.append(dialect.quote(field))
            case "on_conflict":
                parts.append(dialect.on_conflict(*field.split(", ")))
            case "proposed":
                parts.append(dialect.proposed(field))
            case "returning":
                parts.append(dialect.returning(*field.split(", ")))
            case "transaction" | "settled" | "row_lock":
                parts.append(getattr(dialect, _CONSTANTS[form]))
            case "" | "instant":
                names.setdefault(field)
                mark = dialect.mark(list(names).index(field) + 1)
                parts.append(dialect.instant(mark) if form else mark)
            case _:
                raise ValueError(f"{form!r} is not a known placeholder")
    return "".join(parts), tuple(names)
