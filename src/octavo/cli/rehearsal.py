"""`octavo adopt --rehearse`: run the rehearsal and print its result."""

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from octavo.cli.base import print_line, refuse, say, say_json, say_table
from octavo.core.plurals import counted
from octavo.operations.comparison.results import Group, Results
from octavo.v4.rehearsal.copies import copied_project
from octavo.v4.rehearsal.rehearsal import Rehearsal, rehearse

_MOST_ROWS: Final = 20
_ENDED: Final = "SIGTERM"


def run_rehearsal(folder: Path, command: str, seconds: float, *, as_json: bool) -> None:
    """Rehearse the switch of a project, and print whether you can switch back. Refuses if you cannot."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        refuse(f"--v4-command: {error}")
    if not words:
        refuse("--v4-command: expected a command, for example npm run start")
    _say_step("Copying the project and its database", as_json=as_json)
    with _cleanup_at_sigterm(), copied_project(folder, os.environ) as copy:
        report = partial(_say_step, as_json=as_json)
        rehearsed = asyncio.run(_cancelled_at_sigterm(rehearse(copy, words, seconds, report)))
    if as_json:
        say_json(rehearsed.as_json())
    else:
        _print(rehearsed)
    if not rehearsed.holds:
        refuse("Rehearsal failed: v4 cannot read or write everything after Octavo")


@contextmanager
def _cleanup_at_sigterm() -> Iterator[None]:
    """Let SIGTERM end both services and delete the copies, as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


async def _cancelled_at_sigterm(work: Coroutine[Any, Any, Rehearsal]) -> Rehearsal:
    """Run work that SIGTERM cancels between two steps of the loop: an exception inside of one can lose a process."""
    loop, task = asyncio.get_running_loop(), asyncio.create_task(work)
    loop.add_signal_handler(signal.SIGTERM, task.cancel, _ENDED)
    try:
        return await task
    except asyncio.CancelledError as error:
        if error.args == (_ENDED,):
            _exit()
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, _exit)


def _exit(*_: object) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)


def _say_step(text: str, *, as_json: bool) -> None:
    print_line(f"{text} ...", err=as_json)


def _print(rehearsal: Rehearsal) -> None:
    say_table(("comparison", "requests", "equal", "explained", "unexplained"), map(_row, rehearsal.comparisons.items()))
    for line in _lines(rehearsal):
        say("{}", line)
    if rehearsal.holds:
        say("[bold]Rehearsal passed[/]: you can switch back to v4.")


def _row(item: tuple[str, Results]) -> tuple[object, ...]:
    title, results = item
    different = results.states["different"] - results.unexplained_requests
    return title, results.compared, results.states["equal"], different, results.unexplained_requests


def _lines(rehearsal: Rehearsal) -> Iterator[str]:
    for title, results in rehearsal.comparisons.items():
        yield from (f"Difference: {title}: {_described(group)}" for group in results.unexplained[:_MOST_ROWS])
    yield from (f"Problem: {problem}" for problem in rehearsal.problems[:_MOST_ROWS])
    yield from (f"Not rehearsed: {text}" for text in rehearsal.refused[:_MOST_ROWS])
    hidden = sum(max(len(one) - _MOST_ROWS, 0) for one in (rehearsal.problems, rehearsal.refused))
    if hidden:
        yield f"and {hidden} more; --json prints all"
    for name, (before, after) in list(rehearsal.rows.items())[:_MOST_ROWS]:
        yield f"Rows of {name}: {before} before, {after} after"
    writes = ", ".join(f"{name} {counted(count, 'write')}" for name, count in rehearsal.written.items())
    yield f"Written to the copy: {writes or 'nothing'}."


def _described(group: Group) -> str:
    example = group.examples[0]
    place = f"{example['method']} {example['target']}"
    return f"{group.cause} at {group.shape} in {counted(group.requests, 'request')}, such as {place}"
