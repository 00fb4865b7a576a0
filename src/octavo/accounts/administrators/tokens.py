"""Manage API tokens and transfer tokens. A token's secret is only returned when it is created or regenerated.

Administrators cannot create tokens with permissions beyond their own. Raises ValidationError, ApplicationError,
NotFoundError and ForbiddenError with Strapi's messages.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from octavo.access.authentication.api_token_rows import API, TRANSFER, Token, TokenRows, TokenTable
from octavo.access.authentication.credentials import hash_api_token
from octavo.access.authorization.actions import list_actions
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.escalation import check_actions_within
from octavo.core.errors import ApplicationError, ForbiddenError, NotFoundError, ValidationError
from octavo.core.forms import REQUIRED, Items, Number, Record, Shape, Text, at_least, at_most, check
from octavo.core.forms.printing import print_number
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.events.hook_calls import create_row, delete_row, update_row
from octavo.schema.registry import Registry

TOKEN_BYTES: Final = 128
_DAY: Final = 86_400_000
_LIFESPANS: Final = (None, 7 * _DAY, 30 * _DAY, 90 * _DAY)
_NAME: Final = (at_least(1), at_most(255))
_TYPE: Final = ("read-only", "full-access", "custom")
_MOST_TEXT: Final = 65_536

TokenData = Mapping[str, Any]


def _text_of(value: Any) -> Any:
    """Return a name or description as Strapi converts it to text."""
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return print_number(value)
    return value.strip() if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class TokenKind:
    """A kind of token: its table, the salt for hashes, the schema of bodies and the checks.

    `check` gets the requested values, the stored token (None for a new one) and the actor.
    """

    table: TokenTable
    salt: str
    scopes: Shape
    new_scopes: Shape
    unknown: str
    check: Callable[[TokenData, Token | None, Actor], Sequence[str] | None]

    def form(self, *, new: bool) -> Record:
        """Return the schema for request bodies."""
        name, description = Text(*_NAME, *((REQUIRED,) if new else ())), Text(at_most(_MOST_TEXT))
        kinds = {"type": Text(*((REQUIRED,) if new else ()), one_of=_TYPE)} if self.table.typed else {}
        scopes = self.new_scopes if new else self.scopes
        members: dict[str, Shape] = {"name": name, "description": description, **kinds, "permissions": scopes}
        lifespan = {"lifespan": Number(nullable=True, one_of=_LIFESPANS)} if new else {}
        return Record({**members, **lifespan}, closed=not new)


class TokenManagement:
    """Manages the tokens of one kind."""

    def __init__(self, database: Database, feed: ChangeFeed, kind: TokenKind) -> None:
        self._database = database
        self._feed = feed
        self._kind = kind
        self._table = kind.table
        self._rows = TokenRows(kind.table, database.dialect)

    async def all(self) -> list[Token]:
        """Return all tokens, sorted by name."""
        return await self._rows.read_all(self._database)

    async def get(self, given_id: str) -> Token:
        """Return the token with this id, given as text."""
        return self._find(await self.all(), given_id)

    async def create(self, body: Any, actor: Actor) -> tuple[Token, str]:
        """Create a token; return it and its secret."""
        given = self._checked(body, new=True)
        secret = secrets.token_hex(TOKEN_BYTES)
        async with unit_of_work(self._database, self._feed) as unit:
            await self._rows.lock(unit)
            self._check_name(await self._rows.read_all(unit.connection), given["name"])
            scopes = self._kind.check(given, None, actor) or ()
            fields = {"name": given["name"], "description": given.get("description") or ""} | self._typed(given)

            async def write(values: dict[str, Any]) -> int:
                key = hash_api_token(secret, self._kind.salt)
                return await self._rows.insert(unit, values, key, given.get("lifespan"), scopes)

            token_id = await create_row(unit, self._table.uid, fields, write)
            return await self._read(unit, token_id), secret

    async def update(self, given_id: str, body: Any, actor: Actor) -> Token:
        """Update a token and return it."""
        given = self._checked(body, new=False)
        async with unit_of_work(self._database, self._feed) as unit:
            await self._rows.lock(unit)
            known = await self._rows.read_all(unit.connection)
            before = self._find(known, given_id)
            if "name" in given:
                self._check_name([token for token in known if token.id != before.id], given["name"])
            scopes = self._kind.check(given, before, actor)
            fields = {
                "name": given.get("name", before.name),
                "description": given.get("description", before.description),
            } | self._typed({"type": before.type, **given})

            async def write(values: dict[str, Any]) -> None:
                await self._rows.update(unit, before.id, values, scopes)

            await update_row(unit, self._table.uid, before.id, fields, write)
            return await self._read(unit, before.id)

    async def regenerate(self, given_id: str, actor: Actor) -> tuple[Token, str]:
        """Replace a token's secret; the old one stops working."""
        secret = secrets.token_hex(TOKEN_BYTES)
        async with unit_of_work(self._database, self._feed) as unit:
            await self._rows.lock(unit)
            token = self._find(await self._rows.read_all(unit.connection), given_id)
            self._kind.check({}, token, actor)

            async def write(_: object) -> None:
                await self._rows.set_key(unit, token.id, hash_api_token(secret, self._kind.salt))

            await update_row(unit, self._table.uid, token.id, {}, write)
            return token, secret

    async def delete(self, given_id: str) -> Token | None:
        """Delete a token and return it; None if it does not exist."""
        async with unit_of_work(self._database, self._feed) as unit:
            await self._rows.lock(unit)
            try:
                token = self._find(await self._rows.read_all(unit.connection), given_id)
            except NotFoundError:
                return None

            async def remove() -> None:
                await self._rows.delete(unit, token.id)

            await delete_row(unit, self._table.uid, token.id, {"name": token.name}, remove)
            return token

    def _checked(self, body: Any, *, new: bool) -> dict[str, Any]:
        """Return the validated body."""
        given = dict(body) if isinstance(body, Mapping) else {}
        for name in ("name", "description"):
            if name in given or new:
                given[name] = _text_of(given.get(name))
        form = self._kind.form(new=new)
        check(form, given)
        return {name: value for name, value in given.items() if name in form.members}

    def _check_name(self, others: Collection[Token], name: str) -> None:
        if any(token.name == name for token in others):
            raise ApplicationError("Name already taken")

    def _find(self, known: Sequence[Token], given_id: str) -> Token:
        for token in known:
            if str(token.id) == given_id:
                return token
        raise NotFoundError(self._kind.unknown)

    def _typed(self, given: TokenData) -> dict[str, Any]:
        return {"type": given["type"]} if self._table.typed else {}

    async def _read(self, unit: UnitOfWork, token_id: int) -> Token:
        return self._find(await self._rows.read_all(unit.connection), str(token_id))


