"""The report in at most five lines, for the log at the start of a v4 project."""

from collections.abc import Iterator
from typing import Final

from octavo.core.plurals import counted
from octavo.settings.findings import Outcome
from octavo.v4.adoption.report import Report, SettingItem
from octavo.v4.adoption.sections import listed
from octavo.v4.code import State

_SHOWN: Final = 2


def summary(report: Report) -> Iterator[str]:
    """Yield the lines: closed operations first, then code that does not run."""
    taken, unknown = report.settings_that(Outcome.TAKEN), report.settings_that(Outcome.CLOSED, Outcome.OPEN)
    code = report.code_that(State.OPEN)
    yield (
        f"Strapi {report.version}, according to {report.version_source}: {counted(len(taken), 'setting')} in use, "
        f"{len(unknown)} not understood; {counted(len(code), 'piece')} of code to port, "
        f"{counted(len(report.absent()), 'plugin')} not available"
    )
    if report.closed:
        what = dict.fromkeys(name for item in report.closed for name in item.closes)
        guards = listed((item.guard for item in report.closed), 3)
        yield f"  Closed until ported or allowed: {listed(what, 3)}, because of {guards}"
    items = [*unknown, *report.to_look_at()]
    yield from (f"  {_line(item)}" for item in items[:_SHOWN])
    if report.closed or items or code or report.absent() or report.definitions:
        yield "  For the complete report, run octavo adopt"


def open_ends(report: Report) -> int:
    """Return the number of open items, for `--strict`."""
    settings = report.settings_that(Outcome.CLOSED, Outcome.OPEN)
    code = [item for state in (State.OPEN, State.CLOSED) for item in report.code_that(state)]
    return len(settings) + len(code) + len(report.absent()) + len(report.definitions)


def _line(item: SettingItem) -> str:
    return ": ".join(part for part in (item.place, item.key, item.says) if part)
