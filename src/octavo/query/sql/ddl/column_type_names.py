"""Map a column's type on any database to the type name used in definitions."""

import re
from collections.abc import Mapping
from typing import Final

# Without lengths: the names of PostgreSQL and SQLite.
_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("character varying", "varchar"), "string"),
    **dict.fromkeys(("text", "longtext"), "text"),
    **dict.fromkeys(("json", "jsonb"), "json"),
    **dict.fromkeys(("numeric", "decimal"), "decimal"),
    **dict.fromkeys(("double precision", "float", "real", "double"), "float"),
    **dict.fromkeys(("time", "time without time zone"), "time"),
    **dict.fromkeys(("datetime", "timestamp without time zone", "timestamp with time zone"), "datetime"),
    "integer": "integer",
    "bigint": "biginteger",
    "boolean": "boolean",
    "date": "date",
}


def type_word(column_type: str) -> str | None:
    """Return `string` for `varchar(255)`, or None for a type that no attribute has."""
    return _WORDS.get(re.sub(r"\([^)]*\)", "", column_type).strip().lower())
