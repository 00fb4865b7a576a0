"""The record of former options: stored with the tables, and read from v4's stored types."""

import asyncio
import json
from typing import Any

import pytest

from octavo.operations.runtime.open_resources import open_project_database
from octavo.operations.runtime.prepare_database import bring_up_to_date
from octavo.schema.loader import load_registry
from octavo.settings import load_settings
from tests.option_changes.cases import Raw, raw_type
from tests.option_changes.project import Project, Served, schema_path
from tests.option_changes.test_hidden_entries import titles

pytestmark = pytest.mark.anyio

DRAFTED, PLAIN = raw_type("note", drafts=True), raw_type("note")
LOCALIZED = raw_type("note", localized=True)
ROWS = ({"title": "shown"}, {"title": "draft", "publishedAt": None})
NOTES = "/api/notes?sort=id&fields=title&publicationState=preview&locale=all"
FORGET = "DELETE FROM octavo_state WHERE key = 'options'"


async def fill(project: Project, raw: Raw, rows: Any = ROWS) -> None:
    project.write_types(raw)
    async with project.serve() as served:
        await served.send(raw, rows, [])


async def note_of_v4(served: Served, *types: Raw) -> None:
    """Store the types that v4 stores at its start."""
    text = json.dumps({f"api::{raw['info']['singularName']}.x": raw for raw in types})
    await served.database.execute("DELETE FROM strapi_core_store_settings WHERE key = 'strapi_content_types_schema'")
    await served.database.execute(
        f"INSERT INTO strapi_core_store_settings (key, value) VALUES ('strapi_content_types_schema', '{text}')"
    )


async def served_titles(project: Project) -> list[str]:
    async with project.serve() as served:
        return await titles(served, NOTES)


async def test_former_options_are_read_from_the_record_of_v4(project: Project) -> None:
    """Octavo's first start uses changed files."""
    await fill(project, DRAFTED)
    async with project.serve() as served:
        await note_of_v4(served, DRAFTED)
        await served.database.execute(FORGET)
    project.write_types(PLAIN)
    assert await served_titles(project) == ["shown"]


async def test_unknown_former_options_change_nothing(project: Project) -> None:
    await fill(project, DRAFTED)
    async with project.serve() as served:
        await served.database.execute(FORGET)
    project.write_types(PLAIN)
    assert await served_titles(project) == ["shown", "draft"]


async def test_a_change_that_v4_has_already_made(project: Project) -> None:
    """Drafts that it has written since then are not entries without a publication date."""
    await fill(project, PLAIN, ({"title": "shown"},))
    async with project.serve() as served:
        await note_of_v4(served, DRAFTED)
        await served.database.execute("ALTER TABLE notes ADD COLUMN published_at " + _datetime(served))
        await served.database.execute("UPDATE notes SET published_at = created_at")
        await served.database.execute("INSERT INTO notes (title) VALUES ('draft of v4')")
    project.write_types(DRAFTED)
    async with project.serve() as served:
        assert await titles(served, "/api/notes?sort=id") == ["shown"]
        assert await titles(served, NOTES) == ["shown", "draft of v4"]
        assert await served.database.fetch_value("SELECT published_at FROM notes WHERE title = 'draft of v4'") is None
    project.write_types(PLAIN)
    assert await served_titles(project) == ["shown"]
    project.write_types(DRAFTED)  # v4's record is outdated now
    async with project.serve() as served:
        await served.database.execute("INSERT INTO notes (title) VALUES ('draft of SQL')")
        assert await titles(served, "/api/notes?sort=id") == ["shown"]


def _datetime(served: Served) -> str:
    return "datetime" if served.database.dialect.name == "sqlite" else "timestamp(6)"


async def test_a_restored_type_has_its_former_options(project: Project) -> None:
    await fill(project, DRAFTED)
    project.write_types(raw_type("other"))
    async with project.serve():
        pass
    project.write_types(PLAIN)
    assert await served_titles(project) == ["shown"]


