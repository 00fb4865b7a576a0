"""Assemble the adoption report from current settings, definitions and code, for `octavo adopt` and `config check`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from octavo.schema.attributes import ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import Definition
from octavo.schema.problems import DefinitionProblem
from octavo.schema.registry import Registry
from octavo.settings import Settings, missing_secrets
from octavo.settings.findings import Finding
from octavo.settings.model import TABLES
from octavo.settings.package_json import find_v4_project
from octavo.v4.adoption.plugins import counterparts
from octavo.v4.adoption.report import Closed, CodeItem, Item, Populate, Report, Secret, SettingItem
from octavo.v4.closed_operations import closed_by, find_closed_operations
from octavo.v4.code import Code, Kind, State

_SHOWN: Final = 10
_LARGE_TABLES: Final = 20
_LARGE_LISTS: Final = 3
_DEEPEST: Final = 10
_PASSED_OVER: Final = frozenset(("createdBy", "updatedBy", "localizations"))
_Size = tuple[int, int, tuple[str, ...]]
"""Joined tables, nested lists, and the path of attributes to the innermost list."""


def heaviest(registry: Registry) -> tuple[Populate, ...]:
    """Return the ten content types that are the most expensive to populate: all components, relations one level
    deep."""
    known: dict[tuple[str, int], _Size] = {}
    sizes = (Populate(item.uid, *_size(registry, item, 0, known)) for item in registry.api_types())
    large = [item for item in sizes if item.tables >= _LARGE_TABLES or item.lists >= _LARGE_LISTS]
    return tuple(sorted(large, key=lambda item: (-item.tables, -item.lists, item.uid))[:_SHOWN])


def _size(registry: Registry, definition: Definition, depth: int, known: dict[tuple[str, int], _Size]) -> _Size:
    key = (definition.uid, depth)
    if key not in known:
        parts = [*_parts(registry, definition, depth, known)] if depth < _DEEPEST else []
        deepest = max(parts, key=lambda part: part[1], default=(0, 0, ()))
        known[key] = (sum(part[0] for part in parts), deepest[1], deepest[2])
    return known[key]


def _parts(
    registry: Registry, definition: Definition, depth: int, known: dict[tuple[str, int], _Size]
) -> Iterator[_Size]:
    for name, attribute in definition.attributes.items():
        if name in _PASSED_OVER:
            continue
        match attribute:
            case Relation() | Media():
                yield 1, int(attribute.to_many), (name,) if attribute.to_many else ()
            case ComponentField(component=uid):
                yield _joined(registry, name, (uid,), attribute.to_many, depth, known)
            case DynamicZone(components=uids):
                yield _joined(registry, name, uids, True, depth, known)


def _joined(
    registry: Registry, name: str, uids: Iterable[str], many: bool, depth: int, known: dict[tuple[str, int], _Size]
) -> _Size:
    inner = [_size(registry, registry.components[uid], depth + 1, known) for uid in uids if uid in registry.components]
    deepest = max(inner, key=lambda size: size[1], default=(0, 0, ()))
    return len(inner) + sum(size[0] for size in inner), deepest[1] + many, (name, *deepest[2])


_VERSION: Final = ("api", "compat", "v4_version")


def assemble(
    settings: Settings, registry: Registry | None, code: Code | None, remarks: Iterable[DefinitionProblem]
) -> Report:
    """Return the report without the database. `code` excludes what the owner allows."""
    v4 = find_v4_project(settings.project)
    return Report(
        project=str(settings.project),
        version=settings.api.compat.v4_version or "v4 (unknown version)",
        version_source=settings.sources.get(_VERSION, "unknown"),
        settings=setting_items(settings.findings),
        secrets=tuple(_secrets(settings)),
        closed=_closed(code, registry, settings.plugins.graphql.enabled) if code and registry else (),
        code=tuple(_code_items(code, settings.api.adoption.allow, registry)) if code else (),
        definitions=tuple(Item(one.source, one.path, one.message, one.unserved) for one in remarks),
        plugins=tuple(counterparts(v4.packages)) if v4 else (),
        populates=heaviest(registry) if registry else (),
        allowed=settings.api.adoption.allow,
        has_definitions=registry is not None,
    )


def _closed(code: Code, registry: Registry, has_graphql: bool) -> tuple[Closed, ...]:
    """Return each guard with the operations that it closes, the one with the most first."""
    closing = find_closed_operations(code, registry, has_graphql=has_graphql)
    closed = [
        Closed(guard.name, f"{guard.place.file}:{guard.place.line}", guard.says, tuple(dict.fromkeys(names)))
        for guard, names in closed_by(code, closing).items()
    ]
    large = {guard.name for guard in (*code.everywhere, *code.graphql)}
    return tuple(sorted(closed, key=lambda item: (item.guard not in large, -len(item.closes))))


def setting_items(findings: Iterable[Finding]) -> tuple[SettingItem, ...]:
    """Return the outcome for each key."""
    return tuple(
        SettingItem(one.outcome.value, one.place, one.key, one.setting, one.value, one.message) for one in findings
    )


def _secrets(settings: Settings) -> Iterator[Secret]:
    """Yield every configured or missing secret, without its value."""
    missing = missing_secrets(settings)
    for table in TABLES.values():
        for key in table.rows():
            source = settings.sources.get(key.attributes, "")
            if key.row.secret and source:
                yield Secret(key.row.variable or f"{key.file}.{key.dotted}", source)
    yield from (Secret(name, "", needed=True) for name in missing)


def _code_items(code: Code, allowed: Sequence[str], registry: Registry | None) -> Iterator[CodeItem]:
    """Yield all pieces of code by file and line, except packages, which have a separate section in the report.

    Without definitions, messages on core routers are left out, because they would report missing content types.
    """
    closed = {route.name for route in code.routes if route.guards}
    settled, folders = _settled(code, allowed), _plugin_folders(code, allowed)
    for finding in sorted(code.findings, key=lambda one: (one.place.file, one.place.line)):
        if finding.kind is Kind.PACKAGE or (registry is None and finding.kind is Kind.ROUTE and "::" in finding.name):
            continue
        is_opened = finding.kind is Kind.ROUTE and finding.state is State.CLOSED and finding.name not in closed
        yield CodeItem(
            file=finding.place.file,
            line=finding.place.line,
            kind=finding.kind.value,
            name=finding.name,
            says=finding.says,
            state=finding.state.value,
            settled=finding.name in settled or finding.place.file.startswith(folders) or (is_opened and bool(allowed)),
        )


def _settled(code: Code, allowed: Iterable[str]) -> set[str]:
    """Return the allowed names, with the routes of allowed actions and the actions of allowed routes."""
    settled = set(allowed)
    for route in code.routes:
        names = {route.name, route.action} - {""}  # an inline function has no action
        if settled & names:
            settled |= names
    return settled


def _plugin_folders(code: Code, allowed: Sequence[str]) -> tuple[str, ...]:
    """Return the folders of allowed local plugins: all of their code is settled."""
    plugins = (finding for finding in code.findings if finding.kind is Kind.PLUGIN and finding.name in allowed)
    return tuple(f"{finding.folder}/" for finding in plugins)
