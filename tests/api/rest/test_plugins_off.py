"""Disabled plugins: their operations cannot be called, and nothing is localized without locales."""

from collections.abc import AsyncIterator

import pytest

from octavo.operations.runtime.definitions import without_locales
from octavo.schema.definition_values import Reader
from octavo.schema.loader import builtin_registry
from octavo.schema.parse import parse_content_type
from octavo.schema.registry import Registry
from tests.models.club import FULL, NEVER, Club, open_club

OFF = {f"OCTAVO_PLUGINS__{name}__ENABLED": "false" for name in ("I18N", "UPLOAD", "USERS_PERMISSIONS", "GRAPHQL")}
LOCALIZED = {"pluginOptions": {"i18n": {"localized": True}}}


@pytest.fixture(scope="module")
async def club(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Club]:
    async with open_club(tmp_path_factory.mktemp("club"), {**NEVER, **OFF}) as opened:
        yield opened


@pytest.mark.anyio
@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/api/i18n/locales", 404),
        ("GET", "/api/upload/files", 404),
        ("POST", "/api/upload", 405),
        ("GET", "/api/users/me", 404),
        ("POST", "/api/auth/local", 405),
        ("GET", "/api/connect/github", 404),
        ("GET", "/api/users-permissions/roles", 404),
        ("POST", "/graphql", 405),
        ("GET", "/_health", 204),
    ],
)
async def test_disabled_plugins_cannot_be_called(club: Club, method: str, path: str, status: int) -> None:
    assert (await club.ask(method, path, {} if method == "POST" else None, token=FULL)).status == status


def test_without_locales_nothing_is_localized() -> None:
    raw = {"info": {"singularName": "a", "pluralName": "as"}, "attributes": {"x": {"type": "string", **LOCALIZED}}}
    localized = parse_content_type("api::a.a", {**raw, **LOCALIZED}, Reader("a", []))
    registry = Registry([*builtin_registry().content_types.values(), localized], ())
    plain = without_locales(registry).content_types["api::a.a"]
    assert localized.localized
    assert not plain.localized
    assert {"locale", "localizations"} == set(localized.attributes) - set(plain.attributes)
    assert not any(attribute.localized for attribute in plain.attributes.values())
