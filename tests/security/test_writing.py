"""Writes, promises 8, 10 and 12. Races, kills and outages are in `tests/robustness/test_durability.py`."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from octavo.database.sqlite import SqliteDatabase
from tests.robustness.orphans import orphans
from tests.security.conftest import Blog

COMPONENTS = ("articles_components", "components_shared_links", "components_shared_seos", "components_shared_quotes")
TABLES = (*COMPONENTS, "articles", "articles_author_links", "articles_categories_links", "files_related_morphs")


def counts(blog: Blog) -> list[str]:
    return blog.site.run_sql(" UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in TABLES))


IGNORED: dict[str, Any] = {
    "id": 999_999,
    "createdBy": 1,
    "updatedBy": {"connect": [1]},
    "created_by_id": 1,
    "updated_by_id": 1,
    "published_at": None,
    "created_at": 5,
    "secret_note": "x",
    "__proto__": {"title": "z"},
    "constructor": {"prototype": {"title": "z"}},
    "localizations": [1],
    "locale": "de",
    "title) VALUES ('z') --": "x",
    "": "x",
}


def test_point_8_bodies_accept_only_attributes(blog: Blog) -> None:
    made = blog.post("/api/articles", {"title": "plain", **IGNORED})
    assert made.status == 200
    entry_id = made.data["id"]
    stored = f"SELECT title, created_by_id, updated_by_id, locale FROM articles WHERE id = {entry_id}"
    changed = blog.put(f"/api/articles/{entry_id}", {"title": "changed", **IGNORED})
    assert (entry_id != 999_999, changed.data["id"]) == (True, entry_id)
    row = blog.site.run_sql(stored.replace(", locale", ""))
    assert [column in ("", "None") for column in row[0].split("|")[1:]] == [True, True]
    assert changed.data["attributes"]["publishedAt"] is not None
    assert changed.data["attributes"]["createdAt"] == made.data["attributes"]["createdAt"] != "1970-01-01T00:00:00.005Z"


@pytest.mark.parametrize("field", ["seo", "links", "blocks"])
def test_point_8_components_of_other_entries_are_refused(blog: Blog, field: str) -> None:
    parts: dict[str, Any] = {
        "seo": {"metaTitle": "x"},
        "links": [{"text": "x"}],
        "blocks": [{"__component": "shared.link", "text": "x"}],
    }
    theirs = blog.post(f"/api/articles?populate={field}", {"title": "theirs", field: parts[field]})
    ours = blog.post("/api/articles", {"title": "ours"})
    value = theirs.data["attributes"][field]
    part_id = value["id"] if field == "seo" else value[0]["id"]
    taken = {**(parts[field] if field == "seo" else parts[field][0]), "id": part_id}
    message = f"Some of the provided components in {field} are not related to the entity"
    refused = blog.put(f"/api/articles/{ours.data['id']}", {field: taken if field == "seo" else [taken]})
    assert refused.refusal == (400, message)


GOOD: dict[str, Any] = {
    "title": "whole",
    "author": 1,
    "categories": [1, 2],
    "cover": 1,
    "seo": {"metaTitle": "x"},
    "links": [{"text": "x"}],
    "blocks": [{"__component": "shared.quote", "title": "x", "author": 1}],
}
SPOILT: dict[str, dict[str, Any]] = {
    "a missing target": {"author": 999_999},
    "a missing target in a component": {"links": [{"text": "x", "target": 999_999}]},
    "a missing file": {"cover": 999_999},
    "a bad value": {"views": "many"},
    "a bad value in a zone": {"blocks": [{"__component": "shared.quote", "title": 5.5, "author": "x"}]},
    "nothing where something is required": {"links": [{"text": "x"}, {"text": None}]},
    "a component of no kind": {"blocks": [{"__component": "shared.quote"}, {"__component": "shared.none"}]},
}


@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=list(SPOILT))
def test_point_10_a_refused_write_leaves_nothing(blog: Blog, spoilt: dict[str, Any]) -> None:
    made = blog.post("/api/articles", GOOD)
    whole = blog.get(f"/api/articles/{made.data['id']}?populate=*", "full").body
    before = counts(blog)
    assert blog.post("/api/articles", GOOD | spoilt).status == 400
    assert blog.put(f"/api/articles/{made.data['id']}", GOOD | {"title": "other"} | spoilt).status == 400
    assert counts(blog) == before
    assert blog.get(f"/api/articles/{made.data['id']}?populate=*", "full").body == whole


def test_point_10_a_deletion_includes_owned_rows(blog: Blog) -> None:
    before, lost = counts(blog), orphans(blog.site)
    made = blog.post("/api/articles", GOOD)
    assert counts(blog) != before
    assert blog.send("DELETE", f"/api/articles/{made.data['id']}", "full", b"", {}).status == 200
    assert (counts(blog), orphans(blog.site)) == (before, lost)


@pytest.mark.anyio
async def test_point_12_sqlite_persists_acknowledged_writes(sqlite_path: Path) -> None:
    database = SqliteDatabase(sqlite_path)
    await database.connect()
    try:
        async with database.transaction() as transaction:
            found = {
                name: await transaction.fetch_value(f"PRAGMA {name}")
                for name in ("journal_mode", "foreign_keys", "synchronous")
            }
    finally:
        await database.close()
    assert found == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2}
    with closing(sqlite3.connect(sqlite_path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
