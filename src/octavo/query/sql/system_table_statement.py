"""Statements about tables that no content-type stands for: written once, for every database, with names for values."""

from functools import lru_cache
from string import Formatter
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.statement import Statement

_CONSTANTS: Final = {"transaction": "transaction_number", "settled": "settled_before", "row_lock": "row_lock"}


@dataclass(frozen=True, slots=True)
class OwnStatement:
    """A statement that says in braces what databases say differently.

    `{name}` is a value; `{name:instant}` a value in milliseconds since 1970, UTC, as an instant is stored;
    `{column:milliseconds}` a stored instant as milliseconds; `{key:name}` a name that is a word of some database.
    `{id:on_conflict}` what follows the row of an INSERT where one with that key may be there, `{hits:proposed}` what a
    column was to get from it; `{id, name:returning}` the end of a statement that answers what it has written.
    `{:transaction}` is the number of the transaction; `{:settled}` that below which all transactions are over.
    `{:row_lock}` ends a SELECT whose rows nobody else changes or refers to until the end of the transaction.
    Braces of the statement itself are doubled.
    """

    text: str

    def render(self, dialect: Dialect) -> tuple[str, tuple[str, ...]]:
        """The text as a database takes it, and the names of its values in the order of their numbers."""
        return _render(self.text, dialect)

    def bind(self, dialect: Dialect, /, **values: Any) -> Statement:
        """The statement as a database takes it, with a value for each name. Raises TypeError or KeyError for others."""
        text, names = self.render(dialect)
        if len(values) != len(names):
            raise TypeError(f"expected values for {', '.join(names) or 'nothing'}; got {', '.join(values) or 'none'}")
        return Statement(text, tuple([values[name] for name in names]))


def escape_braces(text: str) -> str:
    """A finished piece of SQL as a part of an `OwnStatement`."""
    return text.replace("{", "{{").replace("}", "}}")


@lru_cache(maxsize=512)
def _render(template: str, dialect: Dialect) -> tuple[str, tuple[str, ...]]:
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
                raise ValueError(f"{form!r} is nothing that databases say differently")
    return "".join(parts), tuple(names)
