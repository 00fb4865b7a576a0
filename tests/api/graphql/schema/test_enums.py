"""Enumeration values get GraphQL names; the stored values stay as they are."""

import pytest
from graphql import GraphQLEnumType

from octavo.api.graphql.schema.enums import names_by_value, value_names
from octavo.api.graphql.schema.names import enum_name
from octavo.schema.attributes import Enumeration
from octavo.schema.custom_fields import CustomFields
from octavo.schema.definition_values import Reader
from octavo.schema.parse import parse_component
from tests.api.graphql.recordings import schema_of


@pytest.mark.parametrize(
    "values, names",
    [
        (["A-1", "b c", "camelCase", "_x_", "a--b"], ["A_1", "b_c", "camelCase", "x", "a_b"]),
        (["Größe", "Œuvre", "щука", "I ♥ you", "q&a"], ["Groesse", "Oeuvre", "shhuka", "I_love_you", "q_and_a"]),
        (["a b", "a-b", "a_b"], ["a_b", "a_b_2", "a_b_3"]),
        (["1st", "null", "true", "日本", "!?"], ["_1st", "_null", "_true", "RiBen", "_"]),
    ],
)
def test_values_are_named(values: list[str], names: list[str]) -> None:
    assert value_names(values) == dict(zip(names, values, strict=True))


@pytest.mark.parametrize("said, name", [({}, "ENUM_COMPONENTAB_KIND"), ({"enumName": "Kinds"}, "Kinds")])
def test_a_definition_can_name_the_type(said: dict[str, str], name: str) -> None:
    raw = {"collectionName": "ab", "attributes": {"kind": {"type": "enumeration", "enum": ["x"], **said}}}
    component = parse_component("a.b", raw, Reader("a/b.json", [], CustomFields()))
    attribute = component.attributes["kind"]
    assert isinstance(attribute, Enumeration)
    assert enum_name(component, attribute) == name


def test_names_are_found_by_value() -> None:
    enum = schema_of("kinds").type_map["ENUM_COMPONENTBASICPART_PICK"]
    assert isinstance(enum, GraphQLEnumType)
    assert names_by_value(enum) == {"left-side": "left_side", "RIGHT": "RIGHT"}
