"""Configurations of views: defaults, stored choices, and changed definitions."""

from typing import Any

import pytest

from octavo.content.core_store import CoreStore
from octavo.content.manager.configurations import Configurations
from octavo.content.manager.form_sections import stored_sections
from octavo.content.manager.layouts import COLUMNS, default_configuration, main_field, synchronized
from octavo.content.manager.type_schemas import attributes_of, serialize_components, serialize_content_types
from octavo.core.errors import BadRequestError
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK, GENRE, USER, bookshop_registry
from tests.models.site import Site

pytestmark = pytest.mark.anyio
REGISTRY = bookshop_registry()
GENRES = REGISTRY.content_types[GENRE]
BOOKS = REGISTRY.content_types[BOOK]


def default(registry: Registry = REGISTRY, uid: str = GENRE) -> dict[str, Any]:
    return default_configuration(registry.definition(uid), registry)


def fields(configuration: dict[str, Any]) -> list[str]:
    return [field["name"] for row in configuration["layouts"]["edit"] for field in row]


def test_by_default_all_editable_fields_are_in_rows_of_twelve_columns() -> None:
    found = default(uid=BOOK)
    assert all(sum(field["size"] for field in row) <= COLUMNS for row in found["layouts"]["edit"])
    assert {"title", "pin", "author", "extras"} <= set(fields(found))
    assert not {"id", "createdAt", "createdBy", "localizations", "publishedAt"} & set(fields(found))
    assert found["layouts"]["list"] == ["id", "title", "slug", "blurb"]
    assert found["settings"]["mainField"] == main_field(BOOKS) == "title"
    assert found["metadatas"]["author"]["edit"]["mainField"] == main_field(REGISTRY.content_types[AUTHOR])
    assert found["metadatas"]["genres"]["list"] == {"label": "genres", "searchable": False, "sortable": False}
    hidden = {"provider", "resetPasswordToken", "confirmationToken"}
    assert not hidden & set(fields(default(uid=USER)))


def test_editorial_lists_show_a_thumbnail_the_title_a_related_entry_and_the_last_update() -> None:
    found = default_configuration(BOOKS, REGISTRY, is_editorial=True)
    assert found["layouts"]["list"] == ["cover", "title", "author", "updatedAt"]
    assert found["layouts"]["edit"] == default(uid=BOOK)["layouts"]["edit"]
    genres = default_configuration(GENRES, REGISTRY, is_editorial=True)["layouts"]["list"]
    assert genres == ["name", "parent", "rank", "updatedAt"]
    stored = {**default(uid=BOOK), "layouts": {"list": ["slug"], "edit": []}}
    assert synchronized(stored, BOOKS, REGISTRY, is_editorial=True)["layouts"]["list"] == ["slug"]


def test_stored_choices_stay_and_deleted_fields_are_removed() -> None:
    stored = default()
    stored["settings"] |= {"pageSize": 50, "mainField": "gone", "defaultSortBy": "gone"}
    stored["metadatas"]["name"]["edit"]["label"] = "The name"
    stored["metadatas"]["gone"] = stored["metadatas"]["name"]
    stored["layouts"]["list"] = ["name", "gone"]
    stored["layouts"]["edit"] = [[{"name": "gone", "size": 6}, {"name": "name", "size": 12}], [{"name": "gone"}]]
    found = synchronized(stored, GENRES, REGISTRY)
    assert found["settings"]["pageSize"] == 50
    assert found["settings"]["mainField"] == found["settings"]["defaultSortBy"] == "name"
    assert found["metadatas"]["name"]["edit"]["label"] == "The name"
    assert "gone" not in found["metadatas"]
    assert found["layouts"] == {"list": ["name"], "edit": [[{"name": "name", "size": 12}]]}
    assert synchronized(found, GENRES, REGISTRY) == found


