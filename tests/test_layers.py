"""The shape of the package: imports go one way, in the open, and files stay small.

Run as a program, it prints which package uses which.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"

LAYERS = (
    ("values", "markup", "host_names", "text_limits"),
    ("errors", "clock", "threads", "cache", "cache_control", "own_files", "plurals", "manual"),
    ("outage_log", "forms"),
    ("recent_log",),
    ("schema", "javascript"),
    ("query", "settings", "typings"),
    ("project",),
    ("plan",),
    ("sql",),
    ("database",),
    ("events",),
    ("authorization", "authentication.passwords", "net", "mail", "i18n.locales", "jobs"),
    ("content",),
    ("i18n", "media"),
    ("controllers", "project.context"),
    ("authentication", "webhooks", "purging", "backups.record"),
    ("users",),
    ("administrators", "content_manager"),
    ("transfer.definition_edits",),
    ("transfer.rename",),
    ("transfer.convert",),
    ("builder",),
    ("http",),
    ("rest", "graphql", "admin", "telemetry"),
    ("project.api",),
    ("runtime", "handle", "typed"),
    ("transfer", "adoption", "backups"),
    ("generators",),
    ("asgi",),
    ("runtime.server",),
    ("cli",),
    ("__main__", "testing"),
    ("api_reference",),
)
"""From the bottom. A part imports from the layers below it and from itself, nothing else. A part is a package, or what
of a package lies lower or higher than the rest of it."""

PHASES = ("schema", "document", "customization", "execution", "transport")
"""Of `graphql`, from the bottom."""

DOORS = {"rest", "graphql", "admin"}
CLOSED_TO_DOORS = {"plan", "sql", "database"}
"""Doors ask controllers; they know no plan, no SQL and no database."""

OPTIONAL = {"strawberry", "uvloop"}
"""Dependencies that may be missing, and so may be imported inside a function."""

LATE = {
    ("octavo.cli.base", "octavo.cli.hooked"),
    ("octavo.cli.base", "octavo.cli.tables"),
    ("octavo.cli.develop", "octavo.cli.progress"),
    ("octavo.cli.groups", "octavo.cli.added_commands"),
    ("octavo.project.plugins", "octavo.project.installed_plugins"),
    ("octavo.cli.start", "octavo.cli.v4_report"),
    ("octavo.cli.advise", "octavo.runtime.advising"),
    ("octavo.settings.v4.read", "octavo.settings.v4.files"),
    ("octavo.runtime.project_code", "octavo.project.v4.read"),
    ("octavo.graphql.transport.endpoint", "octavo.graphql.transport.request_handler"),
    ("octavo.authentication.credentials", "octavo.authentication.jws"),
    ("octavo.authentication.rate_limits", "octavo.authentication.attempt_counts"),
    ("octavo.runtime.infrastructure", "octavo.authentication.attempt_counts"),
    ("octavo.runtime.open_resources", "octavo.authentication.redis_rate_limits"),
    ("octavo.http.ranges", "email.utils"),
    ("octavo.jobs.schedule", "cronsim"),
    ("octavo.jobs.schedule", "zoneinfo"),
    ("octavo.settings.values", "zoneinfo"),
    ("octavo.mail.templates", "html"),
    ("octavo.mail.folder", "octavo.mail.mime"),
    ("octavo.mail.sendmail", "octavo.mail.mime"),
    ("octavo.mail.smtp", "octavo.mail.smtp_delivery"),
    ("octavo.media.processing", "octavo.media.images"),
    ("octavo.runtime.open_storage", "octavo.media.storage.cloudinary"),
    ("octavo.runtime.open_mailer", "octavo.mail.http_mailers"),
    ("octavo.runtime.open_webhooks", "octavo.webhooks.post"),
    ("octavo.runtime.open_purges", "octavo.net.outgoing"),
    ("octavo.runtime.process", "octavo.runtime.definition_changes"),
    ("octavo.runtime.admin_door", "octavo.runtime.admin_endpoints"),
    ("octavo.runtime.build_services", "octavo.runtime.managed_services"),
    ("octavo.runtime.open_traces", "octavo.telemetry.traces"),
    ("octavo.content.validation.patterns", "octavo.content.validation.regexes"),
    ("octavo.content.validation.regexes", "octavo.content.validation.backtracking"),
    ("octavo.project.api.http_client", "octavo.net.outgoing"),
    ("octavo.database", "octavo.database.postgresql"),
    ("octavo.database", "octavo.database.replicated"),
    ("octavo.database", "octavo.database.sqlite"),
}
"""What is imported inside a function for the time or memory it takes: graphql-core, once the service has started;
cryptography, Pillow, RE2 and `regex`, the HTTP client, the parsers of JavaScript, the report on v4 projects,
drivers and, for commands that call hooks, all of the service, when they are needed."""

BOOKKEEPING = {"octavo.authentication.authenticator", "octavo.authentication.attempt_counts", "octavo.users.sessions"}
"""Modules that write, in one statement, what is no data of a project: a token's last use, counts, ended sessions."""

DATABASES = {"sqlite", "postgresql", "postgres"}
NAME_DATABASES = {
    "octavo.backups.making",
    "octavo.backups.restoring",
    "octavo.cli.database",
    "octavo.runtime.open_resources",
    "octavo.testing.databases",
}
"""What may ask which database the settings name: backups, which are a file or a tool's; who opens the driver;
and what makes databases for tests. All others ask the dialect."""

LINES = 400


