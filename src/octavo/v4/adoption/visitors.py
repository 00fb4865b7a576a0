"""What visitors of the site notice first, from the report: closed or missing endpoints, mails that are not sent."""

from collections.abc import Iterable, Iterator
from typing import Final

from octavo.settings.findings import Outcome
from octavo.v4.adoption.report import CodeItem, Report
from octavo.v4.code import Kind, State
from octavo.v4.code.effect_names import EFFECTS, MAIL

WHOLE: Final = "the whole API"
_SIGN_IN: Final = ("POST /auth/local", "POST /auth/local/register", "GET /auth/:provider/callback", "GET /users/me")
_RUNNING: Final = (Kind.HOOK, Kind.CRON, Kind.START, Kind.ACTION, Kind.MIGRATION)
_MOST_NAMES: Final = 3
_DISABLED: Final = ("uploads are disabled", "email is disabled")
_UNWRAPPED: Final = ("transformer", "flat-response")
Row = tuple[str, ...]


def severity(item: CodeItem) -> int:
    """Return the rank of a piece of code by its worst effect, 0 for the worst; services are last."""
    if item.kind in (Kind.SERVICE, Kind.MODULE):
        return len(EFFECTS) + 1
    return next((rank for rank, effect in enumerate(EFFECTS) if effect in item.says), len(EFFECTS))


def visible_changes(report: Report) -> Iterator[Row]:
    """Yield the changes that visitors notice, the most severe first: the change, and its cause."""
    closed = {name: item.guard for item in report.closed for name in item.closes}
    if WHOLE in closed:
        yield f"{WHOLE} returns 403", _named(item.guard for item in report.closed if WHOLE in item.closes)
    else:
        yield from _closed_rows(closed)
    missing = [item.name for item in report.code if item.kind == Kind.ROUTE and "returns 501" in item.says]
    if missing:
        yield f"custom routes that return 501: {len(missing)}", _named(missing)
    yield from dict.fromkeys(_disabled(report))
    mails = [item for item in report.code if item.kind in _RUNNING and MAIL in item.says and item.state != State.PORTED]
    if mails:
        yield "mails are not sent", _named(item.name for item in mails)
    tasks = [item for item in report.code_that(State.OPEN) if item.kind == Kind.CRON]
    if tasks:
        yield f"scheduled tasks that do not run: {len(tasks)}", _named(item.name for item in tasks)
    for plugin in report.absent():
        if any(word in plugin.package for word in _UNWRAPPED):
            yield "responses have another format", f"{plugin.package}: {plugin.says}"


def _closed_rows(closed: dict[str, str]) -> Iterator[Row]:
    sign_in = [name for name in _SIGN_IN if name in closed]
    if sign_in:
        yield f"account endpoints that return 403: {', '.join(sign_in)}", _named(closed[name] for name in sign_in)
    yield from _closed_endpoints("read", closed, ("GET ", "Query."))
    yield from _closed_endpoints("write", closed, ("POST ", "PUT ", "DELETE ", "PATCH ", "Mutation."))


def _disabled(report: Report) -> Iterator[Row]:
    """Yield what settings disable, once for each unknown value."""
    for setting in report.settings_that(Outcome.CLOSED):
        effect = next((effect for effect in _DISABLED if effect in setting.says), None)
        if effect is not None:
            yield effect, setting.place


def _closed_endpoints(word: str, closed: dict[str, str], starts: tuple[str, ...]) -> Iterator[Row]:
    names = [name for name in closed if name.startswith(starts) and name not in _SIGN_IN]
    if names:
        yield f"{word} endpoints that return 403: {len(names)}", _named(closed[name] for name in names)


def _named(names: Iterable[str]) -> str:
    """Return the first names, and the number of others."""
    known = [*dict.fromkeys(names)]
    more = f" and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
    return f"{', '.join(known[:_MOST_NAMES])}{more}"
