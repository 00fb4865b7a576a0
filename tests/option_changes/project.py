"""A project on one database, whose files change between starts."""

import json
import shutil
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.prepare_database import add_locales
from octavo.operations.runtime.process import Process, build
from octavo.settings import Mode, load_settings
from tests.api.http.asgi import Answer, call
from tests.cli.projects import SECRETS
from tests.option_changes.cases import Raw, Read, read_path, simplify

_ACTIONS = ("find", "findOne", "create", "update", "delete", "createLocalization")


class Project:
    """A folder, and the variables of its database."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self.folder, self.variables = folder, variables
        (folder / "public/uploads").mkdir(parents=True)
        (folder / ".env").write_text(SECRETS, "utf-8")

    def write(self, files: Mapping[str, Raw]) -> None:
        """Replace the definitions."""
        shutil.rmtree(self.folder / "src", ignore_errors=True)
        (self.folder / "src").mkdir()
        for name, raw in files.items():
            target = self.folder / "src" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(raw), "utf-8")

    def write_types(self, *types: Raw) -> None:
        """Replace the definitions by these content types."""
        self.write({schema_path(raw["info"]["singularName"]): raw for raw in types})

    @asynccontextmanager
    async def serve(self, mode: Mode = "development", **more: str) -> AsyncIterator["Served"]:
        """Start the service. The public has full access to the project's entries."""

        def read() -> Any:
            return load_settings(self.folder, {**self.variables, **more}, mode=mode)

        process = build(read(), read)
        try:
            await process.asgi.start()
        except BaseException:
            await process.infrastructure.close()
            raise
        try:
            served = Served(process)
            await served.open()
            yield served
        finally:
            await process.asgi.stop()


def schema_path(name: str) -> str:
    return f"api/{name}/content-types/{name}/schema.json"


class Served:
    """A running service that receives HTTP requests."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.database = process.database

    async def open(self) -> None:
        """Grant the public full access, in two locales."""
        types = [each.uid for each in self.process.site.registry.api_types()]
        await add_locales(self.database, {"de": "German (de)"})
        self.process.infrastructure.forget()
        for uid in types:
            await grant(self.database, "public", [f"{uid}.{action}" for action in _ACTIONS])
        self.process.infrastructure.authenticator.invalidate()

    async def ask(self, method: str, target: str, body: Any = None, token: str | None = None) -> Answer:
        headers = [("Content-Type", "application/json")] if body is not None else []
        headers += [("Authorization", f"Bearer {token}")] if token else []
        pieces = [] if body is None else [json.dumps(body).encode()]
        return await call(self.process.asgi, method, target, headers, pieces)

    async def read(self, raw: Raw, read: Read) -> Any:
        answer = await self.ask("GET", read_path(raw, read))
        return simplify(answer.json) if answer.status == 200 else answer.status

    async def graphql(self, query: str) -> Any:
        return (await self.ask("POST", "/graphql", {"query": query})).json

    async def send(self, raw: Raw, rows: Iterable[Raw], made: list[int]) -> None:
        """Create entries and record their ids."""
        for row in rows:
            made.append(await self._send(raw, dict(row), made))

    async def _send(self, raw: Raw, row: Raw, made: list[int]) -> int:
        info = raw["info"]
        if raw["kind"] == "singleType":
            name, locale = info["singularName"], row.pop("locale", None)
            if locale is None:
                answer = await self.ask("PUT", f"/api/{name}", {"data": row})
            else:
                answer = await self.ask("POST", f"/api/{name}/localizations", {**row, "locale": locale})
        elif "of" in row:
            entry = made[row.pop("of") - 1]
            answer = await self.ask("POST", f"/api/{info['pluralName']}/{entry}/localizations", row)
        else:
            answer = await self.ask("POST", f"/api/{info['pluralName']}", {"data": row})
        assert answer.status == 200, (info, row, answer.body)
        found: int = (answer.json.get("data") or answer.json)["id"]
        return found
