"""Components whose rows have a former name: v4 renames them only in definitions, and returns them by attribute.

These tests rename the components in the bookshop's rows. The responses must stay the same.
"""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from octavo.content.component_owners import ComponentOwners
from octavo.content.media.storage.local import LocalStorage
from octavo.database.component_names import (
    ComponentNames,
    ComponentRenameRefused,
    Meaning,
    OtherName,
    RenamedRows,
    rename_component,
)
from octavo.database.connection import Row
from octavo.database.synchronize import found_tables
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.runtime.process import build
from octavo.operations.transfer.archive.parts import ENTITIES, Part
from octavo.operations.transfer.archive.reader import open_archive
from octavo.operations.transfer.archive.writer import new_archive
from octavo.operations.transfer.exporter import export_project
from octavo.query.sql.physical_names import component_table
from tests.api.graphql.asking import ask
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import BOOK, FULL_TOKEN
from tests.models.people import Hands
from tests.models.site import Site

pytestmark = pytest.mark.anyio

DETAILS, CHAPTERS = "populate[details][populate]=*", "populate[chapters][populate]=*"
PAGE = "pagination[limit]=100&fields=title"
READS = (
    f"/api/books?{PAGE}&{DETAILS}&{CHAPTERS}",
    f"/api/books?{PAGE}&filters[details][binding]=hard",
    f"/api/books?{PAGE}&filters[details][notes][text][$contains]=.1",
    f"/api/books?{PAGE}&filters[details][id][$null]=true",
    f"/api/books?{PAGE}&filters[$not][chapters][title][$contains]=.2",
    f"/api/books?{PAGE}&sort=details.weight:desc",
    f"/api/books?{PAGE}&populate[chapters][count]=true",
    f"/api/books?{PAGE}&populate[chapters][filters][pages][$gt]=20&populate[chapters][sort]=pages:desc",
    "/api/imprint?populate=*",
)
QUERY = """{ books(pagination: { limit: 100 }, sort: "details.weight") { data { id attributes {
    details { weight notes { text } } chapters { id footnote { text } picture { data { id } } } } } } }"""


@asynccontextmanager
async def prepared(site: Site) -> AsyncIterator[Site]:
    """Open the same project on the same database, and prepare it as a start does."""
    octavo = build(site.octavo.settings)
    await prepare_database(octavo.database, octavo.site.registry, "en")
    try:
        yield Site(octavo)
    finally:
        await octavo.database.close()


async def rename_components_in_rows(site: Site, where: str = "component_type LIKE 'shop.%'") -> None:
    """Replace `shop.` with `old.` in the rows."""
    name = site.database.dialect.concat_or_null("'old.'", "substr(component_type, 6)")
    for definition in site.octavo.site.registry.holders():
        table = component_table(definition).name
        await site.database.execute(f"UPDATE {table} SET component_type = {name} WHERE {where}")


async def rows(site: Site, entry: int, *fields: str) -> Sequence[Row]:
    listed = ", ".join(f"'{field}'" for field in fields)
    text = f"""SELECT field, component_type, component_id FROM books_components
    WHERE entity_id = {entry} AND field IN ({listed}) ORDER BY field, {site.database.dialect.quote("order")}, id"""
    return [tuple(row) for row in await site.database.fetch_all(text)]


async def answers(site: Site) -> list[Any]:
    found = [(await site.get(target, FULL_TOKEN)).json for target in READS]
    found.append(await ask(site, QUERY, FULL_TOKEN))
    await site.octavo.infrastructure.authenticator.drain()  # uses of tokens are written in the background
    return found


async def put(site: Site, entry: int, data: dict[str, Any]) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    return await call(
        site.octavo.asgi,
        "PUT",
        f"/api/books/{entry}",
        headers,
        [json.dumps({"data": data}).encode()],
    )