@dataclass(frozen=True, slots=True)
class Import:
    """One import of `target` at a line of `module`; `hidden` inside a function."""

    module: str
    target: str
    line: int
    hidden: bool

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for file in sorted((SOURCE / "octavo").rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


def imports_of(module: str, node: ast.AST, hidden: bool = False) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        inside = hidden or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield from (Import(module, target, child.lineno, hidden) for target in targets_of(child))
        yield from imports_of(module, child, inside)


def targets_of(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.name
        else:
            whole = f"{node.module}.{alias.name}"
            yield whole if whole in modules() else str(node.module)


@cache
def imports() -> tuple[Import, ...]:
    return tuple(found for module in modules() for found in imports_of(module, tree_of(module)))


def inner_imports() -> Iterator[Import]:
    """Imports of one part of the package by another; `octavo` itself holds the version and belongs to nobody."""
    for found in imports():
        part = part_of(found.module)
        if found.target.startswith("octavo.") and part not in ("", part_of(found.target)):
            yield found


PARTS = {part for layer in LAYERS for part in layer}


def part_of(module: str) -> str:
    """`octavo.sql.read.select` -> `sql`; `octavo.project.api.app` -> `project.api`."""
    path = module.split(".")[1:]
    return next((part for length in (2, 1) if (part := ".".join(path[:length])) in PARTS), path[0] if path else "")


def layer_of(part: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if part in layer)


def test_every_part_has_a_layer() -> None:
    assert {part_of(module) for module in modules()} - PARTS == {""}


def test_the_package_itself_imports_nothing() -> None:
    """What it names for type checkers is not imported."""
    assert {found.target for found in imports() if found.module == "octavo"} == {"octavo.project.api"}


def test_imports_go_down() -> None:
    upward = [found for found in inner_imports() if layer_of(part_of(found.target)) >= layer_of(part_of(found.module))]
    assert list(map(str, upward)) == []


def test_doors_know_no_storage() -> None:
    through = [
        found
        for found in inner_imports()
        if part_of(found.module) in DOORS and part_of(found.target) in CLOSED_TO_DOORS
    ]
    assert list(map(str, through)) == []


def test_only_dialects_and_drivers_know_databases_by_name() -> None:
    named = [
        f"{module}:{getattr(node, 'lineno', 0)}"
        for module in modules()
        if module not in NAME_DATABASES and not module.startswith(("octavo.sql.dialects.", "octavo.settings."))
        for node in ast.walk(tree_of(module))
        if (isinstance(node, ast.Constant) and node.value in DATABASES) or asks_for_a_dialects_name(node)
    ]
    assert named == []


def asks_for_a_dialects_name(node: ast.AST) -> bool:
    """Whether it is `dialect.name`, however the dialect was reached."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return False
    owner = node.value
    found = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return found.strip("_") == "dialect"


DRIVERS = ("octavo.database.sqlite", "octavo.database.postgresql", "octavo.backups.postgresql")
"""What is about one database."""


def test_only_drivers_choose_a_dialect() -> None:
    chosen = [
        found
        for found in imports()
        if found.target in ("octavo.sql.dialects.sqlite", "octavo.sql.dialects.postgresql")
        and not found.module.startswith(DRIVERS)
    ]
    assert list(map(str, chosen)) == []


def test_graphql_goes_phase_by_phase() -> None:
    upward = [
        found
        for found in imports()
        if (source := phase_of(found.module)) is not None
        and (target := phase_of(found.target)) is not None
        and target > source
    ]
    assert list(map(str, upward)) == []


def phase_of(module: str) -> int | None:
    path = module.split(".")
    return PHASES.index(path[2]) if path[1:2] == ["graphql"] and path[2:3] and path[2] in PHASES else None


def test_data_changes_in_units_of_work_only() -> None:
    """No module outside `database` opens a transaction by itself, or writes without one."""
    opening = [
        f"{module}:{call.lineno}"
        for module in modules()
        if part_of(module) != "database"
        for call in ast.walk(tree_of(module))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr == "transaction" or (module not in BOOKKEEPING and is_write_of_its_own(call.func))
    ]
    assert opening == []


def is_write_of_its_own(method: ast.Attribute) -> bool:
    """`database.execute` and the like: on the database itself, not on a connection."""
    return (
        method.attr in ("execute", "execute_script")
        and ast.unparse(method.value).rpartition(".")[2].lstrip("_") == "database"
    )


def test_no_cycles() -> None:
    graph: dict[str, set[str]] = {}
    for found in imports():
        if found.target in modules():
            graph.setdefault(found.module, set()).add(found.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_hidden_imports() -> None:
    hidden = [
        found
        for found in imports()
        if found.hidden and found.target.split(".")[0] not in OPTIONAL and (found.module, found.target) not in LATE
    ]
    assert list(map(str, hidden)) == []


def test_every_module_says_what_it_is_in_charge_of() -> None:
    assert [module for module in modules() if not ast.get_docstring(tree_of(module))] == []


def test_files_stay_small() -> None:
    lengths = {module: len(file.read_text(encoding="utf-8").splitlines()) for module, file in modules().items()}
    assert {module: length for module, length in lengths.items() if length > LINES} == {}


def render_graph() -> Iterator[str]:
    uses: dict[str, set[str]] = {}
    for found in inner_imports():
        uses.setdefault(part_of(found.module), set()).add(part_of(found.target))
    for layer in LAYERS:
        for part in layer:
            if part in uses:
                yield f"{part}: {', '.join(sorted(uses[part], key=layer_of))}"


if __name__ == "__main__":
    print("\n".join(render_graph()))  # noqa: T201
