"""`octavo locales`: list, add and delete locales, and set the default."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from octavo.content.writer import EntryWriter
from octavo.operations.runtime.open_resources import open_project_database
from octavo.schema.loader import load_registry
from octavo.settings import load_settings
from tests.cli.conftest import Call, answered, refused, said
from tests.cli.projects import database_variables

EN = {"id": 1, "code": "en", "name": "English (en)", "isDefault": True}


@pytest.fixture
def locale_variables(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the variables of the database that `call` uses."""
    on_server = request.node.callspec.params["call"] == "postgresql"
    return database_variables(request.getfixturevalue("postgresql_url")) if on_server else {}


def listed(call: Call) -> Any:
    return answered(call("locales", "list", "--json"))


def write_place(project: Path, environment: dict[str, str], locale: str) -> None:
    async def run() -> None:
        settings = load_settings(project, {**os.environ, **environment})
        database = open_project_database(settings)
        await database.connect()
        registry = load_registry(project)
        await EntryWriter(database, registry).create(registry.content_types["api::place.place"], {"locale": locale})
        await database.close()

    asyncio.run(run())


def test_add_and_list(call: Call) -> None:
    assert said(call("locales", "add", "fr")) == ["Added the locale French (fr)."]
    assert answered(call("locales", "add", "zh-Hans", "--json")) == {
        "code": "zh-Hans",
        "name": "Chinese (Simplified) (zh-Hans)",
        "isDefault": False,
    }
    assert listed(call) == [
        EN,
        {"id": 2, "code": "fr", "name": "French (fr)", "isDefault": False},
        {"id": 3, "code": "zh-Hans", "name": "Chinese (Simplified) (zh-Hans)", "isDefault": False},
    ]
    assert said(call("locales", "list")) == [
        "code     name",
        "en       English (en)                    default",
        "fr       French (fr)",
        "zh-Hans  Chinese (Simplified) (zh-Hans)",
    ]


def test_the_default(call: Call) -> None:
    said(call("locales", "add", "fr", "--default"))
    assert [(one["code"], one["isDefault"]) for one in listed(call)] == [("en", False), ("fr", True)]
    assert said(call("locales", "set-default", "en")) == ["en is the default locale."]
    assert answered(call("locales", "set-default", "fr", "--json")) == {"code": "fr", "isDefault": True}
    assert said(call("locales", "remove", "en")) == ["Removed the locale en and 0 entries."]
    assert [one["code"] for one in listed(call)] == ["fr"]


def test_a_locale_with_entries(call: Call, project: Path, locale_variables: dict[str, str]) -> None:
    said(call("locales", "add", "fr"))
    for locale in ("en", "fr", "fr"):
        write_place(project, locale_variables, locale)
    assert refused(call("locales", "remove", "fr")) == (
        "2 entries are in fr. Use --with-entries to delete them as well"
    )
    assert answered(call("locales", "remove", "fr", "--with-entries", "--json")) == {"code": "fr", "entries": 2}
    assert listed(call) == [EN]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("add", "en"), "The locale en already exists"),
        (("add", "EN"), "'EN' is not a locale code; expected one such as en, fr-CA or zh-Hans"),
        (("add", "../x"), "'../x' is not a locale code; expected one such as en, fr-CA or zh-Hans"),
        (("add", "fr", "--name", " "), "The name of a locale must have 1 to 50 characters"),
        (("remove", "en"), "en is the default locale. Set another default locale first"),
        (("remove", "xx"), "Unknown locale xx; the locales are en"),
        (("set-default", "xx"), "Unknown locale xx; the locales are en"),
    ],
)
def test_refuses(call: Call, arguments: tuple[str, ...], message: str) -> None:
    assert refused(call("locales", *arguments)) == message
