"""A reload by SIGHUP leaves nothing of the previous version in memory."""

import gc
import weakref

import pytest

from octavo.operations.runtime.allocator import freeze_start_objects
from octavo.operations.runtime.reload_signal import ReloadOnSignal
from tests.operations.runtime.test_reload import OpenProcess, get, serve

__all__ = ["serve"]
pytestmark = pytest.mark.anyio


async def test_the_previous_version_is_collected(serve: OpenProcess) -> None:
    process = await serve()
    thresholds = gc.get_threshold()
    await freeze_start_objects()
    try:
        for _ in range(2):
            await get(process, "/api/stories")
            before = weakref.ref(process.site.registry)
            await ReloadOnSignal(process, freeze_start_objects).reload()
            assert before() is None
            assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
