"""Watcher: looks after the files of a project while somebody works on it, and lets the process read them again."""

import asyncio
import contextlib
import logging
from functools import partial
from pathlib import Path
from typing import Final

from watchfiles import awatch

from octavo.cli.base import say
from octavo.cli.plugin_watch import PluginWatch
from octavo.core.threads import in_thread
from octavo.operations.runtime.process import Process
from octavo.operations.runtime.project_files import ENVIRONMENT, FOLDERS, Mark, mark_of, read_marks

_LOOK_MILLISECONDS: Final = 300
"""How often is looked whether `.env` and the watched folders are still the same."""


class Watcher:
    """Made before the project is first read, so that nothing is missed; runs beside the server."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._marks = read_marks(project)
        self._plugins = PluginWatch()
        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it tells every file, ours or not

    async def run(self, process: Process) -> None:
        """Reload whenever a file that is read has changed; whatever else happens in the folders does not matter."""
        while True:
            with contextlib.suppress(FileNotFoundError):  # a folder that has gone before it could be watched
                await self._watch(process)

    async def _watch(self, process: Process) -> None:
        """Look after the folders that there are, until there are others."""
        folders = self._folders()
        async for changes in awatch(*folders, rust_timeout=_LOOK_MILLISECONDS, yield_on_timeout=True):
            moved = folders != self._folders()
            if changes or moved or self._environment_changed():
                await self._look(process)
            for message in await in_thread(self._plugins.news):
                say("{}", message)
            if moved:
                break

    async def _look(self, process: Process) -> None:
        before, self._marks = self._marks, await in_thread(partial(read_marks, self._project))
        changed = {path for path, _ in before.items() ^ self._marks.items()}
        if not changed:
            return
        say("[dim]Changed: {}[/]", ", ".join(sorted(path.relative_to(self._project).as_posix() for path in changed)))
        try:
            await process.reload_if_changed()  # it has not where the process itself has written them
        except asyncio.CancelledError:
            raise
        except Exception:
            say("[dim]Waiting for a change[/]")
        else:
            say("[dim]Serves what changed[/]")

    def _folders(self) -> list[Path]:
        return [folder for name in FOLDERS if (folder := self._project / name).is_dir()]

    def _environment_changed(self) -> bool:
        file = self._project / ENVIRONMENT
        found: Mark | None = mark_of(file)
        return found != self._marks.get(file)
