"""A changed `collectionName`: the start reports the rows of the former table, and a migration moves them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from octavo.database.connection import Database
from octavo.database.migrations.files import FOLDER, MigrationFailed
from octavo.database.migrations.runner import run_migrations
from octavo.database.synchronize import plan_changes, synchronize
from octavo.modeling.refactoring.rename import RenameRefused, plan_table_rename
from octavo.schema.loader import load_registry
from octavo.settings import Settings
from tests.operations.transfer.test_rename import fill, settings

__all__ = ["settings"]  # the fixture
pytestmark = pytest.mark.anyio

_TALK = "api/talk/content-types/talk/schema.json"
_SEO = "components/shared/seo.json"
_ROWS: dict[str, dict[str, Any]] = {
    "people": {"id": 1},
    "talks": {"id": 1, "title": "One"},
    "components_seos": {"id": 1, "slug": "one"},
    "talks_components": {"entity_id": 1, "component_id": 1, "component_type": "shared.seo", "field": "seo"},
    "talks_speakers_links": {"talk_id": 1, "person_id": 1},
    "talks_next_links": {"talk_id": 1, "inv_talk_id": 1},
}


def change(settings: Settings, file: str, old: str, new: str) -> None:
    path = settings.project / "src" / file
    text = path.read_text()
    assert f'"collectionName": "{old}"' in text
    path.write_text(text.replace(f'"collectionName": "{old}"', f'"collectionName": "{new}"'))


def take_up(settings: Settings, type_name: str, old: str, name: str) -> None:
    _, migration = plan_table_rename(settings, type_name, old)
    folder = settings.project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    Path(folder, f"{name}.py").write_text(migration, "utf-8")


def messages_of(warnings: Iterable[str]) -> list[str]:
    return sorted(each for each in warnings if "octavo db rename-table" in each)


async def test_an_index_of_that_name_does_not_stop_the_start(database: Database, settings: Settings) -> None:
    await synchronize(database, load_registry(settings.project))
    change(settings, _TALK, "talks", "lectures")
    report = await synchronize(database, load_registry(settings.project))
    assert report.warnings == (
        "The index by_start of lectures is not created, because talks has an index of that name",
    )


@pytest.mark.parametrize("starts", [0, 1, 2])
async def test_rows_move_to_the_new_name(database: Database, settings: Settings, starts: int) -> None:
    await synchronize(database, load_registry(settings.project))
    await fill(database, _ROWS)
    change(settings, _TALK, "talks", "lectures")
    change(settings, _SEO, "components_seos", "components_metas")
    for _ in range(starts):
        report = await synchronize(database, load_registry(settings.project))
        assert messages_of(report.warnings) == [
            "api::talk.talk: the table is now lectures, and 1 row stays in the former table talks. "
            "To move them: octavo db rename-table api::talk.talk talks",
            "shared.seo: the table is now components_metas, and 1 row stays in the former table components_seos. "
            "To move them: octavo db rename-table shared.seo components_seos",
        ]
    take_up(settings, "talk", "talks", "1")
    take_up(settings, "shared.seo", "components_seos", "2")
    assert await run_migrations(database, settings.project / FOLDER) == ("1.py", "2.py")
    report = await synchronize(database, load_registry(settings.project))
    assert report.warnings == ()
    assert list(map(str, (await plan_changes(database, load_registry(settings.project))).ordered)) == []
    for table, expected in (
        ("lectures", 1),
        ("lectures_components", 1),
        ("lectures_speakers_links", 1),
        ("lectures_next_links", 1),
        ("components_metas", 1),
    ):
        assert await database.fetch_value(f"SELECT count(*) FROM {table}") == expected, table


async def test_tables_with_rows_are_not_replaced(database: Database, settings: Settings) -> None:
    await synchronize(database, load_registry(settings.project))
    await fill(database, {"talks": {"id": 1, "title": "One"}})
    change(settings, _TALK, "talks", "lectures")
    await synchronize(database, load_registry(settings.project))
    await fill(database, {"lectures": {"id": 1, "title": "New"}})
    take_up(settings, "talk", "talks", "1")
    with pytest.raises(MigrationFailed, match="both talks and lectures exist, and lectures has rows"):
        await run_migrations(database, settings.project / FOLDER)
    assert await database.fetch_value("SELECT title FROM talks") == "One"


async def test_a_reused_name_finds_its_rows(database: Database, settings: Settings) -> None:
    await synchronize(database, load_registry(settings.project))
    await fill(database, {"talks": {"id": 1, "title": "One"}})
    change(settings, _TALK, "talks", "lectures")
    assert len(messages_of((await synchronize(database, load_registry(settings.project))).warnings)) == 1
    change(settings, _TALK, "lectures", "talks")
    assert (await synchronize(database, load_registry(settings.project))).warnings == ()
    assert await database.fetch_value("SELECT title FROM talks") == "One"


async def test_a_table_of_another_definition_is_refused(settings: Settings) -> None:
    with pytest.raises(RenameRefused, match=r"people is the table of api::person\.person"):
        plan_table_rename(settings, "talk", "people")
    with pytest.raises(RenameRefused, match="talks is the table of"):
        plan_table_rename(settings, "talk", "talks")
