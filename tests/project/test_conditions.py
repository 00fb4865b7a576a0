"""A project's custom conditions on administrators' permissions: added in Python, evaluated for each content type."""

from collections.abc import Mapping
from typing import Any

import pytest

from octavo.access.authorization.admin.ability import NEVER
from octavo.access.authorization.admin.conditions import Holder
from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.access.authorization.admin.grants import Grant
from octavo.access.authorization.admin.names import READ
from octavo.project.problems import InvalidCode
from octavo.query.ast import And, At, Filter
from octavo.sdk.conditions import Conditions
from tests.access.authorization.conditional import at
from tests.models.bookshop import AUTHOR, GENRE, bookshop_registry

pytestmark = pytest.mark.anyio

REGISTRY = bookshop_registry()
EDI = Holder(7, "edi@example.org", (2,))


@pytest.fixture
def rights() -> AbilityBuilder:
    return AbilityBuilder(REGISTRY)


async def scope(rights: AbilityBuilder, name: str, uid: str = GENRE) -> Filter | None:
    found = (await rights.of(EDI, (Grant(READ, uid, conditions=(name,)),))).pages.scope(uid)
    return None if found is None else plain(found)


def plain(found: Filter) -> Filter:
    """Return a filter without lists of one element."""
    match found:
        case And(items=(item,)):
            return plain(item)
        case At(attribute=name, filter=inner):
            return At(attribute=name, filter=plain(inner))
        case _:
            return found


async def test_a_condition_is_a_filter_of_requests(rights: AbilityBuilder) -> None:
    conditions = Conditions(rights)

    @conditions.add("high", "High rank", category="Ranks")
    def high(administrator: Holder) -> Mapping[str, Any]:
        return {"rank": {"$gt": administrator.id}}

    @conditions.add("colleagues", "Made by colleagues", plugin="shop")
    async def colleagues(_: Holder) -> Mapping[str, Any]:
        return {"createdBy": {"roles": {"id": {"$in": [1, 2]}}}}

    assert await scope(rights, "api::high") == at("rank", "$gt", 7)
    assert await scope(rights, "plugin::shop.colleagues", AUTHOR) == at("createdBy.roles.id", "$in", 1, 2)
    reported = rights.catalogue.serialize(rights.conditions.values(), ())["conditions"]
    assert reported[2:] == [
        {"id": "api::high", "displayName": "High rank", "category": "Ranks"},
        {"id": "plugin::shop.colleagues", "displayName": "Made by colleagues", "category": "default"},
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"nope": 1},
        {"rank": {"$near": 3}},
        {"rank": {"$gt": 1}, "$or": [{"parent": None}]},
        {},
        {"id": {"$in": []}},
        None,
        "rank",
        5,
    ],
)
async def test_invalid_results_match_no_entry(rights: AbilityBuilder, answer: Any) -> None:
    Conditions(rights).add("odd", "Odd", lambda _: answer)
    assert await scope(rights, "api::odd") == NEVER


async def test_conditions_are_evaluated_for_each_content_type(rights: AbilityBuilder) -> None:
    Conditions(rights).add("high", "High", lambda _: {"rank": {"$gt": 1}})
    assert await scope(rights, "api::high", AUTHOR) == NEVER
    assert await scope(rights, "api::high", GENRE) == at("rank", "$gt", 1)


async def test_conditions_can_match_all_entries_or_none(rights: AbilityBuilder) -> None:
    conditions = Conditions(rights)
    conditions.add("all", "All", lambda _: True)
    conditions.add("none", "None", lambda _: False)
    assert (await scope(rights, "api::all"), await scope(rights, "api::none")) == (None, NEVER)


@pytest.mark.parametrize("name, plugin", [("a b", None), ("", None), ("a", "b.c"), ("twice", None)])
def test_names_are_names_and_used_once(rights: AbilityBuilder, name: str, plugin: str | None) -> None:
    conditions = Conditions(rights)
    conditions.add("twice", "Twice", lambda _: True)
    with pytest.raises(InvalidCode, match=r"app\.conditions"):
        conditions.add(name, "x", lambda _: True, plugin=plugin)
