"""`src/index.py`: shutdown, and scheduled tasks in a project's tests."""

from pathlib import Path

import pytest

from octavo.testing import open_site

pytestmark = pytest.mark.anyio

INDEX = """
from pathlib import Path

NOTES = Path(__file__).parent / "notes.txt"

def note(text):
    with NOTES.open("a") as file:
        file.write(text + "\\n")

def register(app):
    @app.cron("0 3 * * *", name="nightly")
    def nightly():
        note("night")

async def bootstrap(app):
    note("begin")

async def destroy(app):
    note(f"end {await app.entries('plugin::users-permissions.role').count()}")
    raise RuntimeError("too late")
"""


async def test_shutdown_is_called_and_tasks_run_by_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/index.py").write_text(INDEX, encoding="utf-8")
    async with open_site(tmp_path) as site:
        await site.run_task("nightly")
        with pytest.raises(KeyError):
            await site.run_task("daily")
    assert (tmp_path / "src/notes.txt").read_text(encoding="utf-8").split("\n") == ["begin", "night", "end 2", ""]
    assert "src/index.py:20 destroy: RuntimeError: too late" in caplog.text
