"""The tables that definitions need. `tests/database/test_synchronize.py` compares them with v4's."""

from pathlib import Path
from typing import Any

import pytest

from octavo.query.sql.ddl.tables import INTERNAL_TABLES, Table, wanted_tables
from octavo.schema.problems import InvalidDefinitions
from tests.layouts import MODELS, recorded, registry_of


def relation(kind: str, **rest: Any) -> dict[str, Any]:
    return {"type": "relation", "relation": kind, "target": "api::a.a", **rest}


def project(attributes: dict[str, Any], **rest: Any) -> dict[str, Any]:
    info = {"singularName": "a", "pluralName": "as"}
    return {
        "api/a/content-types/a/schema.json": {"info": info, "attributes": attributes, "collectionName": "as", **rest}
    }


def tables_of(definitions: dict[str, Any], tmp_path: Path) -> dict[str, Table]:
    return {table.name: table for table in wanted_tables(registry_of(definitions, tmp_path))}


@pytest.mark.parametrize("model", MODELS)
def test_no_table_column_or_index_occurs_twice(model: str, tmp_path: Path) -> None:
    tables = wanted_tables(registry_of(recorded(model)["definitions"], tmp_path))
    names = [table.name.lower() for table in tables]
    assert len(set(names)) == len(names)
    for table in tables:
        columns = [column.name for column in table.columns]
        assert len(set(columns)) == len(columns)
        assert {name for index in table.indexes for name in index.columns} <= set(columns)


def test_tables_of_the_service_always_exist(tmp_path: Path) -> None:
    assert set(INTERNAL_TABLES) < set(wanted_tables(registry_of({}, tmp_path)))


LOCALIZED = {"pluginOptions": {"i18n": {"localized": True}}}
STATES = {
    "published": (("id", "published_at"), "{published_at} IS NOT NULL"),
    "drafts": (("id", "published_at"), "{published_at} IS NULL"),
}
CHANGED: dict[str, Any] = {"changed": (("updated_at",), None)}
CHANGED_IN_A_LOCALE: dict[str, Any] = {"changed": (("locale", "updated_at"), None)}
IN_A_LOCALE = ("locale", "id", "published_at"), "{published_at} IS NOT NULL"


@pytest.mark.parametrize(
    "draft_and_publish, rest, indexes",
    [
        (True, {}, {**STATES, **CHANGED}),
        (True, LOCALIZED, {**STATES, "localized": IN_A_LOCALE, **CHANGED_IN_A_LOCALE}),
        (False, LOCALIZED, {"localized": (("locale", "id"), None), **CHANGED_IN_A_LOCALE}),
        (False, {}, CHANGED),
    ],
)
def test_own_indexes(draft_and_publish: bool, rest: dict[str, Any], indexes: dict[str, Any], tmp_path: Path) -> None:
    table = tables_of(project({}, options={"draftAndPublish": draft_and_publish}, **rest), tmp_path)["as"]
    own = {index.name: (index.columns, index.where) for index in table.indexes if index.name.startswith("octavo_")}
    assert own == {f"octavo_as_{name}": index for name, index in indexes.items()}


def test_an_index_without_its_column_is_left_out(tmp_path: Path) -> None:
    indexes = [{"name": "gone", "columns": ["t", "u"]}, {"name": "kept", "columns": ["t"]}]
    table = tables_of(project({"t": {"type": "string"}}, indexes=indexes), tmp_path)["as"]
    names = {index.name for index in table.indexes if not index.name.startswith("octavo_")}
    assert names == {"kept", "as_created_by_id_fk", "as_updated_by_id_fk"}


@pytest.mark.parametrize(
    "attributes, columns",
    [
        ({"body": {"type": "text"}, "name": {"type": "string"}, "more": {"type": "string"}}, ("name",)),
        ({"name": {"type": "string", "column": {"type": "text"}}, "more": {"type": "string"}}, None),
        ({"body": {"type": "text"}}, None),
    ],
)
def test_main_fields_have_an_index(attributes: dict[str, Any], columns: Any, tmp_path: Path) -> None:
    table = tables_of(project(attributes), tmp_path)["as"]
    assert next((index.columns for index in table.indexes if index.name == "octavo_as_called"), None) == columns


@pytest.mark.parametrize(
    "definitions, problem",
    [
        (
            project({"fooBar": relation("oneToOne"), "foo_bar": relation("oneToOne")}),
            "src/api/a/content-types/a/schema.json: (whole file): table as_foo_bar_links is also created for api::a.a; "
            "rename the collection or the attribute",
        ),
        (
            project({}, collectionName="Strapi_Webhooks"),
            "src/api/a/content-types/a/schema.json: (whole file): table Strapi_Webhooks is also created for the "
            "service "
            "itself; rename the collection or the attribute",
        ),
    ],
)
def test_tables_that_two_would_share_are_refused(definitions: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidDefinitions) as caught:
        tables_of(definitions, tmp_path)
    assert [str(each) for each in caught.value.problems] == [problem]
