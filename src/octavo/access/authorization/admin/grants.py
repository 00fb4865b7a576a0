"""Grants: rows of `admin_permissions`, parsed.

A row that cannot be parsed gives nothing and is logged once.
"""

import logging
from functools import lru_cache
from typing import Any

import orjson

from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import Dialect

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Grant:
    """A permission of a role: an action, on the entries of a content type if there is a subject.

    It is limited to `fields`, given by path (`seo.metaTitle`), and to `locales` (None: all). One of the `conditions`
    has to hold, if there are any.
    """

    action: str
    subject: str | None = None
    fields: frozenset[str] | None = None
    locales: frozenset[str] | None = None
    conditions: tuple[str, ...] = ()


@lru_cache(maxsize=64)
def grants_statement(dialect: Dialect, roles: int) -> str:
    """Return the SQL that reads the grants of roles as JSON. Bind the role ids; `roles` is their number."""
    marks = ", ".join(dialect.mark(number) for number in range(1, roles + 1))
    tables = (
        "FROM admin_permissions p JOIN admin_permissions_role_links l ON l.permission_id = p.id WHERE l.role_id IN "
    )
    action = dialect.collated("p.action")  # the others can have another collation: JSON has its own on MariaDB
    rows = dialect.json_rows((action, "p.subject", "p.properties", "p.conditions"), f"{tables}({marks})")
    return f"SELECT {dialect.json_object({'grants': rows})}"


def read_grants(text: bytes | None) -> tuple[Grant, ...]:
    """Parse the JSON that `grants_statement` returns."""
    rows = orjson.loads(text)["grants"] if text else None
    grants = (read_grant(*row) for row in rows or ())
    return tuple(sorted({grant for grant in grants if grant is not None}, key=repr))


def read_grant(action: Any, subject: Any, properties: Any, conditions: Any) -> Grant | None:
    """Return the grant in a row; None if it cannot be parsed. JSON columns can be text or already decoded."""
    try:
        known, named = _parsed(properties) or {}, _parsed(conditions) or []
        fields, locales = _names(known.get("fields")), _names(known.get("locales"))
        if not isinstance(action, str) or not isinstance(subject, str | None):
            raise TypeError("its action and subject must be strings")
        return Grant(action, subject or None, fields, locales, tuple(sorted(_names(named) or ())))
    except (TypeError, ValueError, AttributeError) as error:
        _warn(f"{action!r} on {subject!r}", str(error))
        return None


def _parsed(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def _names(value: Any) -> frozenset[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("its fields, locales and conditions must be lists of names")
    return frozenset(value)


@lru_cache(maxsize=1000)
def _warn(grant: str, why: str) -> None:
    logger.warning("An administrator permission has no effect (%s): %s", grant, why)
