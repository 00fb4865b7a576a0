"""Convert results of project code for fields of generated types: entries, or their ids.

Only the ids are used. The selected data is read like any other field, in one statement, with the caller's permissions:
attributes that code has loaded are never returned directly.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from graphql import (
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLResolveInfo,
    get_named_type,
)

from octavo.api.graphql.document.collect_fields import Selected
from octavo.api.graphql.execution.entry_loader import entry_answer, read_entries, read_page
from octavo.api.graphql.execution.root_resolvers import RootResolvers
from octavo.api.graphql.schema.field_metadata import TypeRole, metadata_of_type
from octavo.core.values import dataclass
from octavo.project import Entry, EntryPage
from octavo.schema.content_types import ContentType

_LISTS: Final = frozenset({TypeRole.COLLECTION, TypeRole.RELATION_COLLECTION})
_ENTRIES: Final = frozenset({TypeRole.RESPONSE, TypeRole.ENTITY, TypeRole.ATTRIBUTES})


def is_entry(value: Any) -> bool:
    """Return whether a value is an Entry, an EntryPage or a list of entries."""
    if isinstance(value, list) and value:
        return isinstance(value[0], Entry)
    return isinstance(value, Entry | EntryPage)


@dataclass(frozen=True, slots=True)
class Returned:
    """Converts results of code for one caller. `tree` parses data that was read."""

    roots: RootResolvers
    tree: Callable[[bytes], Any]

    async def resolve_entries(self, value: Any, info: GraphQLResolveInfo) -> Any:
        """Return a value in the form of the schema. Raises TypeError if that is not possible."""
        kind = get_named_type(info.return_type)
        metadata = metadata_of_type(kind)
        if metadata is None or not isinstance(kind, GraphQLObjectType):
            return value
        content_type = metadata.definition
        selected = Selected(str(info.path.key), info.field_name, tuple(info.field_nodes))
        if not isinstance(content_type, ContentType) or metadata.role not in _LISTS | _ENTRIES:
            return Own(value) if isinstance(value, Mapping) else value
        if metadata.role in _LISTS:
            return await self._page(content_type, kind, selected, _page(value, self.roots.limits.default))
        if _is_list(info.return_type):
            return await self._list(content_type, kind, selected, metadata.role, value)
        if value is None and metadata.role is not TypeRole.RESPONSE:
            return None
        entries = await self._list(content_type, kind, selected, metadata.role, [value])
        return entries[0] if entries else None

    async def _page(
        self, content_type: ContentType, kind: GraphQLObjectType, selected: Selected, page: EntryPage[Any]
    ) -> Any:
        ids = [_id_of(item, content_type) for item in page.entries]
        return await read_page(self.roots, content_type, kind, selected, ids, page, self.tree)

    async def _list(
        self, content_type: ContentType, kind: GraphQLObjectType, selected: Selected, role: TypeRole, values: Any
    ) -> list[Any]:
        ids = [0 if value is None else _id_of(value, content_type) for value in values or ()]
        if role is TypeRole.RESPONSE:
            return [self.tree(await self.roots.entry(content_type.uid, kind, selected, one)) for one in ids]
        answer = entry_answer(self.roots, kind, role, selected)
        return await read_entries(self.roots, content_type, answer, ids, self.tree)


class Own(dict[str, Any]):
    """A result of code for a generated type without entries. Its keys are field names, not response keys."""


def _is_list(kind: GraphQLOutputType) -> bool:
    return isinstance(kind.of_type if isinstance(kind, GraphQLNonNull) else kind, GraphQLList)


def _page(value: Any, size: int) -> EntryPage[Any]:
    if isinstance(value, EntryPage):
        return value
    entries = [] if value is None else value
    if isinstance(entries, str | Mapping) or not isinstance(entries, Sequence):
        raise TypeError(f"expected a list of entries, not {type(value).__name__}")
    return EntryPage(entries, len(entries), page_size=max(len(entries), size))


def _id_of(value: Any, content_type: ContentType) -> int:
    """Return the id of an entry, or of a value that represents one."""
    if isinstance(value, Entry) and value.uid != content_type.uid:
        raise TypeError(f"expected an entry of {content_type.uid}, not of {value.uid}")
    entry_id = value.get("id") if isinstance(value, Mapping) else value
    if isinstance(entry_id, bool) or not (
        isinstance(entry_id, int) or (isinstance(entry_id, str) and entry_id.isdecimal())
    ):
        raise TypeError(f"expected an entry of {content_type.uid} or its ID, not {type(value).__name__}")
    return int(entry_id)
