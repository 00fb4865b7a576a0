"""The bookshop with project code: files by their path below `src`."""

import shutil
import textwrap
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from octavo.operations.runtime.process import build
from octavo.settings import load_settings
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import DEFINITIONS, FULL_TOKEN, SECRETS, write_bookshop
from tests.models.site import Site


@dataclass(frozen=True)
class Shop(Site):
    """A bookshop with code. `ask` sends JSON, with full access if `full` is set."""

    async def ask(self, method: str, target: str, body: Any = None, *, full: bool = False, **named: str) -> Answer:
        headers = [(name.replace("_", "-"), value) for name, value in named.items()]
        headers += [("Content-Type", "application/json")] if body is not None else []
        headers += [("Authorization", f"Bearer {FULL_TOKEN}")] if full else []
        return await call(
            self.octavo.asgi,
            method,
            target,
            headers,
            [orjson.dumps(body)] if body is not None else [],
        )


def write_code(project: Path, files: Mapping[str, str]) -> Path:
    """Write a project with the bookshop's definitions and these files."""
    shutil.copytree(DEFINITIONS / "src", project / "src", dirs_exist_ok=True)
    for name, text in files.items():
        path = project / ("" if name.startswith("config/") else "src") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return project


@asynccontextmanager
async def open_shop(project: Path, files: Mapping[str, str]) -> AsyncIterator[Shop]:
    """Open a bookshop with these files and a new database."""
    write_code(project, files)
    (project / ".tmp").mkdir(exist_ok=True)
    (project / ".tmp/data.db").touch()
    octavo = build(load_settings(project, SECRETS, mode="production"))
    await octavo.database.connect()
    try:
        await write_bookshop(octavo.database, octavo.site.registry)
        await octavo.site.register()
        yield Shop(octavo)
    finally:
        await octavo.database.close()
