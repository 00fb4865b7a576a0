"""The club: a small project with users, served on a new database. Requests stay in the process."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from typing import Any

import bcrypt

from octavo.access.authentication.credentials import hash_api_token
from octavo.database.connection import Database
from octavo.operations.runtime.process import Process, build
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.settings import load_settings
from tests.api.http.asgi import Answer, receiver, scope_of
from tests.models.people import write

SECRETS = {
    "JWT_SECRET": "club-jwt-secret-of-more-than-32-bytes",
    "API_TOKEN_SALT": "club-salt",
    "ADMIN_JWT_SECRET": "club-admin-jwt-secret-of-more-than-32-bytes",
    "APP_KEYS": "a,b",
}
FULL, SOME = "full-token", "some-token"
PASSWORD = "correct horse"
NEVER = {
    "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__ENABLED": "false",
    "OCTAVO_ADMIN__RATE_LIMIT__ENABLED": "false",
}
STILL = {"OCTAVO_SERVER__BACKGROUND": "false"}
"""With `polls=False`, only requests use the database, so tests can count its statements."""
SAFE = {"OCTAVO_API__COMPAT__PROFILE": "safe"}
ALLOW = {
    "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__REGISTER__ALLOWED_FIELDS": "nickname,pin,friend,role,confirmed,blocked"
}
_USER = "plugin::users-permissions.user"


@cache
def hashed(password: str = PASSWORD) -> str:
    """Return a hash in v4's format, at low cost."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(4, prefix=b"2a")).decode()


@dataclass(frozen=True)
class Club:
    """A started service in development mode."""

    octavo: Process
    folder: Path

    @property
    def database(self) -> Database:
        return self.octavo.database

    async def ask(
        self,
        method: str,
        target: str,
        body: Any = None,
        token: str | None = None,
        client: str = "192.0.2.1",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Answer:
        """Return the response to a request with a JSON body."""
        sent: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            sent.append(message)

        given = [*headers, ("Content-Type", "application/json")]  # the first one counts
        if token:
            given.append(("Authorization", f"Bearer {token}"))
        chunks = () if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode(),)
        await self.octavo.asgi(scope_of(method, target, given, client), receiver(chunks), send)
        start, *pieces = sent
        named = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return Answer(start["status"], named, b"".join(piece.get("body", b"") for piece in pieces))

    async def post(self, path: str, body: Any, token: str | None = None, client: str = "192.0.2.1") -> Answer:
        return await self.ask("POST", f"/api/{path}", body, token, client)

    async def log_in(self, identifier: str = "ann", password: str = PASSWORD) -> Answer:
        return await self.post("auth/local", {"identifier": identifier, "password": password})

    async def token_of(self, identifier: str = "ann", password: str = PASSWORD) -> str:
        answer = await self.log_in(identifier, password)
        assert answer.status == 200, answer.body
        return str(answer.json["jwt"])

    async def store(self, key: str, value: Mapping[str, Any]) -> None:
        """Store a setting as v4's administrators do."""
        text = "INSERT INTO strapi_core_store_settings (key, value, type) VALUES ({v1}, {v2}, 'object')"
        await write(self.database, text, f"plugin_users-permissions_{key}", json.dumps(value))

    async def grant(self, role_type: str, *actions: str) -> None:
        """Grant a role more permissions directly in the database, without clearing caches."""
        for action in actions:
            await write(self.database, "INSERT INTO up_permissions (action) VALUES ({v1})", action)
            text = """INSERT INTO up_permissions_role_links (permission_id, role_id)
                SELECT max(p.id), (SELECT id FROM up_roles WHERE type = {v1}) FROM up_permissions p"""
            await write(self.database, text, role_type)

    async def column(self, name: str, username: str = "ann") -> Any:
        text = f"SELECT {name} FROM up_users WHERE username = '{username}'"
        return await self.database.fetch_value(text)

    async def mails(self, count: int = 1) -> list[EmailMessage]:
        """Return the messages, oldest first, once that many have been sent."""
        for _ in range(3000):
            files = sorted((self.folder / ".octavo/mail").glob("*.eml"))
            if len(files) >= count:
                break
            await asyncio.sleep(0.01)
        return [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]


@asynccontextmanager
async def open_club(folder: Path, variables: Mapping[str, str], *, filled: bool = False) -> AsyncIterator[Club]:
    """Open a club with the users ann (1), mallory (2, blocked) and carol (3, unconfirmed address).

    `filled`: its database already contains them.
    """
    _write_definitions(folder)
    (folder / ".octavo").mkdir(exist_ok=True)
    octavo = build(load_settings(folder, {**SECRETS, **STILL, **variables}, mode="development"), polls=False)
    await octavo.asgi.start()
    try:
        if not filled:
            await _write_people(octavo.database)
        yield Club(octavo, folder)
    finally:
        await octavo.asgi.stop()


def _write_definitions(folder: Path) -> None:
    path = folder / "src/extensions/users-permissions/content-types/user/schema.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    user = BUILTIN_TYPES[_USER]
    more = {
        "nickname": {"type": "string"},
        "pin": {"type": "string", "private": True},
        "friend": {"type": "relation", "relation": "oneToOne", "target": _USER},
    }
    path.write_text(json.dumps({**user, "kind": "collectionType", "attributes": {**user["attributes"], **more}}))


async def _write_people(database: Database) -> None:
    people = (("ann", True, False), ("mallory", True, True), ("carol", False, False))
    for user_id, (name, confirmed, blocked) in enumerate(people, 1):
        text = """INSERT INTO up_users (username, email, provider, password, confirmed, blocked)
            VALUES ({v1}, {v2}, 'local', {v3}, {v4}, {v5})"""
        await write(database, text, name, f"{name}@example.org", hashed(), confirmed, blocked)
        text = """INSERT INTO up_users_role_links (user_id, role_id)
            SELECT {v1}, id FROM up_roles WHERE type = 'authenticated'"""
        await write(database, text, user_id)
    for token_id, (name, kind) in enumerate(((FULL, "full-access"), (SOME, "custom")), 1):
        text = "INSERT INTO strapi_api_tokens (name, type, access_key) VALUES ({v1}, {v2}, {v3})"
        await write(database, text, name, kind, hash_api_token(name, SECRETS["API_TOKEN_SALT"]))
        if kind == "custom":
            for scope_id, action in enumerate(("create", "update"), 1):
                text = "INSERT INTO strapi_api_token_permissions (action) VALUES ({v1})"
                await write(database, text, f"{_USER}.{action}")
                text = """INSERT INTO strapi_api_token_permissions_token_links
                    (api_token_permission_id, api_token_id) VALUES ({v1}, {v2})"""
                await write(database, text, scope_id, token_id)


def error(status: int, name: str, message: str, **details: Any) -> dict[str, Any]:
    """Return the whole body of an error response."""
    return {"data": None, "error": {"status": status, "name": name, "message": message, "details": details}}


def problems(*listed: tuple[str, str]) -> dict[str, Any]:
    """Return the whole body of a validation error."""
    found = [{"path": [path], "message": message, "name": "ValidationError"} for path, message in listed]
    message = listed[0][1] if len(listed) == 1 else f"{len(listed)} errors occurred"
    return error(400, "ValidationError", message, errors=found)
