"""Sanitized data of a write whose author cannot find all related entries."""

from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.ability import UPDATE
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.access.authorization.permissions import permission_set
from octavo.schema.registry import Registry
from tests.layouts import registry_of
from tests.models.workshop import DEFINITIONS, MAKER, TOOL


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    folder: Path = tmp_path_factory.mktemp("workshop")
    return registry_of(DEFINITIONS, folder)


def sanitized(registry: Registry, uid: str, data: Any, *found: str) -> Any:
    ability = permission_set(f"{one}.find" for one in found)
    return InputSanitizer(registry, ability, UPDATE).sanitize(data, registry.content_types[uid])


def test_links_without_permission_are_left_out_at_any_depth(registry: Registry) -> None:
    leg = {"length": 1, "by": 1, "helpers": {"connect": [1]}, "picture": 2}
    data = {
        "name": "Saw",
        "maker": 1,
        "twin": 2,
        "photo": 3,
        "nope": 4,
        "frame": {"front": leg, "legs": [leg, "x"]},
        "story": [{"__component": "part.leg", **leg}, {"__component": "no.such", "by": 1}, 5],
    }
    kept = {"length": 1, "picture": 2}
    assert sanitized(registry, TOOL, data, TOOL) == {
        "name": "Saw",
        "twin": 2,
        "photo": 3,
        "nope": 4,
        "frame": {"front": kept, "legs": [kept, "x"]},
        "story": [{"__component": "part.leg", **kept}, {"__component": "no.such", "by": 1}, 5],
    }
    assert sanitized(registry, TOOL, data, TOOL, MAKER) == data


def test_morph_targets_are_checked_one_by_one(registry: Registry) -> None:
    tool, maker = {"id": 1, "__type": TOOL}, {"id": 1, "__type": MAKER}
    assert sanitized(registry, MAKER, {"subject": tool, "subjects": [tool, maker]}, MAKER) == {"subjects": [maker]}
    assert sanitized(registry, MAKER, {"subjects": {"set": [tool, maker]}}, TOOL) == {"subjects": {"set": [tool]}}
    assert sanitized(registry, MAKER, {"subject": None, "subjects": None}) == {"subject": None, "subjects": None}


@pytest.mark.parametrize("data", [None, [], "x", 5])
def test_values_that_are_not_objects_are_left_to_validation(registry: Registry, data: Any) -> None:
    assert sanitized(registry, TOOL, data) == data