async def found_in(site: Site) -> dict[tuple[str, str], OtherName]:
    database = site.database
    tables = await found_tables(database, database.dialect)
    found = await ComponentNames(database, database.dialect, site.octavo.site.registry).others(tables.keys())
    return {(each.attribute, each.name): each for each in found}


async def test_reads_answer_the_same(still: Hands, own_bookshop: Site, caplog: pytest.LogCaptureFixture) -> None:
    before = await answers(own_bookshop)
    counts = [await own_bookshop.statements(target, FULL_TOKEN) for target in READS]
    await rename_components_in_rows(own_bookshop)
    async with prepared(own_bookshop) as site:
        assert await answers(site) == before
        assert [await site.statements(target, FULL_TOKEN) for target in READS] == counts
        owners = ComponentOwners(site.database, site.octavo.site.registry)
        component = site.octavo.site.registry.components["shop.details"]
        [(_, _, details)] = await rows(site, 1, "details")
        assert [
            (owner.entry_id, owner.place.uid, owner.place.way) for owner in await owners.of(component, details)
        ] == [(1, BOOK, "details.")]
    assert "`octavo db rename-component old.details shop.details` updates the name" in caplog.text


async def test_writes_leave_no_duplicate_or_orphaned_rows(own_bookshop: Site) -> None:
    await rename_components_in_rows(own_bookshop, "field <> 'extras'")
    async with prepared(own_bookshop) as site:
        count = "SELECT count(*) FROM components_shop_chapters"
        before = await site.database.fetch_value(count)
        [_, kept, _] = await rows(site, 3, "chapters")
        [(_, _, details)] = await rows(site, 3, "details")
        data = {"chapters": [{"id": kept[2], "pages": 7}, {"title": "new"}], "details": {"id": details, "weight": 9}}
        assert (await put(site, 3, data)).status == 200
        assert [row[:2] for row in await rows(site, 3, "chapters", "details")] == [
            ("chapters", "shop.chapter"),
            ("chapters", "shop.chapter"),
            ("details", "shop.details"),
        ]
        assert kept[2] in {row[2] for row in await rows(site, 3, "chapters")}
        assert await site.database.fetch_value(count) == before - 1
        foreign = await put(site, 2, {"chapters": [{"id": kept[2]}]})
        assert (foreign.status, foreign.json["error"]["message"].endswith("not related to the entity")) == (400, True)
        notes = "SELECT count(*) FROM components_shop_details_components WHERE entity_id = {}"
        [(_, _, others)] = await rows(site, 1, "details")
        assert await site.database.fetch_value(notes.format(others)) == 2
        headers = [("Authorization", f"Bearer {FULL_TOKEN}")]
        assert (await call(site.octavo.asgi, "DELETE", "/api/books/1", headers)).status == 200
        assert await site.database.fetch_value(notes.format(others)) == 0
        left = f"SELECT count(*) FROM components_shop_details WHERE id = {others}"
        assert await site.database.fetch_value(left) == 0


async def test_rows_of_other_components_are_not_shown(own_bookshop: Site, caplog: pytest.LogCaptureFixture) -> None:
    """v4 would return any component with the same id."""
    database = own_bookshop.database
    await database.execute(
        "UPDATE books_components SET component_type = 'shop.quote' WHERE field = 'details' AND entity_id = 1"
    )
    [_, (_, _, others)] = await rows(own_bookshop, 2, "chapters")
    await database.execute(
        f"UPDATE books_components SET component_type = 'gone.thing', component_id = {others}"
        " WHERE field = 'chapters' AND entity_id = 1"
    )
    async with prepared(own_bookshop) as site:
        target = "/api/books/1?populate[0]=details&populate[1]=chapters&fields=title"
        shown = (await site.get(target, FULL_TOKEN)).json["data"]["attributes"]
        assert (shown["details"], shown["chapters"]) == (None, [])
        found = await found_in(site)
        assert {place: each.meaning for place, each in found.items()} == {
            ("details", "shop.quote"): Meaning.OTHER,
            ("chapters", "gone.thing"): Meaning.FOREIGN,
        }
        refused = r"^gone\.thing is not a former name of shop\.chapter: 1 row of api::book"
        with pytest.raises(ComponentRenameRefused, match=refused):
            await rename_component(site.database, site.octavo.site.registry, "gone.thing", "shop.chapter")
    assert "They were another component and are not served" in caplog.text


