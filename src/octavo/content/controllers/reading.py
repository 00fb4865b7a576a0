"""Reads for all APIs: a request is prepared once per ability and can run many times.

Callers can cache prepared reads by request text, content type and the `key` of the actor's ability.
"""

from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

from octavo.access.authorization.ability import FIND, Ability, PublishedOnly
from octavo.access.authorization.permissions import EVERYTHING
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.access.authorization.strictness import Strictness
from octavo.content.controllers.deep_populate import deep_levels, deep_populate
from octavo.content.controllers.hooked_reads import HookedRead, HookedReads
from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.errors import NotFoundError
from octavo.events.hooks import Hooks
from octavo.query.ast import ALL_LOCALES, And, PublicationState, Query
from octavo.query.cursors import opened
from octavo.query.plan.index_candidates import IndexableRead, indexable_read
from octavo.query.plan.planning import ReadLimits
from octavo.query.plan.read import Planned, plan_read
from octavo.query.populate import merge
from octavo.query.read_cost import check_cost
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry

_MOST_CALLERS = 1024
_ASSUMED_PAGE = 100
"""The assumed size of a list without a limit."""
_PRUNED_MOSTLY = 10
"""The factor by which `populate=deep` can exceed the limit of joins before permissions remove some of them."""


class ContentReads:
    """Prepares and runs reads.

    `drafts_by_id`, `wraps_morphs` and `hides_future` are the compatibility rules `draftsById`, `morphRelations` and
    `futurePublication`. `populate_deep` is the number of levels for `populate=deep`; 0 disables it.
    """

    def __init__(
        self,
        registry: Registry,
        reader: EntryReader,
        strictness: Strictness,
        *,
        drafts_by_id: bool = True,
        wraps_morphs: bool = False,
        hides_future: bool = False,
        populate_deep: int = 0,
        hooks: Hooks | None = None,
    ) -> None:
        self.registry = registry
        self.hooked = HookedReads(registry, Hooks() if hooks is None else hooks, self._prepare_with)
        self._reader = reader
        self._strictness = strictness
        self._drafts_by_id = drafts_by_id
        self._wraps_morphs = wraps_morphs
        self._hides_future = hides_future
        self._populate_deep = populate_deep
        self.check_size: Callable[[int], None] = reader.check_size
        """Raises ValidationError if the combined result of several reads is too large."""
        self._published_only = lru_cache(_MOST_CALLERS)(self._without_drafts)

    # Preparing reads

    def prepare(self, request: ReadRequest, ability: Ability | None) -> PreparedRead:
        """Prepare a request for this ability. A read by id must be bound to an `id` before it runs.

        Without an ability the request is internal and not sanitized. Raises InvalidParameter for names without
        permission and ValidationError for invalid values.
        """
        return self.hooked.join(self._reader.prepare_again(lambda: self._plan(request, ability)), request, ability)

    def _prepare_with(self, request: ReadRequest, ability: Ability, more: Query) -> PreparedRead:
        """Prepare a request with filters and populates added by a project's code.

        The filters can use fields that the caller cannot read; populates are sanitized for the caller.
        """
        content_type = request.content_type
        filters = self.sanitize(replace(more, populate=(), populate_all=False), content_type, EVERYTHING).filters
        populate = self.sanitize(replace(more, filters=None), content_type, ability)
        return self._reader.prepare_again(lambda: self._plan(request, ability, replace(populate, filters=filters)))

    def _plan(self, request: ReadRequest, ability: Ability | None, more: Query | None = None) -> Planned:
        query = _counted(request.query) if request.by is By.COUNT else request.query
        if query.page is not None and query.page.after is not None:
            page = opened(query.page, request.content_type.uid, request.query, request.locale)
            query = replace(query, page=page)
        levels = deep_levels(request.given, self._populate_deep) if self._populate_deep else None
        if levels is not None and isinstance(request.content_type, ContentType):
            most = _PRUNED_MOSTLY * self._reader.limits.joins
            query = replace(query, populate=deep_populate(self.registry, request.content_type, levels, most))
        if isinstance(request.projection, Form):
            self._check_cost(query, request, ability, is_deep=levels is not None)
        if ability is not None and isinstance(request.projection, Form):
            query = self._sanitizer(ability, request.given).sanitize(query, request.content_type)
        if request.by is By.ID:
            query = replace(query, filters=None, sort=(), page=None, locales=None, locale_filter=None, search=None)
        elif query.locales is None and request.locale is not None:
            query = replace(query, locales=(request.locale,))
        query = query if more is None else _with(query, more)
        query = replace(query, publication_state=self._state(request, query, ability))
        shows_drafts = ability is None or self._shows_all_drafts(ability) or request.drafts is Drafts.SHOWN
        access = ability if ability is None or shows_drafts else self._published_only(ability)
        request = replace(request, query=query, wraps_morphs=self._wraps_morphs)
        joins = self._reader.limits.joins
        planned = plan_read(request, self.registry, access, joins, hides_future=self._hides_future)
        if ability is None or not self._reader.withholds_private or ability.reads_private_files:
            return planned
        return replace(planned, plan=replace(planned.plan, withholds_private=True))

    def _check_cost(self, query: Query, request: ReadRequest, ability: Ability | None, *, is_deep: bool) -> None:
        """Raise ValidationError if a read is too expensive, before names are resolved.

        `populate=deep` follows all relations, and most are short. So its entries are not estimated, but limited when
        they are read.
        """
        is_list = request.by is By.LIST
        limit = query.page.limit if is_list and query.page is not None else None
        entries = 0 if is_deep else (limit or _ASSUMED_PAGE) if is_list else 1
        finds = partial(ability.may, FIND) if ability is not None else _finds_all
        check_cost(query, request.content_type, self.registry, self.limits.cost, entries=entries, finds=finds)

    @property
    def limits(self) -> ReadLimits:
        """The limits of every read."""
        return self._reader.limits

    def sanitize(
        self, query: Query, definition: Definition, ability: Ability, place: FieldPlace | None = None
    ) -> Query:
        """Return a Query without what the ability does not allow. Raises InvalidParameter.

        `place` is the path of a component's fields, for abilities that limit fields.
        """
        return self._sanitizer(ability).sanitize(query, definition, place)

    def _sanitizer(self, ability: Ability, given: Mapping[str, Any] = MappingProxyType({})) -> QuerySanitizer:
        return QuerySanitizer(self.registry, ability, self._strictness, self._reader.unlisted.of, given)

    def _state(self, request: ReadRequest, query: Query, ability: Ability | None) -> PublicationState | None:
        """Return the publication state to filter by. Drafts hidden from the caller are never included."""
        by_id = request.drafts is Drafts.BY_ID and request.by is By.ID
        if request.drafts is not Drafts.ANY and not by_id and query.publication_state is PublicationState.LIVE:
            return PublicationState.LIVE
        if request.drafts in (Drafts.ANY, Drafts.SHOWN):
            return None
        if ability is not None and not self.can_read_drafts(request.content_type.uid, ability):
            return PublicationState.LIVE
        if request.drafts is Drafts.BY_ID and self._drafts_by_id:
            return None
        return query.publication_state or PublicationState.LIVE

    def can_read_drafts(self, uid: str, ability: Ability) -> bool:
        """Return whether an ability can read drafts of a content type."""
        return self._shows_all_drafts(ability) or ability.shows_drafts(uid)

    def _shows_all_drafts(self, ability: Ability) -> bool:
        """Return whether the rule `draftsById` shows the drafts of all content types."""
        return self._drafts_by_id and not ability.limits_drafts

    def is_hooked(self, uid: str) -> bool:
        """Return whether a project's code has hooks for reads of a content type."""
        return self.hooked.are_for(uid)

    def _without_drafts(self, ability: Ability) -> PublishedOnly:
        """Return the ability without drafts it cannot read."""
        with_drafts = (uid for uid, item in self.registry.content_types.items() if item.draft_and_publish)
        return PublishedOnly(ability, frozenset(uid for uid in with_drafts if not ability.shows_drafts(uid)))

    # Running reads

    def find(self, prepared: PreparedRead) -> Coroutine[Any, Any, tuple[bytes, int | None]]:
        """Return a page as a JSON array, and the total if requested. Raises ValidationError if it is too large."""
        return (
            self._find_many_hooked(prepared) if isinstance(prepared, HookedRead) else self._reader.read_list(prepared)
        )

    async def _find_many_hooked(self, prepared: HookedRead) -> tuple[bytes, int | None]:
        read, event = await self.hooked.before(prepared)
        entries, total = await self._reader.read_list(read)
        return await self.hooked.after_many(prepared, event, entries), total

    async def find_behind(self, prepared: PreparedRead) -> tuple[bytes, int | None, str | None]:
        """Return a page as `find` does, and the cursor for the next page; None on the last one."""
        if not isinstance(prepared, HookedRead):
            return await self._reader.read_behind(prepared)
        read, event = await self.hooked.before(prepared)
        entries, total, cursor = await self._reader.read_behind(read)
        return await self.hooked.after_many(prepared, event, entries), total, cursor

    async def count(self, prepared: PreparedRead) -> int:
        """Return the number of entries for a count request."""
        read = (await self.hooked.before(prepared))[0] if isinstance(prepared, HookedRead) else prepared
        return (await self._reader.read_list(read))[1] or 0

    async def find_one(self, prepared: PreparedRead) -> bytes:
        """Return an entry as JSON. Raises NotFoundError, and ValidationError if it is too large."""
        entry = await self.find_any(prepared)
        if entry is None:
            raise NotFoundError
        return entry

    def find_any(self, prepared: PreparedRead) -> Coroutine[Any, Any, bytes | None]:
        """Return an entry as JSON, or None if not found. Raises ValidationError if it is too large."""
        return self._find_one_hooked(prepared) if isinstance(prepared, HookedRead) else self._reader.read_one(prepared)

    async def _find_one_hooked(self, prepared: HookedRead) -> bytes | None:
        read, event = await self.hooked.before(prepared)
        return await self.hooked.after_one(prepared, event, await self._reader.read_one(read))

    async def single_id(self, content_type: ContentType, query: Query, locale: str, drafts: Drafts) -> int | None:
        """Return the id of a single type's entry in the query's locale; `locale` is the default."""
        asked = Query(
            locales=query.locales or None,
            locale_filter=query.locale_filter,
            publication_state=query.publication_state,
        )
        prepared = self.prepare(
            ReadRequest(
                content_type=content_type, query=asked, by=By.SINGLE, projection=Form.ID, drafts=drafts, locale=locale
            ),
            None,
        )
        entry = await self._reader.read_one(prepared)
        return None if entry is None else int(entry.strip(b'"'))

    async def any_single_id(self, content_type: ContentType) -> int | None:
        """Return the id of a single type's entry in any locale and state."""
        return await self.single_id(content_type, Query(), ALL_LOCALES, Drafts.ANY)

    def read_newest(self) -> None:
        """Read from the primary database from now on, because the request depends on the latest writes."""
        self._reader.read_newest()

    def request_share(self) -> AbstractContextManager[None]:
        """Limit the reads started inside to one request's share of the connections."""
        return self._reader.request_share()

    def indexable_read(self, text: str) -> IndexableRead | None:
        """Return what the read with this SQL text filters by; None if unknown."""
        plan = self._reader.plan_of(text)
        return None if plan is None else indexable_read(plan)


def _finds_all(_: str) -> bool:
    return True


def _counted(query: Query) -> Query:
    """Return the parts of a query that affect the number of entries."""
    return Query(
        filters=query.filters,
        search=query.search,
        locales=query.locales,
        locale_filter=query.locale_filter,
        publication_state=query.publication_state,
    )


def _with(query: Query, more: Query) -> Query:
    """Return a query with another one's filters and populates added."""
    return replace(
        query,
        filters=And(items=tuple(one for one in (query.filters, more.filters) if one is not None)),
        populate=merge((*query.populate, *more.populate)),
    )
