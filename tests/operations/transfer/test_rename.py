"""Renamed attributes: definitions, tables, rows, permissions and layouts, on each database."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from octavo.database.connection import Database
from octavo.database.migrations.files import FOLDER, MigrationFailed
from octavo.database.migrations.runner import rehearse_source, run_migrations
from octavo.database.synchronize import plan_changes, synchronize
from octavo.modeling.refactoring.rename import RenamePlan, RenameRefused, plan_rename
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.loader import load_registry
from octavo.schema.problems import InvalidDefinitions
from octavo.settings import Settings, load_settings

pytestmark = pytest.mark.anyio

TALK = """\
{
  "kind": "collectionType", "collectionName": "talks",
  "info": {"singularName": "talk", "pluralName": "talks", "displayName": "Talk"},
  "indexes": [{"name": "by_start", "columns": ["starts_at"]}],
  "attributes": {
    "startsAt" : { "type": "datetime" },
    "title": {"type": "string"}, "slug": {"type": "uid", "targetField": "title"},
    "image": {"type": "media"}, "seo": {"type": "component", "component": "shared.seo"},
    "speakers": {"type": "relation", "relation": "manyToMany", "target": "api::person.person", "inversedBy": "talks"},
    "next": {"type": "relation", "relation": "oneToOne", "target": "api::talk.talk"}
  }
}
"""
PERSON = """\
{"collectionName": "people", "info": {"singularName": "person", "pluralName": "people", "displayName": "P\\u00e9"},
 "attributes": {"talks": {"type": "relation", "relation": "manyToMany", "target": "api::talk.talk",
  "mappedBy": "speakers"}}}"""
SEO = '{"collectionName": "components_seos", "info": {}, "attributes": {"slug": {"type": "uid"}}}'
FILES = {
    "api/talk/content-types/talk/schema.json": TALK,
    "api/person/content-types/person/schema.json": PERSON,
    "components/shared/seo.json": SEO,
}
LAYOUT = {
    "settings": {"mainField": "title", "pageSize": 10},
    "metadatas": {
        "title": {"edit": {"label": "title"}, "list": {"label": "The title"}},
        "next": {"edit": {"mainField": "title"}, "list": {}},
    },
    "layouts": {"list": ["id", "title"], "edit": [[{"name": "title", "size": 6}, {"name": "next", "size": 6}]]},
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    for name, text in FILES.items():
        file = tmp_path / "src" / name
        file.parent.mkdir(parents=True)
        file.write_text(text, "utf-8")
    return load_settings(tmp_path, {}, require_secrets=False)


def take_up(settings: Settings, plan: RenamePlan, name: str = "1") -> None:
    """Apply the changes that the command writes."""
    folder = settings.project / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(plan.migration, "utf-8")
    plan.write_definitions()


async def fill(database: Database, rows: dict[str, dict[str, Any]]) -> None:
    for table, row in rows.items():
        names, values = zip(*row.items(), strict=True)
        marks = ", ".join(literal(database.dialect, value) for value in values)
        quoted = ", ".join(map(database.dialect.quote, names))
        await database.execute(f"INSERT INTO {table} ({quoted}) VALUES ({marks})")


def literal(dialect: Dialect, value: Any) -> str:
    return (
        dialect.literal(value if isinstance(value, str) else json.dumps(value))
        if isinstance(value, str | dict)
        else str(value)
    )


@pytest.mark.parametrize("type_name, old, new", [
    ("talks", "startsAt", "beginsAt"), ("talk", "title", "headline"), ("api::talk.talk", "slug", "path"),
    ("talks", "image", "picture"), ("talks", "seo", "meta"), ("talks", "speakers", "lecturers"),
    ("people", "talks", "lectures"), ("talks", "next", "sequel"), ("shared.seo", "slug", "path"),
    ("talks", "startsAt", "starts_at"),
])  # fmt: skip
async def test_the_tables_are_those_of_the_new_definitions(
    database: Database, settings: Settings, type_name: str, old: str, new: str
) -> None:
    await synchronize(database, load_registry(settings.project))
    take_up(settings, plan_rename(settings, type_name, old, new))
    assert await run_migrations(database, settings.project / FOLDER) == ("1.py",)
    changes = await plan_changes(database, load_registry(settings.project))
    assert list(map(str, changes.ordered)) == []


async def test_rows_rights_and_layouts_follow(database: Database, settings: Settings) -> None:
    await synchronize(database, load_registry(settings.project))
    uid = "api::talk.talk"
    await fill(database, {
        "talks": {"id": 1, "title": "One"},
        "talks_components": {"entity_id": 1, "component_id": 1, "component_type": "shared.seo", "field": "seo"},
        "files": {"id": 1, "name": "a"},
        "files_related_morphs": {"file_id": 1, "related_id": 1, "related_type": uid, "field": "image"},
        "admin_permissions": {"subject": uid, "properties": {"fields": ["title", "seo.slug", "titles"]}},
        "strapi_core_store_settings": {
            "key": f"plugin_content_manager_configuration_content_types::{uid}", "value": LAYOUT
        },
    })  # fmt: skip
    renames = [
        ("talks", "title", "name"),
        ("shared.seo", "slug", "path"),
        ("talks", "seo", "meta"),
        ("talk", "image", "list"),
    ]
    for number, (type_name, old, new) in enumerate(renames):
        take_up(settings, plan_rename(settings, type_name, old, new), str(number))
    assert len(await run_migrations(database, settings.project / FOLDER)) == 4
    assert await database.fetch_value("SELECT name FROM talks") == "One"
    assert await database.fetch_value("SELECT field FROM talks_components") == "meta"
    assert await database.fetch_value("SELECT field FROM files_related_morphs") == "list"
    rights = json.loads(await database.fetch_value("SELECT properties FROM admin_permissions"))
    assert rights == {"fields": ["name", "meta.path", "titles"]}
    layout = json.loads(
        await database.fetch_value("SELECT value FROM strapi_core_store_settings WHERE value LIKE '{%'")
    )
    assert layout == {
        "settings": {"mainField": "name", "pageSize": 10},
        "metadatas": {
            "name": {"edit": {"label": "name"}, "list": {"label": "The title"}},
            "next": {"edit": {"mainField": "name"}, "list": {}},
        },
        "layouts": {"list": ["id", "name"], "edit": [[{"name": "name", "size": 6}, {"name": "next", "size": 6}]]},
    }


async def test_only_names_in_definitions_change(settings: Settings) -> None:
    talk = settings.project / "src/api/talk/content-types/talk/schema.json"
    os.chmod(talk, 0o640)  # noqa: PTH101
    plan_rename(settings, "talks", "startsAt", "beginsAt").write_definitions()
    assert talk.read_text("utf-8") == TALK.replace('"startsAt"', '"beginsAt"').replace('"starts_at"', '"begins_at"')
    assert talk.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in talk.parent.iterdir()] == ["schema.json"]
    plan_rename(settings, "talks", "speakers", "lecturers").write_definitions()
    person = settings.project / "src/api/person/content-types/person/schema.json"
    assert person.read_text("utf-8") == PERSON.replace('"speakers"', '"lecturers"')


@pytest.mark.parametrize("type_name, old, new, message", [
    ("nothing", "a", "b", "Unknown content type or component nothing"),
    ("talks", "nothing", "b", "does not define an attribute nothing"),
    ("talks", "titel", "b", "; did you mean title?"),
    ("talks", "createdAt", "b", "does not define an attribute createdAt"),
    ("talks", "title", "starts_at", "already has an attribute startsAt"),
    ("talks", "title", "title", "the same"),
    ("talks", "title", 'a"b', "is not a valid name"), ("talks", "title", "id", "attributes.id: this name is reserved"),
    ("talks", "title", "createdAt", "already has an attribute createdAt"),
    ("plugin::upload.file", "name", "b", "not defined in a file"),
])  # fmt: skip
async def test_impossible_renames_are_reported(
    settings: Settings, type_name: str, old: str, new: str, message: str
) -> None:
    with pytest.raises((RenameRefused, InvalidDefinitions)) as caught:
        plan_rename(settings, type_name, old, new)
    assert message in str(caught.value)


async def test_a_rename_after_the_definition_was_changed(database: Database, settings: Settings) -> None:
    """A start has already created the new column. It is replaced if it is empty."""
    await synchronize(database, load_registry(settings.project))
    await fill(database, {"talks": {"id": 1, "title": "One"}})
    plan_rename(settings, "talks", "title", "name").write_definitions()
    registry = load_registry(settings.project)
    await synchronize(database, registry)
    plan = plan_rename(settings, "talks", "title", "name")
    assert plan.files == {}
    rehearsal = await rehearse_source(database, settings.project / FOLDER / "1.py", plan.migration)
    assert 'ALTER TABLE "talks" RENAME COLUMN "title" TO "name"' in rehearsal.statements
    await database.execute("UPDATE talks SET name = 'other'")
    take_up(settings, plan)
    with pytest.raises(MigrationFailed, match="talks has both title and name, and name has values"):
        await run_migrations(database, settings.project / FOLDER)
    await database.execute("UPDATE talks SET name = NULL")
    await run_migrations(database, settings.project / FOLDER)
    assert await database.fetch_value("SELECT name FROM talks") == "One"
    await synchronize(database, registry)  # the index that was renamed with the column
    assert (await plan_changes(database, registry)).ordered == ()


async def test_a_new_database_has_nothing_to_rename(database: Database, settings: Settings) -> None:
    for name, old, new in (("1", "speakers", "lecturers"), ("2", "seo", "meta"), ("3", "image", "picture")):
        take_up(settings, plan_rename(settings, "talks", old, new), name)
    assert len(await run_migrations(database, settings.project / FOLDER)) == 3
    registry = load_registry(settings.project)
    await synchronize(database, registry)
    assert (await plan_changes(database, registry)).ordered == ()
