"""Library: read files and folders for administrators, and check which files they can change.

The ability's scope (`access/authorization/admin`) applies to files: lists are filtered, a single file outside of it is
refused. Folders are visible to everyone with permission to read files.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import UPDATE, Ability
from octavo.access.authorization.actor import Actor
from octavo.content.controllers.prepared_reads import PreparedReads
from octavo.content.controllers.reading import ContentReads
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.file_visibility import (
    build_file_object,
    build_folder_object,
    build_single_file_object,
    file_row,
    folder_row,
    signing,
)
from octavo.content.manager.listing import read_list
from octavo.content.media.folder_service import MISSING_FOLDER
from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.cache import Cache, CacheScope
from octavo.core.errors import ForbiddenError, NotFoundError, ValidationError
from octavo.query.answer import Nested, Object, Plain
from octavo.query.ast import EVERYTHING, And, At, Compare, Filter, Or, Page, Query, Sort, Unused
from octavo.query.operators import OPERATORS
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import FILE, FOLDER, ContentType

MISSING_FILE: Final = "Entity not found"
_PAGING: Final = frozenset({"page", "pageSize", "pagination"})
_DEEPEST: Final = 100

Given = Callable[[], Mapping[str, Any]]


class Library:
    """Reads files and folders, with one query per list and one more for the total."""

    def __init__(self, reads: ContentReads, reader: EntryReader, caches: CacheScope, *, signed: bool) -> None:
        self._reads = reads
        self._reader = reader
        self._registry = reads.registry
        self._signed = signed
        self._files = self._registry.content_types[FILE]
        self._folders = self._registry.content_types[FOLDER]
        self._lists = PreparedReads(caches.cache("library lists"))
        self._single: Cache[tuple[Any, ...], PreparedRead] = caches.cache("library")
        projection = build_file_object(self._registry)
        self.file_answer = self._by_id(self._files, projection)
        """The response for an updated file."""
        self.stored_answer = self._by_id(self._files, signing(projection, signed=signed))
        """The response for an uploaded file."""
        self.gone_answer = self._by_id(self._files, build_single_file_object(self._registry))
        """The response for a deleted file."""
        self.folder_answer = self._by_id(self._folders, build_folder_object(self._registry))
        """The response for a changed folder."""

    async def files(self, text: str, given: Given, actor: Actor) -> tuple[bytes, Page, int]:
        """Return a page of files as a JSON array, the page, and the total. `text` is the request text for `given`."""
        prepared = await self._list(self._files, text, given, actor.ability)
        files, total = await self._reads.find(prepared)
        return files, prepared.page or Page(), total or 0

    async def folders(self, text: str, given: Given, actor: Actor) -> bytes:
        """Return folders as a JSON array."""
        return (await self._reads.find(await self._list(self._folders, text, given, actor.ability)))[0]

    async def file(self, file_id: int | None, actor: Actor) -> bytes:
        """Return a file as JSON. Raises NotFoundError, and ForbiddenError if it is outside of the actor's scope."""
        key = (FILE, actor.ability.key)
        prepared = self._single.get(key)
        if prepared is None:
            projection = build_single_file_object(self._registry, signed=self._signed)
            request = ReadRequest(content_type=self._files, by=By.ID, projection=projection, drafts=Drafts.SHOWN)
            prepared = self._single.put(key, self._reads.prepare(request, actor.ability))
        file = None if file_id is None else await self._reads.find_any(prepared.bind(id=file_id))
        if file is None:
            there = file_id is not None and await self._ids(self._files, [file_id])
            raise ForbiddenError if there else NotFoundError(MISSING_FILE)
        return file

    async def folder(self, folder_id: int | None, text: str, given: Given, actor: Actor) -> bytes:
        """Return a folder as JSON. Raises NotFoundError."""
        key = (FOLDER, text, actor.ability.key)
        prepared = self._single.get(key)
        if prepared is None:
            projection = folder_row(self._registry, given())
            request = ReadRequest(content_type=self._folders, by=By.ID, projection=projection, drafts=Drafts.SHOWN)
            prepared = self._single.put(key, self._reads.prepare(request, actor.ability))
        folder = None if folder_id is None else await self._reads.find_any(prepared.bind(id=folder_id))
        if folder is None:
            raise NotFoundError(MISSING_FOLDER)
        return folder

    async def tree(self) -> list[dict[str, Any]]:
        """Return the tree of all folders, sorted by name."""
        parent = Nested("parent", EVERYTHING, Object((("id", Plain(None)),)), linked=True)
        projection = Object((("id", Plain(None)), ("name", Plain("name")), ("parent", parent)))
        query = Query(sort=(Sort(names=("name",)), Sort(names=("id",))), page=Page(with_count=False))
        folders: list[dict[str, Any]] = orjson.loads(await self._rows(self._folders, query, projection))
        inside: dict[int | None, list[dict[str, Any]]] = {}
        for row in folders:
            inside.setdefault(row["parent"] and row["parent"]["id"], []).append(row)

        def branch(row_id: int | None, depth: int) -> list[dict[str, Any]]:
            rows = inside.get(row_id, ()) if depth < _DEEPEST else ()
            return [{"id": row["id"], "name": row["name"], "children": branch(row["id"], depth + 1)} for row in rows]

        return branch(None, 0)

    # Checks in the unit of work that makes a change

    async def guard(self, unit: EntryUnit, ids: Iterable[int], ability: Ability, action: str) -> list[int]:
        """Return the ids of the files that exist. Raises ForbiddenError if the action is not allowed on one of them."""
        wanted = list(ids)
        with unit.ambient():
            there = await self._ids(self._files, wanted)
            scope = ability.scope(FILE, action)
            if scope is not None and there and len(await self._ids(self._files, there, scope)) < len(there):
                raise ForbiddenError
        return there

    async def guard_folders(self, unit: EntryUnit, paths: Iterable[str], ability: Ability) -> None:
        """Raise ForbiddenError if a file in these folders, at any depth, must not be updated."""
        scope, inside = ability.scope(FILE, UPDATE), _under("folderPath", paths)
        if scope is None:
            return
        with unit.ambient():
            allowed = await self._count(self._files, And(items=(inside, scope)))
            if allowed < await self._count(self._files, inside):
                raise ForbiddenError

    async def check_file(self, file_id: int, ability: Ability) -> None:
        """Raise NotFoundError if a file does not exist, and ForbiddenError if it must not be updated."""
        if not await self._ids(self._files, [file_id]):
            raise NotFoundError(MISSING_FILE)
        scope = ability.scope(FILE, UPDATE)
        if scope is not None and not await self._ids(self._files, [file_id], scope):
            raise ForbiddenError

    async def serialize(self, unit: EntryUnit, content_type: ContentType, ids: Iterable[int]) -> bytes:
        """Return files or folders as a JSON array, for the response to a change."""
        shown = build_file_object(self._registry) if content_type.uid == FILE else build_folder_object(self._registry)
        with unit.ambient():
            return await self._rows(content_type, _among(ids), shown)

    async def below(self, unit: EntryUnit, paths: Iterable[str]) -> tuple[list[int], list[int]]:
        """Return the ids of all files and all folders in the folders with these paths, at any depth."""
        with unit.ambient():
            folder_ids = []
            for content_type, name in ((self._files, "folderPath"), (self._folders, "path")):
                folder_ids.append(await self._ids_where(content_type, _under(name, paths)))
        return folder_ids[0], folder_ids[1]

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
            projection = file_row(self._registry, given, asked.fields, signed=self._signed)
        else:
            projection = folder_row(self._registry, given, asked.fields)
            query = _all_of(query)
        if is_file and given.get("usage") is not None:
            if given["usage"] != "unused":
                raise ValidationError("usage must be unused")
            query = replace(query, filters=Unused() if query.filters is None else And(items=(query.filters, Unused())))
        request = ReadRequest(
            content_type=content_type,
            query=query,
            projection=projection,
            drafts=Drafts.SHOWN,
            searches_private=ability.knows_private,
        )
        return self._reads.prepare(request, ability)

    def _by_id(self, content_type: ContentType, projection: Object) -> PreparedRead:
        request = ReadRequest(content_type=content_type, by=By.ID, projection=projection, drafts=Drafts.ANY)
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

    async def _rows(self, content_type: ContentType, query: Query, projection: Object | Form) -> bytes:
        request = ReadRequest(content_type=content_type, query=query, projection=projection, drafts=Drafts.ANY)
        return (await self._reader.read_list(self._reader.prepare(plan_read(request, self._registry))))[0]


def _all_of(query: Query) -> Query:
    """Return a query without pages."""
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
