"""A started bookshop with the code in `hooks_code`, and helpers to send requests."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from octavo.operations.runtime.process import build
from octavo.sdk.app import App
from octavo.settings import load_settings
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import DEFINITIONS, FULL_TOKEN, SECRETS
from tests.models.site import COUNTED, Site
from tests.models.templates import Copy

CODE = Path(__file__).parent / "hooks_code"


@asynccontextmanager
async def open_hooked_site(folder: Path, copy: Copy) -> AsyncIterator[Site]:
    shutil.copytree(DEFINITIONS / "src", folder / "src")
    shutil.copytree(CODE, folder / "src", dirs_exist_ok=True)
    copy.place(folder / ".tmp/data.db")
    settings = load_settings(folder, {**SECRETS, **COUNTED, **copy.variables}, mode="production")
    octavo = build(replace(settings, server=replace(settings.server, hook_timeout=1)))
    await octavo.asgi.start()
    yield Site(octavo)
    await octavo.asgi.stop()


def kept(site: Site, name: str) -> list[Any]:
    """Return a list in `index.py`."""
    register, *_ = site.octavo.site.extending.code.register
    found: list[Any] = register.call.__globals__[name]
    return found


def app_of(site: Site) -> App:
    app: App = site.octavo.site.extending.app
    return app


async def send(site: Site, method: str, target: str, body: Any = None, token: str | None = FULL_TOKEN) -> Answer:
    headers = [("Content-Type", "application/json"), *([("Authorization", f"Bearer {token}")] if token else [])]
    return await call(
        site.octavo.asgi,
        method,
        target,
        headers,
        [] if body is None else [json.dumps(body).encode()],
    )


async def query(site: Site, text: str, token: str | None = FULL_TOKEN, **variables: Any) -> Any:
    return (await send(site, "POST", "/graphql", {"query": text, "variables": variables}, token)).json