async def test_a_type_with_another_name_has_the_options_of_its_table(project: Project) -> None:
    await fill(project, DRAFTED)
    project.write_types(raw_type("memo", table="notes"))
    async with project.serve() as served:
        assert await titles(served, "/api/memos?sort=id") == ["shown"]


async def test_drafts_are_disabled_and_enabled_again(project: Project) -> None:
    """Former drafts are drafts again. Entries published since then are visible again."""
    await fill(project, DRAFTED, (*ROWS, {"title": "other draft", "publishedAt": None}))
    project.write_types(PLAIN)
    async with project.serve() as served:
        await served.send(PLAIN, ({"title": "plain"},), [])
        assert await titles(served, NOTES) == ["shown", "plain"]
    project.write_types(DRAFTED)
    async with project.serve() as served:
        assert await titles(served, "/api/notes?sort=id") == ["shown", "plain"]
        assert await titles(served, NOTES) == ["shown", "draft", "other draft", "plain"]
        answer = await served.ask("PUT", "/api/notes/2", {"data": {"publishedAt": "2024-01-01T00:00:00.000Z"}})
        assert answer.status == 200
    project.write_types(PLAIN)
    assert await served_titles(project) == ["shown", "draft", "plain"]


async def test_entries_without_a_locale_get_one_at_the_next_start(project: Project) -> None:
    await fill(project, LOCALIZED, ({"title": "one"},))
    async with project.serve() as served:
        await served.database.execute("INSERT INTO notes (title) VALUES ('by SQL')")
        assert await titles(served, "/api/notes?sort=id") == ["one"]
    async with project.serve() as served:
        assert await titles(served, "/api/notes?sort=id") == ["one", "by SQL"]


async def test_the_default_locale_of_the_database_counts(project: Project) -> None:
    rows = ({"title": "english"}, {"title": "deutsch", "locale": "de", "of": 1})
    await fill(project, LOCALIZED, rows)
    async with project.serve() as served:
        await served.database.execute(
            "UPDATE strapi_core_store_settings SET value = '\"de\"' WHERE key = 'plugin_i18n_default_locale'"
        )
    project.write_types(PLAIN)
    assert await served_titles(project) == ["deutsch"]


async def test_a_dropped_column_takes_no_draft_along(project: Project) -> None:
    """`octavo db upgrade --allow-data-loss` drops `published_at` in the transaction that marks the hidden entries."""
    await fill(project, DRAFTED)
    project.write_types(PLAIN)
    async with project.serve() as served:
        await served.database.execute(FORGET)
    project.write_types(DRAFTED)
    async with project.serve():
        pass
    project.write_types(PLAIN)
    database = open_project_database(load_settings(project.folder, project.variables, mode="development"))
    await database.connect()
    await bring_up_to_date(database, load_registry(project.folder), allow_data_loss=True)
    await database.close()
    assert await served_titles(project) == ["shown"]
    project.write_types(DRAFTED)
    async with project.serve() as served:
        assert await titles(served, "/api/notes?sort=id") == ["shown"]
        assert await titles(served, NOTES) == ["shown", "draft"]


async def test_a_saved_file_is_followed_while_the_service_runs(project: Project) -> None:
    await fill(project, DRAFTED)
    async with project.serve() as served:
        path = project.folder / "src" / schema_path("note")
        path.write_text(json.dumps(PLAIN), "utf-8")
        await served.process.reload()
        assert await titles(served, NOTES) == ["shown"]
        path.write_text(json.dumps(DRAFTED), "utf-8")
        await served.process.reload()
        assert await titles(served, NOTES) == ["shown", "draft"]


async def test_a_change_that_fails_leaves_entries_as_they_were(project: Project) -> None:
    """Entries written meanwhile keep their state: the next try does not publish a draft."""
    await fill(project, DRAFTED)
    async with project.serve() as served:
        code = project.folder / "src/index.py"
        (project.folder / "src" / schema_path("note")).write_text(json.dumps(PLAIN), "utf-8")
        code.write_text("def bootstrap(app):\n    raise ValueError('no')\n", "utf-8")
        with pytest.raises(Exception, match="no"):
            await served.process.reload()
        assert await titles(served, "/api/notes?sort=id") == ["shown"]
        assert await titles(served, NOTES) == ["shown", "draft"]
        await served.send(DRAFTED, ({"title": "later draft", "publishedAt": None},), [])
        code.unlink()
        await served.process.reload()
        assert await titles(served, NOTES) == ["shown"]


