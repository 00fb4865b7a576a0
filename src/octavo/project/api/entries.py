"""Content for a project's code, which is trusted: no permissions are asked; the content's own rules hold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import orjson

from octavo.authorization.actor import SYSTEM
from octavo.authorization.permissions import EVERYTHING
from octavo.content.reader import PreparedRead
from octavo.controllers.content import ContentController
from octavo.controllers.writing import Write
from octavo.project import Entry
from octavo.query.ast import Page, Query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.rest.params import read_query
from octavo.schema.content_types import ContentType

_PARAMETERS: Final = {"publication_state": "publicationState", "search": "_q"}
Data = Mapping[str, Any]
Populate = str | Sequence[str] | Mapping[str, Any]


class Entries:
    """The entries of one content-type. Filters, sort, fields and populate are those of the REST API, as dictionaries.

    Entries are dictionaries of their attributes; what is populated stands in them the same way. All methods raise
    ValidationError and its kin, with the exact place.
    """

    def __init__(self, controller: ContentController, content_type: ContentType) -> None:
        self._controller = controller
        self._reads = controller.reads
        self._writes = controller.writes
        self._type = content_type

    async def find_many(
        self,
        *,
        filters: Data | None = None,
        sort: str | Sequence[str] | None = None,
        fields: Sequence[str] | None = None,
        populate: Populate | None = None,
        start: int = 0,
        limit: int | None = None,
        publication_state: str = "preview",
        locale: str | None = None,
        search: str | None = None,
    ) -> list[Entry]:
        """Entries in order. Drafts too, unless `publication_state` is `live`; of the default locale, unless said."""
        asked = {"filters": filters, "sort": sort, "fields": fields, "populate": populate, "locale": locale}
        query = await self._query({**asked, "publication_state": publication_state, "search": search})
        page = Page(start=start, limit=limit, with_count=False)
        prepared = self._prepare(replace(query, page=page), By.LIST, Drafts.ASKED)
        return [Entry(self._type.uid, item) for item in orjson.loads((await self._reads.find(prepared))[0])]

    async def find_first(self, **asked: Any) -> Entry | None:
        """The first entry that `find_many` would answer, or None."""
        found = await self.find_many(**{**asked, "limit": 1})
        return found[0] if found else None

    async def find_one(
        self, entry_id: int, *, fields: Sequence[str] | None = None, populate: Populate | None = None
    ) -> Entry | None:
        """The entry with that id, or None."""
        query = await self._query({"fields": fields, "populate": populate})
        found = await self._reads.find_any(self._prepare(query, By.ID, Drafts.ANY).bind(id=entry_id))
        return None if found is None else self._entry(found)

    async def count(
        self, *, filters: Data | None = None, publication_state: str = "preview", locale: str | None = None
    ) -> int:
        """How many entries there are."""
        query = await self._query({"filters": filters, "publication_state": publication_state, "locale": locale})
        return await self._reads.count(self._prepare(query, By.COUNT, Drafts.ASKED))

    async def create(self, data: Data, *, populate: Populate | None = None) -> Entry:
        """A new entry, a draft unless the data has `publishedAt`."""
        answer = self._prepare(await self._query({"populate": populate}), By.ID, Drafts.ANY)
        return self._entry(await self._writes.create(self._type, Write(data), answer, SYSTEM, draft=True))

    async def update(self, entry_id: int, data: Data, *, populate: Populate | None = None) -> Entry:
        """A changed entry. Raises NotFoundError."""
        answer = self._prepare(await self._query({"populate": populate}), By.ID, Drafts.ANY)
        return self._entry(await self._writes.update(self._type, entry_id, Write(data), answer, SYSTEM))

    async def delete(self, entry_id: int) -> Entry:
        """Remove an entry; it is answered as it was. Raises NotFoundError."""
        answer = self._prepare(Query(), By.ID, Drafts.ANY)
        return self._entry(await self._writes.delete(self._type, entry_id, answer, SYSTEM))

    def _prepare(self, query: Query, by: By, drafts: Drafts) -> PreparedRead:
        request = ReadRequest(content_type=self._type, query=query, by=by, projection=Form.FLAT, drafts=drafts)
        return self._reads.prepare(request, EVERYTHING)

    async def _query(self, asked: Mapping[str, Any]) -> Query:
        given = {_PARAMETERS.get(key, key): _plain(value) for key, value in asked.items() if value is not None}
        query = read_query(given)
        if query.locales is None and self._type.localized:
            query = replace(query, locales=(await self._controller.locales.default(),))
        return query

    def _entry(self, answer: bytes) -> Entry:
        return Entry(self._type.uid, cast("dict[str, Any]", orjson.loads(answer)))


def _plain(value: Any) -> Any:
    """Sequences as lists: what a query string gives."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
