"""Two versions of a project on one database: an old node drops nothing that a newer one uses, especially no index."""

import asyncio
import itertools

import pytest

from octavo.database.synchronize import found_tables
from tests.option_changes.cases import raw_type
from tests.option_changes.project import Project, Served
from tests.option_changes.test_nodes import known

pytestmark = pytest.mark.anyio

RANK = {"rank": {"type": "integer"}}
OLD = raw_type("note", {**RANK, "code": {"type": "string"}})
NEW = raw_type(
    "note",
    {**RANK, "code": {"type": "uid"}},
    pluginOptions={"i18n": {"localized": False}, "octavo": {"indexes": [["rank"]]}},
)


async def indexes(served: Served) -> set[str]:
    """Return names and columns of the indexes of notes."""
    found = await found_tables(served.database, served.database.dialect)
    return {f"{index.name}: {', '.join(index.columns)}" for index in found["notes"].indexes}


async def declared(served: Served) -> set[str]:
    """Wait until the declared index exists. Return all indexes."""
    async with asyncio.timeout(20):
        while True:
            found = await indexes(served)
            if any("rank" in name for name in found):
                return found


async def test_an_old_node_drops_no_index_of_newer_ones(project: Project) -> None:
    project.write_types(OLD)
    async with project.serve():
        pass
    project.write_types(NEW)
    async with project.serve() as new:
        await known(new, 1)
        before = await declared(new)
        assert "notes_code_unique: code" in before
        project.write_types(OLD)
        async with project.serve() as old:
            await known(new, 2)
            assert await indexes(old) >= before
        async with project.serve() as old:
            assert await indexes(old) >= before


async def test_going_back_drops_them_when_no_newer_node_serves(project: Project) -> None:
    project.write_types(OLD)
    async with project.serve() as old:
        first = await indexes(old)
    project.write_types(NEW)
    async with project.serve() as new:
        assert await declared(new) > first
    project.write_types(OLD)
    async with project.serve() as old:
        assert await indexes(old) == first


@pytest.mark.parametrize("order", list(itertools.permutations(("old", "new", "again"))))
async def test_versions_that_start_in_every_order(project: Project, order: tuple[str, ...]) -> None:
    """While a node with the newer definitions runs, its indexes exist."""
    project.write_types(OLD)
    async with project.serve():
        pass
    project.write_types(NEW)
    async with project.serve() as first:
        await known(first, 1)
        before = await declared(first)
        for name in order:
            project.write_types(OLD if name == "old" else NEW)
            async with project.serve() as other:
                await known(first, 2)
                assert await indexes(other) >= before


GROWN = raw_type("note", {**RANK, "code": {"type": "uid"}, "hint": {"type": "string"}}, localized=True)
ADDED = raw_type("place")
KEPT = (
    "SELECT count(*) FROM i18n_locale",
    "SELECT count(*) FROM up_permissions",
    "SELECT count(*) FROM up_permissions WHERE action LIKE 'api::place.%'",
    "SELECT count(*) FROM admin_permissions",
    "SELECT count(*) FROM admin_permissions WHERE subject = 'api::place.place'",
    "SELECT count(*) FROM places",
    "SELECT count(*) FROM notes WHERE hint = 'kept' AND locale = 'de'",
)


@pytest.mark.parametrize("order", list(itertools.permutations(("old", "new", "again"))))
async def test_old_nodes_remove_nothing_in_every_order_of_starts(project: Project, order: tuple[str, ...]) -> None:
    """Also if the last node with the newer definitions starts after a pause."""
    project.write_types(OLD)
    async with project.serve("production"):
        pass

    async def kept(served: Served) -> list[int]:
        return [await served.database.fetch_value(query) for query in KEPT]

    project.write_types(GROWN, ADDED)
    async with project.serve("production") as first:
        await known(first, 1)
        await first.send(ADDED, ({"title": "here"},), [])
        await first.send(GROWN, ({"title": "one"}, {"title": "eins", "hint": "kept", "locale": "de", "of": 1}), [])
        before = await kept(first)
        assert all(before), before
        for name in order:
            project.write_types(*((OLD,) if name == "old" else (GROWN, ADDED)))
            async with project.serve("production"):
                await known(first, 2)
                assert await kept(first) == before
        assert await kept(first) == before
    project.write_types(GROWN, ADDED)
    async with project.serve("production") as last:
        assert await kept(last) == before
