"""`python -m benchmarks.loop` measures how long the most expensive requests block the event loop.

It prints the longest step of the loop during a request, for the first and for the second request.
"""

import asyncio
import sys
import tempfile
from asyncio import events
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import postgresql_url
from benchmarks.costly import Costly, costly_requests
from benchmarks.world import open_world
from octavo.api.http.application import HttpApplication
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN

BODY_CHUNK = 64 * 1024
HEADERS = [("Authorization", f"Bearer {FULL_TOKEN}")]


class LoopWatch:
    """Records the longest step of the event loop since the last reading, in milliseconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        run: Any = events.Handle._run  # noqa: SLF001

        def timed(handle: Any) -> None:
            start = perf_counter()
            run(handle)
            self.longest = max(self.longest, (perf_counter() - start) * 1000)

        setattr(events.Handle, "_run", timed)  # noqa: B010

    def read(self) -> float:
        found, self.longest = self.longest, 0.0
        return found


async def send(app: HttpApplication, asked: Costly) -> Answer:
    headers = HEADERS if asked.method == "GET" else [*HEADERS, ("Content-Type", asked.content_type)]
    chunks = [asked.body[start : start + BODY_CHUNK] for start in range(0, len(asked.body), BODY_CHUNK)]
    return await call(app, asked.method, asked.target, headers, chunks)


async def measure(folder: Path, url: str | None, only: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "status", "first ms", "second ms", "held first ms", "held second ms"):
        table.add_column(column, justify="left" if not column else "right")
    watch = LoopWatch()
    async with open_world(folder, url) as world:
        for database, site in world.sites.items():
            await call(site.octavo.asgi, "POST", "/graphql", (), [b'{"query":"{__typename}"}'])
            for asked in costly_requests():
                if only not in asked.name:
                    continue
                cells = []
                for _ in range(2):
                    await asyncio.sleep(0.01)
                    watch.read()
                    start = perf_counter()
                    answer = await asyncio.create_task(send(site.octavo.asgi, asked))
                    took = (perf_counter() - start) * 1000
                    await asyncio.sleep(0)  # only finished steps are recorded
                    cells.append((took, watch.read()))
                (first, held), (second, held_again) = cells
                name = f"{asked.name}, {database}"
                row = (str(answer.status), f"{first:.0f}", f"{second:.0f}", f"{held:.0f}", f"{held_again:.0f}")
                table.add_row(name, *row, style="red" if max(held, held_again) > 50 else None)
    return table


def main(only: str) -> None:
    """Measure on both databases, and print a table."""
    with tempfile.TemporaryDirectory(prefix="octavo-loop-") as folder, postgresql_url() as url:
        Console(width=120).print(asyncio.run(measure(Path(folder), url, only)))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
