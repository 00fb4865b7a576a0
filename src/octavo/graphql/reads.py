"""Reads of root fields, made ready: what needs the document is done, and they can be run as often as they are asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import orjson
from graphql import GraphQLObjectType, OperationDefinitionNode, get_named_type

from octavo.access.actors import Actor
from octavo.content.reading import Prepared
from octavo.controllers import ContentController, PreparedList
from octavo.graphql.documents import Document
from octavo.graphql.marks import Marks
from octavo.graphql.meaning import Part, part_of
from octavo.graphql.queries import PageTold, has_all, tell_page
from octavo.graphql.repeated import apart
from octavo.graphql.selection import TYPENAME, Selected, Selections

NULL: Final = b"null"
_COUNTED: Final = frozenset({Part.TOTAL, Part.PAGE_COUNT})
_NO_PAGE: Final = PageTold(1, 1, 0, 0)
MOST: Final = 1_000
"""Operations that are kept ready, over all documents."""
MOST_CHARACTERS: Final = 4_000
"""Variables of a longer text are not likely to come again."""

Pagination = tuple[tuple[bytes, bytes | Part], ...]
Meta = tuple[tuple[bytes, bytes | Pagination], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A wrapper's members by their keys (as `"key":`): constants, `meta`, and None for each `data`."""

    members: tuple[tuple[bytes, bytes | Meta | None], ...]

    def is_counted(self, given: Mapping[str, Any]) -> bool:
        """Whether anything in `meta` needs the total, for these pagination arguments."""
        counting = _COUNTED | {Part.PAGE_SIZE} if has_all(given) else _COUNTED
        metas = (told for _, told in self.members if isinstance(told, tuple))
        paginations = (told for meta in metas for _, told in meta if isinstance(told, tuple))
        return any(part in counting for pagination in paginations for _, part in pagination)

    def fill(self, found: bytes, page: PageTold = _NO_PAGE) -> bytes:
        """The JSON of the wrapper; `found` is what was read for all its `data` together."""
        count = sum(told is None for _, told in self.members)
        entries = iter(apart(found, count) if count else ())
        return b"{%b}" % b",".join(
            key + (next(entries) if told is None else told if isinstance(told, bytes) else _meta(told, page))
            for key, told in self.members
        )


def make_frame(selections: Selections, wrapper: GraphQLObjectType, below: list[Selected]) -> Frame:
    """The frame of what is asked of a wrapper. A field that a project added is null: its code answers."""

    def told(item: Selected) -> bytes | Meta | None:
        part = part_of(wrapper, item.name)
        if part is Part.META:
            return _read_meta(selections, _object(wrapper, item), item)
        return None if part is Part.DATA else _constant(wrapper, item)

    return Frame(tuple((_key(item), told(item)) for item in below))


def _read_meta(selections: Selections, meta: GraphQLObjectType, item: Selected) -> Meta:
    def told(one: Selected) -> bytes | Pagination:
        if part_of(meta, one.name) is not Part.PAGINATION:
            return _constant(meta, one)
        pagination = _object(meta, one)
        parts = selections.of(pagination, one.selection_sets)
        return tuple((_key(part), part_of(pagination, part.name) or _constant(pagination, part)) for part in parts)

    return tuple((_key(one), told(one)) for one in selections.of(meta, item.selection_sets))


def _constant(parent: GraphQLObjectType, item: Selected) -> bytes:
    return f'"{parent.name}"'.encode() if item.name == TYPENAME else NULL


def _key(item: Selected) -> bytes:
    return f'"{item.key}":'.encode()


def _object(parent: GraphQLObjectType, item: Selected) -> GraphQLObjectType:
    found = get_named_type(parent.fields[item.name].type)
    assert isinstance(found, GraphQLObjectType)
    return found


def _meta(meta: Meta, page: PageTold) -> bytes:
    numbers = {
        Part.PAGE: page.number,
        Part.PAGE_SIZE: page.size,
        Part.TOTAL: page.total,
        Part.PAGE_COUNT: page.count,
    }

    def shown(told: bytes | Pagination) -> bytes:
        if isinstance(told, bytes):
            return told
        parts = (key + (part if isinstance(part, bytes) else b"%d" % numbers[part]) for key, part in told)
        return b"{%b}" % b",".join(parts)

    return b"{%b}" % b",".join(key + shown(told) for key, told in meta)


@dataclass(frozen=True, slots=True)
class EntryRead:
    """One entry or none. Without `prepared` nothing of it is asked for."""

    frame: Frame
    prepared: Prepared | None

    async def run(self, controller: ContentController) -> bytes:
        """The JSON of the response."""
        found = None if self.prepared is None else await controller.read_own(self.prepared)
        return self.frame.fill(NULL if found is None else found)


@dataclass(frozen=True, slots=True)
class ListRead:
    """A page of entries. `given` is the pagination argument, which `meta` tells of."""

    frame: Frame
    prepared: PreparedList
    given: Mapping[str, Any]

    async def run(self, controller: ContentController) -> bytes:
        """The JSON of the collection."""
        entries, total = await controller.find(self.prepared)
        return self.frame.fill(entries, tell_page(self.given, self.prepared.page, total or 0))


Read = EntryRead | ListRead


class ReadyOperation(NamedTuple):
    """A query whose root fields are all ready: their keys, and what answers them.

    `locale` is the default one it was made for, None where it does not matter.
    """

    members: tuple[tuple[str, Read | bytes], ...]
    marks: Marks
    locale: str | None


class ReadyOperations:
    """Operations seen before, by document, name, variables and what the caller may do. Gone when the document is."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Document, dict[tuple[Any, ...], ReadyOperation]] = WeakKeyDictionary()
        self._count = 0

    @staticmethod
    def key(operation: OperationDefinitionNode, variables: dict[str, Any], actor: Actor) -> tuple[Any, ...] | None:
        """What an operation is kept by, besides its document; None for one that is not kept."""
        try:
            text = orjson.dumps(variables)
        except TypeError:  # files
            return None
        if len(text) > MOST_CHARACTERS:
            return None
        return (operation.name and operation.name.value, text, actor.kind, actor.permissions.key)

    def get(self, document: Document, key: tuple[Any, ...] | None) -> ReadyOperation | None:
        """The operation, if it is ready."""
        known = self._known.get(document)
        return None if known is None or key is None else known.get(key)

    def keep(self, document: Document, key: tuple[Any, ...] | None, ready: ReadyOperation) -> None:
        """Keep an operation for the next time. When there are too many, all are forgotten."""
        if key is None:
            return
        if self._count >= MOST:
            self._known.clear()
            self._count = 0
        self._known.setdefault(document, {})[key] = ready
        self._count += 1
