"""Definitions to content types: parsed values, and the exact problems of every kind of invalid definition."""

from typing import Any

import pytest

from octavo.schema.attributes import (
    UID,
    ColumnOptions,
    ComponentField,
    DynamicZone,
    Enumeration,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import Index
from octavo.schema.definition_values import Reader
from octavo.schema.parse import parse_component, parse_content_type
from octavo.schema.parse_attributes import PARSERS
from octavo.schema.problems import DefinitionProblem

SOURCE = "src/api/note/content-types/note/schema.json"
INFO = {"singularName": "note", "pluralName": "notes", "displayName": "Note"}
ANYTHING: tuple[Any, ...] = (None, True, 5, 1.5, "x", [], {}, [1], {"a": []})


def problems_of(raw: dict[str, Any]) -> list[tuple[str, str]]:
    problems: list[DefinitionProblem] = []
    parse_content_type("api::note.note", raw, Reader(SOURCE, problems))
    assert {problem.source for problem in problems} <= {SOURCE}
    return [(problem.path, problem.message) for problem in problems]


def attribute_problems(attribute: Any) -> list[tuple[str, str]]:
    """Return the problems of an attribute `x`, with relative paths."""
    found = problems_of({"info": INFO, "attributes": {"x": attribute}})
    return [(path.removeprefix("attributes.x").removeprefix("."), message) for path, message in found]


TYPES = (
    "array, biginteger, blocks, boolean, component, customField, date, datetime, decimal, dynamiczone, email, "
    "enumeration, float, integer, json, media, password, relation, richtext, string, text, time, timestamp, uid"
)
KINDS = "manyToMany, manyToOne, morphMany, morphOne, morphToMany, morphToOne, oneToMany, oneToOne"


@pytest.mark.parametrize(
    "raw, problems",
    [
        ({}, [("info.singularName", "is missing"), ("info.pluralName", "is missing")]),
        (
            {"info": []},
            [
                ("info", "must be an object, not []"),
                ("info.singularName", "is missing"),
                ("info.pluralName", "is missing"),
            ],
        ),
        ({"info": {**INFO, "singularName": 5}}, [("info.singularName", "must be a string, not 5")]),
        ({"info": {**INFO, "displayName": {}}}, [("info.displayName", "must be a string, not {}")]),
        ({"info": {**INFO, "description": ["x"]}}, [("info.description", "must be a string, not ['x']")]),
        (
            {"info": INFO, "kind": "singletype"},
            [("kind", "unknown kind 'singletype'; did you mean 'singleType'?")],
        ),
        ({"info": INFO, "kind": 1}, [("kind", "unknown kind 1; expected one of collectionType, singleType")]),
        ({"info": INFO, "collectionName": 5}, [("collectionName", "must be a string, not 5")]),
        ({"info": INFO, "attributes": []}, [("attributes", "must be an object, not []")]),
        ({"info": INFO, "options": "x"}, [("options", "must be an object, not 'x'")]),
        ({"info": INFO, "pluginOptions": 5}, [("pluginOptions", "must be an object, not 5")]),
        ({"info": INFO, "pluginOptions": {"i18n": True}}, [("pluginOptions.i18n", "must be an object, not True")]),
        (
            {"info": INFO, "options": {"privateAttributes": "title"}},
            [("options.privateAttributes", "must be a list of strings, not 'title'")],
        ),
        ({"info": INFO, "indexes": {}}, [("indexes", "must be a list")]),
        (
            {"info": INFO, "indexes": [1, {"name": "n", "columns": "c"}]},
            [
                ("indexes.0", "must be an object with a name and columns"),
                ("indexes.1.columns", "must be a list of strings, not 'c'"),
            ],
        ),
        (
            {"info": INFO, "attributes": {"id": {"type": "string"}, "_": {"type": "string"}}},
            [
                ("attributes.id", "this name is reserved; choose another"),
                ("attributes._", "this name is reserved; choose another"),
            ],
        ),
        (
            {"info": INFO, "attributes": {"fooBar": {"type": "string"}, "foo_bar": {"type": "text"}}},
            [("attributes.foo_bar", "is stored in the same column as attribute 'fooBar'; rename one")],
        ),
        (
            {"info": INFO, "attributes": {"created_at": {"type": "string"}}},
            [("attributes.createdAt", "is stored in the same column as attribute 'created_at'; rename one")],
        ),
    ],
)
def test_broken_content_types(raw: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert problems_of(raw) == problems


@pytest.mark.parametrize(
    "attribute, problems",
    [
        ("string", [("", "must be an object with a type")]),
        (None, [("", "must be an object with a type")]),
        ([], [("", "must be an object with a type")]),
        ({}, [("type", f"unknown attribute type null; expected one of {TYPES}")]),
        ({"type": "strin"}, [("type", "unknown attribute type 'strin'; did you mean 'string'?")]),
        ({"type": ["string"]}, [("type", "unknown attribute type ['string']; did you mean 'string'?")]),
        ({"type": "string", "pluginOptions": 5}, [("pluginOptions", "must be an object, not 5")]),
        ({"type": "string", "pluginOptions": {"i18n": 1}}, [("pluginOptions.i18n", "must be an object, not 1")]),
        ({"type": "string", "column": "c"}, [("column", "must be an object, not 'c'")]),
        ({"type": "string", "regex": 1}, [("regex", "must be a string, not 1")]),
        ({"type": "string", "minLength": "abc"}, [("minLength", "must be a number, not 'abc'")]),
        ({"type": "string", "maxLength": 1.5}, [("maxLength", "must be a whole number, not 1.5")]),
        ({"type": "integer", "min": {}, "max": True}, [
            ("min", "must be a number, not {}"), ("max", "must be a number, not True"),
        ]),
        ({"type": "enumeration"}, [("enum", "must be a list of strings, not null")]),
        ({"type": "enumeration", "enum": "x"}, [("enum", "must be a list of strings, not 'x'")]),
        ({"type": "enumeration", "enum": [1]}, [("enum", "must be a list of strings, not [1]")]),
        ({"type": "uid", "targetField": 1}, [("targetField", "must be a string, not 1")]),
        ({"type": "uid", "options": []}, [("options", "must be an object, not []")]),
        ({"type": "relation", "target": "api::a.a"}, [("relation", f"unknown relation null; expected one of {KINDS}")]),
        ({"type": "relation", "relation": "oneToFew"}, [
            ("relation", "unknown relation 'oneToFew'; did you mean 'oneToOne'?"),
        ]),
        ({"type": "relation", "relation": "oneToOne"}, [
            ("target", "is missing: set the UID of a content type, such as 'api::article.article'"),
        ]),
        ({"type": "relation", "relation": "oneToOne", "target": 5}, [("target", "must be a string, not 5")]),
        ({"type": "relation", "relation": "oneToOne", "target": "a", "mappedBy": {}}, [
            ("mappedBy", "must be a string, not {}"),
        ]),
        ({"type": "media", "allowedTypes": "images"}, [("allowedTypes", "must be a list of strings, not 'images'")]),
        ({"type": "component"}, [("component", "is missing")]),
        ({"type": "component", "component": []}, [("component", "must be a string, not []")]),
        ({"type": "component", "component": "a.b", "min": "x"}, [("min", "must be a number, not 'x'")]),
        ({"type": "dynamiczone"}, [("components", "must be a list of strings, not null")]),
    ],
)  # fmt: skip
def test_broken_attributes(attribute: Any, problems: list[tuple[str, str]]) -> None:
    assert attribute_problems(attribute) == problems


KEYS = [
    "pluginOptions",
    "column",
    "regex",
    "min",
    "max",
    "minLength",
    "maxLength",
    "default",
    "enum",
    "targetField",
    "options",
    "relation",
    "target",
    "mappedBy",
    "inversedBy",
    "morphBy",
    "multiple",
    "allowedTypes",
    "component",
    "components",
    "repeatable",
    "required",
    "customField",
    "unique",
]


@pytest.mark.parametrize("word", sorted(PARSERS))
@pytest.mark.parametrize("key", KEYS)
def test_no_value_of_a_wrong_type_raises(word: str, key: str) -> None:
    complete = {"relation": "oneToOne", "target": "a", "enum": ["a"], "component": "a.b", "components": ["a.b"]}
    for value in ANYTHING:
        attribute_problems({"type": word, **complete, key: value})


@pytest.mark.parametrize("key", ["kind", "collectionName", "info", "options", "pluginOptions", "attributes", "indexes"])
def test_no_definition_of_a_wrong_type_raises(key: str) -> None:
    for value in ANYTHING:
        problems_of({"info": INFO, key: value})
        parse_component("a.b", {key: value}, Reader(SOURCE, []))


@pytest.mark.parametrize(
    "attribute, expected",
    [
        ({"type": "string", "unknown": 1}, Scalar(name="x", type="string")),
        (
            {"type": "string", "required": True, "private": True, "configurable": False, "default": ""},
            Scalar(
                name="x", type="string", required=True, private=True, configurable=False, default="", has_default=True
            ),
        ),
        (
            {"type": "biginteger", "min": "1", "max": "9007199254740993", "unique": True},
            Scalar(name="x", type="biginteger", minimum=1, maximum=9007199254740993, unique=True),
        ),
        ({"type": "decimal", "min": "0.5", "max": 1e3}, Scalar(name="x", type="decimal", minimum=0.5, maximum=1000.0)),
        ({"type": "date", "min": "2020-01-01"}, Scalar(name="x", type="date")),
        (
            {"type": "string", "minLength": 1, "maxLength": "20", "regex": "^a$"},
            Scalar(name="x", type="string", min_length=1, max_length=20, regex="^a$"),
        ),
        (
            {"type": "string", "pluginOptions": {"i18n": {"localized": True}}},
            Scalar(name="x", type="string", localized=True),
        ),
        (
            {"type": "string", "column": {"type": "bigInteger", "unique": True, "notNullable": True, "defaultTo": 1}},
            Scalar(
                name="x",
                type="string",
                column=ColumnOptions(type="bigint", unique=True, nullable=False, default=1),
            ),
        ),
        ({"type": "enumeration", "enum": ["a", "b"]}, Enumeration(name="x", type="enumeration", values=("a", "b"))),
        (
            {"type": "uid", "targetField": "t", "options": {"separator": "_", "lowercase": False}},
            UID(name="x", type="uid", target_field="t", separator="_", lowercase=False),
        ),
        ({"type": "customField", "customField": "plugin::tagsinput.tags"}, Scalar(name="x", type="json")),
        (
            {"type": "relation", "relation": "manyToOne", "target": "api::a.a", "inversedBy": "b", "mappedBy": ""},
            Relation(name="x", kind="manyToOne", target="api::a.a", inversed_by="b"),
        ),
        ({"type": "relation", "relation": "morphToMany", "target": "a"}, Relation(name="x", kind="morphToMany")),
        (
            {"type": "media", "multiple": True, "allowedTypes": ["images"]},
            Media(name="x", multiple=True, allowed_types=("images",)),
        ),
        (
            {"type": "component", "component": "a.b", "repeatable": True, "min": 1, "max": 3},
            ComponentField(name="x", component="a.b", repeatable=True, minimum=1, maximum=3),
        ),
        (
            {"type": "dynamiczone", "components": ["a.b"], "max": 2},
            DynamicZone(name="x", components=("a.b",), maximum=2),
        ),
    ],
)
def test_attributes(attribute: Any, expected: Any) -> None:
    problems: list[DefinitionProblem] = []
    parsed = parse_content_type(
        "api::note.note", {"info": INFO, "attributes": {"x": attribute}}, Reader(SOURCE, problems)
    )
    assert (parsed.attributes["x"], problems) == (expected, [])


CREATORS = ["createdBy", "updatedBy"]


@pytest.mark.parametrize(
    "options, plugin_options, listed, names",
    [
        ({}, {}, ["t"], ["t", "createdAt", "updatedAt", *CREATORS]),
        ({"draftAndPublish": True}, {}, ["t"], ["t", "createdAt", "updatedAt", "publishedAt", *CREATORS]),
        ({"draftAndPublish": "true"}, {}, ["t"], ["t", "createdAt", "updatedAt", *CREATORS]),
        (
            {},
            {"i18n": {"localized": True}},
            ["t"],
            ["t", "createdAt", "updatedAt", *CREATORS, "localizations", "locale"],
        ),
        (
            {},
            {"i18n": {"localized": True}},
            ["locale", "t"],
            ["locale", "t", "createdAt", "updatedAt", *CREATORS, "localizations"],
        ),
        ({}, {}, ["locale", "publishedAt"], ["locale", "publishedAt", "createdAt", "updatedAt", *CREATORS]),
    ],
)
def test_automatic_attributes(
    options: dict[str, Any], plugin_options: dict[str, Any], listed: list[str], names: list[str]
) -> None:
    attributes = {name: {"type": "text"} for name in listed}
    raw = {"info": INFO, "options": options, "pluginOptions": plugin_options, "attributes": attributes}
    parsed = parse_content_type("api::note.note", raw, Reader(SOURCE, []))
    assert list(parsed.attributes) == names
    if parsed.localized:
        assert parsed.attributes["locale"] == Scalar(name="locale", type="string", writable=False, localized=True)


def test_options() -> None:
    raw = {
        "kind": "singleType",
        "info": {**INFO, "name": "old", "description": "All about it"},
        "options": {"privateAttributes": ["createdAt", "nothing"], "populateCreatorFields": True},
        "indexes": [{"name": "i", "columns": ["a", "b"], "type": "unique"}, {"name": "j", "columns": ["a"]}],
    }
    parsed = parse_content_type("api::note.note", raw, Reader(SOURCE, []))
    assert (parsed.kind, parsed.collection_name, parsed.display_name) == ("singleType", "note", "Note")
    assert (parsed.description, parsed.is_single, parsed.is_api) == ("All about it", True, True)
    assert [name for name, attribute in parsed.attributes.items() if attribute.private] == ["createdAt"]
    assert parsed.indexes == (
        Index(name="i", columns=("a", "b"), unique=True),
        Index(name="j", columns=("a",)),
    )


def test_a_component_needs_nothing() -> None:
    parsed = parse_component("blog-parts.bigQuote2", {}, Reader(SOURCE, []))
    assert (parsed.category, parsed.collection_name, parsed.display_name, dict(parsed.attributes)) == (
        "blog-parts",
        "components_blog_parts_big_quote_2",
        "bigQuote2",
        {},
    )
