"""`populate=deep`: populates the same as v4's plugin, observed with its version 3.0.1 on v4.26.2."""

from collections.abc import Iterable
from typing import Any

import pytest

from octavo.content.controllers.deep_populate import deep_levels, deep_populate
from octavo.core.errors import ValidationError
from octavo.query.ast import Populate
from octavo.schema.registry import Registry
from tests.layouts import registry_of


def relation(kind: str, target: str, **rest: Any) -> dict[str, Any]:
    return {"type": "relation", "relation": kind, "target": target, **rest}


def content_type(name: str, attributes: dict[str, Any], **rest: Any) -> dict[str, Any]:
    info = {"singularName": name, "pluralName": f"{name}s", "displayName": name}
    path = f"api/{name}/content-types/{name}/schema.json"
    return {path: {"collectionName": f"{name}s", "info": info, "attributes": attributes, **rest}}


AUTHOR, ARTICLE, CITY = "api::author.author", "api::article.article", "api::city.city"
MODEL = {
    **content_type(
        "article",
        {
            "author": relation("manyToOne", AUTHOR, inversedBy="articles"),
            "seo": {"type": "component", "component": "c.seo"},
            "zone": {"type": "dynamiczone", "components": ["c.seo", "c.gallery"]},
            "cover": {"type": "media"},
        },
        pluginOptions={"i18n": {"localized": True}},
    ),
    **content_type(
        "author", {"articles": relation("oneToMany", ARTICLE, mappedBy="author"), "city": relation("manyToOne", CITY)}
    ),
    **content_type(
        "city", {"mayor": relation("oneToOne", AUTHOR), "subject": {"type": "relation", "relation": "morphToOne"}}
    ),
    "components/c/seo.json": {"attributes": {"author": relation("oneToOne", AUTHOR)}},
    "components/c/gallery.json": {
        "attributes": {"pictures": {"type": "media"}, "parts": {"type": "component", "component": "c.seo"}}
    },
}


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return registry_of(MODEL, tmp_path_factory.mktemp("deep"))


def tree(populates: Iterable[Populate]) -> dict[str, Any]:
    return {item.name: tree(item.query.populate) for item in populates}


def below(registry: Registry, uid: str, levels: int) -> dict[str, Any]:
    return tree(deep_populate(registry, registry.content_types[uid], levels, 1_000))


def test_the_first_level_is_the_entry_itself(registry: Registry) -> None:
    assert below(registry, ARTICLE, 0) == below(registry, ARTICLE, 1) == {}


def test_on_the_last_level_creators_are_shown(registry: Registry) -> None:
    creators: dict[str, Any] = {"createdBy": {}, "updatedBy": {}}
    names = ("author", "seo", "zone", "cover", "localizations")
    assert below(registry, ARTICLE, 2) == {name: {} for name in names} | creators
    assert below(registry, AUTHOR, 2) == {"articles": {}, "city": {}} | creators


def test_relations_named_like_a_table_seen_before_are_not_followed(registry: Registry) -> None:
    creators: dict[str, Any] = {"createdBy": {}, "updatedBy": {}}
    assert below(registry, ARTICLE, 3) == {
        "author": {"city": {}, **creators},
        "seo": {"author": {}},
        "zone": {"author": {}, "pictures": {}, "parts": {}},
        "cover": {},
        "localizations": {},
    }


def test_components_are_followed_and_relations_without_target_are_not(registry: Registry) -> None:
    seen = below(registry, ARTICLE, 5)
    assert set(seen["seo"]["author"]) == {"articles", "city"}
    assert seen["author"]["city"]["subject"] == {}
    assert seen["localizations"] == {}


def test_more_than_a_read_could_join_is_refused(registry: Registry) -> None:
    with pytest.raises(ValidationError, match="Request fewer levels"):
        deep_populate(registry, registry.content_types[ARTICLE], 20, 1_000)


@pytest.mark.parametrize(
    "asked, levels",
    [
        ("deep", 5),
        ("deep,3", 3),
        ("deep,2.5", 3),
        ("deep,3,x", 3),
        ("deep, 3", 3),
        ("deep,", 0),
        ("deep,-1", -1),
        ("deep,1e3", 20),
        (["deep", "2"], 2),
        ("DEEP", None),
        ("author,deep", None),
        ({"deep": "true"}, None),
        (None, None),
    ],
)
def test_levels_are_given_by_the_first_two_names(asked: object, levels: int | None) -> None:
    assert deep_levels({"populate": asked}, 5) == levels


@pytest.mark.parametrize("asked", ["deep,abc", ["deep", {}], "deep,NaN"])
def test_levels_that_are_not_numbers_are_refused(asked: object) -> None:
    with pytest.raises(ValidationError, match="expected a number of levels behind deep"):
        deep_levels({"populate": asked}, 5)
