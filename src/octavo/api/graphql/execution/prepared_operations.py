"""Prepared reads of root fields, which can run repeatedly without the document."""

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
from graphql import GraphQLObjectType, OperationDefinitionNode, OperationType, get_named_type

from octavo.access.authorization.actor import Actor
from octavo.api.graphql.document.collect_fields import TYPENAME, Selected, Selections
from octavo.api.graphql.document.documents import Document
from octavo.api.graphql.document.literals import Literals
from octavo.api.graphql.execution.alias_splitter import split_aliases
from octavo.api.graphql.execution.argument_parser import PageInfo, RequestedPage, page_info
from octavo.api.graphql.execution.error_format import OperationUnavailable, is_outage, render
from octavo.api.graphql.execution.error_sentinels import EDGE, ErrorSentinels, is_marked
from octavo.api.graphql.schema.field_metadata import Part, part_of
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import PreparedRead
from octavo.core.cache import Cache
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.query.ast import Page
from octavo.query.lifting import Origin, OtherPlan, Source, value_at
from octavo.query.numbers import reach_of, read_entry_id

NULL: Final = b"null"
_PAGE_VALUES: Final = {
    Part.PAGE: "number",
    Part.PAGE_SIZE: "size",
    Part.PAGE_COUNT: "pages",
    Part.TOTAL: "total",
    Part.AFTER: "after",
}
_NO_PAGE: Final = PageInfo(1, 1, 0, 0)
MOST_CHARACTERS: Final = 4_000
"""Longer variables are unlikely to repeat, so their operations are not cached."""

_BYTES_OF_VALUES: Final = 1_000

Errors = list[dict[str, Any]]
Pieces = list[bytes]
"""JSON in pieces, joined once at the end: results are long, and copies are expensive."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The JSON of a wrapper around its `data`. There is one text more than `data` fields.

    `%d` and `%b` in texts are placeholders for pagination values, which `placeholders` names.
    """

    texts: tuple[bytes, ...]
    placeholders: tuple[tuple[str, ...], ...]

    def is_counted(self, *, cut: bool) -> bool:
        """Return whether `meta` needs the total. If the page may be `cut`, its size and number need it too."""
        counting = {"number", "size", "pages", "total"} if cut else {"pages", "total"}
        return any(not counting.isdisjoint(names) for names in self.placeholders)

    @property
    def has_cursor(self) -> bool:
        """Whether `meta` has the cursor of the next page."""
        return any("after" in names for names in self.placeholders)

    def fill(self, found: bytes, page: PageInfo = _NO_PAGE) -> Pieces:
        """Return the JSON of the wrapper. `found` is the result for all `data` fields."""
        texts = self.texts
        if any(self.placeholders):
            texts = tuple(
                [
                    text % tuple([getattr(page, name) for name in names]) if names else text
                    for text, names in zip(texts, self.placeholders, strict=True)
                ]
            )
        if len(texts) == 2:
            return [texts[0], found, texts[1]]
        pieces = [texts[0]]
        if len(texts) > 1:
            for entries, text in zip(split_aliases(found, len(texts) - 1), texts[1:], strict=True):
                pieces += (entries, text)
        return pieces


def make_frame(selections: Selections, wrapper: GraphQLObjectType, below: list[Selected]) -> Frame:
    """Return the frame for a wrapper's selection. Fields that a project added are null: code resolves them."""
    texts: list[bytes] = [b"{"]
    noted: list[list[str]] = [[]]
    for place, item in enumerate(below):
        texts[-1] += b"," * (place > 0) + _key(item)
        part = part_of(wrapper, item.name)
        if part is Part.DATA:
            texts.append(b"")
            noted.append([])
        elif part is Part.META:
            texts[-1] += _meta(selections, _object(wrapper, item), item, noted[-1])
        else:
            texts[-1] += _constant(wrapper, item)
    texts[-1] += b"}"
    return Frame(tuple(texts), tuple(map(tuple, noted)))


