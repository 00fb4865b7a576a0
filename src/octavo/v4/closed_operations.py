"""The JavaScript of a v4 project for a site: read it, apply what the owner allows, and close and log the rest."""

import logging
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Final

from octavo.api.graphql.customization.extension import ACTIONS, Extension, ExtensionError, FieldAccess
from octavo.api.graphql.schema.exclusions import FieldKey
from octavo.api.http.router import Router
from octavo.api.rest.operations import refuse
from octavo.core.values import dataclass
from octavo.operations.runtime.action_endpoints import (
    ActionEndpoint,
    content_fields,
    endpoints_of,
    generated_fields,
    hooked_endpoints,
)
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.v4.code import Code, Guard, Switch
from octavo.v4.code.allowances import allow
from octavo.v4.code.cache import cached_code

logger = logging.getLogger(__name__)

_MOST_LINES: Final = 10
_MOST_NAMED: Final = 4
_ROOTS: Final = ("Query", "Mutation")
_ADMINISTRATION: Final = "/admin"
_SWITCHES: Final = {
    "disable": "disable",
    "disableQueries": "disable_queries",
    "disableMutations": "disable_mutations",
    "disableAction": "disable_action",
    "disableActions": "disable_actions",
    "disableOutput": "disable_output",
    "disableInput": "disable_input",
    "disableFilters": "disable_filters",
}


def read_project_code(settings: Settings, registry: Registry) -> Code:
    """Return the code of a v4 project, without what its owner allows. An unchanged project is not parsed again.

    Raises InvalidCode.
    """

    def read() -> Code:
        from octavo.v4.code.read import read_code  # the parsers take time and memory

        return read_code(settings.project, registry, settings.named_plugins)

    code = cached_code(settings.project, registry, settings.named_plugins, read)
    return allow(code, settings.api.adoption.allow)


@dataclass(frozen=True, slots=True)
class ClosedOperations:
    """The closed operations besides the project's own routes, each with its guard."""

    routes: dict[str, Guard] = field(default_factory=dict)
    """By method and path below the API's prefix."""
    fields: dict[FieldKey, Guard] = field(default_factory=dict)
    unless_named: set[FieldKey] = field(default_factory=set)
    """Root fields and others that are closed unless the project's Python configures them."""


def find_closed_operations(code: Code, registry: Registry, *, has_graphql: bool = True) -> ClosedOperations:
    """Return the operations that the guards of a project close: of plugins that it changes, and those with hooks.

    GraphQL fields are left out if GraphQL is not installed.
    """
    closed = ClosedOperations()
    for hook in code.hooks:
        for key in content_fields(registry, hook.uid, hook.actions):
            closed.fields.setdefault(key, hook.guard)
        for uid in (hook.uid,) if hook.uid else registry.content_types:
            _close(closed, hooked_endpoints(uid, hook.actions), hook.guard)
    for name, guard in code.plugin_actions.items():
        _close(closed, endpoints_of(name, code.ported), guard)
    for guard in code.plugin_routes:
        _close(closed, endpoints_of(guard.name), guard)
    _close_fields(closed, code, registry)
    if not has_graphql:
        closed.fields.clear()
    return closed


def _close_fields(found: ClosedOperations, code: Code, registry: Registry) -> None:
    """Close the GraphQL fields that depend on code that is not ported."""
    generated = generated_fields(registry)
    for rule in code.fields:
        kind, _, name = rule.field.partition(".")
        if kind not in _ROOTS or (kind, name) in generated:  # others are the project's own fields, which do not exist
            for guard in rule.guards[:1]:
                if rule.named_at:
                    found.unless_named.add((kind, name))
                else:
                    found.fields.setdefault((kind, name), guard)


def _close(closing: ClosedOperations, doors: Iterator[ActionEndpoint], guard: Guard) -> None:
    for door in doors:
        for route in door.routes:
            closing.routes.setdefault(route, guard)
        for key in door.fields:
            closing.fields.setdefault(key, guard)


