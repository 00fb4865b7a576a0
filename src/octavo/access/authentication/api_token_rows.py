"""SQL for API tokens and transfer tokens, which v4 stores alike: a token, its permissions, and links between them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from octavo.core.clock import read_moment, this_moment
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Connection
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
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
        self.list = RawStatement(
            f"SELECT id, name, description, {kind or 'NULL, '}lifespan, {{last_used_at:milliseconds}},"  # noqa: S608 - names only
            " {expires_at:milliseconds}, {created_at:milliseconds}, {updated_at:milliseconds}"
            f" FROM {tokens} ORDER BY name, id"
        )
        self.scopes = RawStatement(
            f"SELECT l.{column}_id, p.id, p.action, {{p.created_at:milliseconds}}, {{p.updated_at:milliseconds}}"  # noqa: S608
            f" FROM {links} l JOIN {scopes} p ON p.id = l.{scope}_id ORDER BY l.{scope}_order, l.id"
        )
        self.insert = RawStatement(
            f"INSERT INTO {tokens} (name, description, {kind}access_key, lifespan, expires_at, created_at, updated_at)"  # noqa: S608
            f" VALUES ({{name}}, {{description}}, {kind_value}{{key}}, {{lifespan}}, {{expires_at:instant}},"
            " {now:instant}, {now:instant}) {id:returning}"
        )
        self.update = RawStatement(
            f"UPDATE {tokens} SET name = {{name}}, description = {{description}},"  # noqa: S608
            f" {'type = {type}, ' if typed else ''}updated_at = {{now:instant}} WHERE id = {{id}}"
        )
        self.set_key = RawStatement(f"UPDATE {tokens} SET access_key = {{key}} WHERE id = {{id}}")  # noqa: S608
        self.insert_scope = RawStatement(
            f"INSERT INTO {scopes} (action, created_at, updated_at)"  # noqa: S608
            " VALUES ({action}, {now:instant}, {now:instant}) {id:returning}"
        )
        self.insert_link = RawStatement(
            f"INSERT INTO {links} ({scope}_id, {column}_id, {scope}_order) VALUES ({{scope}}, {{id}}, {{place}})"  # noqa: S608
        )
        self.delete_scopes = (
            RawStatement(
                f"DELETE FROM {scopes} WHERE id IN"  # noqa: S608
                f" (SELECT {scope}_id FROM {links} WHERE {column}_id = {{id}})"
            ),
            RawStatement(f"DELETE FROM {links} WHERE {column}_id = {{id}}"),  # noqa: S608
        )
        self.delete = RawStatement(f"DELETE FROM {tokens} WHERE id = {{id}}")  # noqa: S608


class TokenRows:
    """Reads and writes the tokens of one kind. Writers hold `lock`, because no index keeps names unique."""

    def __init__(self, table: TokenTable, dialect: Dialect) -> None:
        self._table = table
        self._dialect = dialect

    async def lock(self, unit: UnitOfWork) -> None:
        """Let no other transaction write tokens of this kind until the end of this one."""
        await unit.connection.lock(f"octavo: {self._table.uid}")

    async def insert(
        self, unit: UnitOfWork, values: Mapping[str, Any], key: str, lifespan: int | None, actions: Iterable[str]
    ) -> int:
        """Insert a token; return its id. `key` is the secret's hash, `lifespan` is in milliseconds."""
        now = this_moment()
        expires_at = None if lifespan is None else now + lifespan
        row = {"key": key, "lifespan": lifespan, "expires_at": expires_at, "now": now}
        token_id = int(await unit.connection.fetch_value(*self._table.insert.bind(self._dialect, **values, **row)))
        await self._insert_scopes(unit, token_id, actions)
        unit.record(self._table.uid, token_id, ChangeKind.CREATE)
        return token_id

    async def update(
        self, unit: UnitOfWork, token_id: int, values: Mapping[str, Any], actions: Iterable[str] | None
    ) -> None:
        """Update a token, and replace its actions unless they are None."""
        statement = self._table.update.bind(self._dialect, **values, now=this_moment(), id=token_id)
        await unit.connection.execute(*statement)
        if actions is not None:
            await self._delete_scopes_of(unit, token_id)
            await self._insert_scopes(unit, token_id, actions)
        unit.record(self._table.uid, token_id, ChangeKind.UPDATE)

    async def set_key(self, unit: UnitOfWork, token_id: int, key: str) -> None:
        """Replace the hash of a token's secret."""
        await unit.connection.execute(*self._table.set_key.bind(self._dialect, key=key, id=token_id))
        unit.record(self._table.uid, token_id, ChangeKind.UPDATE)

    async def delete(self, unit: UnitOfWork, token_id: int) -> None:
        """Delete a token and its actions."""
        await self._delete_scopes_of(unit, token_id)
        await unit.connection.execute(*self._table.delete.bind(self._dialect, id=token_id))
        unit.record(self._table.uid, token_id, ChangeKind.DELETE)

    async def _insert_scopes(self, unit: UnitOfWork, token_id: int, actions: Iterable[str]) -> None:
        now = this_moment()
        for place, action in enumerate(dict.fromkeys(actions), 1):
            scope = await unit.connection.fetch_value(
                *self._table.insert_scope.bind(self._dialect, action=action, now=now)
            )
            link = self._table.insert_link.bind(self._dialect, scope=scope, id=token_id, place=float(place))
            await unit.connection.execute(*link)

    async def _delete_scopes_of(self, unit: UnitOfWork, token_id: int) -> None:
        for statement in self._table.delete_scopes:
            await unit.connection.execute(*statement.bind(self._dialect, id=token_id))

    async def read_all(self, connection: Connection) -> list[Token]:
        """Return all tokens, sorted by name."""
        scopes: dict[int, list[Scope]] = {}
        for token_id, scope_id, action, *moments in await connection.fetch_all(*self._table.scopes.bind(self._dialect)):
            scopes.setdefault(token_id, []).append(Scope(scope_id, action, *map(read_moment, moments)))
        rows = await connection.fetch_all(*self._table.list.bind(self._dialect))
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
