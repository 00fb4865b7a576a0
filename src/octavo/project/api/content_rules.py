"""What may be asked, written and seen of a content-type by who sent a request, for code that does it itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from octavo.authorization.ability import CREATE, UPDATE
from octavo.authorization.input_sanitizer import InputSanitizer
from octavo.authorization.output_sanitizer import OutputSanitizer
from octavo.controllers.content import ContentController
from octavo.project.api.query_pruning import QueryPruner
from octavo.project.api.requests import Request
from octavo.project.results import EntryPage
from octavo.query.params import PageLimits, read_page
from octavo.rest.data_envelope import pagination
from octavo.rest.entry_form import entry_form
from octavo.schema.automatic import TIMESTAMPS
from octavo.schema.content_types import ContentType

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
        """The query of a request, less what the actor may not ask."""
        return self._pruner(request).prune(request.query, self.content_type)

    def sanitize_input(self, data: Any, request: Request) -> Any:
        """Data, less what the actor may not write."""
        action = CREATE if request.method == "POST" else UPDATE
        sanitizer = InputSanitizer(self.controller.registry, request.actor.ability, action)
        written = sanitizer.sanitize(data, self.content_type)
        if not isinstance(written, Mapping):
            return written
        return {name: value for name, value in written.items() if name not in _NEVER_WRITTEN}

    def sanitize_output(self, value: Any, request: Request) -> Any:
        """An entry, several, or a page of them, less what the actor may not see."""
        sanitizer = OutputSanitizer(self.controller.registry, request.actor.ability)
        if isinstance(value, EntryPage):
            return EntryPage(self.sanitize_output(value.entries, request), value.total, value.page, value.page_size)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [self.sanitize_output(item, request) for item in value]
        return sanitizer.sanitize(value, self.content_type) if isinstance(value, Mapping) else value

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
        return QueryPruner(self.controller, request.actor.ability, split_fields=split)


def _pagination(page: EntryPage[Any]) -> dict[str, int]:
    count = page.page_count if page.page_size else 0
    return {"page": page.page, "pageSize": page.page_size, "pageCount": count, "total": page.total}
