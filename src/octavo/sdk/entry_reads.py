"""Read content from project code. Permissions are not checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypedDict, Unpack, cast

import orjson

from octavo.access.authorization.permissions import CODE
from octavo.content.controllers.content import ContentController
from octavo.content.input.column_values import plain
from octavo.content.reader import PreparedRead
from octavo.content.slugs import slug
from octavo.project import Entry, EntryPage
from octavo.query.ast import Page, Query
from octavo.query.params import read_query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import ContentType

_PARAMETERS: Final = {"publication_state": "publicationState", "search": "_q"}
_SLUGS_AT_ONCE: Final = 50
_IN_ONE_READ: Final = 1_000
"""Maximum number of ids in a read."""

Data = Mapping[str, Any]
Populate = str | Sequence[str] | Mapping[str, Any]


class Choice(TypedDict, total=False):
    """Arguments that select entries. Drafts are included unless `publication_state` is `live`."""

    filters: Data | None
    publication_state: str
    locale: str | None
    search: str | None


class Asked(Choice, total=False):
    """Arguments that select, sort and shape entries."""

    sort: str | Sequence[str] | None
    fields: str | Sequence[str] | None
    populate: Populate | None


class EntryReads:
    """Reads the entries of one content type."""

    def __init__(self, controller: ContentController, content_type: ContentType) -> None:
        self._controller = controller
        self._reads = controller.reads
        self._type = content_type

    async def find_many(self, *, start: int = 0, limit: int | None = None, **asked: Unpack[Asked]) -> list[Entry]:
        """Return the matching entries, in order. Without `limit`, return all of them."""
        query = await self._query(**asked)
        page = Page(start=start, limit=limit, with_count=False)
        return (await self._list(replace(query, page=page)))[0]

    async def find_first(self, **asked: Unpack[Asked]) -> Entry | None:
        """Return the first matching entry, or None."""
        entries = await self.find_many(limit=1, **asked)
        return entries[0] if entries else None

    async def find_page(self, *, page: int = 1, page_size: int = 25, **asked: Unpack[Asked]) -> EntryPage[Entry]:
        """Return a page of matching entries, and the number of all matching entries.

        Pages are counted from 1. Raises ValueError for a `page` or `page_size` below 1.
        """
        if page < 1 or page_size < 1:
            raise ValueError(f"page and page_size must be at least 1: {page=}, {page_size=}")
        part = Page(start=(page - 1) * page_size, limit=page_size, number=page, with_count=True)
        entries, total = await self._list(replace(await self._query(**asked), page=part))
        return EntryPage(entries, total or 0, page, page_size)

    async def find_one(
        self, entry_id: int, *, fields: str | Sequence[str] | None = None, populate: Populate | None = None
    ) -> Entry | None:
        """Return the entry with this id, in any locale and state, or None."""
        query = await self._query(fields=fields, populate=populate)
        entry = await self._reads.find_any(self._prepare(query, By.ID, Drafts.ANY).bind(id=entry_id))
        return None if entry is None else self._entry(entry)

    async def count(self, **chosen: Unpack[Choice]) -> int:
        """Return the number of matching entries."""
        return await self._reads.count(self._prepare(await self._query(**chosen), By.COUNT, Drafts.ASKED))

    async def unique_slug(self, attribute: str, text: str, *, but: int | None = None) -> str:
        """Return a slug of the text that no other entry has in this attribute, in any locale.

        If needed, a number is added. `but` is the id of an entry that can have the slug. If the text has no words, the
        slug is the name of the content type.
        """
        wanted = slug(text, "-").lower() or self._type.singular_name
        others = {} if but is None else {"id": {"$ne": but}}
        candidates = [wanted]
        while True:
            filters = {attribute: {"$in": candidates}, **others}
            entries = await self.find_many(filters=filters, fields=[attribute], locale="all")
            taken = {entry[attribute] for entry in entries}
            free = next((candidate for candidate in candidates if candidate not in taken), None)
            if free is not None:
                return free
            first = 1 if candidates == [wanted] else int(candidates[-1].rpartition("-")[2]) + 1
            candidates = [f"{wanted}-{number}" for number in range(first, first + _SLUGS_AT_ONCE)]

    async def load(self, entries: Mapping[str, Any] | Iterable[Mapping[str, Any]], populate: Populate) -> None:
        """Populate entries that were already read, with one statement, and store the result in them.

        Entries that were deleted in the meantime stay unchanged.
        """
        known = [entries] if isinstance(entries, Mapping) else list(entries)
        by_id = {int(entry["id"]): cast("dict[str, Any]", entry) for entry in known}
        ids = list(by_id)
        for at in range(0, len(ids), _IN_ONE_READ):
            chosen = {"id": {"$in": ids[at : at + _IN_ONE_READ]}}
            for found in await self.find_many(filters=chosen, fields=["id"], populate=populate, locale="all"):
                by_id[found.id].update((name, value) for name, value in found.items() if name != "id")

    async def _list(self, query: Query) -> tuple[list[Entry], int | None]:
        answer, total = await self._reads.find(self._prepare(query, By.LIST, Drafts.ASKED))
        return [Entry(self._type.uid, item) for item in orjson.loads(answer)], total

    async def _ids(self, chosen: Choice) -> list[int]:
        """Return the ids of all matching entries."""
        return [entry.id for entry in await self.find_many(fields=["id"], sort="id", **chosen)]

    def _prepare(self, query: Query, by: By, drafts: Drafts) -> PreparedRead:
        request = ReadRequest(content_type=self._type, query=query, by=by, projection=Form.FLAT, drafts=drafts)
        return self._reads.prepare(request, CODE)

    async def _query(self, **asked: Unpack[Asked]) -> Query:
        given = {_PARAMETERS.get(key, key): plain(value) for key, value in asked.items() if value is not None}
        query = read_query({"publicationState": "preview", **given})
        if query.locales is None and self._type.localized:
            query = replace(query, locales=(await self._controller.locales.default(),))
        return query

    def _entry(self, answer: bytes) -> Entry:
        return Entry(self._type.uid, cast("dict[str, Any]", orjson.loads(answer)))
