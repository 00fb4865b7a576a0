"""The structure of the package: imports go one way and are visible, and files stay small.

Run as a program, it prints the imports between packages.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"

LAYERS = {
    "core": "Building blocks that know nothing of content: errors, caches, threads, forms, mail, outgoing HTTP.",
    "schema": "Content types, components, attributes, and the files that define them.",
    "query": "What a caller asks for: the query tree and its parameters.",
    "query.plan": "What Octavo will do: names resolved, values typed.",
    "query.sql": "The statements, in each dialect.",
    "settings": "The settings of a project: files, variables, compatibility rules.",
    "project": "A project's own Python code: found, loaded, called.",
    "database": "Drivers, pools, transactions, migrations, replicas.",
    "events": "Hooks, outbox, journal.",
    "access.authorization": "Permissions: abilities, sanitizers, conditions.",
    "access.authentication": "Credentials: passwords, tokens, sessions, rate limits.",
    "events.jobs": "Background jobs and schedules.",
    "content": "Reading, validating and writing entries.",
    "content.media": "Uploaded files and their storage.",
    "content.i18n": "Locales and localizations.",
    "content.controllers": "What every API asks of content.",
    "content.manager": "What administrators do with content.",
    "events.purging": "Purges of CDNs and reverse proxies.",
    "events.webhooks": "Webhooks and their deliveries.",
    "accounts.users": "The site's users: accounts, roles, sign-in providers.",
    "accounts.administrators": "Administrators: accounts, roles, API tokens, audit.",
    "modeling.refactoring": "Renames and conversions of attributes.",
    "modeling.builder": "The content-type builder.",
    "modeling.typings": "Generated types for TypeScript and Python.",
    "modeling.generators": "`octavo generate`.",
    "api.http": "HTTP: requests, responses, routing, limits.",
    "api.rest": "The REST API and its OpenAPI document.",
    "api.graphql": "The GraphQL API.",
    "api.admin": "The administrators' API and pages.",
    "sdk": "The public API for project code.",
    "operations.telemetry": "Metrics, traces, slow statements.",
    "operations.runtime": "The server process and the sites it serves.",
    "operations.transfer": "Export, import, copies between databases, seeds.",
    "operations.backups": "Backups and their storage.",
    "operations.comparison": "Comparison of two services: requests, masks, differences, reports.",
    "operations.shadowing": "The proxy of `octavo shadow`, and the process that compares.",
    "operations.manual": "The documentation inside the package.",
    "v4": "Strapi v4 projects: settings, JavaScript, routes, reports.",
    "asgi": "The application factory for other servers.",
    "cli": "The command line.",
    "typed": "Base classes of generated Python types.",
    "testing": "The test kit for projects.",
    "__main__": "`python -m octavo`.",
    "api_reference": "The generator of docs/python-api.md.",
}
"""A row for each folder, from the bottom. A folder imports only from rows above it and from itself."""

PHASES = ("schema", "document", "customization", "execution", "transport")
"""The phases of `graphql`, from the bottom."""

APIS = {"api.rest", "api.graphql", "api.admin"}
CLOSED_TO_APIS = {"query.plan", "query.sql", "database"}
"""APIs call controllers. They do not import plans, SQL or the database."""

OPTIONAL = {"anyascii", "strawberry", "uvloop"}
"""Dependencies that may be missing or take long to import, so functions may import them."""

LATE = {
    ("octavo.cli.base", "octavo.cli.hooked"),
    ("octavo.cli.base", "octavo.cli.terminal"),
    ("octavo.cli.compare", "octavo.cli.frontends"),
    ("octavo.cli.database_copy", "octavo.operations.transfer.mysql.source"),
    ("octavo.cli.develop", "octavo.cli.terminal"),
    ("octavo.cli.groups", "importlib.metadata"),
    ("octavo.project.plugins", "importlib.metadata"),
    ("octavo.cli.start", "octavo.cli.v4_report"),
    ("octavo.cli.advise", "octavo.operations.runtime.index_advice"),
    ("octavo.v4.config.read", "octavo.v4.config.files"),
    ("octavo.v4.closed_operations", "octavo.v4.code.read"),
    ("octavo.v4.plugin_definitions", "octavo.v4.code.plugin_types"),
    ("octavo.v4.plugin_definitions", "octavo.v4.code.custom_fields"),
    ("octavo.api.graphql.transport.endpoint", "octavo.api.graphql.transport.request_handler"),
    ("octavo.access.authentication.credentials", "octavo.access.authentication.jws"),
    ("octavo.access.authentication.sign_in_limits", "octavo.access.authentication.attempt_counts"),
    ("octavo.access.authentication.route_limits", "octavo.access.authentication.attempt_counts"),
    ("octavo.operations.runtime.infrastructure", "octavo.access.authentication.attempt_counts"),
    ("octavo.operations.runtime.open_resources", "octavo.access.authentication.attempt_counts"),
    ("octavo.api.http.ranges", "email.utils"),
    ("octavo.events.jobs.schedule", "cronsim"),
    ("octavo.events.jobs.schedule", "zoneinfo"),
    ("octavo.settings.values", "zoneinfo"),
    ("octavo.core.mail.templates", "html"),
    ("octavo.core.mail.folder", "octavo.core.mail.mime"),
    ("octavo.core.mail.sendmail", "octavo.core.mail.mime"),
    ("octavo.core.mail.smtp", "aiosmtplib"),
    ("octavo.core.mail.smtp", "octavo.core.mail.mime"),
    ("octavo.content.media.file_preparation", "octavo.content.media.image_metadata"),
    ("octavo.content.media.file_preparation", "octavo.content.media.image_optimization"),
    ("octavo.content.media.file_preparation", "octavo.content.media.image_placeholders"),
    ("octavo.content.media.file_preparation", "octavo.content.media.image_formats"),
    ("octavo.content.media.image_job", "octavo.content.media.image_rendering"),
    ("octavo.operations.runtime.open_storage", "octavo.content.media.storage.cloudinary"),
    ("octavo.operations.runtime.open_mailer", "octavo.core.mail.http_mailers"),
    ("octavo.operations.runtime.open_resources", "octavo.events.webhooks.http_sender"),
    ("octavo.operations.runtime.open_resources", "octavo.core.net.outgoing"),
    ("octavo.operations.runtime.process", "octavo.operations.runtime.definition_changes"),
    ("octavo.operations.runtime.site", "octavo.operations.runtime.admin_endpoints"),
    ("octavo.operations.runtime.build_services", "octavo.operations.runtime.managed_services"),
    ("octavo.operations.runtime.infrastructure", "octavo.operations.telemetry.traces"),
    ("octavo.content.validation.patterns", "octavo.content.validation.regexes"),
    ("octavo.content.validation.regexes", "regex"),
    ("octavo.sdk.http_client", "octavo.core.net.outgoing"),
    ("octavo.database", "octavo.database.mysql"),
    ("octavo.database", "octavo.database.postgresql"),
    ("octavo.database", "octavo.database.replicated"),
    ("octavo.database", "octavo.database.sqlite"),
}
"""Imports inside functions that save time or memory at the start: graphql-core, once the service has started;
cryptography, Pillow, RE2 and `regex`, the HTTP client, the JavaScript parsers, the report on v4 projects, drivers and,
for commands that call hooks, the whole service, when they are needed.
"""

BOOKKEEPING = {
    "octavo.access.authentication.authenticator",
    "octavo.access.authentication.attempt_counts",
    "octavo.accounts.users.sessions",
    "octavo.v4.rehearsal.copies",
}
"""Modules that write housekeeping data with one statement: a token's last use, counts, ended sessions, and the token of
a copy that is deleted afterwards.
"""

DATABASES = {"sqlite", "postgresql", "postgres", "mysql", "mariadb"}
NAME_DATABASES = {
    "octavo.operations.backups.making",
    "octavo.operations.backups.mysql_tools",
    "octavo.operations.backups.restoring",
    "octavo.cli.database",
    "octavo.database",
    "octavo.database.mysql_connection",
    "octavo.operations.transfer.mysql.source",
    "octavo.operations.runtime.open_resources",
    "octavo.testing.databases",
    "octavo.v4.rehearsal.copies",
}
"""Modules that may check which database the settings name: backups, which use files or external tools; the module that
opens the driver; and the module that creates databases for tests. All others use the dialect.
"""

KNOW_DATABASES = ("octavo.query.sql.dialects.", "octavo.settings.", "octavo.v4.config.")

LINES = 600
"""A limit for one concept; most files stay below 400."""


@dataclass(frozen=True, slots=True)
class Import:
    """An import of `target` at a line of `module`. `hidden`: inside a function."""

    module: str
    target: str
    line: int
    hidden: bool

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


@cache
def modules() -> dict[str, Path]:
    """Return all modules of the package by dotted name."""
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
    """Return imports between parts of the package. `octavo` itself contains the version and belongs to no part."""
    for found in imports():
        part = part_of(found.module)
        if found.target.startswith("octavo.") and part not in ("", part_of(found.target)):
            yield found


PARTS = set(LAYERS)
ROOMS = {part.partition(".")[0] for part in LAYERS} - PARTS
ORDER = {part: number for number, part in enumerate(LAYERS)}


def part_of(module: str) -> str:
    """Return the part of a module: `octavo.query.sql.read.select` -> `sql`; `octavo.sdk.app` -> `sdk`."""
    path = module.split(".")[1:]
    return next((part for length in (2, 1) if (part := ".".join(path[:length])) in PARTS), _outside(path))


def _outside(path: list[str]) -> str:
    """Return "" for `octavo` and for folders that only contain other parts."""
    return "" if not path or (len(path) == 1 and path[0] in ROOMS) else path[0]


def layer_of(part: str) -> int:
    return ORDER[part]


def test_every_part_has_a_layer() -> None:
    assert {part_of(module) for module in modules()} - PARTS == {""}


def test_the_package_itself_imports_nothing() -> None:
    """Its imports for type checkers do not run."""
    assert {found.target for found in imports() if found.module == "octavo"} == {"octavo.sdk"}


def test_imports_go_down() -> None:
    upward = [found for found in inner_imports() if layer_of(part_of(found.target)) >= layer_of(part_of(found.module))]
    assert list(map(str, upward)) == []


def test_apis_do_not_import_storage() -> None:
    through = [
        found for found in inner_imports() if part_of(found.module) in APIS and part_of(found.target) in CLOSED_TO_APIS
    ]
    assert list(map(str, through)) == []


def test_only_dialects_and_drivers_know_databases_by_name() -> None:
    named = [
        f"{module}:{getattr(node, 'lineno', 0)}"
        for module in modules()
        if module not in NAME_DATABASES and not module.startswith(KNOW_DATABASES)
        for node in ast.walk(tree_of(module))
        if (isinstance(node, ast.Constant) and node.value in DATABASES) or reads_name_of_dialect(node)
    ]
    assert named == []


def reads_name_of_dialect(node: ast.AST) -> bool:
    """Return whether an expression is `dialect.name`, on any path to the dialect."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return False
    owner = node.value
    found = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return found.strip("_") == "dialect"


