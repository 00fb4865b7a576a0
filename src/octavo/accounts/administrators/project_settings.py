"""The project's logos for the admin panel, stored as in v4 (`core_admin_project-settings`).

Raises ValidationError.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import orjson

from octavo.content.media.library import MediaLibrary
from octavo.content.media.processing import IncomingFile, StoredFile
from octavo.core.errors import ValidationError
from octavo.core.forms import Number, Record, Text, at_most, check, problems_in
from octavo.core.forms.printing import ROOT
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.raw_statement import RawStatement

LOGOS: Final = ("menuLogo", "authLogo")
_KEY: Final = "core_admin_project-settings"
_LOCK: Final = "octavo: project settings"
_MOST_SIDE: Final = 750
_MOST_KILOBYTES: Final = 100
_SHOWN: Final = ("name", "url", "width", "height", "ext", "size")
_KEPT: Final = ("name", "hash", "url", "width", "height", "ext", "size", "provider")

_READ: Final = RawStatement("SELECT value FROM strapi_core_store_settings WHERE {key:name} = {name}")
_DELETE: Final = RawStatement("DELETE FROM strapi_core_store_settings WHERE {key:name} = {name}")
_INSERT: Final = RawStatement(
    "INSERT INTO strapi_core_store_settings ({key:name}, value, type) VALUES ({name}, {value}, 'object')"
)

_TEXTS: Final = Record({name: Text() for name in LOGOS}, closed=True)
_KIND: Final = Text(one_of=("image/jpeg", "image/png", "image/svg+xml"))
_MEASURES: Final = Record(
    {
        "width": Number(at_most(_MOST_SIDE), nullable=True),
        "height": Number(at_most(_MOST_SIDE), nullable=True),
        "size": Number(at_most(_MOST_KILOBYTES), nullable=True),
    }
)


class SentLogo(IncomingFile, Protocol):
    """A file in a form field."""

    @property
    def field(self) -> str:
        """The name of the form field."""


class ProjectSettings:
    """Reads and updates the logos of a project."""

    def __init__(self, database: Database, media: MediaLibrary) -> None:
        self._database = database
        self._dialect = database.dialect
        self._media = media

    async def logos(self) -> dict[str, Any]:
        """Return the stored data of each logo."""
        stored = await self._read(self._database)
        if stored is None:
            return dict.fromkeys(LOGOS)
        return {name: _shown(stored.get(name, {})) for name in LOGOS}

    async def addresses(self) -> dict[str, Any]:
        """Return the URL of each logo, for visitors who are not signed in."""
        stored = await self._read(self._database)
        if stored is None:
            return dict.fromkeys(LOGOS)
        return {name: (stored[name] or {}).get("url") for name in LOGOS if name in stored}

    async def update(self, body: Any, files: Sequence[SentLogo]) -> dict[str, Any]:
        """Replace logos; an empty text removes one."""
        given = dict(body) if isinstance(body, Mapping) else {}
        check(_TEXTS, given)
        logos = {file.field: file for file in files if file.field in LOGOS}
        self._check_kinds(logos)
        async with self._media.incoming([*logos.values()]) as stored:
            self._check_measures(dict(zip(logos, stored.files, strict=True)))
            new: dict[str, Any] = {name: None for name, text in given.items() if not text}
            for name, file in zip(logos, stored.files, strict=True):
                new[name] = {key: file.attributes.get(key) for key in _KEPT}
            async with unit_of_work(self._database) as unit:
                await unit.connection.lock(_LOCK)
                await stored.claim(unit)
                before = await self._read(unit.connection) or {}
                value = orjson.dumps({**before, **new}).decode()
                await unit.connection.execute(*_DELETE.bind(self._dialect, name=_KEY))
                await unit.connection.execute(*_INSERT.bind(self._dialect, name=_KEY, value=value))
            spare = [part.kept.name for file in stored.files for part in file.parts if part.format]
        gone = (self._media.storage.name_of(str((before.get(name) or {}).get("url") or "")) for name in new)
        await self._media.cleanup.remove([*spare, *(name for name in gone if name)])
        return await self.logos()

    def _check_kinds(self, logos: Mapping[str, SentLogo]) -> None:
        place = {name: ROOT.member(name).member("type") for name in logos}
        problems = [one for name, file in logos.items() for one in problems_in(_KIND, file.content_type, place[name])]
        if problems:
            raise ValidationError.from_problems(problems)

    def _check_measures(self, files: Mapping[str, StoredFile]) -> None:
        problems = [
            one for name, file in files.items() for one in problems_in(_MEASURES, file.attributes, ROOT.member(name))
        ]
        if problems:
            raise ValidationError.from_problems(problems)

    async def _read(self, connection: Connection) -> dict[str, Any] | None:
        text = await connection.fetch_value(*_READ.bind(self._dialect, name=_KEY))
        try:
            value = orjson.loads(text) if text else None
        except orjson.JSONDecodeError:
            return None
        return value if isinstance(value, dict) else None


def _shown(logo: Any) -> dict[str, Any] | None:
    if not isinstance(logo, Mapping):
        return None
    return {key: logo[key] for key in _SHOWN if key in logo}
