"""What may be asked, written and seen of a content-type by who sent a request, for code that does it itself.

Code is told of no conditions. So those of administrators' rights narrow the query that it is given and what it shows;
fields, and relations to types, that they hold for in part are not there.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import orjson

from octavo.authorization.ability import CREATE, UPDATE, Ability, reads_always
from octavo.authorization.input_sanitizer import InputSanitizer
from octavo.authorization.output_sanitizer import OutputSanitizer
from octavo.authorization.unconditional import scope_params, unconditional
from octavo.controllers.content import ContentController
from octavo.project.api.query_pruning import QueryPruner
from octavo.project.api.requests import Request
from octavo.project.results import EntryPage
from octavo.query.answer import Object, Plain
from octavo.query.ast import And, At, Compare, Page, Query
from octavo.query.operators import OPERATORS
from octavo.query.params import PageLimits, read_page
from octavo.query.request import Drafts, ReadRequest
from octavo.rest.data_envelope import pagination
from octavo.rest.entry_form import entry_form
from octavo.schema.automatic import TIMESTAMPS
from octavo.schema.content_types import ContentType
from octavo.schema.scalar_types import SCALAR_TYPES
from octavo.values import dataclass

_ID: Final = Object((("id", Plain(None)),))
_SEARCH: Final = "_q"
_NEVER_WRITTEN: Final = frozenset(("id", *TIMESTAMPS))


@dataclass(frozen=True, slots=True)
class ContentRules:
    """The rules of one content-type."""

    controller: ContentController
    content_type: ContentType
    limits: PageLimits

    def validate_query(self, request: Request) -> None:
        """Raise InvalidParameter, ValidationError for what the actor may not ask."""
        self._pruner(request).check(request.query, self.content_type)

    def sanitize_query(self, request: Request) -> dict[str, Any]:
        """The query of a request, less what the actor may not ask, and of the entries alone that they may find."""
        pruned = self._pruner(request).prune(request.query, self.content_type)
        ability = request.actor.ability
        if not ability.limits_fields or ability.everything:
            return pruned
        searched = self._searched(pruned.pop(_SEARCH, None), ability)
        narrowing = [scope_params(ability, self.content_type.uid), searched, pruned.get("filters")]
        known = [one for one in narrowing if one]
        return {**pruned, "filters": {"$and": known}} if known else pruned

    def _searched(self, text: Any, ability: Ability) -> dict[str, Any] | None:
        """The filter that stands for a search: in texts that the actor may read in whichever entry."""
        if text is None:
            return None
        uid, texts = self.content_type.uid, (one for one in self.content_type.scalars if not one.private)
        found = [
            one.name for one in texts if SCALAR_TYPES[one.type].searchable and reads_always(ability, uid, one.name)
        ]
        return {"$or": [{name: {"$containsi": text}} for name in found]} if found else {"id": {"$in": []}}

    def sanitize_input(self, data: Any, request: Request) -> Any:
        """Data, less what the actor may not write."""
        action = CREATE if request.method == "POST" else UPDATE
        sanitizer = InputSanitizer(
            self.controller.registry, request.actor.ability, action, find_files=self.controller.writer.rules.find_files
        )
        written = sanitizer.sanitize(data, self.content_type)
        if not isinstance(written, Mapping):
            return written
        return {name: value for name, value in written.items() if name not in _NEVER_WRITTEN}

    async def sanitize_output(self, value: Any, request: Request) -> Any:
        """An entry, several, or a page, less what the actor may not see; None for an entry that is not theirs."""
        ability = request.actor.ability
        sanitizer = OutputSanitizer(self.controller.registry, unconditional(ability))
        found = await self._in_scope(_ids(value), ability)
        return self._sanitized(value, sanitizer, found)

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
        return sanitizer.sanitize(value, self.content_type) if is_theirs else None

    async def _in_scope(self, ids: Collection[int], ability: Ability) -> Collection[int] | None:
        """Of some entries those that the actor may find; None where that is all there are."""
        scope = ability.scope(self.content_type.uid)
        if scope is None or not ids:
            return ids if scope is not None else None
        known = At(attribute="id", filter=Compare(operator=OPERATORS["$in"], values=tuple(ids)))
        query = Query(filters=And(items=(known, scope)), page=Page(with_count=False))
        request = ReadRequest(content_type=self.content_type, query=query, projection=_ID, drafts=Drafts.ANY)
        reads = self.controller.reads
        found = orjson.loads((await reads.find(reads.prepare(request, None)))[0])
        return frozenset(one["id"] for one in found)

    def transform(self, value: Any, meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer that REST gives: entries in `data`, as `id` and `attributes`, and `meta`."""
        if isinstance(value, EntryPage):
            return self.transform(value.entries, {"pagination": _pagination(value), **(meta or {})})
        return {"data": self._formed(value), "meta": dict(meta or {})}

    def page(self, found: EntryPage[Any], request: Request) -> dict[str, Any]:
        """What a core action answers for a page, counted as the request counts."""
        asked = read_page(request.query, self.limits)
        total = found.total if asked.with_count else None
        return self.transform(found.entries, {"pagination": pagination(asked, total)})

    def _formed(self, value: Any) -> Any:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [self._formed(item) for item in value]
        return entry_form(value, self.content_type, self.controller.registry) if isinstance(value, Mapping) else value

    def _pruner(self, request: Request) -> QueryPruner:
        split = request.raw.options.split_fields
        return QueryPruner(self.controller, unconditional(request.actor.ability), split_fields=split)


def _ids(value: Any) -> frozenset[int]:
    """The ids of entries as code has them."""
    if isinstance(value, EntryPage):
        return _ids(value.entries)
    if isinstance(value, Mapping):
        known = value.get("id")
        return frozenset([known] if isinstance(known, int) else [])
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return frozenset(found for item in value for found in _ids(item)) if is_list else frozenset()


def _pagination(page: EntryPage[Any]) -> dict[str, int]:
    count = page.page_count if page.page_size else 0
    return {"page": page.page, "pageSize": page.page_size, "pageCount": count, "total": page.total}