DRIVERS = (
    "octavo.database.mysql",
    "octavo.database.sqlite",
    "octavo.database.postgresql",
    "octavo.operations.backups.postgresql",
)
"""Modules for one database."""


DIALECTS = {f"octavo.query.sql.dialects.{name}" for name in ("mysql", "sqlite", "postgresql")}


def test_only_drivers_choose_a_dialect() -> None:
    chosen = [found for found in imports() if found.target in DIALECTS and not found.module.startswith(DRIVERS)]
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
    return PHASES.index(path[3]) if path[1:3] == ["api", "graphql"] and path[3:4] and path[3] in PHASES else None


def test_only_units_of_work_write_data() -> None:
    """No module outside `database` opens its own transaction, or writes without one."""
    opening = [
        f"{module}:{call.lineno}"
        for module in modules()
        if part_of(module) != "database"
        for call in ast.walk(tree_of(module))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr == "transaction" or (module not in BOOKKEEPING and writes_without_transaction(call.func))
    ]
    assert opening == []


def writes_without_transaction(method: ast.Attribute) -> bool:
    """Return whether a call writes on the database itself, such as `database.execute`, instead of on a connection."""
    return (
        method.attr in ("execute", "execute_script")
        and ast.unparse(method.value).rpartition(".")[2].lstrip("_") == "database"
    )


