"""Declared indexes of content types: parsed values, and every error with its path."""

from typing import Any

import pytest

from octavo.schema.content_types import CONTAINS, ContentType, DeclaredIndex, IndexKey
from octavo.schema.definition_values import Reader
from octavo.schema.parse import parse_component, parse_content_type
from octavo.schema.parse_indexes import renamed_keys
from octavo.schema.problems import DefinitionProblem

ATTRIBUTES = {
    "title": {"type": "string"},
    "body": {"type": "richtext"},
    "views": {"type": "integer"},
    "extra": {"type": "json"},
    "code": {"type": "password"},
    "tags": {"type": "relation", "relation": "oneToMany", "target": "api::note.note"},
}
INFO = {"singularName": "note", "pluralName": "notes", "displayName": "Note"}
PLACE = "pluginOptions.octavo"


def read(octavo: Any) -> tuple[ContentType, list[tuple[str, str]]]:
    problems: list[DefinitionProblem] = []
    raw = {
        "info": INFO,
        "attributes": ATTRIBUTES,
        "options": {"draftAndPublish": True},
        "pluginOptions": {"octavo": octavo},
    }
    content_type = parse_content_type("api::note.note", raw, Reader("note", problems))
    return content_type, [(problem.path.removeprefix(PLACE), problem.message) for problem in problems]


def test_indexes_are_read() -> None:
    listed = [
        ["title"],
        ["-views", "publishedAt:asc"],
        {"attributes": ["createdAt:desc"]},
        {"attributes": ["title", "body"], "kind": "contains"},
    ]
    content_type, problems = read({"indexes": listed})
    assert problems == []
    assert content_type.declared_indexes == (
        DeclaredIndex((IndexKey("title"),)),
        DeclaredIndex((IndexKey("views", True), IndexKey("publishedAt"))),
        DeclaredIndex((IndexKey("createdAt", True),)),
        DeclaredIndex((IndexKey("title"), IndexKey("body")), CONTAINS),
    )


NAMES = "must be a list of 1 to 8 attribute names"
NO_DIRECTION = "cannot have an index of this kind: it requires text attributes without a direction"
TOO_LONG = 'may be too long for an index; to search for substrings, set "kind": "contains"'


@pytest.mark.parametrize(
    "octavo, faults",
    [
        ([], {"": "must be an object, not []"}),
        ({"index": []}, {".index": "unknown key 'index'; did you mean 'indexes'?"}),
        ({"indexes": {}}, {".indexes": "must be a list of at most 32 indexes"}),
        ({"indexes": [["title"]] * 33}, {".indexes": "must be a list of at most 32 indexes"}),
        ({"indexes": ["title", [], [1]]}, {".indexes.0": NAMES, ".indexes.1": NAMES, ".indexes.2": NAMES}),
        ({"indexes": [["title"], ["title"]]}, {".indexes.1": "is already declared at pluginOptions.octavo.indexes.0"}),
        ({"indexes": [["title", "-title"]]}, {".indexes.0": "names an attribute twice"}),
        (
            {"indexes": [["titel"], ["id"], ["tags"], ["body"], ["extra"], ["code"]]},
            {
                ".indexes.0.0": "unknown attribute 'titel'; did you mean 'title'?",
                ".indexes.1.0": "remove the id; every index ends with it automatically",
                ".indexes.2.0": "'tags' has no column. Relations, components and files already have indexes",
                ".indexes.3.0": f"'body' {TOO_LONG}",
                ".indexes.4.0": f"'extra' {TOO_LONG}",
                ".indexes.5.0": f"'code' {TOO_LONG}",
            },
        ),
        (
            {"indexes": [["title:down"], ["-title:desc"]]},
            {
                ".indexes.0.0": "'title:down' has an invalid direction; write -title or title:desc",
                ".indexes.1.0": "'-title:desc' has an invalid direction; write -title or title:desc",
            },
        ),
        (
            {"indexes": [{"attributes": ["views", "-title"], "kind": "contains"}, {"kind": "gin"}, {"atributes": []}]},
            {
                ".indexes.0.attributes.0": f"'views' {NO_DIRECTION}",
                ".indexes.0.attributes.1": f"'title' {NO_DIRECTION}",
                ".indexes.1.kind": "unknown kind 'gin'; expected one of contains, order",
                ".indexes.2.atributes": "unknown key 'atributes'; did you mean 'attributes'?",
                ".indexes.2.attributes": NAMES,
            },
        ),
    ],
)
def test_every_error_is_reported_with_its_path(octavo: Any, faults: dict[str, str]) -> None:
    assert dict(read(octavo)[1]) == faults


def test_an_attribute_gets_another_name() -> None:
    listed = [["title", "-views"], {"attributes": ["views:desc"]}, ["views"]]
    raw = {"pluginOptions": {"octavo": {"indexes": listed}}}
    place = ("pluginOptions", "octavo", "indexes")
    assert list(renamed_keys(raw, "views", "reads")) == [
        ((*place, 0, 1), "-reads"),
        ((*place, 1, "attributes", 0), "reads:desc"),
        ((*place, 2, 0), "reads"),
    ]
    assert list(renamed_keys({}, "views", "reads")) == []


def test_components_declare_none() -> None:
    problems: list[DefinitionProblem] = []
    raw = {"info": INFO, "attributes": {}, "pluginOptions": {"octavo": {"indexes": []}}}
    parse_component("parts.note", raw, Reader("note", problems))
    assert [(one.path, one.message) for one in problems] == [
        (PLACE, "is only for content types, because components have no lists")
    ]
