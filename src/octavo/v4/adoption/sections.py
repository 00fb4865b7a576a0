"""The sections of the report as text, most important first, for the terminal and the file."""

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.settings.findings import Outcome
from octavo.v4.adoption.report import CodeItem, DatabaseReport, DraftItem, Plugin, Report, Verdict
from octavo.v4.code import Kind, State

_PORT: Final = "write it in Python under the same name"
_BESIDE: Final = "or send its addresses on to the v4 service: your proxy decides by the path"
_ADVICE: Final = {
    Kind.ROUTE: f"routes are taken over; handlers of your own answer 501 until they are Python, {_BESIDE}.",
    Kind.ACTION: f"{_PORT}, `src/api/NAME/controllers/NAME.py`; its routes then lead to it.",
    Kind.CONTROLLER: "a controller that cannot be read: its routes stay closed until it is Python.",
    Kind.SERVICE: f"{_PORT}, `src/api/NAME/services/NAME.py`, where other code calls it.",
    Kind.POLICY: f"{_PORT}, `src/policies/NAME.py`; what it guards is open from then on to those it lets through.",
    Kind.MIDDLEWARE: f"{_PORT}, `src/middlewares/NAME.py`, or leave what it did for requests to your proxy.",
    Kind.HOOK: (
        f"{_PORT}, `src/api/NAME/content-types/NAME/lifecycles.py`; a slug is a `uid` field, a fixed value a `default`."
    ),
    Kind.CRON: "write it as a task in `src/cron.py`, at the same times.",
    Kind.START: "code at start is written in Python, in `src/index.py`: `register(app)`, `bootstrap(app)`.",
    Kind.GRAPHQL: "types, fields and resolvers are written in Python, in `register(app)`.",
    Kind.EXTENSION: f"{_PORT}, below `src/extensions/PLUGIN`; what it replaced stays closed until then.",
    Kind.PLUGIN: f"a local plugin does not run; write it in Python in the same folder (docs/plugins.md), {_BESIDE}.",
    Kind.MIGRATION: "a migration of the project's own is done once; those that v4 has run need nothing.",
    Kind.UNREADABLE: "a file that cannot be read; correct it, or remove it.",
}
_PAGES: Final = (
    "How each looks in Python: docs/from-strapi-v4.md, Porting code, and docs/extending.md. "
    "`octavo adopt --drafts FOLDER` writes much of it for you to review."
)


def advice(code: Iterable[CodeItem]) -> Iterator[str]:
    """Yield a sentence for each kind of code, with a link to the docs."""
    kinds = {item.kind for item in code}
    known = [f"{kind.value}: {says}" for kind, says in _ADVICE.items() if kind.value in kinds]
    yield from known
    if known:
        yield _PAGES


def allowing(report: Report) -> str:
    """Return the lines for `config/api.toml` that open everything that is closed."""
    names = ", ".join(f'"{name}"' for name in dict.fromkeys(item.guard for item in report.closed))
    return f"[adoption]\nallow = [{names}]"


def commands(report: Report) -> tuple[tuple[str, str], ...]:
    """Return the next steps: commands relative to the current folder, and their descriptions."""
    project = Path(report.project)
    here = project == Path.cwd()
    folder = shlex.quote(min(str(project), os.path.relpath(project), key=len))
    argument, option = ("", "") if here else (f" {folder}", f" --project {folder}")
    prefix = "" if here else f"--prefix {folder} "
    return (
        (f"octavo adopt{argument} --markdown ADOPTION.md", "this report as a file, all of it"),
        (f"octavo adopt{argument} --drafts drafts", "Python for the JavaScript that is not run, for review"),
        (f"octavo db backup before.db{option}", "a copy of the database, before anything changes"),
        (f"octavo config check --strict{option}", "ends with 1 as long as anything is open: for CI"),
        (f"octavo start --port 1338{option}", "serves beside v4; the tables get what is missing, nothing is removed"),
        (f"npm {prefix}run start", "the way back: v4 starts on the same database"),
    )


