"""Steps in which the database is down, frozen, read-only or without disk space."""

import asyncio
import signal
import time
from contextlib import suppress

import httpx

from benchmarks.drill.site import NotRun, Site, get, status_of
from benchmarks.drill.steps import Outcome, Steps
from benchmarks.soak_faults import keep_full
from tests.cluster.nodes import Node
from tests.cluster.programs import until

STEPS = Steps()
OUTAGE_SECONDS = 8.0
RECOVERY_SECONDS = 10.0
UNAVAILABLE = (200, 503)


@STEPS.add(
    "Database down at the start",
    "the node stays alive, answers 503 with a reason, and is ready within 20 s of the database; no other errors",
)
async def start_without_database(site: Site, outcome: Outcome) -> None:
    node = site.nodes[1]
    await asyncio.to_thread(node.end, signal.SIGTERM)
    with site.load.window() as window:
        await asyncio.to_thread(site.server.stop)
        node.start()
        await until(lambda: _is_alive(node))
        await asyncio.sleep(OUTAGE_SECONDS)
        ready = await get(node, "/_ready")
        outcome.expect(ready.status_code == 503 and "starting" in ready.text, f"/_ready: {ready.text}")
        answer = await get(node, "/api/articles")
        outcome.expect(answer.status_code == 503 and "retry-after" in answer.headers, f"a request got {answer}")
        await asyncio.to_thread(site.server.start)
        began = time.monotonic()
        await asyncio.to_thread(node.wait)
        outcome.within("ready", time.monotonic() - began, 20)
        await site.load.wait_until_answered(RECOVERY_SECONDS)
        await site.load.settle()
    outcome.measured.append(window.summary())
    outcome.surprises += window.other_than(*UNAVAILABLE)


@STEPS.add(
    "Database killed",
    f"requests get 503 until it is back, then succeed within {RECOVERY_SECONDS:.0f} s",
)
async def kill_the_database(site: Site, outcome: Outcome) -> None:
    with site.load.window() as window:
        await asyncio.to_thread(site.server.kill)
        await asyncio.sleep(OUTAGE_SECONDS / 2)
        await asyncio.to_thread(site.server.start)
        outcome.within("requests succeed", await site.load.wait_until_answered(60), RECOVERY_SECONDS)
        await site.load.settle()
    outcome.measured.append(window.summary())
    outcome.surprises += window.other_than(*UNAVAILABLE)


@STEPS.add(
    "Database frozen",
    "/_health answers within a second, requests get 503 or wait, and succeed after it",
)
async def freeze_the_database(site: Site, outcome: Outcome) -> None:
    node = site.nodes[0]
    slowest = 0.0
    with site.load.window() as window:
        site.server.freeze()
        try:
            until_thawed = time.monotonic() + OUTAGE_SECONDS
            while time.monotonic() < until_thawed:
                slowest = max(slowest, await asyncio.to_thread(_time_health, node.address))
                await asyncio.sleep(0.2)
            outcome.expect(await status_of(node, "/_ready") == 503, "/_ready did not return 503")
        finally:
            site.server.freeze(False)
        outcome.within("requests succeed", await site.load.wait_until_answered(60), RECOVERY_SECONDS)
        await site.load.settle()
    outcome.measured += [f"slowest /_health {slowest * 1000:.0f} ms", window.summary()]
    outcome.expect(slowest < 1, f"/_health took {slowest:.1f} s")
    outcome.surprises += window.other_than(*UNAVAILABLE)


@STEPS.add(
    "Database read-only",
    "reads succeed, writes get 503, /_ready says read-only; writes succeed within 5 s of the end",
)
async def freeze_writes(site: Site, outcome: Outcome) -> None:
    await _set_read_only(site, "on")
    try:
        await _until_ready_says(site, "read-only")
        with site.load.window() as window:
            await asyncio.sleep(OUTAGE_SECONDS / 2)
            await site.load.settle()
    finally:
        await _set_read_only(site, "off")
    outcome.within("writes succeed", await site.load.wait_until_answered(60), 5)
    outcome.measured.append(window.summary())
    for response in window.responses:
        is_write = response.kind in ("create", "update")
        outcome.expect(
            response.status == (503 if is_write else 200), f"{response.kind}: {response.status} {response.detail}"
        )


@STEPS.add(
    "Disk full",
    f"no errors but 503, and requests succeed within {RECOVERY_SECONDS:.0f} s after space is free",
)
async def fill_the_disk(site: Site, outcome: Outcome) -> None:
    if site.disk is None:
        raise NotRun("mounting a small file system needs root")
    with site.load.window() as window:
        await keep_full(site.disk, OUTAGE_SECONDS)
        with suppress(Exception):  # it runs, unless it ended because it could not write its log
            await asyncio.to_thread(site.server.start)
        outcome.within("requests succeed", await site.load.wait_until_answered(60), RECOVERY_SECONDS)
        await site.load.settle()
    outcome.measured.append(window.summary())
    outcome.surprises += window.other_than(*UNAVAILABLE)


def _time_health(address: str) -> float:
    """Return the seconds that a health check takes. Raises AssertionError if it fails."""
    began = time.monotonic()
    assert httpx.get(f"{address}/_health", timeout=10).status_code == 204, "/_health did not return 204"
    return time.monotonic() - began


async def _set_read_only(site: Site, value: str) -> None:
    text = f"ALTER SYSTEM SET default_transaction_read_only = {value}; SELECT pg_reload_conf()"
    await asyncio.to_thread(site.server.run_sql, "postgres", text)


async def _until_ready_says(site: Site, reason: str) -> None:
    async with asyncio.timeout(10):
        await until(lambda: all(reason in httpx.get(f"{node.address}/_ready").text for node in site.nodes))


def _is_alive(node: Node) -> bool:
    with suppress(httpx.HTTPError):
        return httpx.get(f"{node.address}/_health", timeout=5).status_code == 204
    return False
