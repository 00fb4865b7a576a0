"""`octavo content-types list` and `octavo routes list`."""

import pytest

from tests.cli.conftest import Call, answered, said

pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)


def test_content_types(call: Call) -> None:
    assert [line.split() for line in said(call("content-types", "list"))] == [
        ["uid", "kind", "path", "table", "attributes", "draftAndPublish", "localized"],
        ["api::place.place", "collectionType", "/api/places", "places", "7", "no", "yes"],
        ["api::story.story", "collectionType", "/api/stories", "stories", "7", "no", "no"],
    ]


def test_content_types_as_json(call: Call) -> None:
    found = answered(call("content-types", "list", "--all", "--json"))
    assert "plugin::upload.file" in {item["uid"] for item in found}
    assert next(item for item in found if item["uid"] == "api::story.story") == {
        "uid": "api::story.story",
        "kind": "collectionType",
        "displayName": "Story",
        "path": "/api/stories",
        "table": "stories",
        "attributes": 7,
        "draftAndPublish": False,
        "localized": False,
    }


def test_routes(call: Call) -> None:
    found = answered(call("routes", "list", "--json"))
    assert {"method": "GET", "path": "/api/stories/:id", "action": "api::story.story.findOne"} in found
    lines = said(call("routes", "list"))
    assert lines[0].split() == ["method", "path", "action"]
    assert ["GET", "/api/stories/:id", "api::story.story.findOne"] in [line.split() for line in lines]
    assert len(lines) == len(found) + 3
