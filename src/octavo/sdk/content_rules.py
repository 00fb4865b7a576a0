"""Validate and sanitize queries, data and results by the caller's permissions, for code that reads and writes itself.

Code does not know the conditions of administrators' permissions. So they are added to the query that it gets and
applied to its results; fields, and relations to types, that are only permitted in part are left out.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import CREATE, UPDATE, Ability, reads_always, scope_params, unconditional
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.access.authorization.loaded_entry_sanitizer import OutputSanitizer
from octavo.api.rest.data_envelope import pagination
from octavo.content.controllers.content import ContentController
from octavo.core.values import dataclass
from octavo.project.results import Entry, EntryPage
from octavo.query.answer import Object, Plain
from octavo.query.ast import ALL_LOCALES, And, At, Compare, Page, Query
from octavo.query.operators import OPERATORS
from octavo.query.params import PageLimits, read_page, read_query
from octavo.query.request import Drafts, Form, ReadRequest
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, TIMESTAMPS, AnyAttribute, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES
from octavo.sdk.answers import page_pagination
from octavo.sdk.query_pruning import QueryPruner
from octavo.sdk.requests import Request

_ID: Final = Object((("id", Plain(None)),))
_SEARCH: Final = "_q"
_STATE: Final = "publicationState"
_NO_METAS: Final[Mapping[int, Any]] = MappingProxyType({})
_NEVER_WRITTEN: Final = frozenset(("id", *TIMESTAMPS))


def entry_form(entry: Mapping[str, Any], content_type: ContentType, registry: Registry) -> dict[str, Any]:
    """Return an entry with its populated relations. Keys that are not attributes are treated like attributes."""
    attributes = {name: value for name, value in entry.items() if name != "id"}
    return {"id": entry.get("id"), "attributes": _members(attributes, content_type, registry)}


def _members(entry: Mapping[str, Any], definition: Definition, registry: Registry) -> dict[str, Any]:
    formed = {}
    for name, value in entry.items():
        attribute = definition.attributes.get(name)
        is_value = attribute is None or isinstance(attribute, Scalar)
        formed[name] = value if attribute is None or is_value else _target(value, attribute, registry)
    return formed


def _target(value: Any, attribute: AnyAttribute, registry: Registry) -> Any:
    target = registry.target(attribute)
    if isinstance(attribute, Relation | Media) and isinstance(target, ContentType):
        if isinstance(value, list | tuple):
            return {"data": [entry_form(item, target, registry) for item in value]}
        return {"data": entry_form(value, target, registry) if isinstance(value, Mapping) else None}
    if isinstance(attribute, Relation):  # morph relations are unchanged, as in the reference
        return value
    if isinstance(value, list | tuple):
        return [_component(item, target, registry) for item in value]
    return _component(value, target, registry)


def _component(value: Any, component: Definition | None, registry: Registry) -> Any:
    if not isinstance(value, Mapping):
        return value
    known = component or registry.components.get(value.get("__component", ""))
    return value if known is None else _members(value, known, registry)


@dataclass(frozen=True, slots=True)
class ContentRules:
    """The rules of one content type."""

    controller: ContentController
    content_type: ContentType
    limits: PageLimits

    def validate_query(self, request: Request) -> None:
        """Raise InvalidParameter or ValidationError for a query that the caller is not allowed to make."""
        self._pruner(request).check(request.query, self.content_type)

    def sanitize_query(self, request: Request) -> dict[str, Any]:
        """Return a request's query without what the caller is not allowed to use, limited to entries that they can
        find."""
        pruned = self._pruner(request).prune(request.query, self.content_type)
        ability = request.actor.ability
        if not ability.limits_fields or ability.everything:
            return pruned
        searched = self._searched(pruned.pop(_SEARCH, None), ability)
        narrowing = [scope_params(ability, self.content_type.uid), searched, pruned.get("filters")]
        known = [one for one in narrowing if one]
        return {**pruned, "filters": {"$and": known}} if known else pruned

    def _searched(self, text: Any, ability: Ability) -> dict[str, Any] | None:
        """Return the filter for a search, in texts that the caller can read in every entry."""
        if text is None:
            return None
        uid, texts = self.content_type.uid, (one for one in self.content_type.scalars if not one.private)
        names = [
            one.name for one in texts if SCALAR_TYPES[one.type].searchable and reads_always(ability, uid, one.name)
        ]
        return {"$or": [{name: {"$containsi": text}} for name in names]} if names else {"id": {"$in": []}}

    def sanitize_input(self, data: Any, request: Request) -> Any:
        """Return data without the attributes that the caller is not allowed to write."""
        action = CREATE if request.method == "POST" else UPDATE
        sanitizer = InputSanitizer(
            self.controller.registry, request.actor.ability, action, find_files=self.controller.writer.rules.find_files
        )
        written = sanitizer.sanitize(data, self.content_type)
        if not isinstance(written, Mapping):
            return written
        return {name: value for name, value in written.items() if name not in _NEVER_WRITTEN}

    async def sanitize_output(self, value: Any, request: Request) -> Any:
        """Return an entry, several, or a page without what the caller is not allowed to see; None for a hidden
        entry."""
        ability = request.actor.ability
        sanitizer = OutputSanitizer(self.controller.registry, unconditional(ability))
        visible = await self._in_scope(_ids(value), ability)
        return self._sanitized(value, sanitizer, visible)

    def _sanitized(self, value: Any, sanitizer: OutputSanitizer, found: Collection[int] | None) -> Any:
        if isinstance(value, EntryPage):
            entries = self._sanitized(value.entries, sanitizer, found)
            return EntryPage(entries, value.total, value.page, value.page_size)
        if isinstance(value, Sequence) and not isinstance(value, str):
            items = (self._sanitized(item, sanitizer, found) for item in value)
            return [item for item in items if item is not None]
        if not isinstance(value, Mapping):
            return value
        is_theirs = found is None or value.get("id") in found
        if not is_theirs:
            return None
        shown = sanitizer.sanitize(value, self.content_type)
        return Entry(value.uid, shown, value.meta) if isinstance(value, Entry) and shown is not None else shown

    async def _in_scope(self, ids: Collection[int], ability: Ability) -> Collection[int] | None:
        """Return those of some entries that the caller can find; None if these are all of them."""
        scope = ability.scope(self.content_type.uid)
        if scope is None or not ids:
            return ids if scope is not None else None
        known = At(attribute="id", filter=Compare(operator=OPERATORS["$in"], values=tuple(ids)))
        query = Query(filters=And(items=(known, scope)), page=Page(with_count=False))
        request = ReadRequest(content_type=self.content_type, query=query, projection=_ID, drafts=Drafts.ANY)
        reads = self.controller.reads
        found = orjson.loads((await reads.find(reads.prepare(request, None)))[0])
        return frozenset(one["id"] for one in found)

    def transform(
        self, value: Any, meta: Mapping[str, Any] | None = None, metas: Mapping[int, Any] = _NO_METAS
    ) -> dict[str, Any]:
        """Return entries in the form of the REST API: in `data`, with `id`, `attributes` and `meta`, and `meta`.

        `metas` are those of entries, by id.
        """
        if isinstance(value, EntryPage):
            return self.transform(value.entries, {"pagination": page_pagination(value), **(meta or {})}, metas)
        return {"data": self._formed(value, metas), "meta": dict(meta or {})}

    async def page(self, found: EntryPage[Any], request: Request) -> dict[str, Any]:
        """Return a page in the form of a core action, with pagination in the units of the request."""
        asked = read_page(request.query, self.limits)
        total = found.total if asked.with_count else None
        metas = await self.metas(found, request)
        return self.transform(found.entries, {"pagination": pagination(asked, total)}, metas)

    async def metas(self, value: Any, request: Request) -> Mapping[int, Any]:
        """Return `meta` of entries by id: the other locales of each, in the requested publication state.

        Takes one read, if entries of a localized type were read without it.
        """
        ids = _ids(value, without_meta=True)
        if not self.content_type.localized or not ids:
            return _NO_METAS
        known = At(attribute="id", filter=Compare(operator=OPERATORS["$in"], values=tuple(ids)))
        state = read_query({_STATE: request.query[_STATE]} if _STATE in request.query else {}).publication_state
        query = Query(
            filters=known,
            fields=("id",),
            page=Page(with_count=False),
            publication_state=state,
            locales=(ALL_LOCALES,),
        )
        read = ReadRequest(content_type=self.content_type, query=query, projection=Form.REST, drafts=Drafts.ANY)
        reads = self.controller.reads
        metas = orjson.loads((await reads.find(reads.prepare(read, None)))[0])
        return {one["id"]: one["meta"] for one in metas}

    def _formed(self, value: Any, metas: Mapping[int, Any]) -> Any:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [self._formed(item, metas) for item in value]
        if not isinstance(value, Mapping):
            return value
        formed = entry_form(value, self.content_type, self.controller.registry)
        entry_id = value.get("id")
        known = value.meta if isinstance(value, Entry) else None
        if known is None and isinstance(entry_id, int):
            known = metas.get(entry_id)
        return {**formed, "meta": self._own_meta(value) if known is None else known}

    def _own_meta(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return `meta` of an entry, as far as the entry contains it."""
        if not self.content_type.localized:
            return {}
        others = entry.get(LOCALIZATIONS)
        if not isinstance(others, Sequence):
            return {}
        return {"availableLocales": [one[LOCALE] for one in others if isinstance(one, Mapping) and LOCALE in one]}

    def _pruner(self, request: Request) -> QueryPruner:
        split = request.raw.options.split_fields
        return QueryPruner(self.controller, unconditional(request.actor.ability), split_fields=split)


def _ids(value: Any, *, without_meta: bool = False) -> frozenset[int]:
    """Return the ids of entries; with `without_meta`, of those whose `meta` is not known."""
    if isinstance(value, EntryPage):
        return _ids(value.entries, without_meta=without_meta)
    if without_meta and isinstance(value, Entry) and value.meta is not None:
        return frozenset()
    if isinstance(value, Mapping):
        known = value.get("id")
        return frozenset([known] if isinstance(known, int) else [])
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return (
        frozenset(entry_id for item in value for entry_id in _ids(item, without_meta=without_meta))
        if is_list
        else frozenset()
    )
