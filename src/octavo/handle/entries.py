"""Content for a project's code, which is trusted: no permissions are asked; the content's own rules hold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import orjson

from octavo.access.actors import SYSTEM
from octavo.access.permissions import EVERYTHING
from octavo.controllers import ContentController, Write
from octavo.errors import NotFoundError
from octavo.project import Entry
from octavo.query.ast import Page, Query
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
        prepared = self._controller.prepare_raw_list(self._type, replace(query, page=page), EVERYTHING)
        return [Entry(self._type.uid, item) for item in orjson.loads(await self._controller.find_raw(prepared))]

    async def find_first(self, **asked: Any) -> Entry | None:
        """The first entry that `find_many` would answer, or None."""
        found = await self.find_many(**{**asked, "limit": 1})
        return found[0] if found else None

    async def find_one(
        self, entry_id: int, *, fields: Sequence[str] | None = None, populate: Populate | None = None
    ) -> Entry | None:
        """The entry with that id, or None."""
        query = await self._query({"fields": fields, "populate": populate})
        prepared = self._controller.prepare_raw_one(self._type, query, EVERYTHING)
        try:
            return self._entry(await self._controller.find_one(prepared, entry_id))
        except NotFoundError:
            return None

    async def count(
        self, *, filters: Data | None = None, publication_state: str = "preview", locale: str | None = None
    ) -> int:
        """How many entries there are."""
        query = await self._query({"filters": filters, "publication_state": publication_state, "locale": locale})
        counted = replace(query, fields=("id",), page=Page(limit=0))
        prepared = self._controller.prepare_raw_list(self._type, counted, EVERYTHING)
        return await self._controller.count(prepared)

    async def create(self, data: Data, *, populate: Populate | None = None) -> Entry:
        """A new entry, a draft unless the data has `publishedAt`."""
        answer = self._controller.prepare_raw_one(self._type, await self._query({"populate": populate}), EVERYTHING)
        return self._entry(await self._controller.create(self._type, Write(data), answer, SYSTEM, draft=True))

    async def update(self, entry_id: int, data: Data, *, populate: Populate | None = None) -> Entry:
        """A changed entry. Raises NotFoundError."""
        answer = self._controller.prepare_raw_one(self._type, await self._query({"populate": populate}), EVERYTHING)
        return self._entry(await self._controller.update(self._type, entry_id, Write(data), answer, SYSTEM))

    async def delete(self, entry_id: int) -> Entry:
        """Remove an entry; it is answered as it was. Raises NotFoundError."""
        answer = self._controller.prepare_raw_one(self._type, Query(), EVERYTHING)
        return self._entry(await self._controller.delete(self._type, entry_id, answer))

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
