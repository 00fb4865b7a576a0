"""Searches: the searched attributes, and that a value is bound only if it is compared."""

import pytest

from octavo.query.plan import nodes
from octavo.query.plan.nodes import ALWAYS, NEVER, Any, Condition
from octavo.query.plan.planning import Planning
from octavo.query.plan.read import search
from octavo.schema.registry import Registry
from tests.models.bookshop import GENRE

IMPRINT = "api::imprint.imprint"  # has no searchable text


def searched_attributes(condition: Condition) -> list[str]:
    """Return the names of the compared attributes."""
    assert isinstance(condition, Any)
    return [
        item.attribute.name if item.attribute else "id" for item in condition.items if isinstance(item, nodes.Tested)
    ]


@pytest.mark.parametrize(
    "uid, text, names, values",
    [
        (GENRE, "sea", ["name"], ["sea"]),
        (GENRE, "12", ["name", "rank", "id"], ["12"]),
        (GENRE, "-1.5", ["name", "rank", "id"], ["-1.5"]),
        (GENRE, " 12", ["name", "rank", "id"], [" 12"]),
        (IMPRINT, "12", ["id"], ["12"]),
    ],
)
def test_texts_numbers_and_the_id_are_searched(
    registry: Registry, uid: str, text: str, names: list[str], values: list[object]
) -> None:
    planning = Planning(registry)
    assert searched_attributes(search(text, registry.content_types[uid], planning)) == names
    assert planning.values == values


@pytest.mark.parametrize(
    "uid, text, expected", [(GENRE, None, ALWAYS), (GENRE, "a\0b", NEVER), (IMPRINT, "sea", NEVER)]
)
def test_a_search_with_a_constant_result_binds_no_value(
    registry: Registry, uid: str, text: str | None, expected: Condition
) -> None:
    planning = Planning(registry)
    assert search(text, registry.content_types[uid], planning) == expected
    assert planning.values == []
