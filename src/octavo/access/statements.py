"""Statements: the few places where the access tables are spoken to differently on SQLite and PostgreSQL.

The statements of this package are written once, with `?1` for values, `at(?1)` for a time given and `ms(column)` for a
time read, both in milliseconds since 1970, UTC: as v4 stores them on SQLite.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

_DIRECTORY: Final = """
SELECT {start}(
  'roles', {json}((SELECT {group}({row}(id, type)) FROM up_roles)),
  'grants', {json}((SELECT {group}({row}(l.role_id, p.action))
    FROM up_permissions_role_links l JOIN up_permissions p ON p.id = l.permission_id)),
  'tokens', {json}((SELECT {group}({row}(id, type, access_key, ms(expires_at))) FROM strapi_api_tokens)),
  'scopes', {json}((SELECT {group}({row}(l.api_token_id, p.action))
    FROM strapi_api_token_permissions_token_links l
    JOIN strapi_api_token_permissions p ON p.id = l.api_token_permission_id))
){end}"""

_DIRECTORY_WORDS: Final = {
    "sqlite": {
        "start": "CAST(json_object",
        "json": "json",
        "group": "json_group_array",
        "row": "json_array",
        "end": " AS BLOB)",
    },
    "postgresql": {
        "start": "json_build_object",
        "json": "",
        "group": "json_agg",
        "row": "json_build_array",
        "end": "",
    },
}

_FORMS: Final = {
    "sqlite": {"at": r"\1", "ms": r"\1", "value": "?"},
    "postgresql": {
        "at": r"(timestamp 'epoch' + \1::bigint * interval '1 millisecond')",
        "ms": r"(extract(epoch FROM \1) * 1000)::bigint",
        "value": "$",
    },
}


@lru_cache(maxsize=256)
def say(dialect: str, text: str) -> str:
    """A statement of this package in the dialect's own words."""
    forms = _FORMS[dialect]
    text = re.sub(r"\bat\((\?\d+)\)", forms["at"], text)
    text = re.sub(r"\bms\(([\w.]+)\)", forms["ms"], text)
    return text.replace("?", forms["value"])


def read_moment(milliseconds: object) -> datetime | None:
    """What `ms(column)` told."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if isinstance(milliseconds, int | float) else None


def directory_statement(dialect: str) -> str:
    """All roles with their grants and all API tokens with their scopes as one JSON text."""
    return say(dialect, _DIRECTORY.format_map(_DIRECTORY_WORDS[dialect]))