_CUSTOM: Final = "custom"
_TRANSFER_SCOPES: Final = Text(one_of=("push", "pull"))


def api_tokens(registry: Registry, salt: str, own_actions: Collection[str] = ()) -> TokenKind:
    """Return the kind for API tokens. `own_actions` are those of the project's code."""
    known = frozenset(list_actions(registry, own_actions))

    def check(given: TokenData, before: Token | None, actor: Actor) -> Sequence[str] | None:
        kind = given.get("type") or (before.type if before else None)
        wanted, was_custom = given.get("permissions"), before is not None and before.type == _CUSTOM
        if kind != _CUSTOM and wanted:
            raise ValidationError("Non-custom tokens should not reference permissions")
        if kind == _CUSTOM and wanted is None and not was_custom:
            raise ValidationError("Missing permissions attribute for custom token")
        unknown = [action for action in wanted or () if action not in known]
        if unknown:
            raise ValidationError(f"Unknown permissions provided: {', '.join(unknown)}")
        kept = before.actions if before is not None else ()
        all_known = [action for action in known if kind == "full-access" or action.endswith((".find", ".findOne"))]
        check_actions_within(actor, (kept if wanted is None else wanted) if kind == _CUSTOM else all_known)
        return (wanted or ()) if kind != _CUSTOM or wanted is not None else None

    scopes = Items(Text(), nullable=True)
    return TokenKind(API, salt, scopes, scopes, "API Token not found", check)


def transfer_tokens(salt: str) -> TokenKind:
    """Return the kind for transfer tokens, which allow reading and replacing all data."""

    def check(given: TokenData, before: Token | None, actor: Actor) -> Sequence[str] | None:
        if not actor.ability.everything:
            raise ForbiddenError
        wanted: Sequence[str] | None = given.get("permissions")
        return wanted

    changed = Items(_TRANSFER_SCOPES, at_least(1), nullable=True)
    new = Items(_TRANSFER_SCOPES, at_least(1), REQUIRED)
    return TokenKind(TRANSFER, salt, changed, new, "Transfer token not found", check)
