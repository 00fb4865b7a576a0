"""Garbage collection skips the objects of the start, and frees later ones."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from octavo.operations.runtime.allocator import freeze_start_objects

pytestmark = pytest.mark.anyio


class Knot:
    """Garbage in a cycle, which only the collector frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def as_before() -> Iterator[None]:
    threshold = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # Python's default; the command line changes it
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


async def test_objects_created_after_the_start_are_collected(as_before: None) -> None:
    before = gc.get_threshold()[0]
    await freeze_start_objects()
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold()[0] > before
    reference = weakref.ref(Knot())
    gc.collect()
    assert reference() is None
