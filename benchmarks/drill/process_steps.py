"""Steps in which the processes of Octavo get signals, or something around them stops."""

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]

from benchmarks.drill.site import Site, status_of
from benchmarks.drill.steps import Outcome, Steps
from tests.cluster.nodes import Node

STEPS = Steps()
WATCHED_SECONDS = 5.0
UPLOAD_BYTES = 4_000_000
UPLOAD_SECONDS = 4.0
STOP_SECONDS = 35.0


@STEPS.add("Reload with SIGHUP", "no request fails, and the log reports the reload")
async def reload_nodes(site: Site, outcome: Outcome) -> None:
    with site.load.window() as window:
        for node in site.nodes:
            assert node.process is not None
            before = _reloads(node)
            node.process.send_signal(signal.SIGHUP)
            while _reloads(node) == before:  # noqa: ASYNC110 - other processes send no events
                await asyncio.sleep(0.1)
            await asyncio.sleep(WATCHED_SECONDS / 2)
            outcome.expect(node.process.poll() is None, f"node {node.name} ended")
        await site.load.settle()
    outcome.measured.append(window.summary())
    outcome.surprises += window.other_than(200)


@STEPS.add("Rolling restart", "no request fails")
async def restart_nodes(site: Site, outcome: Outcome) -> None:
    with site.load.window() as window:
        for node in site.nodes:
            await site.restart(node)
            await asyncio.sleep(1)
        await site.load.settle()
    outcome.measured.append(window.summary())
    outcome.surprises += window.other_than(200)


@STEPS.add("Stop with an upload in flight", "the upload gets 200 or 503, the node ends with 0, no other request fails")
async def stop_during_an_upload(site: Site, outcome: Outcome) -> None:
    node = site.nodes[1]
    assert node.process is not None
    with site.load.window() as window:
        upload = asyncio.create_task(_upload_slowly(node.address, site.cluster.token))
        await asyncio.sleep(UPLOAD_SECONDS / 3)
        began = time.monotonic()
        node.process.send_signal(signal.SIGTERM)
        status = await upload
        code = await asyncio.to_thread(node.process.wait, 60)
        outcome.within("the node ended", time.monotonic() - began, STOP_SECONDS)
        node.start()
        await asyncio.to_thread(node.wait)
        await site.load.settle()
    outcome.measured += [f"the upload got {status}", window.summary()]
    outcome.expect(status in (200, 503), f"the upload got {status or 'no response'}")
    outcome.expect(code == 0, f"the node ended with {code}")
    outcome.surprises += window.other_than(200)


@STEPS.add("Log reader stalls", "the node answers without reading its log, and stops within 5 s")
async def stall_the_log(site: Site, outcome: Outcome) -> None:
    node = site.nodes[1]
    await asyncio.to_thread(node.end, signal.SIGTERM)
    reader, writer = os.pipe()
    try:
        node.start(log=writer)
        await asyncio.to_thread(node.wait)
        assert node.process is not None
        with site.load.window() as window:
            # Each path is logged: 400 lines of 1 kB are far more than the pipe holds.
            async with httpx.AsyncClient(base_url=node.address) as client:
                for _ in range(400):
                    await client.get(f"/api/{'n' * 1000}")
            outcome.expect(await status_of(node, "/_health") == 204, "/_health did not return 204")
            began = time.monotonic()
            node.process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(node.process.wait, 60)
            outcome.within("the node ended", time.monotonic() - began, 5)
            await site.load.settle()
        outcome.measured.append(window.summary())
        outcome.surprises += window.other_than(200)
    finally:
        os.close(reader)
        os.close(writer)
        node.start()
        await asyncio.to_thread(node.wait)


@STEPS.add(
    "Supervisor killed",
    "its workers end within 5 s, nothing stays in the temporary folder, at most 1 % of the requests fail",
)
async def kill_the_supervisor(site: Site, outcome: Outcome) -> None:
    node = site.nodes[1]
    folders = _temporary_folders()
    await asyncio.to_thread(node.end, signal.SIGTERM)
    node.start("--workers", "2")
    await asyncio.to_thread(node.wait)
    assert node.process is not None
    with site.load.window() as window:
        workers = psutil.Process(node.process.pid).children(recursive=True)
        await asyncio.to_thread(node.end, signal.SIGKILL)
        began = time.monotonic()
        _, alive = await asyncio.to_thread(psutil.wait_procs, workers, 30)
        outcome.within(f"{len(workers)} processes ended", time.monotonic() - began, 5)
        outcome.expect(not alive, f"{len(alive)} processes are alive after 30 s")
        await site.load.settle()
    left = _temporary_folders() - folders
    outcome.expect(not left, f"left behind: {', '.join(sorted(left))}")
    outcome.measured.append(window.summary())
    # A request that nginx sends on an idle connection while the worker closes it cannot be repeated.
    outcome.expect(window.statuses[502] <= len(window.responses) / 100, "more than 1 % of the requests failed")
    outcome.surprises += window.other_than(200, 502)
    node.start()
    await asyncio.to_thread(node.wait)


def _reloads(node: Node) -> int:
    return node.log.read_text("utf-8").count("Reloaded the project")


def _temporary_folders() -> set[str]:
    return {path.name for path in Path(tempfile.gettempdir()).glob("octavo-*")}


async def _upload_slowly(address: str, token: str) -> int:
    """Upload a file in small pieces; return the status, or 0 if the connection broke."""
    boundary = b"drill"
    head = b'--drill\r\nContent-Disposition: form-data; name="files"; filename="slow.bin"\r\n\r\n'
    body = head + bytes(UPLOAD_BYTES) + b"\r\n--drill--\r\n"
    pieces = 40

    async def send() -> AsyncIterator[bytes]:
        size = len(body) // pieces + 1
        for start in range(0, len(body), size):
            yield body[start : start + size]
            await asyncio.sleep(UPLOAD_SECONDS / pieces)

    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={boundary.decode()}",
        "Content-Length": str(len(body)),
    }
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        try:
            return (await client.post("/api/upload", content=send(), headers=headers)).status_code
        except httpx.HTTPError:
            return 0
