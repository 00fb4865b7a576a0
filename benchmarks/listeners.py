"""`python -m benchmarks.listeners [N] [fields]` measures the memory and time of N listeners to changes.

They listen with the permissions of the public; with `entry`, their messages contain the entries. Then entries are
changed, and each listener receives each change.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from tests.cli.processes import serving
from tests.models.bookshop import FULL_TOKEN, SECRETS
from tests.models.site import open_bookshop

CHANGES = 50
VARIABLES = {
    "OCTAVO_API__EVENTS__ENABLED": "true",
    "OCTAVO_API__EVENTS__LISTENERS_BY_ADDRESS": "100000",
    "OCTAVO_API__EVENTS__LISTENERS": "100000",
}


def memory_of(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def listen(port: int, query: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/events{query} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    await reader.readuntil(b"\nid: ")
    return reader, writer


async def change(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in range(CHANGES):
        body = b'{"data":{"name":"%d"}}' % number
        head = f"PUT /api/authors/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {FULL_TOKEN}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in answer, answer
        length = next(line for line in answer.decode().lower().split("\r\n") if line.startswith("content-length"))
        await reader.readexactly(int(length.split(":")[1]))
    writer.close()


async def hear(reader: asyncio.StreamReader) -> None:
    for _ in range(CHANGES):
        await reader.readuntil(b"event: entry.update")


async def measure(port: int, pid: int, count: int, query: str) -> None:
    before = memory_of(pid)
    listeners = []
    start = perf_counter()
    for first in range(0, count, 100):
        listeners += await asyncio.gather(*(listen(port, query) for _ in range(min(100, count - first))))
    taken = perf_counter() - start
    print(f"{count} listeners in {taken:.1f} s: {before:.0f} MB before, {memory_of(pid):.0f} MB with them")
    start, used = perf_counter(), processor_seconds(pid)
    await asyncio.sleep(20)
    print(f"idle: {(processor_seconds(pid) - used) / (perf_counter() - start):.1%} of a processor")
    start, used = perf_counter(), processor_seconds(pid)
    await asyncio.gather(change(port), *(hear(reader) for reader, _ in listeners))
    taken = perf_counter() - start
    used = processor_seconds(pid) - used
    told = CHANGES * count
    print(f"{told} events in {taken:.1f} s, {used / told * 1e6:.0f} µs of processor time each; {memory_of(pid):.0f} MB")
    for _, writer in listeners:
        writer.close()
    await asyncio.sleep(3)
    print(f"after they left: {memory_of(pid):.0f} MB")


async def prepare(folder: Path) -> None:
    site = await open_bookshop(folder, {})
    await site.database.close()


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    query = "?entry=true" if "entry" in sys.argv[2:] else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(prepare(folder))
        with serving("start", folder, **SECRETS, **VARIABLES) as server:
            asyncio.run(measure(server.port, server.process.pid, count, query))


if __name__ == "__main__":
    main()
