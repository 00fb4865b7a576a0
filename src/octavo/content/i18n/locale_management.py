"""Add and remove locales and set the default, each in one transaction. Other processes see it within a second.

Raises `ApplicationError` and `NotFoundError`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from octavo.content.entry_unit import EntryUnit
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Connection
from octavo.query.sql.write.locales import (
    LIST_LOCALES,
    compile_change_default,
    compile_entries_of_locale,
    compile_insert_default,
)
from octavo.schema.content_types import LOCALE, ContentType

_LOCK: Final = "octavo: locales"
_CODE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
_MOST_NAME: Final = 50


@cache
def iso_locales() -> dict[str, str]:
    """Return locale names by code, in v4's order."""
    text = Path(__file__).with_name("iso_locales.txt").read_text("utf-8")
    parts = (line.partition("\t") for line in text.split("\n") if line)
    return {code: name for code, _, name in parts}


def locale_name(code: str) -> str:
    """Return the English name of a locale, such as "German (de)"; its code if it has none."""
    return iso_locales().get(code, code)


@dataclass(frozen=True, slots=True)
class Locale:
    """A locale of the project."""

    id: int
    code: str
    name: str
    is_default: bool


class LocaleManagement:
    """Manages the locales of one project."""

    def __init__(self, writer: EntryWriter) -> None:
        self._writer = writer
        self._dialect = writer.database.dialect
        self._type = writer.registry.content_types[LOCALE]

    async def all(self, connection: Connection | None = None) -> tuple[Locale, ...]:
        """Return all locales, in the order they were added."""
        asked = connection or self._writer.database
        self._writer.locales.forget()
        default = (await self._writer.locales.known(asked)).default
        rows = await asked.fetch_all(LIST_LOCALES)
        return tuple(Locale(int(row[0]), str(row[1]), str(row[2] or row[1]), row[1] == default) for row in rows)

    async def add(
        self, code: str, name: str | None = None, *, default: bool = False, actor_id: int | None = None
    ) -> int:
        """Add a locale and return its id. `actor_id` is the administrator, if any.

        Without a name it gets the English one, as in "German (de)", or its code.
        """
        shown = locale_name(code) if name is None else name
        if not _CODE.fullmatch(code):
            raise ApplicationError(f"{code!r} is not a locale code; expected one such as en, fr-CA or zh-Hans")
        if not shown.strip() or len(shown) > _MOST_NAME:
            raise ApplicationError(f"The name of a locale must have 1 to {_MOST_NAME} characters")

        async def work(unit: EntryUnit) -> int:
            if any(locale.code.lower() == code.lower() for locale in await self._locked(unit)):
                raise ApplicationError(f"The locale {code} already exists")
            locale_id = await unit.create(self._type, {"code": code, "name": shown}, actor_id=actor_id)
            if default:
                await self._make_default(unit, locale_id, code)
            return locale_id

        return await self._writer.run(work)

    async def change(
        self, locale_id: int, given: Mapping[str, Any], *, default: bool = False, actor_id: int | None = None
    ) -> None:
        """Change a locale's `name`, if given, and set it as the default if `default`. Raises NotFoundError."""

        async def work(unit: EntryUnit) -> None:
            locale = _find_id(await self._locked(unit), locale_id)
            await unit.update(self._type, locale_id, given, actor_id=actor_id)
            if default:
                await self._make_default(unit, locale_id, locale.code)

        await self._writer.run(work)

    async def remove(self, code: str, *, with_entries: bool = False) -> int:
        """Remove a locale, with its entries if `with_entries`; return their number."""

        async def work(unit: EntryUnit) -> int:
            locale = _find(await self._locked(unit), code)
            if locale.is_default:
                raise ApplicationError(f"{code} is the default locale. Set another default locale first")
            removed = [
                (content_type, entry_id)
                for content_type in self._localized()
                for entry_id in await self._entries(unit, content_type, code)
            ]
            if removed and not with_entries:
                entries = counted(len(removed), "entry is", "entries are")
                raise ApplicationError(f"{entries} in {code}. Use --with-entries to delete them as well")
            for content_type, entry_id in removed:
                await unit.delete(content_type, entry_id)
            await unit.delete(self._type, locale.id)
            return len(removed)

        return await self._writer.run(work)

    async def make_default(self, code: str) -> None:
        """Set the default locale, used for requests without a locale."""

        async def work(unit: EntryUnit) -> None:
            locale = _find(await self._locked(unit), code)
            await self._make_default(unit, locale.id, code)

        await self._writer.run(work)

    async def _locked(self, unit: EntryUnit) -> tuple[Locale, ...]:
        """Return the locales, locked until the end of the transaction."""
        await unit.connection.lock(_LOCK)
        return await self.all(unit.connection)

    async def _make_default(self, unit: EntryUnit, locale_id: int, code: str) -> None:
        stored = (json.dumps(code),)
        if not await unit.connection.execute(compile_change_default(self._dialect), stored):
            await unit.connection.execute(compile_insert_default(self._dialect), stored)
        unit.record(LOCALE, locale_id, ChangeKind.UPDATE)

    def _localized(self) -> Sequence[ContentType]:
        return [content_type for content_type in self._writer.registry.content_types.values() if content_type.localized]

    async def _entries(self, unit: EntryUnit, content_type: ContentType, code: str) -> list[int]:
        rows = await unit.connection.fetch_all(compile_entries_of_locale(content_type, self._dialect), (code,))
        return [int(row[0]) for row in rows]


def _find_id(locales: Sequence[Locale], locale_id: int) -> Locale:
    locale_with_id = next((locale for locale in locales if locale.id == locale_id), None)
    if locale_with_id is None:
        raise NotFoundError("locale.notFound")
    return locale_with_id


def _find(locales: Sequence[Locale], code: str) -> Locale:
    locale_with_code = next((locale for locale in locales if locale.code == code), None)
    if locale_with_code is None:
        raise NotFoundError(f"Unknown locale {code}; the locales are {', '.join(locale.code for locale in locales)}")
    return locale_with_code
