"""Duplicates: the body's values override those of the original entry."""

from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.permissions import EVERYTHING
from octavo.content.manager.duplication import copied, prohibited_fields
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from tests.api.admin.newsroom import BADGE, STORY, write_newsroom

NOTE, TEASER = "shared.note", "shared.teaser"
SOURCE: dict[str, Any] = {
    "title": "One",
    "lead": 4,
    "badges": [1, 2, 3],
    "teaser": {"id": 5, "text": "t", "by": 1},
    "links": [{"id": 7, "text": "a", "by": 1}, {"id": 8, "text": "b", "by": None}],
    "parts": [{"__component": NOTE, "id": 7, "text": "n"}, {"__component": TEASER, "id": 7, "text": "p"}],
}
QUOTED = {"__component": TEASER, "text": "q"}


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    folder: Path = tmp_path_factory.mktemp("newsroom")
    write_newsroom(folder)
    return load_registry(folder)


@pytest.mark.parametrize(
    "name, given, expected",
    [
        ("title", "Two", "Two"),
        ("badges", {"connect": [{"id": 9}], "disconnect": [{"id": 2}]}, [1, 3, 9]),
        ("badges", {"connect": [{"id": 9, "position": {"before": 2}}]}, [1, 9, 2, 3]),
        ("badges", {"set": [{"id": 1}]}, {"set": [{"id": 1}]}),
        ("badges", {"connect": 1}, {"connect": 1}),
        ("badges", {"connect": [{"id": "x"}]}, {"connect": [{"id": "x"}]}),
        ("badges", None, None),
        ("lead", {"connect": [], "disconnect": []}, 4),
        ("lead", {"connect": [{"id": 6}], "disconnect": [{"id": 4}]}, 6),
        ("lead", {"disconnect": [{"id": 4}]}, None),
        ("teaser", {"text": "u"}, {"text": "u", "by": 1}),
        ("teaser", {"id": 5, "by": {"disconnect": [{"id": 1}]}}, {"text": "t", "by": None}),
        ("teaser", None, None),
        ("links", [{"id": 8, "text": "B"}, {"text": "new"}], [{"text": "B", "by": None}, {"text": "new"}]),
        ("links", [{"id": "7", "text": "A"}], [{"text": "A", "by": 1}]),
        ("links", [{"text": "A"}], [{"text": "A", "by": 1}, {"text": "b", "by": None}]),
        ("links", [], []),
        ("links", "x", "x"),
        ("parts", [{"__component": TEASER, "id": 7}], [{"__component": TEASER, "text": "p"}]),
        (
            "parts",
            [{"__component": TEASER, "text": "q"}],
            [{"__component": TEASER, "text": "q"}, {"__component": TEASER, "text": "p"}],
        ),
        ("parts", [{"__component": "no.no", "id": 7}], [{"__component": "no.no", "id": 7}]),
    ],
)
def test_values_of_the_body_override_the_original(registry: Registry, name: str, given: Any, expected: Any) -> None:
    data = copied(registry, registry.content_types[STORY], SOURCE, {name: given}, EVERYTHING)
    assert data[name] == expected
    assert data["title"] == ("Two" if name == "title" else "One")


def test_entries_that_cannot_be_duplicated(registry: Registry) -> None:
    story, badge = registry.content_types[STORY], registry.content_types[BADGE]
    assert list(prohibited_fields(registry, story)) == [
        (["code"], "unique"),
        (["parts", "Note", "unique"], "unique"),
    ]
    assert list(prohibited_fields(registry, badge)) == []
