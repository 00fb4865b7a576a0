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
from octavo.v4.adoption.visitors import severity, visible_changes
from octavo.v4.code import Kind, State

_PORT: Final = "write it in Python with the same name"
_BESIDE: Final = "or let your proxy forward its URLs to v4"
_ADVICE: Final = {
    Kind.ROUTE: f"write custom handlers in Python (until then, their routes return 501), {_BESIDE}.",
    Kind.ACTION: f"{_PORT}, `src/api/NAME/controllers/NAME.py`; its routes then use it.",
    Kind.CONTROLLER: "an unreadable controller: its routes stay closed until it is ported to Python.",
    Kind.SERVICE: f"{_PORT}, `src/api/NAME/services/NAME.py`, where other code calls it.",
    Kind.POLICY: f"{_PORT}, `src/policies/NAME.py`; its routes are then open to the callers that it allows.",
    Kind.MIDDLEWARE: f"{_PORT}, `src/middlewares/NAME.py`, or do the same in your proxy.",
    Kind.HOOK: (
        f"{_PORT}, `src/api/NAME/content-types/NAME/lifecycles.py`; for a slug, use a `uid` field; for a fixed value, "
        "a `default`."
    ),
    Kind.CRON: "write it as a task in `src/cron.py` with the same schedule.",
    Kind.START: "write startup code in Python in `src/index.py`: `register(app)`, `bootstrap(app)`.",
    Kind.GRAPHQL: "write types, fields and resolvers in Python in `register(app)`.",
    Kind.EXTENSION: f"{_PORT}, in `src/extensions/PLUGIN`; what it replaces stays closed until then.",
    Kind.PLUGIN: f"a local plugin does not run; write it in Python in the same folder (docs/plugins.md), {_BESIDE}.",
    Kind.MIGRATION: "a custom migration runs once; those that v4 has run need nothing.",
    Kind.UNREADABLE: "an unreadable file; correct it, or delete it.",
}
_PAGES: Final = (
    "Examples in Python: docs/from-strapi-v4.md, Porting code, and docs/extending.md. "
    "`octavo adopt --drafts FOLDER` drafts much of it for review."
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
        (f"octavo adopt{argument} --markdown ADOPTION.md", "write the complete report to a file"),
        (f"octavo adopt{argument} --drafts drafts", "write Python drafts of the JavaScript, for review"),
        (f"octavo db backup before.db{option}", "back up the database before the first start"),
        (f"octavo config check --strict{option}", "exit with 1 while findings are open, for CI"),
        (f"octavo start --port 1338{option}", "serve beside v4; adds missing tables and columns, removes nothing"),
        (f"npm {prefix}run start", "go back: start v4 on the same database"),
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
    yield from _visible(report)
    yield from _closed(report)
    yield from _source_secrets(report)
    yield from _open_settings(report)
    yield from _open_code(report)
    yield from _drafts(report)
    yield from _plugins(report)
    yield from _panel(report)
    yield from _definitions(report)
    if report.database is not None:
        yield from _database(report.database)
    yield from _populates(report)
    yield from _settled(report)
    yield Section("Next", columns=("command", "what it does"), rows=commands(report))


def _start(report: Report) -> Section:
    lead = [f"Strapi {report.version}, according to {report.version_source}."]
    if report.environment:
        lead.append(f"Configuration for NODE_ENV={report.environment}.")
    if report.can_start:
        return Section("Can it start? Yes", tuple(lead))
    rows = merged((item.place, item.name, item.says) for item in report.stops)
    return Section("Can it start? Not yet", tuple(lead), ("place", "name", "problem, and what to do"), rows)


def _visible(report: Report) -> Iterator[Section]:
    rows = tuple(visible_changes(report))
    if rows:
        yield Section("What visitors notice first", (), ("change", "because of"), rows)


def _source_secrets(report: Report) -> Iterator[Section]:
    rows = merged((item.place, item.name, item.says) for item in report.source_secrets)
    if rows:
        yield Section("Secrets in source files", (), ("place", "", "problem, and what to do"), rows)


def _panel(report: Report) -> Iterator[Section]:
    rows = tuple((item.place, item.name, item.says) for item in report.panel)
    if rows:
        yield Section("Customizations of the admin panel", (), ("place", "name", "in Octavo"), rows)


def _closed(report: Report) -> Iterator[Section]:
    if not report.closed:
        if not report.has_definitions:
            yield Section("What is closed?", ("Unknown until the definitions are valid.",))
        elif report.code:
            yield Section("What is closed? Nothing")
        return
    rows = tuple((item.guard, item.place, item.says, listed(item.closes)) for item in report.closed)
    lead = "This code decides on access, or could do so. It does not run, so the endpoints that it guards return 403."
    then = "To open endpoints without their code, list the names that you have reviewed in config/api.toml:"
    yield Section(
        "What is closed?", (lead,), ("code", "place", "what it does", "closes"), rows, (then,), allowing(report)
    )


def _open_settings(report: Report) -> Iterator[Section]:
    items = report.settings_that(Outcome.CLOSED, Outcome.OPEN)
    if items:
        rows = merged((item.place, item.key, item.outcome, item.says) for item in items)
        lead = (
            "closed: the safest value applies, or the start fails, until you set it. open: the setting has no effect."
        )
        yield Section("Settings that are not understood", (lead,), ("place", "key", "", "what to do"), rows)
    warned = report.needing_attention()
    if warned:
        looks = tuple((item.place, item.key, item.says) for item in warned)
        yield Section("Settings to review", (), ("place", "key", "why"), looks)
    missing = [secret.name for secret in report.secrets if secret.needed]
    if missing:
        yield Section("Secrets that are not set", (", ".join(missing),))


def _open_code(report: Report) -> Iterator[Section]:
    guards = {item.guard for item in report.closed}
    closed = [item for item in report.code_that(State.CLOSED) if item.name not in guards and item.kind != Kind.ROUTE]
    items = report.code_that(State.OPEN)
    rows = sorted((*closed, *items), key=severity)
    if not rows:
        return
    kinds = Counter(item.kind for item in (*closed, *items))
    counts = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    lead = f"JavaScript does not run, so this code has no effect ({counts})."
    yield Section("Code that does not run", (lead,), _CODE, _code_rows(rows), tuple(advice(items)))


def _drafts(report: Report) -> Iterator[Section]:
    if report.drafts:
        lead = (
            "Python drafts of the JavaScript above. Review the lines after each `# check:`. A file that ends in "
            "`.draft` is incomplete: see each `raise NotImplementedError`, and docs/from-strapi-v4.md, Porting code."
        )
        rows = tuple((item.path, item.stands_for, ", ".join(item.pieces), _drafted(item)) for item in report.drafts)
        yield Section("Drafts in Python", (lead,), ("file", "draft of", "contents", "state"), rows)


def _drafted(item: DraftItem) -> str:
    state = (
        f"{len(item.missing)} not translated: {listed(dict.fromkeys(item.missing), 3)}" if item.missing else "complete"
    )
    checks = f", {item.to_check} to check" if item.to_check else ""
    return f"{state}{checks}{'' if item.written else '; not written, because the file exists'}"


def _code_rows(code: Iterable[CodeItem]) -> tuple[Row, ...]:
    return tuple(
        (item.kind, item.name, item.place, "allowed" if item.settled else item.state, item.says) for item in code
    )


def _plugins(report: Report) -> Iterator[Section]:
    order = (Verdict.ABSENT, Verdict.INSTEAD)
    plugins = sorted(
        (item for item in report.plugins if item.verdict in order), key=lambda item: order.index(item.verdict)
    )
    fine = [item for item in report.plugins if item.verdict not in order]
    columns = ("package", "version", "", "in Octavo")
    lead = (f"These work, or need nothing: {', '.join(item.package for item in fine)}.",) if fine else ()
    yield Section("Plugins", lead, columns, _plugin_rows(plugins))
    if fine:
        yield Section("Plugins that need nothing", (), columns, _plugin_rows(fine), is_detail=True)


def _plugin_rows(plugins: Iterable[Plugin]) -> tuple[Row, ...]:
    return tuple((item.package, item.version, item.verdict.value, item.says) for item in plugins)


def _definitions(report: Report) -> Iterator[Section]:
    if report.definitions:
        rows = tuple((item.place, item.name, item.says) for item in report.definitions)
        yield Section("Definitions to review", (), ("file", "place", "remark"), rows)


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
        f"{users}, {files}, {counted(found.entries('admin::user'), 'administrator')}.",
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
    yield Section("Database", tuple(lead), ("content type", "entries", "drafts", "locales"), rows, is_table=True)
    changes = (*found.order_columns, *found.added)
    if changes:
        yield Section("What the first start adds", (), ("change",), tuple((one,) for one in changes), is_detail=True)
    yield from _components(found)


def _components(found: DatabaseReport) -> Iterator[Section]:
    if found.components is None:
        yield Section("Components under other names", ("Not checked: the query took too long.",))
    elif found.components:
        lead = (
            "When v4 renames a component, rows keep the former name. Attributes show such components; dynamic zones do "
            "not, and their files are missing, until you update the rows."
        )
        rows = tuple(
            (f"{each.uid} {each.attribute}", f"{each.rows:,} {each.name}", each.says) for each in found.components
        )
        columns = ("place", "rows", "meaning, and what to do")
        yield Section("Components under other names", (lead,), columns, rows)


def _added_triggers(found: DatabaseReport) -> Iterator[str]:
    if found.triggers:
        yield "Triggers in content tables maintain counts (`totals`); `octavo db totals --disable` removes them."
    elif max((each.entries or 0 for each in found.types), default=0) >= _MANY_ENTRIES:
        yield "No triggers are created; `octavo db totals --enable` adds triggers for the counts of long lists."


def _database_facts(found: DatabaseReport) -> Iterator[str]:
    if found.locales:
        yield f"Locales: {', '.join(found.locales)}; {found.default_locale} is the default."
    if found.roles:
        roles = (f"{role.name} ({counted(role.count, 'user')})" for role in found.roles)
        yield f"Roles: {', '.join(roles)}."
    for stored in found.files:
        size = f"{counted(stored.files, 'file')}, {stored.kilobytes / 1000:,.1f} MB"
        known = "" if stored.known else ", an unknown provider: their URLs are served as stored"
        yield f"Files of the provider {stored.provider}: {size}{known}."
    if found.webhooks:
        yield f"Webhooks: {found.webhooks} enabled. Octavo calls them; list private hosts in privateHosts."
    if found.order_columns:
        yield f"{len(found.order_columns)} order columns are missing, as in v4 before 4.6; the first start adds them."
    if found.added or found.indexes:
        tables = counted(len(found.added), "table or column", "tables and columns")
        indexes = counted(found.indexes, "index or key", "indexes and keys")
        yield f"The first start adds {tables} and {indexes}, and changes nothing else."
    yield from _added_triggers(found)
    if found.left:
        left = counted(len(found.left), "table or column is", "tables and columns are")
        yield f"{left} not in the definitions, and stay (`octavo db diff`)."
    if found.unclaimed:
        yield f"Unknown tables, left unchanged: {listed(found.unclaimed, 8)}."


def _populates(report: Report) -> Iterator[Section]:
    rows = tuple((item.uid, str(item.tables), str(item.lists), " > ".join(item.path)) for item in report.populates)
    if rows:
        lead = (
            "The cost of populating all components, and relations one level deep. Nested lists multiply it. "
            "Requests that populate only what they need are faster than `populate=deep` or `*`."
        )
        columns = ("content type", "tables", "nested lists", "deepest")
        yield Section("The largest populates", (lead,), columns, rows, is_table=True)


def _settled(report: Report) -> Iterator[Section]:
    taken = report.settings_that(Outcome.TAKEN)
    if taken:
        rows = tuple((item.place, item.key, item.setting, _value(item.value)) for item in taken)
        yield Section("Settings in use", (), ("place", "key", "setting", "value"), rows, is_detail=True)
    given = [secret for secret in report.secrets if secret.source]
    if given:
        secrets = tuple((secret.name, secret.source) for secret in given)
        yield Section("Secrets by source", (), ("secret", "source"), secrets, is_detail=True)
    idle = report.settings_that(Outcome.IDLE)
    if idle:
        reasons = tuple((item.place, item.key, item.says) for item in idle)
        yield Section("Settings without effect in Octavo", (), ("place", "key", "why"), reasons, is_detail=True)
    if report.code:
        lead = "All code, including code that needs no porting."
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
