"""docs/settings.md, written from the table of keys: `python -m octavo.settings.reference > docs/settings.md`."""

import sys
from collections.abc import Iterator
from json import dumps
from typing import Any

from octavo.settings.compat import RULES
from octavo.settings.keys import Key, Table, camel
from octavo.settings.model import TABLES

_HEAD = """\
# Settings

Made from the code by `make docs`; do not edit.

Every file in `config/` and every key in it is optional. A key may be written as here or in snake_case. Any key can be
set from outside as `OCTAVO_<FILE>__<KEY>__<KEY>`, in any case, dashes as underscores:
`OCTAVO_API__REST__MAX_LIMIT=50`. Lists are JSON or comma separated, tables JSON. The variables of v4 projects
(column *Variable*) work as they are. A variable and `_FILE` names a file that holds the value:
`JWT_SECRET_FILE=/run/secrets/jwt`.

Later wins: default, a v4 project's own files ([which](from-strapi-v4.md#settings)), TOML file, v4 variable,
`OCTAVO_...`; and the environment wins over the project's `.env`. A wrong
key or value stops the start, with everything that is wrong listed. `octavo config check` shows what is in force.

The mode is `development`, `staging` or `production`, by `OCTAVO_ENV` or else `NODE_ENV`; `octavo start` is
`production`. Outside development a missing `JWT_SECRET` or `API_TOKEN_SALT` stops the start.

A folder without `config/*.toml` gets the profile `v4`, and the database `.tmp/data.db` if there is one and nothing else
is said. What points to a database (`DATABASE_HOST`, ...) and does not say of which kind (`DATABASE_CLIENT`) stops the
start.
"""

_SECRETS = """\
Secrets come from the environment or the project's `.env`, never from a file that is shared. The secret of users'
tokens is `JWT_SECRET` (`plugins.users-permissions.config.jwtSecret`). [Secrets](secrets.md) tells how they change.
"""


def render_reference() -> str:
    """The whole page."""
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