Row = tuple[str, ...]
_MANY_ENTRIES: Final = 50_000
"""Number of entries above which counting a list is noticeably slow."""
_IN_ENV: Final = "(set it in .env)"
_CODE = ("kind", "name", "place", "", "what it does")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences, rows, and what to do.

    In a row the last cell is the text, and the others name its subject, unless it `is_table`: numbers, short words.
    `is_detail`: for the file only.
    """

    title: str
    lead: tuple[str, ...] = ()
    columns: Row = ()
    rows: tuple[Row, ...] = ()
    then: tuple[str, ...] = ()
    code: str = ""
    is_table: bool = False
    is_detail: bool = False


def sections(report: Report) -> Iterator[Section]:
    """Yield all sections that are not empty."""
    yield _start(report)
    yield from _closed(report)
    yield from _open_settings(report)
    yield from _open_code(report)
    yield from _drafts(report)
    yield from _plugins(report)
    yield from _definitions(report)
    if report.database is not None:
        yield from _database(report.database)
    yield from _populates(report)
    yield from _settled(report)
    yield Section("Next", columns=("command", "what it does"), rows=commands(report))


def _start(report: Report) -> Section:
    lead = [f"Strapi {report.version}, by {report.version_source}."]
    if report.environment:
        lead.append(f"Configuration under NODE_ENV={report.environment}.")
    if report.can_start:
        return Section("Can it start? Yes", tuple(lead))
    rows = merged((item.place, item.name, item.says) for item in report.stops)
    return Section("Can it start? Not yet", tuple(lead), ("place", "what", "why, and what to do"), rows)


def _closed(report: Report) -> Iterator[Section]:
    if not report.closed:
        if not report.has_definitions:
            yield Section("What is closed?", ("That is known once the definitions can be used.",))
        elif report.code:
            yield Section("What is closed? Nothing")
        return
    rows = tuple((item.guard, item.place, item.says, listed(item.closes)) for item in report.closed)
    lead = (
        "These decide who passes, or may do so for all that can be known. They are not run, so what they guard is 403."
    )
    then = "To open it although the code is not run, write into config/api.toml what of this you have thought about:"
    yield Section(
        "What is closed?", (lead,), ("code", "place", "what it does", "closes"), rows, (then,), allowing(report)
    )


def _open_settings(report: Report) -> Iterator[Section]:
    found = report.settings_that(Outcome.CLOSED, Outcome.OPEN)
    if found:
        rows = merged((item.place, item.key, item.outcome, item.says) for item in found)
        lead = "Closed: the safest value holds, or nothing starts, until it is said. Open: it has no effect."
        yield Section("Settings that are not understood", (lead,), ("place", "key", "", "what to do"), rows)
    warned = report.to_look_at()
    if warned:
        looks = tuple((item.place, item.key, item.says) for item in warned)
        yield Section("Settings to look at", (), ("place", "key", "why"), looks)
    missing = [secret.name for secret in report.secrets if secret.needed]
    if missing:
        yield Section("Secrets that are not set", (", ".join(missing),))


def _open_code(report: Report) -> Iterator[Section]:
    guards = {item.guard for item in report.closed}
    closed = [item for item in report.code_that(State.CLOSED) if item.name not in guards and item.kind != Kind.ROUTE]
    found = report.code_that(State.OPEN)
    if not (closed or found):
        return
    kinds = Counter(item.kind for item in (*closed, *found))
    counts = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    lead = f"JavaScript is not run. What this did does not happen ({counts})."
    yield Section("Code that is not run", (lead,), _CODE, _code_rows((*closed, *found)), tuple(advice(found)))


def _drafts(report: Report) -> Iterator[Section]:
    if report.drafts:
        lead = (
            "Python for the JavaScript above, for review. Lines to look at begin with `# check:`; a file that ends in "
            "`.draft` lacks what its `raise NotImplementedError` say. docs/from-strapi-v4.md, Porting code, goes on."
        )
        rows = tuple((item.path, item.stands_for, ", ".join(item.pieces), _drafted(item)) for item in report.drafts)
        yield Section("Drafts in Python", (lead,), ("file", "for", "what", "state"), rows)


def _drafted(item: DraftItem) -> str:
    state = f"lacks {len(item.missing)}: {listed(dict.fromkeys(item.missing), 3)}" if item.missing else "whole"
    checks = f", {item.to_check} to check" if item.to_check else ""
    return f"{state}{checks}{'' if item.written else '; not written: there is one already'}"


def _code_rows(code: Iterable[CodeItem]) -> tuple[Row, ...]:
    return tuple(
        (item.kind, item.name, item.place, "allowed" if item.settled else item.state, item.says) for item in code
    )


def _plugins(report: Report) -> Iterator[Section]:
    order = (Verdict.ABSENT, Verdict.INSTEAD)
    found = sorted(
        (item for item in report.plugins if item.verdict in order), key=lambda item: order.index(item.verdict)
    )
    fine = [item for item in report.plugins if item.verdict not in order]
    columns = ("package", "version", "", "here")
    lead = (f"These work here, or need nothing: {', '.join(item.package for item in fine)}.",) if fine else ()
    yield Section("Plugins", lead, columns, _plugin_rows(found))
    if fine:
        yield Section("Plugins that need nothing", (), columns, _plugin_rows(fine), is_detail=True)


def _plugin_rows(plugins: Iterable[Plugin]) -> tuple[Row, ...]:
    return tuple((item.package, item.version, item.verdict.value, item.says) for item in plugins)


def _definitions(report: Report) -> Iterator[Section]:
    if report.definitions:
        rows = tuple((item.place, item.name, item.says) for item in report.definitions)
        yield Section("Definitions worth a look", (), ("file", "where", "what"), rows)


def _database(found: DatabaseReport) -> Iterator[Section]:
    if found.problem:
        where = f"{found.where} ({found.source}): " if found.where else ""
        yield Section("Database", (f"{where}{found.problem}.",))
        return
    total = sum(item.entries or 0 for item in found.types if item.uid.startswith("api::"))
    users = counted(found.entries("plugin::users-permissions.user"), "user")
    files = counted(found.entries("plugin::upload.file"), "file")
    lead = [
        f"{found.where} ({found.source}): {counted(found.tables, 'table')}, {counted(total, 'entry', 'entries')}, "
        f"{users}, {files}, {counted(found.entries('admin::user'), 'administrator')}. It was only read.",
        *_database_facts(found),
    ]
    types = sorted(found.types, key=lambda item: (not item.uid.startswith("api::"), -(item.entries or 0), item.uid))
    rows = tuple(
        (
            item.uid,
            "no table yet" if item.entries is None else f"{item.entries:,}",
            f"{item.drafts:,}" if item.drafts else "",
            ", ".join(f"{locale.name} {locale.count:,}" for locale in item.locales),
        )
        for item in types
        if item.uid.startswith("api::") or item.entries
    )
    yield Section("Database", tuple(lead), ("content-type", "entries", "drafts", "locales"), rows, is_table=True)
    changes = (*found.order_columns, *found.added)
    if changes:
        yield Section("What the first start adds", (), ("change",), tuple((one,) for one in changes), is_detail=True)
    yield from _components(found)


def _components(found: DatabaseReport) -> Iterator[Section]:
    if found.components is None:
        yield Section("Components under other names", ("What rows call components could not be looked at in time.",))
    elif found.components:
        lead = (
            "v4 gives a component another name in its definition and leaves the rows. Attributes show what they hold "
            "all the same; dynamic zones do not, nor do such components show their files, until rows have the name."
        )
        rows = tuple(
            (f"{each.uid} {each.attribute}", f"{each.rows:,} {each.name}", each.says) for each in found.components
        )
        columns = ("place", "rows", "what it means, and what to do")
        yield Section("Components under other names", (lead,), columns, rows)


def _added_triggers(found: DatabaseReport) -> Iterator[str]:
    if found.triggers:
        yield "Triggers in tables of content keep totals of lists (`totals`); `octavo db totals --remove` removes them."
    elif max((each.entries or 0 for each in found.types), default=0) >= _MANY_ENTRIES:
        yield "No triggers are made; `octavo db totals --keep` makes those that keep totals of long lists."


def _database_facts(found: DatabaseReport) -> Iterator[str]:
    if found.locales:
        yield f"Locales: {', '.join(found.locales)}; {found.default_locale} is the default."
    if found.roles:
        roles = (f"{role.name} ({counted(role.count, 'user')})" for role in found.roles)
        yield f"Roles: {', '.join(roles)}."
    for stored in found.files:
        size = f"{counted(stored.files, 'file')}, {stored.kilobytes / 1000:,.1f} MB"
        known = "" if stored.known else ", a provider that is not known: their addresses are served as they are stored"
        yield f"Files at {stored.provider}: {size}{known}."
    if found.webhooks:
        yield f"Webhooks: {found.webhooks} are switched on, and called; name private machines in privateHosts."
    if found.order_columns:
        yield f"{len(found.order_columns)} order columns are missing, as before 4.6; the first start adds them."
    if found.added or found.indexes:
        tables = counted(len(found.added), "table or column", "tables and columns")
        indexes = counted(found.indexes, "index or key", "indexes and keys")
        yield f"The first start adds {tables}, {indexes}; no more."
    yield from _added_triggers(found)
    if found.left:
        left = counted(len(found.left), "table or column belongs", "tables and columns belong")
        yield f"{left} to no definition any more, and stay (`octavo db diff`)."
    if found.unclaimed:
        yield f"Tables of others, left alone: {listed(found.unclaimed, 8)}."


def _populates(report: Report) -> Iterator[Section]:
    rows = tuple((item.uid, str(item.tables), str(item.lists), " > ".join(item.path)) for item in report.populates)
    if rows:
        lead = (
            "Everything of one entry: its components, and relations one level deep. Lists within lists multiply. "
            "Pages that ask for what they show are quicker than `populate=deep` or `*`."
        )
        columns = ("content-type", "tables", "lists in lists", "deepest")
        yield Section("The largest populates", (lead,), columns, rows, is_table=True)


def _settled(report: Report) -> Iterator[Section]:
    taken = report.settings_that(Outcome.TAKEN)
    if taken:
        rows = tuple((item.place, item.key, item.setting, _value(item.value)) for item in taken)
        yield Section("Settings taken over", (), ("place", "key", "setting", "value"), rows, is_detail=True)
    given = [secret for secret in report.secrets if secret.source]
    if given:
        secrets = tuple((secret.name, secret.source) for secret in given)
        yield Section("Secrets, by where they were found", (), ("secret", "found in"), secrets, is_detail=True)
    idle = report.settings_that(Outcome.IDLE)
    if idle:
        reasons = tuple((item.place, item.key, item.says) for item in idle)
        yield Section("Settings without meaning here", (), ("place", "key", "why"), reasons, is_detail=True)
    if report.code:
        lead = "Everything that was found, also what needs nothing."
        yield Section("All code, by file", (lead,), _CODE, _code_rows(report.code), is_detail=True)


def merged(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Merge rows (place, name, ..., text) with the same place and cause: a missing variable results in many.

    The cause is the text before the first semicolon. The remedies for each are joined, unless the cause has the same
    one for all.
    """
    groups: dict[Row, dict[str, list[str]]] = {}
    for place, name, *others, text in rows:
        cause, _, remedy = text.partition("; ")
        found = groups.setdefault((place, *others, cause), {})
        found.setdefault(remedy, []).append(name)
    return tuple(
        (
            place,
            ", ".join(name for names in found.values() for name in names if name),
            *others,
            cause if _IN_ENV in cause else "; ".join(filter(None, (cause, *found))),
        )
        for (place, *others, cause), found in groups.items()
    )


def _value(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else repr(value)


def listed(names: Iterable[str], most: int = 6) -> str:
    """Return the first names, and the number of others."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"{', '.join(known[:most])}{more}"
