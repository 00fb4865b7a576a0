"""Redundant values that pages send when they change a definition."""

from typing import Any

import pytest

from octavo.modeling.builder.forms import tidied

EMPTY = {"type": "string", "default": ""}
TEXT = {"type": "string"}
UID = {"type": "uid", "targetField": "title"}


def test_empty_defaults_and_missing_targets_are_removed() -> None:
    attributes: dict[str, Any] = {
        "text": EMPTY,
        "flag": {"type": "boolean", "default": False},
        "handle": UID,
        "x": None,
    }
    parts = [{"uid": "a.b", "attributes": {"text": EMPTY}}, {"tmpUID": "c", "attributes": {"text": EMPTY}}, None]
    body = {"contentType": {"attributes": attributes}, "components": parts}
    found = tidied(body, "contentType")
    assert found["contentType"]["attributes"] == {**attributes, "text": TEXT, "handle": {"type": "uid"}}
    assert [one and one["attributes"]["text"] for one in found["components"]] == [TEXT, EMPTY, None]
    assert body["contentType"] == {"attributes": attributes}
    kept = tidied({"contentType": {"attributes": {"title": TEXT, "handle": UID}}}, "contentType")
    assert kept["contentType"]["attributes"]["handle"] == UID


@pytest.mark.parametrize("body", [None, [], {}, {"contentType": None}, {"contentType": {"attributes": []}}])
def test_invalid_forms_do_not_change(body: Any) -> None:
    assert tidied(body, "contentType") == body