def close_routes(router: Router, prefix: str, graphql: str, code: Code, closing: ClosedOperations) -> None:
    """Make closed routes return an error. If a guard applies to everything, close all but the administration's
    routes."""
    for route in router.routes() if code.everywhere else router.declared():
        own = f"{route.method} {route.template.removeprefix(prefix)}"
        is_graphql = route.template == graphql
        if (
            (code.everywhere and not route.template.startswith(_ADMINISTRATION))
            or (own in closing.routes and route.template.startswith(prefix))
            or (is_graphql and code.graphql)
        ):
            router.replace(route.method, route.template, refuse)


def restrict_schema(extension: Extension, code: Code, closing: ClosedOperations, registry: Registry) -> None:
    """Apply the project's configuration of the GraphQL schema, and close the guarded fields."""
    generated = generated_fields(registry)
    for switch in code.switches:
        try:
            _turn(extension, switch)
        except (ExtensionError, TypeError) as error:
            logger.warning("%s:%d: %s: %s", switch.place.file, switch.place.line, switch.method, error)
    for rule in code.fields:
        kind, _, name = rule.field.partition(".")
        if rule.access is not None:
            scopes = None if rule.access.public else rule.access.scopes
            extension.access[kind, name] = FieldAccess(is_open=rule.access.public, scopes=scopes)
        if rule.policies and (kind, name) in generated and not rule.guards:
            extension.use({"resolvers_config": {rule.field: {"policies": list(rule.policies)}}})
        if rule.policies and rule.guards and rule.named_at:
            names = ", ".join(name for name, _ in rule.policies)
            message = "%s: the configuration in %s replaces %s:%d, including the policies %s"
            logger.warning(message, rule.field, rule.named_at, rule.place.file, rule.place.line, names)
    for key in closing.unless_named:
        said = extension.access.get(key, FieldAccess())
        extension.access[key] = replace(said, closed=True, unless_named=True)
    for key in closing.fields:
        extension.access[key] = FieldAccess(closed=True)


def _turn(extension: Extension, switch: Switch) -> None:
    subject = extension.shadow_crud(switch.uid)
    given = switch.arguments
    if switch.field is None:
        if switch.method == "disableActions" and given:
            given = ([action for action in given[0] if action in ACTIONS],)
        getattr(subject, _SWITCHES[switch.method])(*given)
    else:
        getattr(subject.field(switch.field), _SWITCHES[switch.method])()


def log_closed_operations(code: Code, closing: ClosedOperations) -> None:
    """Log what is closed and why: one line for each guard, up to a limit."""
    lines = list(_closed(code, closing))
    for line in lines[:_MOST_LINES]:
        logger.warning("%s", line)
    if len(lines) > _MOST_LINES:
        logger.warning("%d more guards close endpoints; list them with octavo adopt", len(lines) - _MOST_LINES)
    if lines:
        logger.warning(
            "Port this code, or list the names that can stay open without it in config/api.toml, [adoption] allow"
        )


def _closed(code: Code, closing: ClosedOperations) -> Iterator[str]:
    for guard, names in closed_by(code, closing).items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        yield f"Closed: {', '.join(names[:_MOST_NAMED])}{more}: {_describe_guard(guard)}"


def closed_by(code: Code, closing: ClosedOperations) -> dict[Guard, list[str]]:
    """Return each guard with the names of what it closes, whole APIs first."""
    closed: dict[Guard, list[str]] = {}
    for guard in code.everywhere:
        closed.setdefault(guard, []).append("the whole API")
    for guard in code.graphql:
        closed.setdefault(guard, []).append("GraphQL")
    for route in code.routes:
        for guard in route.guards:
            closed.setdefault(guard, []).append(route.name)
    for name, guard in closing.routes.items():
        closed.setdefault(guard, []).append(name)
    for (kind, name), guard in closing.fields.items():
        closed.setdefault(guard, []).append(f"{kind}.{name}")
    return closed


def _describe_guard(guard: Guard) -> str:
    return f"{guard.name} does not run ({guard.place.file}:{guard.place.line}: {guard.says})"