def test_only_the_command_line_imports_v4() -> None:
    """Octavo projects never load it: other modules use `octavo.settings.v4_package`, which imports it when needed."""
    assert {part_of(found.module) for found in inner_imports() if part_of(found.target) == "v4"} == {"cli"}


def test_packages_have_no_cycles() -> None:
    graph: dict[str, set[str]] = {}
    for found in inner_imports():
        source, target = (name.split(".")[1] for name in (found.module, found.target))
        if source != target:
            graph.setdefault(source, set()).add(target)
    TopologicalSorter(graph).prepare()


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


def test_every_module_has_a_docstring() -> None:
    assert [module for module in modules() if not ast.get_docstring(tree_of(module))] == []


def test_files_stay_small() -> None:
    lengths = {module: len(file.read_text(encoding="utf-8").splitlines()) for module, file in modules().items()}
    assert {module: length for module, length in lengths.items() if length > LINES} == {}


def render_graph() -> Iterator[str]:
    uses: dict[str, set[str]] = {}
    for found in inner_imports():
        uses.setdefault(part_of(found.module), set()).add(part_of(found.target))
    for part in LAYERS:
        if part in uses:
            yield f"{part}: {', '.join(sorted(uses[part], key=layer_of))}"


if __name__ == "__main__":
    print("\n".join(render_graph()))  # noqa: T201
