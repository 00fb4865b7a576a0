"""The OpenAPI document is valid for two validators, and describes the bookshop."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import openapi_spec_validator
import pytest
import schemathesis

SNAPSHOT = Path(__file__).parent / "bookshop.json"
SCHEMAS = ("Book", "BookInput", "BookFilters", "BookSort", "AuthorPopulate", "ShopQuoteComponentZoneItem", "TextFilter")


def walk(node: Any) -> Any:
    """Yield every object of a document."""
    if isinstance(node, dict):
        yield node
        for item in node.values():
            yield from walk(item)
    elif isinstance(node, list):
        for item in node:
            yield from walk(item)


def test_the_document_is_valid_for_two_validators(document: Any) -> None:
    openapi_spec_validator.validate(document)
    schemathesis.openapi.from_dict(document).validate()


def test_every_schema_is_a_json_schema(document: Any) -> None:
    for schema in document["components"]["schemas"].values():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def test_references_are_complete_and_every_schema_is_used(document: Any) -> None:
    named = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    answers = {f"#/components/responses/{name}" for name in document["components"]["responses"]}
    referred = {node["$ref"] for node in walk(document) if isinstance(node.get("$ref"), str)}
    assert referred <= named | answers
    assert named <= referred


def test_operations_and_schemas_are_stable(document: Any) -> None:
    """Changes here affect generated clients. Write the file again only if the change is intended."""
    operations = {
        operation["operationId"]: [
            f"{method.upper()} {path}",
            " ".join(parameter["name"] for parameter in operation["parameters"]),
            " ".join(operation["responses"]),
            *sorted(operation.get("requestBody", {}).get("content", {})),
        ]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    reported = {
        "operations": operations,
        "schemas": {name: document["components"]["schemas"][name] for name in SCHEMAS},
    }
    assert reported == json.loads(SNAPSHOT.read_text("utf-8"))


@pytest.mark.parametrize("name", ["resetPasswordToken", "confirmationToken", "password_hash", "accessKey", "pin2"])
def test_private_attributes_are_left_out(document: Any, name: str) -> None:
    assert f'"{name}"' not in json.dumps(document)


def test_secrets_are_write_only(document: Any) -> None:
    schemas = document["components"]["schemas"]
    assert schemas["BookInput"]["properties"]["pin"]["writeOnly"] is True
    assert "pin" not in schemas["Book"]["properties"]
    assert "pin" not in schemas["BookFilters"]["properties"]
    assert "password" in schemas["UserInput"]["required"]
    assert "password" not in schemas["UsersPermissionsUserFlat"]["properties"]


def test_zones_have_a_discriminator_for_components(document: Any) -> None:
    items = document["components"]["schemas"]["Book"]["properties"]["extras"]["items"]
    assert items["discriminator"]["propertyName"] == "__component"
    assert set(items["discriminator"]["mapping"].values()) == {item["$ref"] for item in items["oneOf"]}


def test_security_schemes_are_used(document: Any) -> None:
    schemes = document["components"]["securitySchemes"]
    assert {key for node in walk(document["paths"]) for one in node.get("security", ()) for key in one} == set(schemes)


def _schemas(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every mapping of a document with its path."""
    if isinstance(value, dict):
        yield path, value
        for name, below in value.items():
            yield from _schemas(below, f"{path}/{name}")
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from _schemas(below, f"{path}/{number}")


def test_defaults_do_not_make_attributes_required_in_generated_types(document: Any) -> None:
    """`openapi-typescript` requires properties that have the keyword."""
    found = [path for path, schema in _schemas(document["components"]["schemas"]) if "default" in schema]
    assert found == []
    described = [
        schema.get("description", "") for _, schema in _schemas(document["components"]["schemas"]["BookInput"])
    ]
    assert any(text.startswith("Default: ") for text in described)


def test_objects_of_bodies_have_names(document: Any) -> None:
    """`openapi-python-client` names inline objects by their location, drops those whose names exist already, and writes
    code for boolean constants that does not compile.
    """
    schemas = document["components"]["schemas"]
    inputs = {name: schema for name, schema in schemas.items() if name.startswith("Relation") or name.endswith("Input")}
    inline = [
        path
        for path, schema in _schemas(inputs)
        if path.count("/") > 1 and schema.get("type") == "object" and "properties" in schema and "/allOf/" not in path
    ]
    assert [path for path in inline if not path.startswith("/UserInput/")] == []
    assert schemas["RelationConnection"]["properties"]["position"] == {"$ref": "#/components/schemas/RelationPosition"}
    constants = [path for path, schema in _schemas(schemas) if schema.get("const") is True]
    assert constants == ["/Done/properties/ok"]
