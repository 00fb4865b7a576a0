"""Generate docs/settings.md from the table of keys: `python -m octavo.settings.reference > docs/settings.md`."""

import sys
from collections.abc import Iterator
from json import dumps
from typing import Any

from octavo.settings.compat import RULES
from octavo.settings.keys import Key, Table, camel
from octavo.settings.model import TABLES

_HEAD = """\
# Settings

Generated from the code by `make docs`; do not edit.

All files in `config/` and all their keys are optional. Write keys as on this page or in snake_case. You can set any key
with a variable `OCTAVO_<FILE>__<KEY>__<KEY>`, in any case, with underscores instead of dashes:
`OCTAVO_API__REST__MAX_LIMIT=50`. Lists are JSON or separated by commas, tables are JSON. Variables of v4 projects
(column *Variable*) work as well. A variable with the suffix `_FILE` names a file with the value:
`JWT_SECRET_FILE=/run/secrets/jwt`. An empty variable (`PORT=`, `OCTAVO_SERVER__WORKERS=`) is not set, unless the empty
text or list is a value of the key.

Sources, from the lowest to the highest precedence: default, a v4 project's own files
([details](from-strapi-v4.md#settings)), TOML file, v4 variable, `OCTAVO_...` variable. The environment overrides the
project's `.env`. A start fails if a key or value is invalid, and lists all problems. `octavo config check` shows the
values in use.

The mode is `development`, `staging` or `production`, set by `OCTAVO_ENV` or else `NODE_ENV`. `octavo start` defaults to
`production`. Outside development, a missing `JWT_SECRET` or `API_TOKEN_SALT` stops the start.

A folder without `config/*.toml` gets the profile `v4`, and the database `.tmp/data.db` if that exists and no database
is set. Settings of a database (`DATABASE_HOST`, ...) without its kind (`DATABASE_CLIENT`) stop the start.
"""

_SECRETS = """\
Set secrets in the environment or the project's `.env`, never in a shared file. The secret of users'
tokens is `JWT_SECRET` (`plugins.users-permissions.config.jwtSecret`). See [secrets](secrets.md) for rotation.
"""


def render_reference() -> str:
    """Return the complete page."""
    return "\n".join((_HEAD, *(line for table in TABLES.values() for line in _render_file(table)), *_render_rules()))


def _render_file(table: Table) -> Iterator[str]:
    is_secret = table.name == "secrets"
    yield "## Secrets\n" if is_secret else f"## config/{table.name}.toml\n"
    yield _SECRETS if is_secret else f"{table.doc}\n"
    yield from _render_table(table)


def _render_table(table: Table) -> Iterator[str]:
    keys = [member for member in table.members.values() if isinstance(member, Key)]
    keys += [table.others] if table.others else []
    inner = [member for member in table.members.values() if isinstance(member, Table)]
    if keys:
        yield from _render_keys(table, keys)
    for member in inner:
        yield from _render_table(member)


def _render_keys(table: Table, keys: list[Key]) -> Iterator[str]:
    if len(table.path) > 1:
        yield f"### [{'.'.join(table.path[1:])}]\n"
        if table.doc:
            yield f"{table.doc}\n"
    yield "| Key | Default | Takes | What it does | Variable |"
    yield "|---|---|---|---|---|"
    for key in keys:
        variable = f"`{key.row.variable}`" if key.row.variable else ""
        takes = key.kind.expected.replace("|", "\\|")
        yield f"| `{key.name}` | {_default(key)} | {takes} | {key.row.doc} | {variable} |"
    yield ""


def _default(key: Key) -> str:
    if key.row.default_doc is not None:
        text = key.row.default_doc
        return text if " " in text and not text[0].isdigit() else f"`{text}`"
    return f"`{_text(key.default)}`" if key.default not in (None, (), {}, "") else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def _render_rules() -> Iterator[str]:
    yield "## Compatibility rules\n"
    yield "`profile` in `[compat]` chooses the values of the rules below; each can be set alone.\n"
    yield "| Rule | `v4` | `safe` |"
    yield "|---|---|---|"
    for name, rule in RULES.items():
        before = "".join(f", before {'.'.join(map(str, end))} `{value}`" for end, value in rule.before.items())
        yield f"| `{camel(name)}` | `{rule.v4}`{before} | `{rule.safe}` |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(render_reference())
