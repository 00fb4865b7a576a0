"""Endpoints for the locales of a project, those that can be added, and the localizations of entries."""

from typing import Any, Final

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer, plain_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import Locale, LocalizationsAnswer
from octavo.api.admin.schemas.project import ChangedLocale, LocaleOption, NewLocale
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.i18n.locale_management import iso_locales
from octavo.content.manager.entries import ManagedEntries, begin_localization
from octavo.content.manager.localization_states import read_localization_states
from octavo.content.manager.managed_locales import ManagedLocales
from octavo.content.manager.managed_types import managed_type
from octavo.core.errors import NotFoundError, ValidationError
from octavo.core.forms import REQUIRED, Flag, Id, Record, Text, at_least, at_most, check
from octavo.query.numbers import read_entry_id

_LOCALES: Final = "/i18n/locales"
_MAY: Final = "plugin::i18n.locale"
_MOST_NAME: Final = 50
MOST_ENTRIES: Final = 100
"""The maximum number of entries whose localizations a request can show."""


class LocaleEndpoints:
    """`/i18n/locales`, `/i18n/iso-locales`. All administrators can read the locales."""

    operations = (
        AdminOperation("GET", _LOCALES, "list_all", "List locales", answer=list[Locale]),
        AdminOperation(
            "GET",
            "/i18n/iso-locales",
            "known",
            "List all available locales",
            (f"{_MAY}.read",),
            answer=list[LocaleOption],
        ),
        AdminOperation("POST", _LOCALES, "add", "Add a locale", (f"{_MAY}.create",), body=NewLocale),
        AdminOperation("PUT", f"{_LOCALES}/:id", "change", "Update a locale", (f"{_MAY}.update",), body=ChangedLocale),
        AdminOperation("DELETE", f"{_LOCALES}/:id", "remove", "Delete a locale", (f"{_MAY}.delete",)),
    )

    def __init__(self, locales: ManagedLocales) -> None:
        self._locales = locales

    async def list_all(self, _: Request, actor: Actor) -> Response:
        """GET /i18n/locales"""
        return plain_answer(await self._locales.all())

    async def known(self, _: Request, actor: Actor) -> Response:
        """GET /i18n/iso-locales"""
        return plain_answer([{"code": code, "name": name} for code, name in iso_locales().items()])

    async def add(self, request: Request, actor: Actor) -> Response:
        """POST /i18n/locales"""
        body: Any = await request.json()
        check(_new_form(), body)
        name = body.get("name") or iso_locales()[body["code"]][:_MOST_NAME].strip()
        return plain_answer(await self._locales.add(body["code"], name, actor, default=body["isDefault"]))

    async def change(self, request: Request, actor: Actor) -> Response:
        """PUT /i18n/locales/:id"""
        body: Any = await request.json()
        check(_CHANGED, body)
        return plain_answer(await self._locales.change(_read_id(request), body, actor))

    async def remove(self, request: Request, _: Actor) -> Response:
        """DELETE /i18n/locales/:id"""
        return plain_answer(await self._locales.remove(_read_id(request)))


def _new_form() -> Record:
    members = {
        "name": Text(at_most(_MOST_NAME), nullable=True),
        "code": Text(REQUIRED, one_of=tuple(iso_locales())),
        "isDefault": Flag(REQUIRED),
    }
    return Record(members, closed=True)


_CHANGED: Final = Record(
    {"name": Text(at_least(1), at_most(_MOST_NAME), nullable=True), "isDefault": Flag()}, closed=True
)


def _read_id(request: Request) -> int:
    locale_id = read_entry_id(request.path_values["id"])
    if locale_id is None:
        raise NotFoundError("locale.notFound")
    return locale_id


_LOCALIZATION: Final = Record({"model": Text(REQUIRED), "id": Id(REQUIRED), "locale": Text(REQUIRED)})


class NewLocalizationEndpoints:
    """`/i18n/content-manager`: the initial values of a new localization's form."""

    operations = (
        AdminOperation(
            "POST",
            "/i18n/content-manager/actions/get-non-localized-fields",
            "begin",
            "Show the values that a new localization shares with the others",
            safe=True,
        ),
    )

    def __init__(self, entries: ManagedEntries) -> None:
        self._entries = entries

    async def begin(self, request: Request, actor: Actor) -> Response:
        """POST /i18n/content-manager/actions/get-non-localized-fields"""
        body: Any = await request.json()
        check(_LOCALIZATION, body if isinstance(body, dict) else {})
        entry_id = read_entry_id(body["id"], digits_only=True)
        values = await begin_localization(self._entries, body["model"], entry_id or 0, body["locale"], actor)
        return plain_answer(values)


class LocalizationStateEndpoints:
    """`/octavo/localizations/:uid`: limited to entries that the administrator can read."""

    operations = (
        AdminOperation(
            "GET",
            "/octavo/localizations/:uid",
            "states",
            "Show which localizations of entries exist",
            answer=LocalizationsAnswer,
        ),
    )

    def __init__(self, entries: ManagedEntries) -> None:
        self._entries = entries

    async def states(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/localizations/:uid?ids=1,2"""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        if not content_type.localized:
            raise ValidationError(f"{content_type.uid} is not localized. Enable i18n in its pluginOptions first")
        ids = _read_ids(read_params(request).get("ids"))
        return data_answer(await read_localization_states(self._entries, content_type, ids, actor))


def _read_ids(given: object) -> list[int]:
    """Return the entry ids in a comma-separated text, without repetitions. Raises ValidationError."""
    found = [read_entry_id(one, digits_only=True) for one in given.split(",")] if isinstance(given, str) else []
    ids = list(dict.fromkeys(one for one in found if one is not None))
    if not 0 < len(found) <= MOST_ENTRIES or None in found:
        raise ValidationError(f"ids must be 1 to {MOST_ENTRIES} entry ids, separated by commas")
    return ids
