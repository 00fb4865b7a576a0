"""RowBuilder: the rows that a body describes, given the current state."""

from collections.abc import Sequence
from typing import Any

import pytest

from octavo.content.input.input_tree import read_body
from octavo.content.input.row_builder import RowBuilder
from octavo.core.errors import ApplicationError, ValidationError
from octavo.query.plan.write import RowNode
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from tests.models.bookshop import BOOK, bookshop_registry

CHAPTER = "shop.chapter"


class CountedId(int):
    """An id that counts comparisons."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedId.compared += 1
        return int(self) == other

    def __hash__(self) -> int:
        return hash(int(self))


def build(given: list[int], held: Sequence[tuple[str, int]]) -> list[int | None]:
    """Return the ids of the chapters of book 1, which contains `held`, after a body with other chapters."""
    registry = bookshop_registry()
    book = registry.content_types[BOOK]
    builder = RowBuilder(registry=registry, dialect=SQLITE, links={}, held={(book, 1, "chapters"): held})
    body = read_body(registry, book, {"chapters": [{"id": one} for one in given]})
    return [row.id for row in builder.row(body, 1).components["chapters"]]


def test_existing_components_keep_their_rows() -> None:
    assert build([3, 1], [(CHAPTER, 1), (CHAPTER, 2), (CHAPTER, 3)]) == [3, 1]


@pytest.mark.parametrize("held", [[], [(CHAPTER, 2)], [("shop.quote", 1)]])
def test_components_of_others_are_refused(held: Sequence[tuple[str, int]]) -> None:
    with pytest.raises(ApplicationError, match="not related to the entity"):
        build([1], held)


def test_each_of_many_components_is_compared_a_few_times() -> None:
    many = 300
    held = [(CHAPTER, CountedId(one)) for one in range(1, many + 1)]
    CountedId.compared = 0
    assert build(list(range(many, 0, -1)), held) == list(range(many, 0, -1))
    assert CountedId.compared < 10 * many


Held = dict[tuple[Definition, int, str], Sequence[tuple[str, int]]]
Links = dict[tuple[Definition, int, str], Sequence[tuple[int, float | None]]]


def row_of(workshop: Registry, data: dict[str, Any], row_id: int | None, links: Links | None = None) -> RowNode:
    """Build the row of a tool; the existing one contains leg 8."""
    tool = workshop.content_types["api::tool.tool"]
    held: Held = {(tool, 1, "legs"): [("part.leg", 8)]}
    builder = RowBuilder(registry=workshop, dialect=SQLITE, links=links or {}, held=held)
    return builder.row(read_body(workshop, tool, data), row_id)


def plain(row: RowNode) -> dict[str, Any]:
    """Return a row as plain values, without empty ones."""
    shown = {
        "uid": row.definition.uid,
        "id": row.id,
        "values": row.values,
        "links": row.links,
        "files": row.files,
        "morphs": row.morphs,
        "sources": row.sources,
        "components": {name: [plain(child) for child in rows] for name, rows in row.components.items()},
    }
    return {name: value for name, value in shown.items() if value not in (None, {})}


NEW_LEG = {"label": None, "length": None, "secret": None}
NEW_TOOL = {
    **dict.fromkeys(("name", "code", "serial", "contact", "key", "weight", "price", "stock", "barcode", "bought")),
    **dict.fromkeys(("opens", "servicedAt", "stamp", "manual")),
    "kind": "hand",
    "sharp": True,
    "extra": '{"a":[1]}',
}


@pytest.mark.parametrize(
    "data, row",
    [
        ({}, {"values": NEW_TOOL}),
        ({"kind": "power", "sharp": None}, {"values": {**NEW_TOOL, "kind": "power", "sharp": None}}),
        ({"maker": [2, 3], "users": [3, 1]}, {"values": NEW_TOOL, "links": {"maker": [2], "users": [3, 1]}}),
        ({"photo": [2, 3], "photos": [3, 1]}, {"values": NEW_TOOL, "files": {"photo": [2], "photos": [3, 1]}}),
        ({"notes": [4, 4, 5], "badge": [6, 7]}, {"values": NEW_TOOL, "sources": {"notes": [4, 5], "badge": [6]}}),
        (
            {"legs": [{"id": 8, "length": 1, "by": 2}]},
            {
                "values": NEW_TOOL,
                "components": {"legs": [{"uid": "part.leg", "values": {**NEW_LEG, "length": 1}, "links": {"by": [2]}}]},
            },
        ),
    ],
)
def test_rows_of_new_entries(workshop: Registry, data: dict[str, Any], row: dict[str, Any]) -> None:
    """Defaults, a value for every attribute, and new components whatever id the body contains."""
    assert plain(row_of(workshop, data, None)) == {"uid": "api::tool.tool", **row}


@pytest.mark.parametrize(
    "data, row",
    [
        ({}, {}),
        ({"name": "Saw", "bought": "2024-01-02"}, {"values": {"name": "Saw", "bought": "2024-01-02"}}),
        ({"maker": [2, 3]}, {"links": {"maker": [3]}}),
        ({"maker": {"disconnect": [5]}}, {"links": {"maker": []}}),
        ({"users": {"connect": [4], "disconnect": [1]}}, {"links": {"users": [2, 4]}}),
        ({"users": {"connect": [{"id": 4, "position": {"before": 2}}]}}, {"links": {"users": [1, 4, 2]}}),
        ({"photos": None}, {"files": {"photos": []}}),
        (
            {"legs": [{"length": 1}, {"id": 8, "label": "x"}]},
            {
                "components": {
                    "legs": [
                        {"uid": "part.leg", "values": {**NEW_LEG, "length": 1}},
                        {"uid": "part.leg", "id": 8, "values": {"label": "x"}},
                    ]
                }
            },
        ),
    ],
)
def test_rows_of_existing_entries(workshop: Registry, data: dict[str, Any], row: dict[str, Any]) -> None:
    """Only values in the body; relations from their current positions."""
    tool = workshop.content_types["api::tool.tool"]
    links: Links = {(tool, 1, "users"): [(1, 1.0), (2, 2.0)], (tool, 1, "maker"): [(5, None)]}
    assert plain(row_of(workshop, data, 1, links)) == {"uid": "api::tool.tool", "id": 1, **row}


@pytest.mark.parametrize(
    "connect, message",
    [
        ([{"id": 4, "position": {"before": 9}}], "The relation with id 9 needs to be connected first."),
        ([{"id": 4}, {"id": 4, "position": {"start": True}}], "The relation with id 4 is already connected."),
        (
            [{"id": 4, "position": {"before": 5}}, {"id": 5, "position": {"after": 4}}],
            "A circular reference was found in the connect array.",
        ),
    ],
)
@pytest.mark.parametrize("placed", [False, True])
def test_links_without_a_position(
    workshop: Registry, connect: list[dict[str, Any]], message: str, placed: bool
) -> None:
    tool = workshop.content_types["api::tool.tool"]
    builder = RowBuilder(registry=workshop, dialect=SQLITE, links={}, held={}, place_relations=placed)
    body = read_body(workshop, tool, {"users": {"connect": connect}})
    with pytest.raises(ValidationError) as caught:
        builder.row(body, 1)
    assert message in str(caught.value)
    paths = [problem["path"] for problem in (caught.value.details or {}).get("errors", [])]
    assert paths == ([["users"]] if placed else [])