async def test_concurrent_starts_apply_the_change_once(project: Project) -> None:
    await fill(project, DRAFTED)
    project.write_types(PLAIN)
    async with project.serve() as first, project.serve() as second:
        for served in (first, second):
            assert await titles(served, NOTES) == ["shown"]
        await asyncio.gather(*(served.send(PLAIN, ({"title": "later"},), []) for served in (first, second)))
        assert await titles(first, NOTES) == ["shown", "later", "later"]


async def test_a_start_that_fails_leaves_entries_as_they_were(project: Project) -> None:
    """A node with the former definitions continues, and its drafts remain drafts."""
    await fill(project, DRAFTED)
    project.write_types(PLAIN)
    (project.folder / "src/index.py").write_text("def bootstrap(app):\n    raise ValueError('no')\n", "utf-8")
    with pytest.raises(Exception, match="no"):
        async with project.serve():
            pass
    project.write_types(DRAFTED)
    async with project.serve() as served:
        await served.send(DRAFTED, ({"title": "later draft", "publishedAt": None},), [])
    async with project.serve() as served:
        assert await titles(served, "/api/notes?sort=id") == ["shown"]
        assert await titles(served, NOTES) == ["shown", "draft", "later draft"]


@pytest.mark.parametrize("rule,expected", [("hidden", ["now"]), ("shown", ["now", "future"])])
async def test_publications_in_the_future_do_not_become_public(
    project: Project, rule: str, expected: list[str]
) -> None:
    rows = ({"title": "now"}, {"title": "future", "publishedAt": "2124-01-01T00:00:00.000Z"})
    project.write_types(DRAFTED)
    setting: Any = {"OCTAVO_API__COMPAT__FUTURE_PUBLICATION": rule}
    async with project.serve(**setting) as served:
        await served.send(DRAFTED, rows, [])
        assert await titles(served, "/api/notes?sort=id") == expected
    project.write_types(PLAIN)
    async with project.serve(**setting) as served:
        assert await titles(served, "/api/notes?sort=id") == expected
    project.write_types(DRAFTED)
    async with project.serve(**setting) as served:
        assert await titles(served, "/api/notes?sort=id") == expected


@pytest.mark.parametrize("kind,values", [("string", ("a", "b")), ("integer", (1, 2)), ("json", ({"a": 1}, {"a": 2}))])
async def test_values_of_an_attribute_that_is_shared_now_stay_and_are_reported_once(
    project: Project, caplog: pytest.LogCaptureFixture, kind: str, values: tuple[Any, Any]
) -> None:
    raws = [
        raw_type("note", {"field": {"type": kind, "pluginOptions": {"i18n": {"localized": each}}}}, localized=True)
        for each in (True, False)
    ]
    english = {"title": "english", "field": values[0]}
    await fill(project, raws[0], (english, {"title": "deutsch", "field": values[1], "locale": "de", "of": 1}))
    for number, raw in enumerate((raws[1], raws[1], raws[0])):
        caplog.clear()
        project.write_types(raw)
        async with project.serve() as served:
            answer = await served.ask("GET", "/api/notes?sort=id&locale=all")
            assert [each["attributes"]["field"] for each in answer.json["data"]] == list(values)
        reported = [
            each
            for each in caplog.messages
            if "is shared across locales now, and its values differ in 2 entries" in each
        ]
        assert len(reported) == (number == 0)


async def test_v4_with_older_definitions_does_not_bring_the_change_back(project: Project) -> None:
    """It stores its own options at its start, after Octavo has hidden drafts and written entries."""
    await fill(project, DRAFTED)
    project.write_types(PLAIN)
    async with project.serve() as served:
        await served.send(PLAIN, ({"title": "later"},), [])
        await note_of_v4(served, DRAFTED, raw_type("other"))
    assert await served_titles(project) == ["shown", "later"]
