"""Checks of definitions besides their forms: names that a database would truncate."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from octavo.modeling.builder.checks import check_drafts
from octavo.modeling.builder.content_types import make_content_type
from octavo.modeling.builder.drafts import drafts_of
from octavo.modeling.builder.problems import BuilderError
from octavo.schema.custom_fields import CustomFields
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry

TEXT = {"type": "string"}
MOST = 63


@cache
def built_in() -> Registry:
    """Return the registry of an empty project."""
    with TemporaryDirectory() as project:
        return load_registry(Path(project))


def problems_of(*forms: dict[str, Any], longest: int | None = MOST) -> list[tuple[str, ...]]:
    """Return the paths of errors in new content types."""
    registry = built_in()
    drafts = drafts_of(registry)
    for form in forms:
        make_content_type(drafts, {"displayName": "X", "pluginOptions": {}, **form}, {})
    try:
        check_drafts(drafts, registry, CustomFields(), longest)
    except BuilderError as error:
        return [tuple(problem["path"]) for problem in error.body["error"]["details"]["errors"]]
    return []


def form(singular: str, plural: str, **attributes: Any) -> dict[str, Any]:
    return {"singularName": singular, "pluralName": plural, "attributes": attributes or {"t": TEXT}}


@pytest.mark.parametrize(
    "given, place",
    [
        (form("a" * 60, "b" * 63), None),
        (form("a" * 61, "b"), "singularName"),
        (form("a", "b" * 64), "collectionName"),
        ({**form("a", "b"), "collectionName": "b" * 64}, "collectionName"),
        (form("a", "b", **{"c" * 63: TEXT}), None),
        (form("a", "b", **{"c" * 64: TEXT}), "attributes"),
    ],
)
def test_names_are_limited_by_the_database(given: dict[str, Any], place: str | None) -> None:
    assert [path[1] for path in problems_of(given)] == ([place] if place else [])
    assert problems_of(given, longest=None) == []


def test_names_that_are_equal_after_truncation() -> None:
    """Names of link tables can be truncated, as in v4, but must stay unique."""

    def leads(attribute: str) -> dict[str, Any]:
        return {attribute: {"type": "relation", "relation": "oneToOne", "target": "api::a.a"}}

    long = "l" * 30
    one = form("a", long + "a" * 10, **leads("x" * 25 + "1"), **leads("x" * 25 + "2"))
    assert problems_of(one) != []
    assert problems_of(one, longest=None) == []
