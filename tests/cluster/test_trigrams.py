"""Parts of texts on a PostgreSQL that has pg_trgm, as Debian's does and the one of PyPI does not."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from octavo.database.postgresql import PostgresqlDatabase
from tests.cluster import programs
from tests.database.test_declared_indexes import search_by_index

pytestmark = pytest.mark.anyio

NOBODY_ELSE = "listen_addresses = ''\nfsync = off\nunix_socket_directories = '{}'\n"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of Debian's in a folder of its own, by a socket there. Root gives it to the user of the package."""
    control = programs.found("pg_ctl")
    if control is None:
        pytest.fail(programs.how_to_install(["pg_ctl"]), pytrace=False)
    folder = Path(tempfile.mkdtemp(prefix="octavo-trigrams-"))
    user = "postgres" if os.getuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [control.with_name(program), "-D", data, *arguments], user=user, check=True, stdout=subprocess.DEVNULL
        )

    try:
        run("initdb", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "octavo")
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(NOBODY_ELSE.format(folder))
        run("pg_ctl", "-w", "-l", str(folder / "log"), "start")
        yield f"postgresql://octavo@/postgres?host={quote(str(folder), safe='')}"
        run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
async def database(anyio_backend: str, address: str) -> AsyncIterator[PostgresqlDatabase]:
    made = PostgresqlDatabase(address)
    await made.connect()
    yield made
    await made.close()


async def test_parts_of_texts_are_found_by_the_index(database: PostgresqlDatabase, tmp_path: Path) -> None:
    await search_by_index(database, tmp_path)
