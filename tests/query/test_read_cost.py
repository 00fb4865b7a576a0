"""The cost of a read: computed before names are resolved, in a bounded number of steps."""

from typing import Any

import pytest

from octavo.access.authorization.permissions import EVERYTHING
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.api.http.query_string import parse_query_string
from octavo.core.errors import ValidationError
from octavo.query import read_cost
from octavo.query.params import read_query
from octavo.query.read_cost import MOST_COST, check_cost
from octavo.schema.registry import Registry
from tests.layouts import registry_of

PAGE, TAG = "api::page.page", "api::tag.tag"
KINDS = [f"c.kind{number}" for number in range(5)]


def relation(kind: str, target: str, **rest: Any) -> dict[str, Any]:
    return {"type": "relation", "relation": kind, "target": target, **rest}


def content_type(name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    info = {"singularName": name, "pluralName": f"{name}s", "displayName": name}
    path = f"api/{name}/content-types/{name}/schema.json"
    return {path: {"collectionName": f"{name}s", "info": info, "attributes": attributes}}


MODEL = {
    **content_type(
        "page",
        {
            "title": {"type": "string"},
            "zone": {"type": "dynamiczone", "components": KINDS},
            "tags": relation("manyToMany", TAG, inversedBy="pages"),
            "children": relation("oneToMany", PAGE, mappedBy="parent"),
            "parent": relation("manyToOne", PAGE, inversedBy="children"),
            "subjects": {"type": "relation", "relation": "morphToMany"},
        },
    ),
    **content_type("tag", {"name": {"type": "string"}, "pages": relation("manyToMany", PAGE, mappedBy="tags")}),
    **{
        f"components/{uid.replace('.', '/')}.json": {"attributes": {"page": relation("oneToOne", PAGE)}}
        for uid in KINDS
    },
}


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return registry_of(MODEL, tmp_path_factory.mktemp("cost"))


def check(registry: Registry, text: str, entries: int = 25, most: int = MOST_COST) -> None:
    query = read_query(parse_query_string(text))
    check_cost(query, registry.content_types[PAGE], registry, most, entries=entries, finds=lambda _: True)


def repeated(names: str, times: int) -> str:
    return "populate=" + ".".join([names] * times)


@pytest.mark.parametrize(
    "text",
    [
        repeated("zone.page", 9),
        repeated("subjects.zone.page", 6),
        repeated("tags.pages", 4),
        repeated("tags.pages", 4).replace("=", "[0]="),
        "populate[tags][populate][pages][populate][tags][populate]=pages.tags.pages",
        "populate[zone][on][c.kind1][populate][page][populate]=" + ".".join(["tags.pages"] * 4),
    ],
)
def test_exponential_requests_are_refused_with_their_path(registry: Registry, text: str) -> None:
    with pytest.raises(ValidationError) as refused:
        check(registry, text)
    assert refused.value.message.startswith("The request costs at least ")
    assert f"more than the {MOST_COST} that `reads.maxCost` in config/api.toml allows" in refused.value.message
    [error] = (refused.value.details or {})["errors"]
    assert error["path"][0] == "populate"


@pytest.mark.parametrize(
    "text",
    [
        repeated("children", 19),
        repeated("parent", 19),
        "populate=*",
        "populate=" + ",".join(["zone.page.tags", "tags.pages.children", "children.children.zone", "parent.tags"] * 12),
        "populate[tags][populate][pages][populate][tags][populate][pages][limit]=3",
        "&".join(f"filters[$or][{number}][tags][pages][title][$contains]=x" for number in range(200)),
    ],
)
def test_requests_of_real_applications_are_accepted(registry: Registry, text: str) -> None:
    check(registry, text)


def test_computing_the_cost_is_bounded_by_the_limit(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request of 100 bytes with 5 ** 9 steps is refused after as many steps as the limit."""
    levels = 0
    level = read_cost._Walk.level

    def counting(*given: Any) -> None:
        nonlocal levels
        levels += 1
        level(*given)

    monkeypatch.setattr(read_cost._Walk, "level", counting)
    with pytest.raises(ValidationError):
        check(registry, repeated("zone.page", 9), most=1_000)
    assert levels <= 1_001


@pytest.mark.parametrize("text", [repeated("zone.page", 3), "populate=*", repeated("subjects.zone", 2)])
def test_the_cost_bounds_the_steps_of_the_sanitizer(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Every level that the sanitizer visits has been counted."""
    levels = 0
    level = QuerySanitizer.level

    def counting(*given: Any) -> Any:
        nonlocal levels
        levels += 1
        return level(*given)

    monkeypatch.setattr(QuerySanitizer, "level", counting)
    query = read_query(parse_query_string(text))
    QuerySanitizer(registry, EVERYTHING).sanitize(query, registry.content_types[PAGE])
    with pytest.raises(ValidationError):
        check(registry, text, most=levels // 2)


@pytest.mark.parametrize(
    "text, place",
    [
        ("&".join(f"filters[$or][{n}][title]=x" for n in range(40)), "filters"),
        (f"sort={','.join(f'tags.pages.{name}' for name in 'abcdefghijklmnopq')}", "sort"),
        ("&".join(f"populate[tags][filters][$or][{n}][name]=x" for n in range(40)), "populate.tags.filters"),
    ],
)
def test_conditions_and_sorts_count(registry: Registry, text: str, place: str) -> None:
    with pytest.raises(ValidationError, match=f"at {place}, more than the 50"):
        check(registry, text, most=50)
