"""The tables that a statement reads: parsed from its text, compared with the database's own list."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from octavo.content.result_cache import tables_of
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import plan_read
from octavo.query.request import By, ReadRequest
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.query.sql.read.select import compile_read
from octavo.query.sql.read.select_file_facts import FileFactsCompiler
from octavo.schema.registry import Registry
from tests.layouts import registry_of

ALL = {"articles", "authors", "articles_author_links", "articles_components", "components_a_seos"}
FILES = {"files", "files_related_morphs"}


def registry(folder: Path) -> Registry:
    author = {"type": "relation", "relation": "manyToOne", "target": "api::author.author"}
    attributes = {
        "title": {"type": "string"},
        "author": author,
        "seo": {"type": "component", "component": "a.seo"},
        "zone": {"type": "dynamiczone", "components": ["a.seo"]},
        "cover": {"type": "media"},
    }
    kinds = {
        "article": ("articles", {"draftAndPublish": True}, attributes),
        "author": ("authors", {}, {"name": {"type": "string"}}),
    }
    files = {
        f"api/{name}/content-types/{name}/schema.json": {
            "collectionName": table,
            "info": {"singularName": name, "pluralName": table, "displayName": name},
            "options": options,
            "attributes": made,
        }
        for name, (table, options, made) in kinds.items()
    }
    seo = {
        "collectionName": "components_a_seos",
        "info": {"displayName": "seo"},
        "attributes": {"t": {"type": "string"}},
    }
    return registry_of({**files, "components/a/seo.json": seo}, folder)


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL])
@pytest.mark.parametrize(
    "asked, tables",
    [
        ({}, {"articles"}),
        ({"filters": {"title": {"$contains": "FROM nowhere"}}}, {"articles"}),
        ({"filters": {"title": {"$containsi": "x"}}, "sort": "author.name", "populate": "cover"},
         {"articles", "authors", "articles_author_links"} | FILES),
        ({"filters": {"author": {"name": "x"}}, "pagination": {"start": 5, "limit": 5}},
         {"articles", "authors", "articles_author_links"}),
        ({"populate": ["author", "seo", "zone", "cover"], "pagination": {"page": 3}, "sort": "title"}, ALL | FILES),
    ],
)  # fmt: skip
def test_each_table_is_found(tmp_path: Path, dialect: Dialect, asked: dict[str, Any], tables: set[str]) -> None:
    content = registry(tmp_path)
    query = read_query(json.loads(json.dumps(asked)), PageLimits())
    for by in (By.LIST, By.ID):
        read = ReadRequest(content_type=content.content_types["api::article.article"], query=query, by=by)
        plan = plan_read(read, content, None).plan
        found = set(tables_of(compile_read(plan, content, dialect, 10**6, keeps_totals=True)))
        assert found == tables


def test_common_table_expressions_are_not_tables() -> None:
    made = 'WITH t1 AS MATERIALIZED (SELECT a.id FROM "a" a)'
    text = f'{made} SELECT 1 FROM (SELECT * FROM t1) p JOIN ("b""c" b JOIN files f)'
    assert tables_of(text) == ("a", 'b"c', "files")


def test_reads_of_placeholders_depend_on_files(tmp_path: Path) -> None:
    content = registry(tmp_path)
    query = read_query({"populate": "cover"}, PageLimits())
    read = ReadRequest(content_type=content.content_types["api::article.article"], query=query, by=By.LIST)
    make = partial(FileFactsCompiler, mark="mark")
    text = compile_read(plan_read(read, content, None).plan, content, POSTGRESQL, 10**6, make=make)
    assert "octavo_image_placeholders" in text
    assert set(tables_of(text)) == {"articles"} | FILES
