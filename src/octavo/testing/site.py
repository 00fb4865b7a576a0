"""`Site`: a project's whole service in a test, and the operations that tests need."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import field, replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import bcrypt

from octavo.access.authentication.api_tokens import create_token
from octavo.access.authorization.actions import actions_of
from octavo.access.authorization.role_grants import grant, list_grants, revoke
from octavo.core import clock
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.events.claims import End
from octavo.events.outbox_worker import OutboxWorker
from octavo.operations.runtime.process import Process, build
from octavo.project import Entry
from octavo.schema.content_types import ROLE, USER
from octavo.schema.registry import Registry
from octavo.sdk.app import App
from octavo.settings import Settings, load_settings
from octavo.settings.files.database import Database as DatabaseSettings
from octavo.settings.files.plugin_email import EmailConfig
from octavo.settings.files.plugin_upload import UploadConfig
from octavo.testing.client import Answer, Client, GraphqlFailed
from octavo.testing.databases import Origin, origin_of
from octavo.testing.entries import CannotMake, Filler
from octavo.testing.mails import Mail, read_mails

DATABASE: Final = "data.db"
_SHOWN: Final = (
    "src",
    "config",
    "database",
    "types",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
)
_SECRETS: Final = {
    "APP_KEYS": "a-key-of-tests,another-key-of-tests",
    "API_TOKEN_SALT": "a salt of tests, long enough",
    "ADMIN_JWT_SECRET": "a secret of tests for administrators",
    "TRANSFER_TOKEN_SALT": "another salt of tests, long enough",
    "JWT_SECRET": "a secret of tests for users, long enough",
}


def show_project(project: Path, folder: Path) -> Path:
    """Link a project's files into a folder and return the resolved folder.

    Links make tracebacks and coverage show the project's own files. Where links are not supported, files are copied.
    """
    folder = folder.resolve()
    for name in _SHOWN:
        if (project / name).exists():
            try:
                (folder / name).symlink_to((project / name).resolve())
            except OSError:
                _copy(project / name, folder / name)
    (folder / "public/uploads").mkdir(parents=True)
    return folder


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def settings_for(folder: Path, variables: Mapping[str, str], database: DatabaseSettings) -> Settings:
    """Return the project's settings without those that affect anything outside the folder. Raises SettingsError."""
    loaded = load_settings(folder, {**_SECRETS, **variables}, mode="development")
    plugins = loaded.plugins
    upload = replace(plugins.upload.config, provider="local", provider_options=UploadConfig().provider_options)
    email = replace(plugins.email.config, provider=None, provider_options=EmailConfig().provider_options)
    accounts = plugins.users_permissions.config
    limits = replace(accounts.ratelimit, store="database", url=None)
    return replace(
        loaded,
        database=replace(
            database,
            run_migrations=loaded.database.run_migrations,
            statement_timeout=loaded.database.statement_timeout,
        ),
        server=replace(loaded.server, background=False, follow_definitions=False),
        plugins=replace(
            plugins,
            upload=replace(plugins.upload, config=upload),
            email=replace(plugins.email, config=email),
            users_permissions=replace(plugins.users_permissions, config=replace(accounts, ratelimit=limits)),
        ),
    )


ResultT = TypeVar("ResultT")

_MAILS: Final = ".octavo/mail"
_UPLOADS: Final = "public/uploads"
_PASSWORD: Final = "Correct-Horse-7"
_COST: Final = 4


class NotDelivered(AssertionError):
    """A hook, job or webhook failed during `deliver`. The message has its name and the error."""


@dataclass(frozen=True, slots=True)
class User:
    """A user account."""

    id: int
    username: str
    email: str
    password: str = field(repr=False)
    jwt: str = field(repr=False)