def test_new_fields_are_added_to_short_lists_and_to_the_end_of_edit_views() -> None:
    stored = default()
    del stored["metadatas"]["rank"]
    stored["layouts"] = {"list": ["id"], "edit": [[{"name": "name", "size": 6}]]}
    found = synchronized(stored, GENRES, REGISTRY)
    assert found["layouts"]["list"] == ["id", "rank"]
    assert fields(found) == ["name", "rank"]
    assert found["metadatas"]["rank"] == default()["metadatas"]["rank"]


def test_a_field_with_a_new_type_gets_its_default_size() -> None:
    stored = default(uid=BOOK)
    stored["layouts"]["edit"] = [[{"name": "extra", "size": 6}, {"name": "title", "size": 4}]]
    found = synchronized(stored, BOOKS, REGISTRY)
    assert found["layouts"]["edit"] == [[{"name": "title", "size": 4}], [{"name": "extra", "size": 12}]]


def test_ids_of_components_are_neither_searched_nor_sorted() -> None:
    """v4 stores true for them at its first start, and returns false from the second one on."""
    component = next(iter(REGISTRY.components.values()))
    stored = default_configuration(component, REGISTRY)
    stored["metadatas"]["id"]["list"] |= {"searchable": True, "sortable": True}
    found = synchronized(stored, component, REGISTRY)
    assert found["metadatas"]["id"]["list"] == {"label": "id", "searchable": False, "sortable": False}
    assert default()["metadatas"]["id"]["list"] == {"label": "id", "searchable": True, "sortable": True}


@pytest.mark.parametrize("stored", [{}, {"layouts": 5, "metadatas": [], "settings": None}, {"metadatas": {"name": 1}}])
def test_broken_rows_are_ignored(stored: dict[str, Any]) -> None:
    assert synchronized(stored, GENRES, REGISTRY) == default()


def test_all_definitions_are_sent_to_the_pages() -> None:
    told = {one["uid"]: one for one in serialize_content_types(REGISTRY)}
    assert told.keys() == REGISTRY.content_types.keys()
    assert {uid for uid, one in told.items() if one["isDisplayed"]} == {*told.keys() - BUILTIN_TYPES.keys(), USER}
    assert "subject" not in attributes_of(REGISTRY.content_types["api::note.note"])
    assert told[BOOK]["attributes"]["author"]["relationType"] == "manyToOne"
    assert [one["uid"] for one in serialize_components(REGISTRY)] == [
        one.uid for one in REGISTRY.components_backwards()
    ]


# Stored configurations


def configurations_of(site: Site) -> Configurations:
    return site.octavo.site.services.manage().configurations


async def test_changes_are_stored_unchanged(bookshop: Site) -> None:
    configurations = configurations_of(bookshop)
    before = await configurations.serialize(GENRES)
    assert before == {"uid": GENRE, **before}
    metadatas = {"name": {"edit": {"label": "N"}, "list": {"sortable": False}}, "nothing": {"edit": {}, "list": {}}}
    await configurations.change(GENRES, {"metadatas": metadatas, "layouts": {"list": ["name"], "edit": []}})
    after = await configurations.serialize(GENRES)
    assert after["metadatas"] == {"name": metadatas["name"]}
    assert after["layouts"] == {"list": ["name"], "edit": []}
    assert after["settings"] == before["settings"]
    assert next(one for one in await configurations.settings() if one["uid"] == GENRE)["settings"] == after["settings"]
    another = Configurations(configurations.registry, bookshop.octavo.site.services.controller.writer)
    assert set((await another.of(GENRES))["metadatas"]) == set(attributes_of(GENRES))
    component = next(iter(configurations.registry.components.values()))
    await configurations.change(component, {})
    assert (await configurations.serialize(component))["isComponent"]


TABS = {"display": "tabs", "items": [{"label": "All", "fields": ["name", "rank"]}]}


