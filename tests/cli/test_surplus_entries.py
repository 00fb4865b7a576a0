"""Single types with several entries in a locale, as v4 databases can have: `octavo db diff` and starts."""

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, answered, said
from tests.cli.projects import write_type

HOME: dict[str, Any] = {
    "kind": "singleType",
    "collectionName": "homes",
    "info": {"singularName": "home", "pluralName": "homes", "displayName": "Home"},
    "options": {"draftAndPublish": True},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {"title": {"type": "string", "pluginOptions": {"i18n": {"localized": True}}}},
}
FOOTER: dict[str, Any] = {
    "kind": "singleType",
    "collectionName": "footers",
    "info": {"singularName": "footer", "pluralName": "footers", "displayName": "Footer"},
    "options": {"draftAndPublish": False},
    "attributes": {"text": {"type": "string"}},
}
ROWS = """
INSERT INTO homes (id, locale, published_at) VALUES
(1, 'en', NULL), (2, 'de', CURRENT_TIMESTAMP), (3, 'en', CURRENT_TIMESTAMP), (4, 'en', CURRENT_TIMESTAMP),
(5, 'fr', NULL), (6, 'fr', NULL);
INSERT INTO footers (id, text) VALUES (7, 'one'), (8, 'two'), (9, 'three');
"""
DELETE = "delete the others, for example with app.entries"
FOUND = [
    f'api::footer.footer: a single type with 3 entries (ids 7, 8, 9): 7 is served and updated; {DELETE}("api::footer.'
    'footer").delete(id)',
    "api::home.home: a single type with 3 entries in the locale en (ids 1, 3, 4): 3 is served, and 1 is updated; "
    f'{DELETE}("api::home.home").delete(id)',
    "api::home.home: a single type with 2 entries in the locale fr (ids 5, 6): all are drafts, and 5 is updated; "
    f'{DELETE}("api::home.home").delete(id)',
]


def write_migration(project: Path, text: str) -> None:
    file = project / "database/migrations/2026.01.01T00.00.00.rows.sql"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def test_surplus_entries_are_reported(call: Call, project: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_type(project, HOME)
    write_type(project, FOOTER)
    assert answered(call("db", "diff", "--json"))["singleTypes"] == []  # without tables
    said(call("db", "upgrade"))
    assert answered(call("db", "diff", "--json"))["singleTypes"] == []
    write_migration(project, ROWS)
    said(call("db", "migrate"))
    assert answered(call("db", "diff", "--json"))["singleTypes"] == FOUND
    assert said(call("db", "diff", "--exit-code"))[1:] == [
        "Single types with several entries:",
        *(f"  {line}" for line in FOUND),
    ]
    with caplog.at_level(logging.WARNING):
        said(call("permissions", "list"))
    assert [record.getMessage() for record in caplog.records if "single type" in record.getMessage()] == FOUND


def test_hidden_entries_do_not_count(call: Call, project: Path) -> None:
    """Entries of other locales, once a single type is no longer localized."""
    write_type(project, HOME)
    said(call("db", "upgrade"))
    write_migration(project, ROWS.split("INSERT INTO footers")[0].replace("(3, 'en', CURRENT_TIMESTAMP), ", ""))
    said(call("db", "migrate"))
    write_type(project, {**HOME, "pluginOptions": {}})
    said(call("db", "upgrade"))
    (line,) = answered(call("db", "diff", "--json"))["singleTypes"]
    assert "2 entries (ids 1, 4): 4 is served, and 1 is updated" in line
