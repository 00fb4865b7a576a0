"""Read entries in the content manager: lists, single entries and single types."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NoReturn

import orjson

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.content.controllers.prepared_reads import PreparedReads
from octavo.content.controllers.reading import ContentReads
from octavo.content.entry_snapshot import without_ids
from octavo.content.locales import Locales
from octavo.content.manager.field_visibility import (
    NOTHING_ELSE,
    FieldSelection,
    View,
    build_entry_object,
    build_localizations_object,
)
from octavo.content.manager.listing import read_list
from octavo.content.manager.managed_types import managed_type
from octavo.content.reader import PreparedRead
from octavo.core.cache import Cache, CacheScope
from octavo.core.errors import ApplicationError, ForbiddenError, NotFoundError
from octavo.query.answer import Object
from octavo.query.ast import Page, Query
from octavo.query.params import read_query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, PUBLISHED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.shared_values import is_shared_value


class ManagedEntries:
    """Reads entries, prepared once for all administrators with the same permissions.

    `shows_linked`: whether values of linked entries are shown (rule `linkedValues`).
    """

    def __init__(self, reads: ContentReads, locales: Locales, caches: CacheScope, *, shows_linked: bool = True) -> None:
        self._shows_linked = shows_linked
        self.reads = reads
        self.locales = locales
        self.registry = reads.registry
        self._prepared: Cache[tuple[Any, ...], PreparedRead] = caches.cache("managed entries")
        self._lists = PreparedReads(caches.cache("managed lists"))

    async def page(
        self, content_type: ContentType, text: str, given: Callable[[], Mapping[str, Any]], actor: Actor
    ) -> tuple[bytes, Page, int]:
        """Return a page as a JSON array, the page, and the total. `text` is the request text of `given`, for the cache.

        Raises ValidationError or a subclass for invalid parameters.
        """
        locale = await self.locales.default() if content_type.localized else None
        key = (content_type.uid, text, actor.ability.key, locale)
        prepared = self._lists.get(key) or await self._lists.make(
            key, text, lambda: self._prepare_list(content_type, given(), actor.ability, locale)
        )
        entries, total = await self.reads.find(prepared)
        return entries, prepared.page or Page(), total or 0

    def _prepare_list(
        self, content_type: ContentType, given: Mapping[str, Any], ability: Ability, locale: str | None
    ) -> PreparedRead:
        query, asked = read_list(given, content_type, self.registry, ability)
        request = ReadRequest(
            content_type=content_type,
            query=query,
            projection=self._shown(content_type, ability, View.ROW, asked),
            drafts=Drafts.SHOWN,
            locale=locale,
            searches_private=ability.knows_private,
        )
        return self.reads.prepare(request, ability)

    async def lines(
        self, content_type: ContentType, asked: Mapping[str, Any], names: Collection[str], most: int, actor: Actor
    ) -> list[dict[str, Any]]:
        """Return the attributes `names`, as far as readable, of entries. `asked` is a trusted query."""
        key = (content_type.uid, "lines", repr(asked), *names, most, actor.ability.key)
        prepared = self._prepared.get(key)
        if prepared is None:
            projection = build_entry_object(content_type, self.registry, actor.ability, View.ROW)
            members = tuple((name, answer) for name, answer in projection.members if name == "id" or name in names)
            query = replace(read_query(asked), page=Page(limit=most, with_count=False))
            request = ReadRequest(
                content_type=content_type,
                query=query if content_type.localized else replace(query, locales=None),
                projection=replace(projection, members=members),
                drafts=Drafts.SHOWN,
            )
            prepared = self._prepared.put(key, self.reads.prepare(request, actor.ability))
        return [*json.loads((await self.reads.find(prepared))[0])]

    async def localizations(
        self, content_type: ContentType, ids: Collection[int], actor: Actor
    ) -> list[dict[str, Any]]:
        """Return the state of entries in the actor's scope, and of their localizations. Runs one query."""
        query = replace(
            read_query({"filters": {"id": {"$in": list(ids)}}, "locale": "all"}),
            page=Page(limit=len(ids), with_count=False),
        )
        request = ReadRequest(
            content_type=content_type,
            query=query,
            projection=build_localizations_object(content_type, actor.ability),
            drafts=Drafts.SHOWN,
        )
        return [*orjson.loads((await self.reads.find(self.reads.prepare(request, actor.ability)))[0])]

    async def single(self, content_type: ContentType, given: Mapping[str, Any], actor: Actor) -> bytes | None:
        """Return a single type's entry as JSON, in the requested locale; None if there is none."""
        locale = await self.locales.default() if content_type.localized else None
        locales = read_query({"locale": given.get("locale")}).locales or None
        key = (content_type.uid, "single", locales, locale, actor.ability.key)
        prepared = self._prepared.get(key)
        if prepared is None:
            request = ReadRequest(
                content_type=content_type,
                query=Query(locales=locales),
                by=By.SINGLE if content_type.is_single else By.LIST,
                projection=self._shown(content_type, actor.ability, View.WHOLE),
                drafts=Drafts.SHOWN,
                locale=locale,
            )
            prepared = self._prepared.put(key, self.reads.prepare(request, actor.ability))
        if content_type.is_single:
            return await self.reads.find_any(prepared)
        return (await self.reads.find(prepared))[0]  # all entries of a collection type, as in v4

    async def one(self, content_type: ContentType, entry_id: int, actor: Actor) -> bytes:
        """Return an entry as JSON. Raises NotFoundError, and ForbiddenError if it is outside of the actor's scope."""
        entry = await self.reads.find_any(self.answer(content_type, actor.ability).bind(id=entry_id))
        if entry is None:
            await self.refuse(content_type, entry_id)
        return entry

    async def refuse(self, content_type: ContentType, entry_id: int) -> NoReturn:
        """Raise ForbiddenError if the entry exists, otherwise NotFoundError."""
        there = ReadRequest(content_type=content_type, by=By.ID, projection=Form.ID, drafts=Drafts.ANY)
        is_there = await self.reads.find_any(self.reads.prepare(there, None).bind(id=entry_id))
        raise ForbiddenError if is_there else NotFoundError

    def answer(
        self, content_type: ContentType, ability: Ability, drafts: Drafts = Drafts.SHOWN, view: View = View.ENTRY
    ) -> PreparedRead:
        """Return the read for an entry, to be bound to its `id`.

        Use `Drafts.ANY` for an entry selected by a write, which checks its own scope.
        """
        key = (content_type.uid, view, drafts, ability.key)
        prepared = self._prepared.get(key)
        if prepared is not None:
            return prepared
        projection = self._shown(content_type, ability, view)
        request = ReadRequest(content_type=content_type, by=By.ID, projection=projection, drafts=drafts)
        return self._prepared.put(key, self.reads.prepare(request, ability))

    def _shown(
        self, content_type: ContentType, ability: Ability, view: View, asked: FieldSelection = NOTHING_ELSE
    ) -> Object:
        return build_entry_object(content_type, self.registry, ability, view, asked, shows_linked=self._shows_linked)


async def begin_localization(
    managed: ManagedEntries, uid: str, entry_id: int, locale: str, actor: Actor
) -> Mapping[str, Any]:
    """Return `{nonLocalizedFields, localizations}` of an entry that the actor can read.

    The shared values are limited to fields that the actor can read or create in the locale. Raises
    ApplicationError, ForbiddenError and NotFoundError.
    """
    known = managed.registry.content_types.get(uid)
    if known is None or not known.localized:
        raise ApplicationError("model.not.localized")
    content_type = managed_type(managed.registry, uid, actor)
    entry = orjson.loads(await managed.one(content_type, entry_id, actor))
    shared = {
        name: entry[name]
        for name in content_type.writable_names
        if name in entry
        and is_shared_value(content_type.attributes[name])
        and actor.ability.names_locale(uid, name, locale)
    }
    own = {name: entry[name] for name in ("id", LOCALE, PUBLISHED_AT) if name in entry}
    return {
        "nonLocalizedFields": without_ids(managed.registry, content_type, shared),
        "localizations": [*entry[LOCALIZATIONS], own],
    }