async def test_writes_store_the_current_name(own_bookshop: Site, tmp_path: Path) -> None:
    target = "/api/books/3?populate[extras][populate]=*&populate[chapters][populate]=*&fields=title"
    before = (await own_bookshop.get(target, FULL_TOKEN)).json
    await rename_components_in_rows(own_bookshop, "component_type IN ('shop.chapter', 'shop.quote')")
    database, registry = own_bookshop.database, own_bookshop.octavo.site.registry
    await database.execute(
        "UPDATE files_related_morphs SET related_type = 'old.chapter' WHERE related_type = 'shop.chapter'"
    )
    async with prepared(own_bookshop) as site:
        shown = (await site.get(target, FULL_TOKEN)).json["data"]["attributes"]
        assert [item["__component"] for item in shown["extras"]] == ["shop-odd.banner-2"]
        assert {item["picture"]["data"] for item in shown["chapters"]} == {None}
        found = await found_in(site)
        assert {place: (each.meaning, each.component) for place, each in found.items()} == {
            ("chapters", "old.chapter"): (Meaning.FORMER, "shop.chapter"),
            ("extras", "old.chapter"): (Meaning.UNKNOWN, "shop.chapter"),
            ("extras", "old.quote"): (Meaning.UNKNOWN, "shop.quote"),
            ("blocks", "old.quote"): (Meaning.UNKNOWN, "shop.quote"),
        }
        [(_, _, again), *_] = await rows(site, 3, "chapters")
        await database.execute(  # as v4 leaves it when it saves an entry
            "INSERT INTO books_components (entity_id, component_id, component_type, field)"
            f" VALUES (3, {again}, 'shop.chapter', 'chapters')"
        )
        tried = await rename_component(database, registry, "old.chapter", "shop.chapter", dry_run=True)
        done = await rename_component(database, registry, "old.chapter", "shop.chapter")
        assert (tried == done, done.twice) == (True, 1)
        assert (done.components > 0, done.links > 0) == (True, True)
        assert (await rename_component(database, registry, "old.quote", "shop.quote")).links == 0
        assert sorted_chapters((await site.get(target, FULL_TOKEN)).json) == sorted_chapters(before)
        assert await found_in(site) == {}
    assert await rename_component(database, registry, "old.quote", "shop.quote") == RenamedRows()
    for old, new, why in (
        ("shop.quote", "shop.chapter", "shop.quote is a component of this project"),
        ("old.quote", "shop.nothing", "Unknown component shop.nothing"),
    ):
        with pytest.raises(ComponentRenameRefused, match=why):
            await rename_component(database, registry, old, new)


def sorted_chapters(answer: Any) -> Any:
    answer["data"]["attributes"]["chapters"].sort(key=lambda chapter: chapter["id"])
    return answer


async def test_archives_contain_renamed_components(own_bookshop: Site, tmp_path: Path) -> None:
    await rename_components_in_rows(own_bookshop)
    registry = build(own_bookshop.octavo.settings).site.registry
    path = tmp_path / "out.tar"
    with new_archive(path, compressed=False, password=None) as archive:
        storage = LocalStorage(tmp_path / "uploads")
        await export_project(
            own_bookshop.database, registry, storage, archive, {Part.CONTENT}, "4.26.2", lambda done, total: None
        )
    with open_archive(path, None, tmp_path) as read:
        [book] = [line["data"] for _, line, _ in read.lines(ENTITIES) if (line["type"], line["id"]) == (BOOK, 3)]
    assert [len(book["chapters"]), len(book["details"]["notes"])] == [3, 2]
