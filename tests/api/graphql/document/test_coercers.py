"""Coercers read variables as the regular path does, or leave them to it."""

import itertools
from typing import Any

import pytest
from graphql import GraphQLSchema, OperationDefinitionNode, build_schema, is_input_type, parse

from octavo.api.graphql.document.coercers import Coercers, Irregular
from octavo.api.graphql.document.variables import RefusedVariables, read_variables
from octavo.api.graphql.schema import builder
from tests.api.graphql.test_hostile import ODD, PLACES
from tests.models.bookshop import bookshop_registry

TYPES = [
    *("String", "String!", "[String]", "[String!]", "[String!]!", "[[Int]]", "Int", "Int!", "Float", "Boolean", "ID"),
    *("ID!", "[ID]", "Date", "DateTime", "Time", "Long", "JSON", "I18NLocaleCode", "PublicationState", "PaginationArg"),
    *("BookFiltersInput", "[BookFiltersInput]", "BookInput", "BookInput!", "GenreInput", "ENUM_BOOK_LANGUAGE"),
    *("ComponentShopChapterInput", "[BookExtrasDynamicZoneInput!]", "FileInfoInput", "Upload"),
]
VALUES: tuple[Any, ...] = (
    *ODD,
    "5",
    "2024-01-02",
    "2024-01-02T03:04:05.000Z",
    "10:00:00.000",
    "en",
    "LIVE",
    "de_AT",
    {"page": 1, "pageSize": 2},
    {"title": "Sea", "pages": 5, "author": "1", "genres": ["1", 2], "chapters": [{"title": "one"}]},
    {"pages": "5"},
    {"pages": 5, "nothing": 1},
    {"title": {"eq": "Sea", "in": ["a", None], "not": {"contains": "x"}}, "or": [{"pages": {"gt": 5}}, {}]},
    {"and": {"title": {"eq": "Sea"}}},
    {"extras": [{"__typename": "ComponentShopQuote", "text": "x"}], "extra": {"a": [{"b": [[[[[[[[1]]]]]]]]}]}},
    [{"__typename": "ComponentShopQuote", "text": "x"}],
    ["1", ["2"]],
    [["1"], 2],
)
OWN = """
scalar Odd
enum Kind { A B }
input Inner { n: Int = 3 list: [Int!] = [1, 2] kind: Kind = B inner: Inner must: Int! }
input One @oneOf { a: Int b: Int }
type Query { f(a: Inner, b: One): Int }
"""


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return builder.build_schema(bookshop_registry())


def operation_of(text: str) -> OperationDefinitionNode:
    [operation] = parse(text).definitions
    assert isinstance(operation, OperationDefinitionNode)
    return operation


def read(schema: GraphQLSchema, text: str, given: Any, coercers: Coercers | None) -> str:
    """Return the representation of the values, in their order, or the errors."""
    try:
        operation = operation_of(text)
        return repr(read_variables(schema, operation, given, None if coercers is None else coercers.of(operation)))
    except RefusedVariables as refused:
        return repr([(error.message, error.locations) for error in refused.errors])


@pytest.mark.parametrize("kind", TYPES)
def test_values_are_the_same(schema: GraphQLSchema, kind: str) -> None:
    coercers = Coercers(schema)
    for default in ("", " = null") if not kind.endswith("!") else ("",):
        text = f"query ($v: {kind}{default}) {{ __typename }}"
        for given in ({"v": value} for value in VALUES):
            assert read(schema, text, given, coercers) == read(schema, text, given, None), given
        for missing in ({}, {"other": 1}):
            assert read(schema, text, missing, coercers) == read(schema, text, missing, None)


@pytest.mark.parametrize("text", PLACES)
def test_coercers_give_the_same_values_in_every_place(schema: GraphQLSchema, text: str) -> None:
    coercers = Coercers(schema)
    for value in ODD:
        assert read(schema, text, {"v": value}, coercers) == read(schema, text, {"v": value}, None)


def test_types_of_a_project_can_have_defaults() -> None:
    schema = build_schema(OWN)
    coercers = Coercers(schema)
    values: list[Any] = [
        {"must": 1},
        {"must": 1, "n": None, "kind": "A", "inner": {"must": 2}},
        {},
        {"must": None},
        {"must": 1, "list": 4},
        {"a": 1},
        {"a": 1, "b": 2},
        {"a": None},
    ]
    for kind in ("Inner", "Inner!", "[Inner]", "One"):
        text = f"query ($v: {kind}, $n: Int = 5, $m: Int!) {{ __typename }}"
        for given in [*({"v": value} for value in values), *({"v": value, "m": 1, "n": 2} for value in values)]:
            assert read(schema, text, given, coercers) == read(schema, text, given, None), given


def test_valid_values_take_the_fast_path(schema: GraphQLSchema) -> None:
    operation = operation_of("query ($i: ID!, $d: BookInput!, $l: I18NLocaleCode) { __typename }")
    given = {"i": 5, "d": {"pages": 5, "title": "Sea"}}
    assert repr(Coercers(schema).read(operation, given)) == repr(read_variables(schema, operation, given))
    with pytest.raises(Irregular):
        Coercers(schema).read(operation, {"i": "5"})


def test_the_cache_of_variable_types_is_limited(schema: GraphQLSchema) -> None:
    coercers = Coercers(schema)
    names = [name for name, kind in schema.type_map.items() if is_input_type(kind)]
    for name, depth in itertools.product(names, range(40)):
        kind = "[" * depth + name + "]" * depth
        assert coercers.read(operation_of(f"query ($v: {kind}) {{ __typename }}"), {"v": None}) == {"v": None}
    assert len(names) * 40 > 1_000
    assert len(coercers._by_text) <= 1_000
