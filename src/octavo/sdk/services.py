"""`Service`: the base class of a project's services, and how they are looked up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import orjson

from octavo.access.authorization.actor import SYSTEM
from octavo.access.authorization.permissions import SERVICES
from octavo.content.controllers.write_policy import Write
from octavo.content.controllers.writing import Sharing
from octavo.content.input.column_values import plain
from octavo.content.media.library import IncomingFile
from octavo.content.reader import PreparedRead
from octavo.core.errors import NotFoundError
from octavo.project.code import ProjectCode, ServiceKind
from octavo.project.failures import describe, failure_place
from octavo.project.naming import did_you_mean
from octavo.project.problems import CodeProblem
from octavo.project.results import Entry, EntryPage
from octavo.query.ast import Page, Query
from octavo.query.params import PageLimits, read_query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import ContentType
from octavo.sdk.app import App, UnknownName
from octavo.sdk.entries import Entries

Asked = Mapping[str, Any] | None
Files = Sequence[tuple[str, IncomingFile]]
_META: Final = "$meta"
CORE: Final = ("find", "find_one", "create", "update", "delete")
OF_SINGLE: Final = ("find", "create_or_update", "delete")
"""The methods that core actions of a single type call, if a project overrides them."""


class Service(ServiceKind):
    """Base class of services. Services hold code that several actions share.

    A method with the name of a core method replaces it, also for the REST core actions. `query` is a REST query as
    nested values. Permissions are not checked.
    """

    app: App
    uid: str
    limits: PageLimits

    @property
    def entries(self) -> Entries:
        """The entries of the content type."""
        return self.app.entries(self.uid)

    async def find(self, query: Asked = None) -> Any:
        """Return an EntryPage of published entries, unless the query selects drafts. For a single type, return its
        entry or None.
        """
        if self._type.is_single:
            prepared = await self._prepare(query, By.SINGLE, Drafts.ASKED)
            entry = await self.app.controller.reads.find_any(prepared)
            return None if entry is None else self._entry(entry)
        prepared = await self._prepare(query, By.LIST, Drafts.ASKED)
        entries, total = await self.app.controller.reads.find(prepared)
        page = prepared.page or Page()
        listed = [self._to_entry(item) for item in orjson.loads(entries)]
        count = len(listed) if total is None else total
        return EntryPage(listed, count, page.number or 1, page.limit or count)

    async def find_one(self, entry_id: int, query: Asked = None) -> Entry | None:
        """Return the entry with this id, or None."""
        prepared = await self._prepare(query, By.ID, Drafts.BY_ID)
        entry = await self.app.controller.reads.find_any(prepared.bind(id=entry_id))
        return None if entry is None else self._entry(entry)

    async def create(self, data: Mapping[str, Any], query: Asked = None, *, files: Files = ()) -> Entry:
        """Create an entry and return it. It is published unless the data has `publishedAt`. Raises ValidationError."""
        answer = await self._prepare(query, By.ID, Drafts.ANY)
        write = _write(data, files)
        return self._entry(await self.app.controller.writes.create(self._type, write, answer, SYSTEM))

    async def update(self, entry_id: int, data: Mapping[str, Any], query: Asked = None, *, files: Files = ()) -> Any:
        """Update an entry and return it. Return None if it does not exist. Raises ValidationError."""
        answer = await self._prepare(query, By.ID, Drafts.ANY)
        write = _write(data, files)
        try:
            return self._entry(await self.app.controller.writes.update(self._type, entry_id, write, answer, SYSTEM))
        except NotFoundError:
            return None

    async def create_or_update(self, data: Mapping[str, Any], query: Asked = None, *, files: Files = ()) -> Entry:
        """Create or update the entry of a single type and return it. Raises ValidationError."""
        answer = await self._prepare(query, By.ID, Drafts.ANY)
        entry_id = await self._single_id(query, Drafts.ANY)
        writes, write = self.app.controller.writes, _write(data, files)
        if entry_id is None:
            again = partial(self._single_id, query, Drafts.ANY)
            return self._entry(await writes.create_single(self._type, write, answer, SYSTEM, again))
        return self._entry(await writes.update(self._type, entry_id, write, answer, SYSTEM, sharing=Sharing.SHOWN))

    async def delete(self, entry_id: int | Asked = None, query: Asked = None) -> Entry | None:
        """Delete an entry and return its last state, or None if there is none. For a single type: `delete(query)`."""
        if not isinstance(entry_id, int):
            query = entry_id
            entry_id = await self._single_id(query, Drafts.ASKED)
        if entry_id is None:
            return None
        answer = await self._prepare(query, By.ID, Drafts.ANY)
        try:
            return self._entry(await self.app.controller.writes.delete(self._type, entry_id, answer, SYSTEM))
        except NotFoundError:
            return None

    async def count(self, query: Asked = None) -> int:
        """Return the number of entries that match the query."""
        return await self.app.controller.reads.count(await self._prepare(query, By.COUNT, Drafts.ASKED))

    @property
    def _type(self) -> ContentType:
        content_type = self.app.registry.content_types.get(self.uid)
        if content_type is None:
            raise UnknownName(f"{self.uid} is not the service of a content type")
        return content_type

    async def _single_id(self, query: Asked, drafts: Drafts) -> int | None:
        controller = self.app.controller
        default = await controller.locales.default() if self._type.localized else ""
        return await controller.reads.single_id(self._type, read_query(_plain(query)), default, drafts)

    async def _prepare(self, query: Asked, by: By, drafts: Drafts) -> PreparedRead:
        asked: Query = read_query(_plain(query), self.limits if by is By.LIST else None)
        if asked.locales is None and self._type.localized:
            asked = replace(asked, locales=(await self.app.controller.locales.default(),))
        reads = self.app.controller.reads
        with_meta = self._type.localized and not reads.is_hooked(self.uid)  # hooks get attributes only
        projection = Form.SERVICE if with_meta else Form.FLAT
        request = ReadRequest(content_type=self._type, query=asked, by=by, projection=projection, drafts=drafts)
        return reads.prepare(request, SERVICES)

    def _entry(self, answer: bytes) -> Entry:
        return self._to_entry(orjson.loads(answer))

    def _to_entry(self, values: dict[str, Any]) -> Entry:
        meta = values.pop(_META, None)
        return Entry(self.uid, values, meta)


def _write(data: Mapping[str, Any], files: Files) -> Write:
    """Return data in the form of a request body: times, dates and decimals as texts."""
    return Write({name: plain(value) for name, value in data.items()}, tuple(files))


def _plain(query: Asked) -> dict[str, Any]:
    """Return a query as JSON values. Raises TypeError for a request, whose `query` should be passed."""
    if query is not None and not isinstance(query, Mapping):
        raise TypeError(f"a service requires a query, such as request.query, not a {type(query).__name__}")
    values: dict[str, Any] = orjson.loads(orjson.dumps(query or {}))
    return values


class ServiceTable:
    """The services of a project by name, including those of content types without a class in the project."""

    def __init__(self, code: ProjectCode, limits: PageLimits) -> None:
        self._code = code
        self.limits = limits
        self._made: dict[str, Any] = {}

    def find(self, app: App, uid: str) -> Any:
        """Return the service with that name. Raises UnknownName."""
        if uid not in self._made:
            own = self._code.services.get(uid)
            if own is None and uid not in app.registry.content_types:
                known = [*self._code.services, *app.registry.content_types]
                raise UnknownName(f"unknown service {uid}{did_you_mean(uid, known)}")
            service: Service = (Service if own is None else own.kind)()
            service.app, service.uid, service.limits = app, uid, self.limits
            self._made[uid] = service
        return self._made[uid]

    def overridden(self, uid: str) -> frozenset[str]:
        """Return the methods for core actions that a project overrides."""
        own = self._code.services.get(uid)
        known = dict.fromkeys((*CORE, *OF_SINGLE))
        return frozenset() if own is None else frozenset(name for name in known if _is_own(own.kind, name))

    def problems(self, app: App) -> list[CodeProblem]:
        """Return the problems of the project's services: those that cannot be created, and methods that are never
        called."""
        problems = []
        for uid, own in self._code.services.items():
            try:
                self.find(app, uid)
            except Exception as error:  # any error of the project's code is reported with its location
                problems.append(CodeProblem(failure_place(error, self._code.folder, own.place), describe(error)))
            content_type = app.registry.content_types.get(uid)
            unasked = sorted(self.overridden(uid) - {*OF_SINGLE})
            if content_type is not None and content_type.is_single and unasked:
                names = ", ".join(OF_SINGLE)
                says = f"the core actions of a single type call {names} of its service, not {', '.join(unasked)}"
                problems.append(CodeProblem(own.place, says))
        return problems


def _is_own(kind: type[Any], name: str) -> bool:
    return getattr(kind, name) is not getattr(Service, name)
