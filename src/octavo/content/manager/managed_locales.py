"""ManagedLocales: list, add, change and remove a project's locales for administrators."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from octavo.access.authorization.actor import Actor
from octavo.content.controllers.content import ContentController
from octavo.content.i18n.locale_management import LocaleManagement
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.query.answer import Object, Plain
from octavo.query.ast import EVERYTHING, Query, Sort
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.content_types import LOCALE

_SHOWN: Final = Object(
    (("id", Plain(None)), *((name, Plain(name)) for name in ("name", "code", "createdAt", "updatedAt")))
)


class ManagedLocales:
    """The locales of one project."""

    def __init__(self, controller: ContentController) -> None:
        self._reads = controller.reads
        self._locales = controller.locales
        self._management = LocaleManagement(controller.writer)
        self._type = controller.registry.content_types[LOCALE]

    async def all(self) -> list[dict[str, Any]]:
        """Return all locales, with `isDefault`."""
        self._locales.forget()
        locales, _ = await self._reads.find(self._reads.prepare(self._request(By.LIST), None))
        default = await self._locales.default()
        return [_with_default(one, default) for one in orjson.loads(locales)]

    async def add(self, code: str, name: str | None, actor: Actor, *, default: bool) -> dict[str, Any]:
        """Add a locale. Raises ApplicationError if it exists."""
        if code in (await self._locales.known()).codes:
            raise ApplicationError("This locale already exists")
        return await self._one(await self._management.add(code, name, default=default, actor_id=actor.creator_id))

    async def change(self, locale_id: int, given: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
        """Set a locale's `name` or set it as the default (`isDefault`). Raises NotFoundError."""
        named = {"name": given["name"]} if "name" in given else {}
        default = given.get("isDefault") is True
        await self._management.change(locale_id, named, default=default, actor_id=actor.creator_id)
        return await self._one(locale_id)

    async def remove(self, locale_id: int) -> dict[str, Any]:
        """Remove a locale with its entries. Raises NotFoundError, and ApplicationError for the default one."""
        locale = await self._one(locale_id)
        if locale["isDefault"]:
            raise ApplicationError("Cannot delete the default locale")
        await self._management.remove(locale["code"], with_entries=True)
        return locale

    async def _one(self, locale_id: int) -> dict[str, Any]:
        self._locales.forget()
        prepared = self._reads.prepare(self._request(By.ID), None)
        locale = await self._reads.find_any(prepared.bind(id=locale_id))
        if locale is None:
            raise NotFoundError("locale.notFound")
        return _with_default(orjson.loads(locale), await self._locales.default())

    def _request(self, by: By) -> ReadRequest:
        query = Query(sort=(Sort(names=("id",)),)) if by is By.LIST else EVERYTHING
        return ReadRequest(content_type=self._type, query=query, by=by, projection=_SHOWN, drafts=Drafts.ANY)


def _with_default(locale: dict[str, Any], default: str) -> dict[str, Any]:
    return {**locale, "isDefault": locale["code"] == default}
