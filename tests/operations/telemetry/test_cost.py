"""Observing a request that is not traced calls none of Octavo's functions. The calls are counted, not timed."""

import gc
import sys
from collections import Counter
from functools import partial
from math import inf
from pathlib import Path
from types import FrameType
from typing import Final

import pytest

from octavo.operations.telemetry import metrics, traces
from octavo.operations.telemetry.child_spans import TracedAuthenticator
from tests.models.fixtures import open_copy
from tests.models.people import Hands
from tests.models.site import Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

NEVER_SLOW: Final = {"OCTAVO_SERVER__METRICS__SLOW_THRESHOLD": "1000000000"}
SEEN: Final = {
    **NEVER_SLOW,
    "OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-those-who-look",
    "OCTAVO_SERVER__LOG__ACCESS": "true",
    "OCTAVO_SERVER__LOG__ACCESS_SAMPLE": "1000",
}
FOLLOWED: Final = {
    **SEEN,
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
    "OCTAVO_SERVER__TRACES__SAMPLE": "0",
}
TARGETS: Final = ("/api/books/1", "/api/authors?sort=name&populate=*", "/api/nothing")


async def calls(site: Site, target: str) -> Counter[str]:
    """Count the calls of Octavo's functions for a repeated request."""
    for _ in range(3):
        await site.get(target)
    return min(
        [await _calls_once(site, target) for _ in range(3)], key=Counter.total
    )  # background tasks of other tests may run in between


async def _calls_once(site: Site, target: str) -> Counter[str]:
    found: Counter[str] = Counter()
    begun: set[FrameType] = set()  # resumed coroutines: on MySQL, as often as packets arrive

    def note(frame: FrameType, event: str, _: object) -> None:
        is_ours = "/octavo/" in frame.f_code.co_filename.split("site-packages")[-1]
        if event == "call" and is_ours and frame not in begun:
            begun.add(frame)
            found[f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_qualname}"] += 1

    gc.disable()  # finalizers would be counted
    sys.setprofile(note)
    try:
        await site.get(target)
    finally:
        sys.setprofile(None)
        gc.enable()
    return found


@pytest.mark.usefixtures("measured_quick")
@pytest.mark.parametrize("settings", [SEEN, FOLLOWED], ids=["metrics and access log", "and OpenTelemetry"])
async def test_untraced_requests_take_no_further_call(
    tmp_path: Path, bookshop_copy: Copy, settings: dict[str, str], still: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "TracedAuthenticator", partial(TracedAuthenticator, clock=still.clock))
    monkeypatch.setattr(metrics, "_NOTED_SECONDS", inf)  # a slow machine may take longer for a statement
    found = []
    for name, given in (("plain", NEVER_SLOW), ("seen", settings)):
        site = await open_copy(tmp_path / name, bookshop_copy, given)
        try:
            found.append([await calls(site, target) for target in TARGETS])
        finally:
            await site.octavo.infrastructure.close()
    plain, seen = found
    assert all(plain)
    assert [(more - few, few - more) for few, more in zip(plain, seen, strict=True)] == [({}, {})] * len(TARGETS)
