"""Webhook bodies under profile `v4` equal v4's: for every API, on each database."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from octavo.access.authentication.api_tokens import create_token
from octavo.events.webhooks.webhook import EVENTS
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.api.http.asgi import receiver, scope_of
from tests.cli.projects import SECRETS, database_variables
from tests.http_services import Answer, Asked, serving
from tests.postgresql_server import PostgresqlServer
from tests.webhook_bodies.cases import STEPS, Step, files
from tests.webhook_bodies.collected import run

pytestmark = pytest.mark.anyio

_ADMIN = {"firstname": "A", "lastname": "B", "email": "admin@example.org", "password": "Secret123"}
_NAMES = [name.partition(" =")[0] for name, *_ in STEPS]
Bodies = Mapping[str, Any]


class _Service:
    """A service in this process that a thread sends requests to."""

    def __init__(self, octavo: Process, received: list[Any]) -> None:
        self._octavo = octavo
        self._received = received
        self._loop = asyncio.get_running_loop()

    def send(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        asking = self.ask(method, path, body, headers)
        return asyncio.run_coroutine_threadsafe(asking, self._loop).result()

    async def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        sent: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = scope_of(method, path, tuple(headers.items()))
        await self._octavo.asgi(scope, receiver((body,) if body else ()), send)
        start, *pieces = sent
        answer = b"".join(piece.get("body", b"") for piece in pieces)
        return start["status"], json.loads(answer) if answer.startswith((b"{", b"[")) else answer.decode()

    async def json(self, path: str, body: Any, token: str | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        headers |= {} if token is None else {"Authorization": f"Bearer {token}"}
        status, answer = await self.ask("POST", path, json.dumps(body).encode(), headers)
        assert status < 300, (path, status, answer)
        return answer

    def collect(self) -> list[Any]:
        asyncio.run_coroutine_threadsafe(self._settled(), self._loop).result()
        found = self._received[:]
        self._received.clear()
        return found

    async def _settled(self) -> None:
        async with asyncio.timeout(120):
            while await self._octavo.database.fetch_value("SELECT count(*) FROM octavo_outbox"):  # noqa: ASYNC110
                await asyncio.sleep(0.005)


async def _collect_bodies(folder: Path, variables: Mapping[str, str], steps: Sequence[Step] = STEPS) -> Bodies:
    for path, raw in files().items():
        target = folder / "src" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(raw))
    (folder / "public/uploads").mkdir(parents=True)
    (folder / ".env").write_text(SECRETS)
    received: list[Any] = []

    def answer(asked: Asked) -> Answer:
        received.append(json.loads(asked.body))
        return Answer()

    with serving(answer) as url:
        host = url.removeprefix("http://")
        given = {**variables, "OCTAVO_SERVER__WEBHOOKS__PRIVATE_HOSTS": host}
        octavo = build(load_settings(folder, given, mode="production"))
        await octavo.asgi.start()
        try:
            service = _Service(octavo, received)
            token = (await service.json("/admin/register-admin", _ADMIN))["data"]["token"]
            await service.json("/i18n/locales", {"code": "de", "name": "German (de)", "isDefault": False}, token)
            await octavo.infrastructure.webhooks.create(name="all", url=url, events=EVENTS)
            api_token = await create_token(octavo.database, "salt", "all", "full-access")
            return await asyncio.to_thread(run, service.send, token, service.collect, api_token, steps)
        finally:
            await octavo.asgi.stop()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    return database_variables(server.create_database())


@pytest.fixture(scope="module")
async def bodies(anyio_backend: str, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Bodies:
    return await _collect_bodies(tmp_path_factory.mktemp("bodies"), variables)


def _recorded(name: str) -> Bodies:
    found: Bodies = json.loads(Path(__file__).with_name(f"{name}.json").read_text())
    return found


_REFERENCE: Final = _recorded("reference")
_WITH_RELATIONS: Final = _recorded("reference-relations")

_MORE: Final[Mapping[str, Sequence[str]]] = {
    "library bulk move": ["entry.update", "entry.update", "media.update", "media.update"],
    "rest publish": ["entry.publish"],
    "rest unpublish": ["entry.unpublish"],
    "manager bulk publish": ["entry.update", "entry.update"],
    "manager bulk unpublish": ["entry.update", "entry.update"],
    "rest user delete": ["entry.delete"],
    "library bulk delete of a folder": ["entry.delete", "entry.delete"],
}
"""Changes with messages of Octavo but not of v4 (docs/webhooks.md)."""
_FEWER: Final[Mapping[str, int]] = {"manager localize": 1}
"""Messages that only v4 sends: about siblings that it writes again without a change."""
_CLONES: Final = {"manager clone", "manager bulk publish", "manager bulk unpublish"}


def _known_difference(name: str, message: Any) -> Any:
    """Return a message of v4 with Octavo's intentional differences.

    Octavo shows siblings as at the end of the transaction, and a clone joins no group of localizations.
    """
    entry = message.get("entry", {})
    if name in ("rest update other locale", "manager update other locale"):
        siblings = [{**one, "views": entry["views"]} for one in entry.get("localizations", ())]
        return message | {"entry": entry | ({"localizations": siblings} if siblings else {})}
    if name in _CLONES and entry["localizations"]:
        return message | {"entry": entry | {"localizations": []}}
    return message


def _check(ours: Any, theirs: Any, name: str) -> None:
    assert ours["status"] == theirs["status"], ours
    expected = sorted(_text(_known_difference(name, one)) for one in theirs["bodies"])
    found = sorted(map(_text, ours["bodies"]))
    more = [one for one in found if one not in expected]
    missing = [one for one in expected if one not in found]
    assert len(missing) == _FEWER.get(name, 0), missing
    assert sorted(json.loads(one)["event"] for one in more) == sorted(_MORE.get(name, ()))


@pytest.mark.parametrize("name", _NAMES)
async def test_bodies_equal_those_of_v4(bodies: Bodies, name: str) -> None:
    _check(bodies[name], _REFERENCE[name], name)


async def test_related_entries_are_shown_where_the_settings_say_so(tmp_path: Path) -> None:
    reported = await _collect_bodies(tmp_path, {"OCTAVO_SERVER__WEBHOOKS__POPULATE_RELATIONS": "true"})
    for name in _NAMES:
        _check(reported[name], _WITH_RELATIONS[name], name)


async def test_under_safe_only_the_webhook_determines_the_body(tmp_path: Path) -> None:
    steps = [one for one in STEPS if one[0].partition(" =")[0] in _FEW]
    reported = await _collect_bodies(tmp_path, {"OCTAVO_API__COMPAT__WEBHOOK_BODIES": "webhook"}, steps)
    rest, manager = (reported[name]["bodies"][-1]["entry"] for name in _FEW[-2:])
    assert rest.keys() == manager.keys() == _REFERENCE["rest create"]["bodies"][0]["entry"].keys()


_FEW: Final = (
    "library upload",
    "api upload",
    "rest author",
    "rest author 2",
    "rest category",
    "rest category 2",
    "rest create populated",
    "manager create",
)


def _text(message: Any) -> str:
    return json.dumps(message, sort_keys=True)
