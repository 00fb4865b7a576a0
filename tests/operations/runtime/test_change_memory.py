"""Repeated reloads leak no memory: replaced sites are freed."""

import asyncio
import gc
import sys
from typing import Any

import pytest

from octavo.modeling.builder.plans import update_content_type
from octavo.operations.runtime.process import Process
from tests.cli.projects import STORY
from tests.operations.runtime.test_reload import OpenProcess, get, serve

__all__ = ["serve"]
pytestmark = pytest.mark.anyio

UID = "api::story.story"
FORM = {"displayName": "Story", "singularName": "story", "pluralName": "stories"}
MOST_GROWTH = 100_000
"""Bytes. A site takes many times as much."""


async def change(process: Process, more: dict[str, Any], **words: Any) -> None:
    form = {**FORM, "attributes": {**STORY["attributes"], **more}, **words}
    assert await process.change_definitions(update_content_type(UID, {"contentType": form})) == UID
    for target in ("/api/stories?sort=title&populate=*", "/api/stories/1"):  # each site prepares them again
        assert (await get(process, target)).status in (200, 403, 404)


async def held(process: Process) -> int:
    """Return the bytes of all tracked objects once retired sites are closed."""
    await process.retired()
    await asyncio.sleep(0)
    gc.collect()
    return sum(map(sys.getsizeof, gc.get_objects()))


async def test_repeated_changes_do_not_leak_memory(serve: OpenProcess) -> None:
    process = await serve()
    measured = []
    for number in range(8):
        await change(process, {"extra": {"type": "string"}})
        await change(process, {}, drop=["extra"], confirm="story")
        if number in (2, 7):
            measured.append(await held(process))
    assert measured[1] - measured[0] < MOST_GROWTH, measured
