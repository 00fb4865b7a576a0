"""The OpenAPI document of the bookshop, built without a database, and the bookshop served by a separate process."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.api.rest.openapi.document import make_document
from octavo.operations.runtime.options import described_api
from octavo.operations.runtime.process import build
from octavo.settings import load_settings
from tests.cli.processes import Server, serving
from tests.models.bookshop import DEFINITIONS, SECRETS
from tests.models.site import open_bookshop

ALWAYS = {"OCTAVO_PLUGINS__DOCUMENTATION__CONFIG__ALWAYS": "true"}


@pytest.fixture(scope="session")
def document() -> Any:
    """Return the document that `octavo openapi` writes for the bookshop."""
    settings = load_settings(DEFINITIONS, SECRETS)
    site = build(settings).site
    return make_document(described_api(settings, site.registry, site.router))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start a server for the bookshop and its content."""
    folder = tmp_path_factory.mktemp("shop")

    async def write(folder: Path) -> None:
        site = await open_bookshop(folder, {})
        await site.database.close()

    asyncio.run(write(folder))
    with serving("start", folder, **SECRETS, **ALWAYS) as server:
        yield server
