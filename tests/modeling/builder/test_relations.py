"""The two sides of relations, as v4 writes them into both definitions."""

from typing import Any

import pytest

from octavo.modeling.builder.content_types import remove_content_type, set_attributes
from octavo.modeling.builder.drafts import Draft, Drafts
from octavo.modeling.builder.problems import BuilderError

LEFT, RIGHT = "api::left.left", "api::right.right"


def drafts(left: dict[str, Any] | None = None, right: dict[str, Any] | None = None) -> Drafts:
    made = [
        Draft(LEFT, "left.json", {"attributes": {} if left is None else {"a": relation(RIGHT, left)}}),
        Draft(RIGHT, "right.json", {"attributes": {} if right is None else {"b": relation(LEFT, right)}}),
    ]
    return Drafts({draft.uid: draft for draft in made}, {})


def relation(target: str, said: dict[str, Any]) -> dict[str, Any]:
    return {"type": "relation", "relation": "manyToMany", "target": target, **said}


OWNING, MAPPED = {"inversedBy": "b"}, {"mappedBy": "b"}
CASES: list[tuple[dict[str, Any] | None, str, dict[str, Any], dict[str, Any]]] = [
    # before, new kind; own side, other side
    (None, "oneToOne", {"inversedBy": "c"}, {"relation": "oneToOne", "mappedBy": "a"}),
    (None, "manyToMany", {"inversedBy": "c"}, {"relation": "manyToMany", "mappedBy": "a"}),
    (None, "manyToOne", {"inversedBy": "c"}, {"relation": "oneToMany", "mappedBy": "a"}),
    (None, "oneToMany", {"mappedBy": "c"}, {"relation": "manyToOne", "inversedBy": "a"}),
    (OWNING, "manyToMany", {"inversedBy": "c"}, {"relation": "manyToMany", "mappedBy": "a"}),
    (MAPPED, "manyToMany", {"mappedBy": "c"}, {"relation": "manyToMany", "inversedBy": "a"}),
    (MAPPED, "oneToOne", {"mappedBy": "c"}, {"relation": "oneToOne", "inversedBy": "a"}),
    (MAPPED, "manyToOne", {"inversedBy": "c"}, {"relation": "oneToMany", "mappedBy": "a"}),
    ({}, "manyToMany", {"inversedBy": "c"}, {"relation": "manyToMany", "inversedBy": "a"}),
    ({}, "oneToMany", {"mappedBy": "c"}, {"relation": "manyToOne", "inversedBy": "a"}),
]


@pytest.mark.parametrize("before, kind, own, other", CASES)
def test_owning_and_mapped_sides(
    before: dict[str, Any] | None, kind: str, own: dict[str, Any], other: dict[str, Any]
) -> None:
    sides = {"inversedBy": "mappedBy", "mappedBy": "inversedBy"}
    found = drafts(before, {sides[next(iter(before))]: "a"} if before else None)
    left, right = found.content_types.values()
    form = {"type": "relation", "relation": kind, "target": RIGHT, "targetAttribute": "c"}
    set_attributes(found, left, {"a": form}, {})
    assert left.attributes == {"a": {"type": "relation", "relation": kind, "target": RIGHT, **own}}
    assert right.attributes == {
        "c": {"type": "relation", "target": LEFT, **other}
    }  # the attribute with the earlier name is removed


def test_options_of_the_other_side_stay() -> None:
    found = drafts(OWNING, {"private": True, "required": True, "autoPopulate": False, "mappedBy": "a"})
    left, right = found.content_types.values()
    form = {"type": "relation", "relation": "manyToMany", "target": RIGHT, "targetAttribute": "b"}
    set_attributes(found, left, {"a": form}, {})
    kept = relation(LEFT, {"autoPopulate": False, "private": True, "mappedBy": "a"})
    assert [*right.attributes["b"].items()] == [*kept.items()]


def test_a_relation_to_its_own_type_has_both_sides() -> None:
    found = drafts()
    left = found.content_types[LEFT]
    form = {"type": "relation", "relation": "oneToMany", "target": "__self__", "targetAttribute": "parent"}
    set_attributes(found, left, {"children": form}, {})
    assert left.attributes["parent"]["inversedBy"] == "children"
    assert left.attributes["children"]["target"] == LEFT


def test_existing_attributes_are_not_overwritten() -> None:
    found = drafts()
    left, right = found.content_types.values()
    right.attributes["c"] = {"type": "string"}
    form = {"type": "relation", "relation": "oneToOne", "target": RIGHT, "targetAttribute": "c"}
    with pytest.raises(BuilderError, match="already has an attribute 'c'"):
        set_attributes(found, left, {"a": form}, {})


def test_attributes_that_are_not_configurable_stay() -> None:
    found = drafts()
    left = found.content_types[LEFT]
    left.attributes.update(fixed={"type": "string", "configurable": False}, other={"type": "string"})
    set_attributes(found, left, {"fixed": {"type": "text"}, "new": {"type": "text", "private": False}}, {})
    assert left.attributes == {"fixed": {"type": "string", "configurable": False}, "new": {"type": "text"}}


def test_deleting_a_type_removes_relations_to_it() -> None:
    found = drafts(OWNING, {"mappedBy": "a"})
    remove_content_type(found, found.content_types[LEFT])
    assert found.content_types[RIGHT].attributes == {}