def _meta(selections: Selections, meta: GraphQLObjectType, item: Selected, noted: list[str]) -> bytes:
    """Return the text of `meta`. The names of its pagination values are appended to `noted`."""

    def of_page(pagination: GraphQLObjectType, one: Selected) -> bytes:
        name = _PAGE_VALUES.get(part_of(pagination, one.name) or Part.META)
        if name is None:
            return _constant(pagination, one)
        noted.append(name)
        return b"%b" if name == "after" else b"%d"

    def value_of(one: Selected) -> bytes:
        if part_of(meta, one.name) is not Part.PAGINATION:
            return _constant(meta, one)
        pagination = _object(meta, one)
        below = selections.of(pagination, one.selection_sets)
        return _join(_key(part) + of_page(pagination, part) for part in below)

    return _join(_key(one) + value_of(one) for one in selections.of(meta, item.selection_sets))


def _join(members: Iterable[bytes]) -> bytes:
    return b"{%b}" % b",".join(members)


def _constant(parent: GraphQLObjectType, item: Selected) -> bytes:
    return f'"{parent.name}"'.encode() if item.name == TYPENAME else NULL


def _key(item: Selected) -> bytes:
    return f'"{item.key}":'.encode()


def _object(parent: GraphQLObjectType, item: Selected) -> GraphQLObjectType:
    named_type = get_named_type(parent.fields[item.name].type)
    assert isinstance(named_type, GraphQLObjectType)
    return named_type


@dataclass(slots=True)
class EntryRead:
    """One entry or none. Immutable, but creating a frozen dataclass per request is slower.

    `prepared` is None if the entry's data is not selected.

    If the id comes from a variable, `source` is that variable and `unbound` is the read without the id. `digits_only`:
    whether ids are digits only.
    """

    frame: Frame
    prepared: PreparedRead | None
    unbound: PreparedRead | None = None
    source: str | None = None
    digits_only: bool = False

    @property
    def free_origins(self) -> tuple[Origin, ...]:
        """The same as `PreparedRead.free_origins`."""
        return () if self.prepared is None else self.prepared.free_origins

    @property
    def free_source(self) -> Source | None:
        """The variable that the id comes from."""
        return None if self.source is None else (self.source,)

    def rebind(self, variables: Mapping[str, Any]) -> "EntryRead":
        """Return the read with the values of other variables. Raises OtherPlan."""
        read = self.prepared
        if self.unbound is not None and self.source is not None:
            entry_id = read_entry_id(variables[self.source], digits_only=self.digits_only)
            read = self.unbound.bind(id=entry_id or 0)
        if read is None:
            return self
        return EntryRead(self.frame, read.rebind(variables) if read.lifted else read)

    def fetch(self, reads: ContentReads) -> Awaitable[Any]:
        """Return the coroutine that reads the entry."""
        return _nothing() if self.prepared is None else reads.find_any(self.prepared)

    def fill(self, found: bytes | None) -> Pieces:
        """Return the JSON of the response."""
        return self.frame.fill(NULL if found is None else found)


class PageSource(NamedTuple):
    """The variable that selects a page: by its number, or by its first entry, counted from 0."""

    source: Source
    by_page: bool

    def start(self, variables: Mapping[str, Any], limit: int) -> int:
        """Return the first entry of the page, at least 0."""
        value: int = value_at(variables, self.source)
        return max((value - 1) * limit if self.by_page else value, 0)

    def part(self, variables: Mapping[str, Any], limit: int) -> int | None:
        """Return what pages with the same statement share. The first page has its own."""
        start = self.start(variables, limit)
        return reach_of(start + limit) if start else 0