async def test_changes_of_two_processes_are_both_stored(bookshop: Site) -> None:
    configurations = configurations_of(bookshop)
    before = await configurations.of(GENRES)
    writer = bookshop.octavo.site.services.controller.writer
    store, key = CoreStore(writer, "plugin", "content_manager"), f"configuration_content_types::{GENRE}"
    row = await store.get(key)
    another = Configurations(configurations.registry, writer)
    layouts = {"list": ["name"], "edit": []}
    await another.change(GENRES, {"layouts": layouts, "sections": TABS})
    settings = {**before["settings"], "pageSize": 50}
    after = await configurations.change(GENRES, {"settings": settings})
    assert (after["settings"], after["layouts"], after["sections"]) == (settings, layouts, TABS)
    await store.set(key, row)


async def test_sections_are_stored_beside_the_parts_of_v4(bookshop: Site) -> None:
    configurations = configurations_of(bookshop)
    before = await configurations.serialize(GENRES)
    assert "sections" not in before
    assert (await configurations.change(GENRES, {"sections": TABS}))["sections"] == TABS
    await configurations.change(GENRES, {name: before[name] for name in ("settings", "metadatas", "layouts")})
    assert await configurations.serialize(GENRES) == {**before, "sections": TABS}, "v4's panel keeps them"
    writer = bookshop.octavo.site.services.controller.writer
    store = CoreStore(writer, "plugin", "content_manager")
    row = await store.get(f"configuration_content_types::{GENRE}")
    assert row["octavo"] == {"sections": TABS}
    gone = {**TABS, "items": [{"label": "All", "fields": ["name", "gone", "createdAt"]}]}
    await store.set(f"configuration_content_types::{GENRE}", {**row, "octavo": {"sections": gone}})
    read = await Configurations(configurations.registry, writer).of(GENRES)
    assert read["sections"] == {**TABS, "items": [{"label": "All", "fields": ["name"]}]}
    await configurations.change(GENRES, {"sections": None})
    assert await configurations.serialize(GENRES) == before
    assert "octavo" not in await store.get(f"configuration_content_types::{GENRE}")


@pytest.mark.parametrize("part", [5, {"sections": []}, {"sections": {"display": "x", "items": []}}, {"sections": {}}])
def test_broken_sections_are_ignored(part: Any) -> None:
    assert stored_sections({"octavo": part}, GENRES) is None
    assert stored_sections({"octavo": {"sections": TABS}}, next(iter(REGISTRY.components.values()))) is None


@pytest.mark.parametrize(
    "given, message",
    [
        ({"sections": {"display": "tabs"}}, "sections.items is required and must be an array"),
        (
            {"sections": {"display": "tabs", "items": [{"label": " ", "fields": []}]}},
            "sections.items[0].label must not be blank",
        ),
        (
            {"sections": {"display": "tabs", "items": [*TABS["items"], {"label": "More", "fields": ["name"]}]}},
            "sections.items contains the field name twice",
        ),
        (
            {"sections": {"display": "tabs", "items": [{"label": f"{n}", "fields": []} for n in range(51)]}},
            "sections.items field must have less than or equal to 50 items",
        ),
        ([], "this must be a `object` type, but the final value was: `[]`."),
        ({"nope": 1}, "this field has unspecified keys: nope"),
        ({"layouts": {"edit": []}}, "layouts.list is required and must be an array"),
        ({"layouts": {"edit": [[{"name": "name"}]], "list": []}}, "layouts.edit[0][0].size is a required field"),
        (
            {"layouts": {"edit": [[{"name": "name", "size": 0}]], "list": []}},
            "layouts.edit[0][0].size must be a positive number",
        ),
        ({"metadatas": {"name": {"list": {}}}}, "metadatas.name.edit is a required field"),
        (
            {"metadatas": {"name": {"edit": {"x": 1}, "list": {}}}},
            "metadatas.name.edit field has unspecified keys: x",
        ),
    ],
)
async def test_a_wrong_change_is_refused(sqlite_bookshop: Site, given: Any, message: str) -> None:
    with pytest.raises(BadRequestError) as refused:
        await configurations_of(sqlite_bookshop).change(GENRES, given)
    assert refused.value.details == {"name": "validationError", "errors": [message]}
