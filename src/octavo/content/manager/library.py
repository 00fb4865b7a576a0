"""Library: files and folders as administrators read them, and which files they may change.

Files are in the scope of the ability (`access/authorization/admin`): lists narrow, one by its id is refused. Folders
are everybody's who may read files at all.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.content.controllers.prepared_reads import PreparedReads
from octavo.content.controllers.reading import ContentReads
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.file_visibility import file_alone, file_row, file_shown, folder_row, folder_shown, signing
from octavo.content.manager.listing import read_list
from octavo.content.media.folder_service import MISSING_FOLDER
from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.cache import Cache, CacheScope
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.query.answer import Nested, Object, Plain
from octavo.query.ast import EVERYTHING, And, At, Compare, Filter, Or, Page, Query, Sort
from octavo.query.operators import OPERATORS
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import FILE, FOLDER, ContentType

MISSING_FILE: Final = "Entity not found"
_PAGING: Final = frozenset({"page", "pageSize", "pagination"})
_DEEPEST: Final = 100

Given = Callable[[], Mapping[str, Any]]


class Library:
    """Reads files and folders, each list with one statement, and one more for the number of all."""

    def __init__(self, reads: ContentReads, reader: EntryReader, caches: CacheScope, *, signed: bool) -> None:
        self._reads = reads
        self._reader = reader
        self._registry = reads.registry
        self._signed = signed
        self._files = self._registry.content_types[FILE]
        self._folders = self._registry.content_types[FOLDER]
        self._lists = PreparedReads(caches.cache("library lists"))
        self._single: Cache[tuple[Any, ...], PreparedRead] = caches.cache("library")
        told = file_shown(self._registry)
        self.file_answer = self._by_id(self._files, told)
        """A file that was described."""
        self.stored_answer = self._by_id(self._files, signing(told, signed=signed))
        """A file that has come."""
        self.gone_answer = self._by_id(self._files, file_alone(self._registry))
        """A file that is removed."""
        self.folder_answer = self._by_id(self._folders, folder_shown(self._registry))
        """A folder that was changed."""

    async def files(self, text: str, given: Given, actor: Actor) -> tuple[bytes, Page, int]:
        """The JSON array of a page of files, the page, and the number of all. `text` stands for what is `given`."""
        prepared = await self._list(self._files, text, given, actor.ability)
        found, total = await self._reads.find(prepared)
        return found, prepared.page or Page(), total or 0

    async def folders(self, text: str, given: Given, actor: Actor) -> bytes:
        """The JSON array of folders."""
        return (await self._reads.find(await self._list(self._folders, text, given, actor.ability)))[0]

    async def file(self, file_id: int | None, actor: Actor) -> bytes:
        """The JSON of a file. Raises NotFoundError; ForbiddenError for one that is there for others."""
        key = (FILE, actor.ability.key)
        prepared = self._single.get(key)
        if prepared is None:
            told = file_alone(self._registry, signed=self._signed)
            request = ReadRequest(content_type=self._files, by=By.ID, projection=told, drafts=Drafts.SHOWN)
            prepared = self._single.put(key, self._reads.prepare(request, actor.ability))
        found = None if file_id is None else await self._reads.find_any(prepared.bind(id=file_id))
        if found is None:
            there = file_id is not None and await self._ids(self._files, [file_id])
            raise ForbiddenError if there else NotFoundError(MISSING_FILE)
        return found

    async def folder(self, folder_id: int | None, text: str, given: Given, actor: Actor) -> bytes:
        """The JSON of a folder. Raises NotFoundError."""
        key = (FOLDER, text, actor.ability.key)
        prepared = self._single.get(key)
        if prepared is None:
            told = folder_row(self._registry, given())
            request = ReadRequest(content_type=self._folders, by=By.ID, projection=told, drafts=Drafts.SHOWN)
            prepared = self._single.put(key, self._reads.prepare(request, actor.ability))
        found = None if folder_id is None else await self._reads.find_any(prepared.bind(id=folder_id))
        if found is None:
            raise NotFoundError(MISSING_FOLDER)
        return found

    async def tree(self) -> list[dict[str, Any]]:
        """All folders, each with those in it, by name."""
        parent = Nested("parent", EVERYTHING, Object((("id", Plain(None)),)), linked=True)
        told = Object((("id", Plain(None)), ("name", Plain("name")), ("parent", parent)))
        query = Query(sort=(Sort(names=("name",)), Sort(names=("id",))), page=Page(with_count=False))
        found: list[dict[str, Any]] = orjson.loads(await self._rows(self._folders, query, told))
        inside: dict[int | None, list[dict[str, Any]]] = {}
        for row in found:
            inside.setdefault(row["parent"] and row["parent"]["id"], []).append(row)

        def branch(row_id: int | None, depth: int) -> list[dict[str, Any]]:
            rows = inside.get(row_id, ()) if depth < _DEEPEST else ()
            return [{"id": row["id"], "name": row["name"], "children": branch(row["id"], depth + 1)} for row in rows]

        return branch(None, 0)

    # What is about to be changed, inside of the unit that changes it

    async def guard(self, unit: EntryUnit, ids: Iterable[int], ability: Ability, action: str) -> list[int]:
        """Those of some files that are there. Raises ForbiddenError if the action may not be taken on one of them."""
        wanted = list(ids)
        with unit.ambient():
            there = await self._ids(self._files, wanted)
            scope = ability.scope(FILE, action)
            if scope is not None and there and len(await self._ids(self._files, there, scope)) < len(there):
                raise ForbiddenError
        return there

    async def guard_folders(self, unit: EntryUnit, paths: Iterable[str], ability: Ability, action: str) -> None:
        """Raise ForbiddenError if the action may not be taken on a file in the folders with these paths, or below."""
        scope, inside = ability.scope(FILE, action), _under("folderPath", paths)
        if scope is None:
            return
        with unit.ambient():
            allowed = await self._count(self._files, And(items=(inside, scope)))
            if allowed < await self._count(self._files, inside):
                raise ForbiddenError

    async def check_file(self, file_id: int, ability: Ability, action: str) -> None:
        """Raise NotFoundError for a file that is not there, ForbiddenError for one that is not theirs to change."""
        if not await self._ids(self._files, [file_id]):
            raise NotFoundError(MISSING_FILE)
        scope = ability.scope(FILE, action)
        if scope is not None and not await self._ids(self._files, [file_id], scope):
            raise ForbiddenError

    async def told(self, unit: EntryUnit, content_type: ContentType, ids: Iterable[int]) -> bytes:
        """The JSON array of some files or folders, as changes answer them."""
        shown = file_shown(self._registry) if content_type.uid == FILE else folder_shown(self._registry)
        with unit.ambient():
            return await self._rows(content_type, _among(ids), shown)

    async def below(self, unit: EntryUnit, paths: Iterable[str]) -> tuple[list[int], list[int]]:
        """The ids of the files, and of the folders, that lie in the folders with these paths or anywhere below them."""
        with unit.ambient():
            found = []
            for content_type, name in ((self._files, "folderPath"), (self._folders, "path")):
                found.append(await self._ids_where(content_type, _under(name, paths)))
        return found[0], found[1]

    async def _list(self, content_type: ContentType, text: str, given: Given, ability: Ability) -> PreparedRead:
        key = (content_type.uid, text, ability.key)

        def prepare() -> PreparedRead:
            return self._prepare_list(content_type, given(), ability)

        return self._lists.get(key) or await self._lists.make(key, text, prepare)

    def _prepare_list(self, content_type: ContentType, given: Mapping[str, Any], ability: Ability) -> PreparedRead:
        is_file = content_type.uid == FILE
        known = given if is_file else {name: value for name, value in given.items() if name not in _PAGING}
        query, asked = read_list(known, content_type, self._registry, ability)
        if is_file:
            told = file_row(self._registry, given, asked.fields, signed=self._signed)
        else:
            told = folder_row(self._registry, given, asked.fields)
            query = _all_of(query)
        request = ReadRequest(
            content_type=content_type,
            query=query,
            projection=told,
            drafts=Drafts.SHOWN,
            searches_private=ability.knows_private,
        )
        return self._reads.prepare(request, ability)

    def _by_id(self, content_type: ContentType, told: Object) -> PreparedRead:
        request = ReadRequest(content_type=content_type, by=By.ID, projection=told, drafts=Drafts.ANY)
        return self._reader.prepare(plan_read(request, self._registry))

    async def _ids(self, content_type: ContentType, ids: Iterable[int], scope: Filter | None = None) -> list[int]:
        chosen = _among(ids).filters
        assert chosen is not None, "it is what chooses them"
        return await self._ids_where(content_type, chosen if scope is None else And(items=(chosen, scope)))

    async def _ids_where(self, content_type: ContentType, condition: Filter) -> list[int]:
        query = Query(filters=condition, page=Page(with_count=False))
        return [int(one) for one in orjson.loads(await self._rows(content_type, query, Form.ID))]

    async def _count(self, content_type: ContentType, condition: Filter) -> int:
        query = Query(filters=condition, page=Page(limit=0, with_count=True))
        request = ReadRequest(content_type=content_type, query=query, by=By.COUNT, drafts=Drafts.ANY)
        return (await self._reader.read_list(self._reader.prepare(plan_read(request, self._registry))))[1] or 0

    async def _rows(self, content_type: ContentType, query: Query, told: Object | Form) -> bytes:
        request = ReadRequest(content_type=content_type, query=query, projection=told, drafts=Drafts.ANY)
        return (await self._reader.read_list(self._reader.prepare(plan_read(request, self._registry))))[0]


def _all_of(query: Query) -> Query:
    """A list without pages."""
    return Query(filters=query.filters, sort=query.sort, search=query.search, page=Page(with_count=False))


def _among(ids: Iterable[int]) -> Query:
    compare = Compare(operator=OPERATORS["$in"], values=tuple(ids))
    by_id = (Sort(names=("id",)),)
    return Query(filters=At(attribute="id", filter=compare), sort=by_id, page=Page(with_count=False))


def _under(name: str, paths: Iterable[str]) -> Filter:
    conditions: list[Filter] = []
    for path in paths:
        conditions.append(At(attribute=name, filter=Compare(operator=OPERATORS["$eq"], values=(path,))))
        conditions.append(At(attribute=name, filter=Compare(operator=OPERATORS["$startsWith"], values=(f"{path}/",))))
    return Or(items=tuple(conditions))