@dataclass(slots=True)
class ListRead:
    """A page of entries, with the page as requested. Immutable, as an `EntryRead`.

    `page_source` is the variable that selects the page, if the read returns other pages as well.
    """

    frame: Frame
    prepared: PreparedRead
    asked: RequestedPage
    page_source: PageSource | None = None

    @property
    def limit(self) -> int:
        """Return the size of the page."""
        page = self.prepared.page
        return 0 if page is None or page.limit is None else page.limit

    @property
    def free_origins(self) -> tuple[Origin, ...]:
        """The same as `PreparedRead.free_origins`."""
        return self.prepared.free_origins

    @property
    def free_source(self) -> Source | None:
        """The variable that selects the page."""
        return None if self.page_source is None else self.page_source.source

    def rebind(self, variables: Mapping[str, Any]) -> "ListRead":
        """Return the read with the values of other variables. Raises OtherPlan."""
        read, source = self.prepared.rebind(variables), self.page_source
        if source is None:
            return ListRead(self.frame, read, self.asked)
        page, limit = read.page or Page(), self.limit
        start = source.start(variables, limit)
        if start == page.start:
            return ListRead(self.frame, read, self.asked, source)
        if not (start and page.start) or reach_of(start + limit) != reach_of(page.start + limit):
            raise OtherPlan
        return ListRead(self.frame, read.at_page(start, start // limit + 1), self.asked.at(start, limit), source)

    def fetch(self, reads: ContentReads) -> Awaitable[Any]:
        """Return the coroutine that reads the page."""
        page = self.prepared.page
        return reads.find(self.prepared) if page is None or page.after is None else reads.find_behind(self.prepared)

    def fill(self, found: Sequence[Any]) -> Pieces:
        """Return the JSON of the collection."""
        cursor = found[2] if len(found) > 2 else None
        return self.frame.fill(found[0], page_info(self.asked, self.prepared.page or Page(), found[1] or 0, cursor))


async def _nothing() -> None:
    """Read nothing, for an entry whose data is not selected."""


Read = EntryRead | ListRead


class RequestedOperation:
    """A requested operation: its document, its variables, and the body's size in bytes."""

    __slots__ = (
        "_values",
        "document",
        "is_mutation",
        "is_new",
        "is_query_with_values",
        "literals",
        "operation",
        "size",
        "variables",
    )

    def __init__(
        self,
        document: Document,
        operation: OperationDefinitionNode,
        variables: dict[str, Any],
        size: int = 0,
        literals: Literals | None = None,
    ) -> None:
        self.document = document
        self.operation = operation
        self.variables = variables
        self.size = size
        self.literals = literals
        """The literals of the text, if its document is shared with texts that have others."""
        self.is_new = False
        """Whether the values were not seen recently. They are cached when they are requested again."""
        self.is_mutation = operation.operation is OperationType.MUTATION
        self.is_query_with_values = not self.is_mutation and (bool(variables) or literals is not None)
        """Whether it is a query with variables or literals, which can differ from request to request."""
        self._values: bytes | None = None

    def place(self, errors: Errors) -> Errors:
        """Return errors with their locations in the text of the request."""
        return errors if self.literals is None or not errors else self.literals.place(errors)

    def key(self, actor: Actor) -> tuple[Any, ...] | None:
        """Return the cache key for a caller; None for mutations and for operations that cannot be cached."""
        values = None if self.is_mutation else self._json_of_values()
        return None if values is None else (*self.operation_key(actor), values)

    def operation_key(self, actor: Actor) -> tuple[Any, ...]:
        """Return the key without the values of variables."""
        name = self.operation.name
        return self.document.text, None if name is None else name.value, actor.kind, actor.ability.key

    @property
    def values_size(self) -> int:
        """The maximum bytes of cached variables."""
        return _BYTES_OF_VALUES + 4 * len(self._json_of_values() or b"")

    def _json_of_values(self) -> bytes | None:
        """Return the values of variables and literals, or None if there are files or they are too long."""
        if self._values is None:
            given = self.variables if self.literals is None else {"": self.variables, **self.literals.values}
            try:
                self._values = orjson.dumps(given)
            except TypeError:
                return None
        return self._values if len(self._values) <= MOST_CHARACTERS else None


class PreparedOperation(NamedTuple):
    """A query whose root fields are all prepared: the bytes before each field in the response, and its read or value.

    `locale` is the default locale that it was prepared for, or None if it does not depend on it.
    """

    members: tuple[tuple[bytes, Read | bytes], ...]
    sentinels: ErrorSentinels
    locale: str | None

    def rebind(self, variables: Mapping[str, Any]) -> "PreparedOperation":
        """Return the operation with the values of other variables. Raises OtherPlan."""
        members = []
        for before, read in self.members:
            members.append((before, read if isinstance(read, bytes) else read.rebind(variables)))
        return PreparedOperation(tuple(members), self.sentinels, self.locale)

    def answer(self, reads: ContentReads, asked: RequestedOperation) -> Coroutine[Any, Any, bytes]:
        """Return the coroutine that runs the reads and returns the response. It raises OperationUnavailable."""
        if len(self.members) > 1:
            return self._answer_all(reads, asked)
        before, read = self.members[0]
        return self._answer_one(before, read, reads, asked)  # a task costs more than the read itself

    async def _answer_one(
        self, before: bytes, read: Read | bytes, reads: ContentReads, asked: RequestedOperation
    ) -> bytes:
        if isinstance(read, bytes):
            return b"".join((b'{"data":', before, read, b"}}"))
        try:
            pieces = read.fill(await read.fetch(reads))
            reads.check_size(sum(map(len, pieces)))
        except OctavoError as error:
            return complete((before, NULL, b"}"), asked.place([render(error)]), has_values=False)
        answer = b"".join((b'{"data":', before, *pieces, b"}}"))
        if EDGE not in answer or not self.sentinels.errors:
            return answer
        value, errors = self._take_errors(before, pieces)
        return complete((before, value, b"}"), asked.place(errors), has_values=value != NULL)

    async def _answer_all(self, reads: ContentReads, asked: RequestedOperation) -> bytes:
        sizes: list[int] = []
        with reads.request_share():
            results = await asyncio.gather(
                *[self._run_read(before, read, reads, sizes) for before, read in self.members]
            )
        data: Pieces = []
        errors = []
        for (before, _), (pieces, errors_of_read) in zip(self.members, results, strict=True):
            data.append(before)
            data += pieces
            errors += errors_of_read
        data.append(b"}")
        has_values = any(
            pieces != [NULL]
            for (_, read), (pieces, _) in zip(self.members, results, strict=True)
            if not isinstance(read, bytes)
        )
        return complete(data, asked.place(errors), has_values=has_values)

    async def _run_read(
        self, before: bytes, read: Read | bytes, reads: ContentReads, sizes: list[int]
    ) -> tuple[Pieces, Errors]:
        """Run a read. `before` is `{"key":` or `,"key":`."""
        if isinstance(read, bytes):
            return [read], []
        try:
            pieces = read.fill(await read.fetch(reads))
            weigh(pieces, sizes, reads)
        except OctavoError as error:
            return [NULL], [render(error)]
        if not (self.sentinels.errors and is_marked(pieces)):
            return pieces, []
        value, errors = self._take_errors(before, pieces)
        return [value], errors

    def _take_errors(self, before: bytes, pieces: Pieces) -> tuple[bytes, Errors]:
        return self.sentinels.take(b"".join(pieces), (before[2:-2].decode(),))


def weigh(pieces: Pieces, sizes: list[int], reads: ContentReads) -> None:
    """Add the size of a result to the `sizes` of an operation. Raises ValidationError if the limit is exceeded."""
    sizes += map(len, pieces)
    reads.check_size(sum(sizes))


def complete(data: Iterable[bytes], errors: Errors, *, has_values: bool) -> bytes:
    """Return the JSON response with data and errors.

    Raises OperationUnavailable if an outage is the reason for an error, and no root field has a value.
    """
    body = _envelope(data, errors)
    if errors and not has_values and is_outage(errors):
        raise OperationUnavailable(body)
    return body


def _envelope(data: Iterable[bytes], errors: Errors) -> bytes:
    begin = b'{"errors":%b,"data":' % orjson.dumps(errors) if errors else b'{"data":'
    return b"".join((begin, *data, b"}"))


class PreparedOperations:
    """Prepared operations by document, name, variables and the caller's permissions."""

    def __init__(self, cache: Cache[tuple[Any, ...], PreparedOperation]) -> None:
        self._cache = cache

    def get(self, asked: RequestedOperation, actor: Actor) -> PreparedOperation | None:
        """Return the operation if it is cached."""
        key = asked.key(actor)
        return None if key is None else self._cache.get(key)

    def keep(self, asked: RequestedOperation, actor: Actor, ready: PreparedOperation, size: int | None = None) -> None:
        """Cache an operation. `size` is the bytes that it does not share with others, if known."""
        key = asked.key(actor)
        if key is not None:
            self._cache.put(key, ready, size)
