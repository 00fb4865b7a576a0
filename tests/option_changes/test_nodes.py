"""Several nodes: the newest definitions apply, and older nodes change nothing while newer ones run."""

import asyncio

import pytest

from tests.option_changes.project import Project, Served
from tests.option_changes.test_hidden_entries import titles
from tests.option_changes.test_record import DRAFTED, LOCALIZED, NOTES, PLAIN, fill

pytestmark = pytest.mark.anyio

_KNOWN = "SELECT count(*) FROM octavo_leases WHERE name LIKE 'serving %'"
_UNPUBLISHED = "SELECT title FROM notes WHERE published_at IS NULL ORDER BY id"


async def known(served: Served, nodes: int) -> None:
    """Wait until this many nodes are registered."""
    async with asyncio.timeout(60):
        while await served.database.fetch_value(_KNOWN) != nodes:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_an_old_node_that_starts_again_changes_nothing(project: Project) -> None:
    await fill(project, DRAFTED)
    project.write_types(PLAIN)
    async with project.serve() as new:
        await known(new, 1)
        await new.send(PLAIN, ({"title": "plain"},), [])
        project.write_types(DRAFTED)
        async with project.serve() as old:
            await known(new, 2)
            await old.send(DRAFTED, ({"title": "by the old node"}, {"title": "its draft", "publishedAt": None}), [])
            assert await titles(new, NOTES) == ["shown", "plain", "by the old node", "its draft"]
            assert await titles(old, "/api/notes?sort=id") == ["shown", "by the old node"]
        rows = await new.database.fetch_all(_UNPUBLISHED)
        assert [row[0] for row in rows] == ["draft", "plain", "its draft"]
        await known(new, 1)


async def test_an_old_node_hides_no_entries_of_new_ones(project: Project) -> None:
    await fill(project, LOCALIZED, ({"title": "english"}, {"title": "deutsch", "locale": "de", "of": 1}))
    project.write_types(PLAIN)
    async with project.serve():
        pass
    project.write_types(LOCALIZED)
    async with project.serve() as new:
        await known(new, 1)
        project.write_types(PLAIN)
        async with project.serve() as old:
            assert await titles(old, NOTES) == ["english"]
            await new.send(LOCALIZED, ({"title": "later", "locale": "de"},), [])
        assert await titles(new, NOTES) == ["english", "deutsch", "later"]


async def test_going_back_counts_when_no_newer_node_serves(project: Project) -> None:
    await fill(project, DRAFTED)
    project.write_types(PLAIN)
    async with project.serve() as new:
        await known(new, 1)
        await new.send(PLAIN, ({"title": "plain"},), [])
    project.write_types(DRAFTED)
    async with project.serve() as served:
        assert await titles(served, "/api/notes?sort=id") == ["shown", "plain"]
        assert await titles(served, NOTES) == ["shown", "draft", "plain"]


async def test_a_node_that_was_killed_is_forgotten(project: Project) -> None:
    await fill(project, DRAFTED)
    project.write_types(PLAIN)
    async with project.serve() as new:
        await known(new, 1)
        await new.database.execute("UPDATE octavo_leases SET expires_at = 1 WHERE name LIKE 'serving %'")
        await new.send(PLAIN, ({"title": "plain"},), [])
        project.write_types(DRAFTED)
        async with project.serve() as served:
            assert await titles(served, "/api/notes?sort=id") == ["shown", "plain"]