class Site:
    """A project that runs in the test process."""

    def __init__(self, process: Process, origin: Origin, folder: Path) -> None:
        self._process = process
        self._origin = origin
        self._folder = folder
        self._client = Client(process.asgi)
        self.runner: asyncio.Runner | None = None
        """Runs the site's event loop for tests that are not asynchronous."""
        self._begin()

    def run(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Run a coroutine from a fixture or a test that is not async. Only with the fixture `site`."""
        assert self.runner is not None, "an event loop is already running; await the call instead"
        return self.runner.run(work)

    def _begin(self) -> None:
        self._numbers = count(1)
        self._filler = Filler(self.registry, self._make_below)

    @property
    def app(self) -> App:
        """The app, as in project code."""
        return cast("App", self._process.site.extending.app)

    @property
    def registry(self) -> Registry:
        """The definitions of all types."""
        return self._process.site.registry

    @property
    def database(self) -> Database:
        """The database. `database.statements` is the number of statements so far."""
        return self._process.database

    @property
    def folder(self) -> Path:
        """The folder with the files and mails of this test."""
        return self._folder

    # Requests

    async def get(self, path: str, **options: Any) -> Answer:
        """Send a `GET` request. The arguments are those of `request`."""
        return await self.request("GET", path, **options)

    async def post(self, path: str, **options: Any) -> Answer:
        """Send a `POST` request. The arguments are those of `request`."""
        return await self.request("POST", path, **options)

    async def put(self, path: str, **options: Any) -> Answer:
        """Send a `PUT` request. The arguments are those of `request`."""
        return await self.request("PUT", path, **options)

    async def patch(self, path: str, **options: Any) -> Answer:
        """Send a `PATCH` request. The arguments are those of `request`."""
        return await self.request("PATCH", path, **options)

    async def delete(self, path: str, **options: Any) -> Answer:
        """Send a `DELETE` request. The arguments are those of `request`."""
        return await self.request("DELETE", path, **options)

    async def request(
        self,
        method: str,
        path: str,
        *,
        as_user: User | None = None,
        token: str | None = None,
        query: Mapping[str, Any] | str | None = None,
        json: Any = None,
        data: Mapping[str, Any] | None = None,
        files: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request and return the response: `status_code`, `json()`, `text`, `headers`.

        `as_user` or `token` authenticates it. `query` is a text or nested values. `json` is a JSON body; `data` and
        `files` are a form.
        """
        answer = await self._client.request(
            method,
            path,
            query=query,
            json=json,
            data=data,
            files=files,
            content=content,
            headers=headers,
            token=as_user.jwt if as_user else token,
        )
        await self._process.site.services.accounts.drain()  # mails are sent after the response
        return answer

    async def graphql(
        self,
        query: str,
        variables: Mapping[str, Any] | None = None,
        *,
        as_user: User | None = None,
        token: str | None = None,
    ) -> Any:
        """Send a GraphQL operation and return its `data`. Raises GraphqlFailed if the response has errors."""
        endpoint = self._process.settings.plugins.graphql.config.endpoint
        body = {"query": query, "variables": dict(variables or {})}
        answer = (await self.post(endpoint, json=body, as_user=as_user, token=token)).json()
        if answer.get("errors"):
            raise GraphqlFailed(answer["errors"])
        return answer["data"]

    # Test data

    async def make(self, uid: str, /, **values: Any) -> Entry:
        """Create an entry, published, and return it. Missing required values are generated.

        Values can be entries instead of ids. `publishedAt=None` creates a draft. Raises CannotMake for unknown names,
        and ValidationError for invalid values.
        """
        return await self._make(uid, values, 0)

    async def _make(self, uid: str, values: Mapping[str, Any], level: int) -> Entry:
        entries = self.app.entries(uid)
        data = await self._filler.fill(self.registry.content_types[uid], values, level)
        return await entries.create(data)

    async def _make_below(self, uid: str, level: int) -> int:
        return (await self._make(uid, {}, level)).id

    async def allow(self, role: str, *actions: str) -> None:
        """Grant actions to a role (`public`, `authenticated` or a custom role).

        Actions are names or patterns: `api::talk.talk.find`, `api::talk.talk.*`. Raises ApplicationError for unknown
        actions.
        """
        shared = self._process.infrastructure
        await grant(self.database, role, self._actions(actions), shared.feed)

    async def forbid(self, role: str, *actions: str) -> None:
        """Remove actions from a role, by name or pattern."""
        shared = self._process.infrastructure
        await revoke(self.database, role, self._actions(actions), shared.feed)

    def _actions(self, patterns: tuple[str, ...]) -> tuple[str, ...]:
        return actions_of(patterns, self.registry, self._process.site.services.controller.own_actions)

    async def role(self, name: str, *actions: str) -> None:
        """Create a user role with these actions."""
        await self.app.entries(ROLE).create({"name": name, "type": name, "description": name})
        await self.allow(name, *actions)

    async def user(self, username: str | None = None, *, role: str = "authenticated", **values: Any) -> User:
        """Create a confirmed user with this role and return it. Raises CannotMake for an unknown role."""
        number = next(self._numbers)
        roles = {found.type: found.id for found in await list_grants(self.database)}
        if role not in roles:
            raise CannotMake(f"unknown role {role!r}; the roles are {', '.join(roles)}")
        name = username or f"user{number}"
        known = {
            "username": name,
            "email": f"{name}@example.org",
            "password": f"Password-{number}",
            "provider": "local",
        }
        data = {**known, "confirmed": True, "blocked": False, "role": roles[role], **values}
        made = await self.make(USER, **data)
        jwt = await self._process.site.services.accounts.token_for(made.id)
        return User(made.id, data["username"], data["email"], data["password"], jwt or "")

    async def token(self, kind: str = "full-access", *actions: str) -> str:
        """Create an API token and return it: `full-access`, `read-only`, or `custom` with the given actions."""
        shared = self._process.infrastructure
        salt = cast("str", shared.settings.secrets.api_token_salt)
        known = actions_of(actions, self.registry)
        return await create_token(self.database, salt, f"token {next(self._numbers)}", kind, known, feed=shared.feed)

    # Time and background work

    def move_clock(self, later: timedelta | float) -> None:
        """Move the clock forward until the end of the test, in seconds or as a `timedelta`."""
        clock.move(later.total_seconds() if isinstance(later, timedelta) else later)
        self._process.infrastructure.forget()

    async def deliver(self, *, failures: bool = False) -> int:
        """Run all due work: hooks after the commit, jobs and webhooks, and the work that these cause. Return the
        number.

        Raises NotDelivered if something fails. With `failures`, failed work is retried when it is due again.
        """
        worker = OutboxWorker(self.database, self._process.infrastructure.outbox, self._process.site.topics)
        outcomes = await worker.drain()
        failed = [
            f"{one.message.topic} {one.message.id}: {one.error}" for one in outcomes if one.end is not End.DELIVERED
        ]
        if failed and not failures:
            raise NotDelivered("\n".join(failed))
        return len(outcomes)

    async def run_task(self, name: str) -> None:
        """Run a scheduled task now. Raises NotDelivered if it fails, and KeyError for an unknown name."""
        await self.app.jobs.run_task(name)
        await self.deliver()

    @property
    def mails(self) -> list[Mail]:
        """The mails of this test, in order."""
        return read_mails(self._folder / _MAILS)

    # Between tests

    async def reset(self) -> None:
        """Restore the initial data, files, mails and time. The fixture `site` does this before each test."""
        clock.move(0)
        await self._process.infrastructure.authenticator.drain()
        await self._origin.restore()
        self._process.infrastructure.forget()
        shutil.rmtree(self._folder / _MAILS, ignore_errors=True)
        shutil.rmtree(self._folder / _UPLOADS, ignore_errors=True)
        (self._folder / _UPLOADS).mkdir()
        self._begin()

    async def close(self) -> None:
        """Stop the service."""
        clock.move(0)
        await self._client.close()
        await self._process.asgi.stop()


def _quick_hash(password: str) -> str:
    """Return a valid password hash with the lowest bcrypt cost."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(_COST, prefix=b"2a")).decode()


@asynccontextmanager
async def open_site(
    project: Path | str, *, database: str | None = None, variables: Mapping[str, str] | None = None
) -> AsyncIterator[Site]:
    """Return an async context manager that runs a project in this process.

    `database` is a PostgreSQL URL, in which a separate schema is used. The default is SQLite in a temporary folder.
    `variables` are settings, named as in `.env`, which is not read. Raises SettingsError, InvalidDefinitions,
    InvalidCode and StartFailed.
    """
    with tempfile.TemporaryDirectory(prefix="octavo-test-") as made:
        folder = show_project(Path(project), Path(made))
        origin = origin_of(database, folder)
        await origin.open()
        try:
            process = build(settings_for(folder, variables or {}, origin.settings))
            await process.asgi.start()
            await origin.remember()
            site = Site(process, origin, folder)
            try:
                yield site
            finally:
                await site.close()
        finally:
            await origin.close()
