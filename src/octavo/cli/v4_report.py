"""Report on a v4 project: a summary at the start, and all settings and code in `config check`."""

from collections.abc import Iterator, Sequence
from typing import Final

from octavo.cli.base import refuse, say, say_table
from octavo.core.plurals import counted
from octavo.operations.runtime.definitions import project_registry, warnings_of
from octavo.operations.runtime.v4_code import V4Code
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.settings.findings import Outcome
from octavo.v4.adoption.assemble import assemble
from octavo.v4.adoption.report import Report, SettingItem
from octavo.v4.adoption.sections import listed
from octavo.v4.code import State
from octavo.v4.project_code import ProjectCode

_SETTINGS: Final[Sequence[str]] = (Outcome.CLOSED, Outcome.OPEN, Outcome.TAKEN, Outcome.IDLE)
_CODE: Final[Sequence[str]] = (State.CLOSED, State.OPEN, State.PORTED, State.TAKEN, State.NOTHING)

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
    items = [*unknown, *report.needing_attention()]
    yield from (f"  {_line(item)}" for item in items[:_SHOWN])
    if report.closed or items or code or report.absent() or report.definitions:
        yield "  For the complete report, run octavo adopt"


def open_ends(report: Report) -> int:
    """Return the number of open items, for `--strict`."""
    settings = report.settings_that(Outcome.CLOSED, Outcome.OPEN)
    return len(settings) + len(report.open_code()) + len(report.absent()) + len(report.unserved())


def _line(item: SettingItem) -> str:
    return ": ".join(part for part in (item.place, item.key, item.says) if part)


def report_on(settings: Settings, registry: Registry, code: V4Code | None) -> Report | None:
    """Return the report without the database, or None if the project is not a v4 project."""
    if not settings.is_v4:
        return None
    read = code.code if isinstance(code, ProjectCode) else None
    return assemble(settings, registry, read, warnings_of(registry, settings))


def summary_of(settings: Settings, registry: Registry, code: V4Code | None) -> list[str]:
    """Return the summary, at most five lines."""
    report = report_on(settings, registry, code)
    return list(summary(report)) if report else []


def print_v4_report(report: Report) -> None:
    """Print the tables of keys, code and plugins."""
    say("\nThe configuration of Strapi {}:", report.version)
    settings = sorted(report.settings, key=lambda one: _SETTINGS.index(one.outcome))
    columns = ("", "place", "key", "setting", "value", "remark")
    say_table(columns, ((one.outcome, one.place, one.key, one.setting, one.value, one.says) for one in settings))
    code = sorted(report.code, key=lambda one: (one.settled, _CODE.index(one.state)))
    if code:
        say("\nCode that does not run:")
        states = ("allowed" if one.settled else one.state for one in code)
        rows = ((state, one.place, one.kind, one.name, one.says) for state, one in zip(states, code, strict=True))
        say_table(("", "place", "kind", "name", "what it does"), rows)
    if report.plugins:
        say("\nPlugins:")
        say_table(("", "package", "in Octavo"), ((one.verdict, one.package, one.says) for one in report.plugins))


def check_strictly(settings: Settings) -> None:
    """Refuse if any finding of a v4 project is unresolved."""
    if not settings.is_v4:
        return
    registry = project_registry(settings)
    report = report_on(settings, registry, ProjectCode.read(settings, registry))
    if report is not None:
        refuse_open(report)


def refuse_open(report: Report) -> None:
    """Refuse if any finding is unresolved, and list them."""
    if count := open_ends(report):
        refuse("\n".join([f"{counted(count, 'unresolved finding')} of the project:", *open_lines(report)]))


def open_lines(report: Report) -> Iterator[str]:
    """Return the unresolved findings, one per line."""
    for setting in report.settings_that(Outcome.CLOSED, Outcome.OPEN):
        yield f"  {setting.place}: {setting.key}: {setting.says}"
    for code in report.open_code():
        yield f"  {code.place}: {code.kind} {code.name}: {code.state}"
    yield from (f"  package.json: {plugin.package}: {plugin.says}" for plugin in report.absent())
    yield from (f"  {remark}" for remark in report.unserved())
