"""Conflicts of GraphQL names are reported before a schema is built."""

import json
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLObjectType, validate_schema

from octavo.api.graphql.schema.builder import build_schema
from octavo.api.graphql.schema.name_conflicts import RESERVED, left_out
from octavo.schema.loader import load_registry
from tests.api.graphql.recordings import registry_of, schema_of

TEXT = {"type": "string"}
OUT = "left out of GraphQL: "


def write(project: Path, singular: str, plural: str, attributes: dict[str, Any]) -> None:
    path = project / f"src/api/{singular}/content-types/{singular}/schema.json"
    path.parent.mkdir(parents=True)
    info = {"singularName": singular, "pluralName": plural, "displayName": singular}
    path.write_text(json.dumps({"kind": "collectionType", "info": info, "attributes": attributes}))


@pytest.mark.parametrize(
    "types, problems",
    [
        ([("thing", "things", {"name": TEXT})], []),
        (
            [("error", "errors", {"name": TEXT})],
            [
                (
                    "info.singularName",
                    OUT + "its GraphQL name 'Error' is taken by GraphQL itself; rename one",
                )
            ],
        ),
        (
            [("thing", "things", {"my-name": TEXT})],
            [
                (
                    "attributes.my-name",
                    OUT + "GraphQL names are letters, digits and single underscores, no digit first; rename it",
                )
            ],
        ),
        (
            [("thing", "things", {}), ("thing-input", "thing-inputs", {})],
            [
                (
                    "info.singularName",
                    OUT + "its GraphQL name 'ThingInput' is taken by api::thing.thing; rename one",
                )
            ],
        ),
        (
            [("thing", "things", {"a_b": {"type": "dynamiczone", "components": []}, "aB": {"type": "json"}})],
            [],
        ),
        (
            [("data", "data-sets", {}), ("data-point", "data", {})],
            [
                (
                    "info.pluralName",
                    OUT + "its GraphQL name 'data' is taken by api::data.data; rename one",
                )
            ],
        ),
    ],
)
def test_names_are_checked(
    tmp_path: Path, types: list[tuple[str, str, dict[str, Any]]], problems: list[tuple[str, str]]
) -> None:
    for singular, plural, attributes in types:
        write(tmp_path, singular, plural, attributes)
    assert [(item.path, item.message) for item in left_out(load_registry(tmp_path)).problems] == problems


@pytest.mark.parametrize("name", ["blog", "kinds", "names"])
def test_recorded_definitions_have_no_conflicts(name: str) -> None:
    assert left_out(registry_of(name)).problems == ()


def test_reserved_names_are_in_every_schema() -> None:
    assert set(schema_of("kinds").type_map) >= RESERVED


@pytest.mark.parametrize("name, plural", [("query", "queries"), ("error", "errors"), ("upload", "uploads")])
def test_types_with_reserved_names_are_left_out(tmp_path: Path, name: str, plural: str) -> None:
    """Fields that refer to it are left out too, so that v4 projects with such types start."""
    relation = {"type": "relation", "relation": "oneToOne", "target": f"api::{name}.{name}"}
    write(tmp_path, name, plural, {"text": TEXT})
    write(tmp_path, "thing", "things", {"title": TEXT, "other": relation})
    registry = load_registry(tmp_path)
    schema = build_schema(registry)
    assert schema.query_type is not None
    assert {"thing", "things"} <= schema.query_type.fields.keys()
    assert not {name, plural} & schema.query_type.fields.keys()
    thing = schema.type_map["Thing"]
    assert isinstance(thing, GraphQLObjectType)
    assert set(thing.fields) == {"title", "createdAt", "updatedAt"}
    assert validate_schema(schema) == []


def test_a_type_can_be_named_subscription(tmp_path: Path) -> None:
    """As in v4, whose schemas have no subscriptions."""
    write(tmp_path, "subscription", "subscriptions", {"text": TEXT})
    registry = load_registry(tmp_path)
    assert left_out(registry).problems == ()
    schema = build_schema(registry)
    assert schema.query_type is not None
    assert {"subscription", "subscriptions"} <= schema.query_type.fields.keys()
    assert (schema.subscription_type, validate_schema(schema)) == (None, [])


def test_leaving_out_conflicts_results_in_a_valid_schema(tmp_path: Path) -> None:
    """Names are assigned in order; a later type or attribute with the same name is left out."""
    kinds = {"type": "enumeration", "enum": ["a"]}
    zone = {"type": "dynamiczone", "components": []}
    write(tmp_path, "foo-1", "foo-ones", {"aKind": kinds, "akind": kinds, "zone": zone})
    write(tmp_path, "foo1", "foos", {"text": TEXT})
    write(tmp_path, "foo-1-entity", "foo-entities", {"text": TEXT})
    registry = load_registry(tmp_path)
    assert left_out(registry).definitions == {"api::foo1.foo1", "api::foo-1-entity.foo-1-entity"}
    assert left_out(registry).attributes == {("api::foo-1.foo-1", "akind")}
    schema = build_schema(registry)
    schema._validation_errors = None  # schemas are built as valid, so validate explicitly
    assert validate_schema(schema) == []
