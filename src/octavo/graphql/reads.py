"""Reads of root fields, made ready: what needs the document is done, and they can be run as often as they are asked."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from weakref import WeakSet

import orjson
from graphql import GraphQLObjectType, OperationDefinitionNode, OperationType, get_named_type

from octavo.access.actors import Actor
from octavo.content.reading import Prepared
from octavo.controllers import ContentController, PreparedList
from octavo.errors import OctavoError
from octavo.graphql.documents import Document
from octavo.graphql.errors import render
from octavo.graphql.marks import Marks
from octavo.graphql.meaning import Part, part_of
from octavo.graphql.queries import PageTold, has_all, tell_page
from octavo.graphql.repeated import apart
from octavo.graphql.selection import TYPENAME, Selected, Selections

NULL: Final = b"null"
_NUMBERS: Final = {Part.PAGE: "number", Part.PAGE_SIZE: "size", Part.PAGE_COUNT: "pages", Part.TOTAL: "total"}
_NO_PAGE: Final = PageTold(1, 1, 0, 0)
MOST: Final = 1_000
"""Operations that are kept ready, over all documents."""
MOST_CHARACTERS: Final = 4_000
"""Variables of a longer text are not likely to come again."""

Errors = list[dict[str, Any]]
Pieces = list[bytes]
"""JSON in pieces, to be joined once: what was read is long, and each copy of it costs."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The JSON of a wrapper around its `data`, of which there may be several: one text more than there are `data`.

    A `%d` in a text stands for a number of the page, which `numbers` names.
    """

    texts: tuple[bytes, ...]
    numbers: tuple[tuple[str, ...], ...]

    def is_counted(self, given: Mapping[str, Any]) -> bool:
        """Whether anything in `meta` needs the total, for these pagination arguments."""
        counting = {"pages", "total", "size"} if has_all(given) else {"pages", "total"}
        return any(not counting.isdisjoint(names) for names in self.numbers)

    def fill(self, found: bytes, page: PageTold = _NO_PAGE) -> Pieces:
        """The JSON of the wrapper; `found` is what was read for all its `data` together."""
        texts = [
            text % tuple([getattr(page, name) for name in names]) if names else text
            for text, names in zip(self.texts, self.numbers, strict=True)
        ]
        pieces = texts[:1]
        if len(texts) > 1:
            for entries, text in zip(apart(found, len(texts) - 1), texts[1:], strict=True):
                pieces += (entries, text)
        return pieces


def make_frame(selections: Selections, wrapper: GraphQLObjectType, below: list[Selected]) -> Frame:
    """The frame of what is asked of a wrapper. A field that a project added is null: its code answers."""
    texts: list[bytes] = [b"{"]
    numbers: list[list[str]] = [[]]
    for place, item in enumerate(below):
        texts[-1] += b"," * (place > 0) + _key(item)
        part = part_of(wrapper, item.name)
        if part is Part.DATA:
            texts.append(b"")
            numbers.append([])
        elif part is Part.META:
            texts[-1] += _meta(selections, _object(wrapper, item), item, numbers[-1])
        else:
            texts[-1] += _constant(wrapper, item)
    texts[-1] += b"}"
    return Frame(tuple(texts), tuple(map(tuple, numbers)))


def _meta(selections: Selections, meta: GraphQLObjectType, item: Selected, numbers: list[str]) -> bytes:
    """The text of `meta`; the numbers in it are noted."""

    def number(pagination: GraphQLObjectType, one: Selected) -> bytes:
        name = _NUMBERS.get(part_of(pagination, one.name) or Part.META)
        if name is None:
            return _constant(pagination, one)
        numbers.append(name)
        return b"%d"

    def told(one: Selected) -> bytes:
        if part_of(meta, one.name) is not Part.PAGINATION:
            return _constant(meta, one)
        pagination = _object(meta, one)
        below = selections.of(pagination, one.selection_sets)
        return _join(_key(part) + number(pagination, part) for part in below)

    return _join(_key(one) + told(one) for one in selections.of(meta, item.selection_sets))


def _join(members: Iterable[bytes]) -> bytes:
    return b"{%b}" % b",".join(members)


def _constant(parent: GraphQLObjectType, item: Selected) -> bytes:
    return f'"{parent.name}"'.encode() if item.name == TYPENAME else NULL


def _key(item: Selected) -> bytes:
    return f'"{item.key}":'.encode()


def _object(parent: GraphQLObjectType, item: Selected) -> GraphQLObjectType:
    found = get_named_type(parent.fields[item.name].type)
    assert isinstance(found, GraphQLObjectType)
    return found


@dataclass(frozen=True, slots=True)
class EntryRead:
    """One entry or none. Without `prepared` nothing of it is asked for."""

    frame: Frame
    prepared: Prepared | None

    async def run(self, controller: ContentController) -> Pieces:
        """The JSON of the response."""
        found = None if self.prepared is None else await controller.read_own(self.prepared)
        return self.frame.fill(NULL if found is None else found)


@dataclass(frozen=True, slots=True)
class ListRead:
    """A page of entries. `given` is the pagination argument, which `meta` tells of."""

    frame: Frame
    prepared: PreparedList
    given: Mapping[str, Any]

    async def run(self, controller: ContentController) -> Pieces:
        """The JSON of the collection."""
        entries, total = await controller.find(self.prepared)
        return self.frame.fill(entries, tell_page(self.given, self.prepared.page, total or 0))


Read = EntryRead | ListRead


class Asked:
    """An operation as it was asked for: of which document, with which variables."""

    __slots__ = ("_key", "document", "operation", "variables")

    def __init__(self, document: Document, operation: OperationDefinitionNode, variables: dict[str, Any]) -> None:
        self.document = document
        self.operation = operation
        self.variables = variables
        self._key = _key_of(operation, variables)

    def key(self, actor: Actor) -> tuple[Any, ...] | None:
        """What it is kept by for somebody, besides its document; None for one that is not kept."""
        return None if self._key is None else (*self._key, actor.kind, actor.permissions.key)


def _key_of(operation: OperationDefinitionNode, variables: dict[str, Any]) -> tuple[Any, ...] | None:
    if operation.operation is not OperationType.QUERY:
        return None
    try:
        text = orjson.dumps(variables)
    except TypeError:  # files
        return None
    return (operation.name and operation.name.value, text) if len(text) <= MOST_CHARACTERS else None


class ReadyOperation(NamedTuple):
    """A query whose root fields are all ready: what stands before each in the answer, and what answers it.

    `locale` is the default one it was made for, None where it does not matter.
    """

    members: tuple[tuple[bytes, Read | bytes], ...]
    marks: Marks
    locale: str | None

    async def answer(self, controller: ContentController) -> bytes:
        """The answer. Nothing is left to do but to read."""
        sizes: list[int] = []
        if len(self.members) == 1:  # a task for each costs more than what it does
            before, read = self.members[0]
            pieces, errors = await self._tell(read, controller, sizes)
            return envelope((before, *pieces, b"}"), errors)
        told = await asyncio.gather(*[self._tell(read, controller, sizes) for _, read in self.members])
        data: Pieces = []
        errors = []
        for (before, _), (pieces, found) in zip(self.members, told, strict=True):
            data.append(before)
            data += pieces
            errors += found
        data.append(b"}")
        return envelope(data, errors)

    async def _tell(self, read: Read | bytes, controller: ContentController, sizes: list[int]) -> tuple[Pieces, Errors]:
        if isinstance(read, bytes):
            return [read], []
        try:
            pieces = await read.run(controller)
            weigh(pieces, sizes, controller)
        except OctavoError as error:
            return [NULL], [render(error)]
        if not self.marks.errors:
            return pieces, []
        answer, errors = self.marks.take(b"".join(pieces))
        return [answer], errors


def weigh(pieces: Pieces, sizes: list[int], controller: ContentController) -> None:
    """Add what a read answers to the `sizes` of all reads of its operation. Raises ValidationError for too much."""
    sizes += map(len, pieces)
    controller.check_size(sum(sizes))


def envelope(data: Iterable[bytes], errors: Errors) -> bytes:
    """An answer."""
    begin = b'{"errors":%b,"data":' % orjson.dumps(errors) if errors else b'{"data":'
    return b"".join((begin, *data, b"}"))


class ReadyOperations:
    """Operations seen before, by document, name, variables and what the caller may do. Documents hold their own."""

    def __init__(self) -> None:
        self._documents: WeakSet[Document] = WeakSet()
        self._count = 0

    def get(self, asked: Asked, actor: Actor) -> ReadyOperation | None:
        """The operation, if it is ready."""
        ready: ReadyOperation | None = asked.document.ready.get(asked.key(actor))
        return ready

    def keep(self, asked: Asked, actor: Actor, ready: ReadyOperation) -> None:
        """Keep an operation for the next time. When there are too many, all are forgotten."""
        key = asked.key(actor)
        if key is None:
            return
        if self._count >= MOST:
            for document in self._documents:
                document.ready.clear()
            self._documents.clear()
            self._count = 0
        self._documents.add(asked.document)
        asked.document.ready[key] = ready
        self._count += 1
