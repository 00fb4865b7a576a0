"""`octavo content-types` and `octavo routes`: list content types and routes."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from octavo.api.http.router import Route
from octavo.api.rest.operations import RestOperation
from octavo.cli.base import Group, json_option, project_option, read_settings, say, say_json, say_table, with_secrets
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.process import build
from octavo.schema.content_types import ContentType


@click.group(cls=Group, name="content-types")
def content_types() -> None:
    """List the content types."""


@content_types.command(name="list", epilog="Example: octavo content-types list --all --json")
@project_option
@json_option
@click.option("--all", "with_builtin", is_flag=True, help="Include built-in content types.")
def list_content_types(project: Path, as_json: bool, with_builtin: bool) -> None:
    """List the content types of a project."""
    settings = read_settings(project)
    registry = project_registry(settings)
    chosen = registry.content_types.values() if with_builtin else registry.own_types()
    rows = [_describe(item, settings.api.rest.prefix) for item in chosen]
    if as_json:
        say_json(rows)
        return
    columns = ("uid", "kind", "path", "table", "attributes", "draftAndPublish", "localized")
    say_table(columns, ([_shown(row[column]) for column in columns] for row in rows), "No content types.")


def _describe(item: ContentType, prefix: str) -> dict[str, Any]:
    name = item.singular_name if item.is_single else item.plural_name
    return {
        "uid": item.uid,
        "kind": item.kind,
        "displayName": item.display_name,
        "path": f"{prefix}/{name}" if item.is_api else None,
        "table": item.collection_name,
        "attributes": len(item.attributes),
        "draftAndPublish": item.draft_and_publish,
        "localized": item.localized,
    }


def _shown(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


@click.group(cls=Group)
def routes() -> None:
    """List the routes."""


@routes.command(name="list", epilog="Example: octavo routes list")
@project_option
@json_option
def list_routes(project: Path, as_json: bool) -> None:
    """List methods, paths and actions in the order of their declaration."""
    routes = build(with_secrets(read_settings(project))).site.router.routes()
    rows = [(route.method, route.template, _action(route)) for route in routes]
    if as_json:
        say_json([{"method": method, "path": path, "action": action} for method, path, action in rows])
        return
    say_table(("method", "path", "action"), rows)
    counted = Counter(method for method, _, _ in rows)
    say("\n{}", ", ".join(f"{count} {method}" for method, count in counted.items()))


def _action(route: Route) -> str:
    """Return the action that a role needs for a route, or an empty string."""
    return route.operation.action if isinstance(route.operation, RestOperation) else ""
