"""Locales: the existing ones, the default, and when changes are seen."""

from types import SimpleNamespace

import pytest

from octavo.content import locales
from octavo.content.locales import Locales
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.schema.loader import builtin_registry
from tests.models.content import ContentWriter
from tests.models.people import Hands

pytestmark = pytest.mark.anyio
DEFAULT_KEY = "plugin_i18n_default_locale"


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    moved = Hands()
    monkeypatch.setattr(locales, "time", SimpleNamespace(monotonic=lambda: moved.steady))
    return moved


@pytest.fixture
async def writer(database: Database) -> ContentWriter:
    registry = builtin_registry()
    await synchronize(database, registry)
    return ContentWriter(database, registry, database.dialect)


@pytest.mark.usefixtures("writer")
async def test_without_any_the_default_is_english(database: Database) -> None:
    known = await Locales(database).known()
    assert (known.codes, known.default) == (frozenset(), "en")


async def test_codes_and_default_are_read_together(database: Database, writer: ContentWriter) -> None:
    for code in ("fr", "de-AT"):
        await writer.add("plugin::i18n.locale", code=code, name=code)
    await writer.insert("strapi_core_store_settings", key=DEFAULT_KEY, value='"fr"')
    before = database.statements
    known = await Locales(database).known()
    assert (set(known.codes), known.default) == ({"fr", "de-AT"}, "fr")
    assert database.statements == before + 1


async def test_the_default_is_stored_as_json(database: Database, writer: ContentWriter) -> None:
    await writer.insert("strapi_core_store_settings", key=DEFAULT_KEY, value="")
    found = {}
    for stored in ('"fr"', "fr", "null", "3", "", None):
        text = "UPDATE strapi_core_store_settings SET value = " + ("?1" if database.dialect.name == "sqlite" else "$1")
        await database.execute(text, (stored,))
        found[stored] = await Locales(database).default()
    assert found == {'"fr"': "fr", "fr": "fr", "null": "en", "3": "en", "": "en", None: "en"}


async def test_changes_are_seen_after_a_second_or_a_notification(
    database: Database, writer: ContentWriter, hands: Hands
) -> None:
    asked = Locales(database)
    assert await asked.default() == "en"
    await writer.insert("strapi_core_store_settings", key=DEFAULT_KEY, value='"de-AT"')
    hands.steady = 1.0
    assert await asked.default() == "en"
    hands.steady = 1.01
    assert await asked.default() == "de-AT"
    await writer.add("plugin::i18n.locale", code="fr")
    assert (await asked.known()).codes == frozenset()
    asked.forget()
    assert (await asked.known()).codes == {"fr"}
