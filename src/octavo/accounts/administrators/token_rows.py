"""SQL for API tokens and transfer tokens, which v4 stores alike: a token, its permissions, and links between them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from octavo.core.clock import read_moment
from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.system_table_statement import OwnStatement
from octavo.schema.content_types import API_TOKEN, TRANSFER_TOKEN


@dataclass(frozen=True, slots=True)
class Scope:
    """A permission of a token."""

    id: int
    action: str
    created_at: datetime | None
    updated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A stored token without its secret. `type` is that of an API token; `lifespan` is in milliseconds."""

    id: int
    name: str
    description: str
    type: str | None
    lifespan: int | None
    last_used_at: datetime | None
    expires_at: datetime | None
    created_at: datetime | None
    updated_at: datetime | None
    scopes: tuple[Scope, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that the token allows."""
        return tuple(scope.action for scope in self.scopes)


class TokenTable:
    """The statements for tokens of one kind."""

    def __init__(self, uid: str, tokens: str, scopes: str, column: str, *, typed: bool) -> None:
        links = f"{scopes}_token_links"
        scope = f"{column}_permission"
        kind, kind_value = ("type, ", "{type}, ") if typed else ("", "")
        self.uid = uid
        self.typed = typed
        self._list = OwnStatement(
            f"SELECT id, name, description, {kind or 'NULL, '}lifespan, {{last_used_at:milliseconds}},"  # noqa: S608 - names only
            " {expires_at:milliseconds}, {created_at:milliseconds}, {updated_at:milliseconds}"
            f" FROM {tokens} ORDER BY name, id"
        )
        self._scopes = OwnStatement(
            f"SELECT l.{column}_id, p.id, p.action, {{p.created_at:milliseconds}}, {{p.updated_at:milliseconds}}"  # noqa: S608
            f" FROM {links} l JOIN {scopes} p ON p.id = l.{scope}_id ORDER BY l.{scope}_order, l.id"
        )
        self.insert = OwnStatement(
            f"INSERT INTO {tokens} (name, description, {kind}access_key, lifespan, expires_at, created_at, updated_at)"  # noqa: S608
            f" VALUES ({{name}}, {{description}}, {kind_value}{{key}}, {{lifespan}}, {{expires_at:instant}},"
            " {now:instant}, {now:instant}) {id:returning}"
        )
        self.update = OwnStatement(
            f"UPDATE {tokens} SET name = {{name}}, description = {{description}},"  # noqa: S608
            f" {'type = {type}, ' if typed else ''}updated_at = {{now:instant}} WHERE id = {{id}}"
        )
        self.set_key = OwnStatement(f"UPDATE {tokens} SET access_key = {{key}} WHERE id = {{id}}")  # noqa: S608
        self.insert_scope = OwnStatement(
            f"INSERT INTO {scopes} (action, created_at, updated_at)"  # noqa: S608
            " VALUES ({action}, {now:instant}, {now:instant}) {id:returning}"
        )
        self.insert_link = OwnStatement(
            f"INSERT INTO {links} ({scope}_id, {column}_id, {scope}_order) VALUES ({{scope}}, {{id}}, {{place}})"  # noqa: S608
        )
        self.delete_scopes = (
            OwnStatement(
                f"DELETE FROM {scopes} WHERE id IN"  # noqa: S608
                f" (SELECT {scope}_id FROM {links} WHERE {column}_id = {{id}})"
            ),
            OwnStatement(f"DELETE FROM {links} WHERE {column}_id = {{id}}"),  # noqa: S608
        )
        self.delete = OwnStatement(f"DELETE FROM {tokens} WHERE id = {{id}}")  # noqa: S608

    async def read_all(self, connection: Connection, dialect: Dialect) -> list[Token]:
        """Return all tokens, sorted by name."""
        scopes: dict[int, list[Scope]] = {}
        for token_id, scope_id, action, *moments in await connection.fetch_all(*self._scopes.bind(dialect)):
            scopes.setdefault(token_id, []).append(Scope(scope_id, action, *map(read_moment, moments)))
        rows = await connection.fetch_all(*self._list.bind(dialect))
        return [_token(row, tuple(scopes.get(row[0], ()))) for row in rows]


def _token(row: Sequence[Any], scopes: tuple[Scope, ...]) -> Token:
    token_id, name, description, kind, lifespan, *moments = row
    used, expires, created, updated = map(read_moment, moments)
    return Token(
        id=token_id,
        name=name or "",
        description=description or "",
        type=kind,
        lifespan=None if lifespan is None else int(lifespan),
        last_used_at=used,
        expires_at=expires,
        created_at=created,
        updated_at=updated,
        scopes=scopes,
    )


API: Final = TokenTable(API_TOKEN, "strapi_api_tokens", "strapi_api_token_permissions", "api_token", typed=True)
TRANSFER: Final = TokenTable(
    TRANSFER_TOKEN, "strapi_transfer_tokens", "strapi_transfer_token_permissions", "transfer_token", typed=False
)
