"""The list of administrators with their roles: search, filters, sort and pages, in one query."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import Ability
from octavo.content.controllers.reading import ContentReads
from octavo.core.errors import InvalidParameter
from octavo.query.answer import Nested, Object, Plain
from octavo.query.ast import And, At, Compare, Filter, Or, Page, Query
from octavo.query.ast import Sort as Order
from octavo.query.numbers import plain_id
from octavo.query.operators import OPERATORS
from octavo.query.panel_page import read_panel_page
from octavo.query.params import read_query
from octavo.query.request import Drafts, ReadRequest
from octavo.schema.content_types import ADMIN_USER

SHOWN: Final = (
    "firstname",
    "lastname",
    "username",
    "email",
    "isActive",
    "blocked",
    "preferedLanguage",
    "createdAt",
    "updatedAt",
)
_COMPARED: Final = frozenset({"firstname", "lastname", "username"})
_SEARCHED: Final = ("firstname", "lastname", "username", "email")
_ROLES: Final = Nested(
    "roles",
    Query(sort=(Order(names=("id",)),)),
    Object((("id", Plain(None)), *((name, Plain(name)) for name in ("name", "description", "code")))),
)


class _Comparing(Ability):
    """The fields that any caller can filter and sort administrators by: as in Strapi, no private ones."""

    __slots__ = ()

    key = "administrators' lists"
    limits_fields = True

    def allows(self, action: str) -> bool:
        return False

    def shows_drafts(self, uid: str) -> bool:
        return False

    def may(self, action: str, uid: str) -> bool:
        return uid == ADMIN_USER

    def reads(self, uid: str, field: str) -> bool:
        return field in _COMPARED


_COMPARING: Final = _Comparing()


class AdministratorList:
    """Lists administrators."""

    def __init__(self, reads: ContentReads) -> None:
        self._reads = reads
        self._type = reads.registry.content_types[ADMIN_USER]

    async def find(self, params: Mapping[str, Any]) -> tuple[bytes, Page, int]:
        """Return a page as a JSON array, the page, and the total. Raises ValidationError and its subclasses."""
        page = read_panel_page(params)
        names = _fields(params.get("fields"))
        asked = read_query({name: params[name] for name in ("filters", "sort", "_q") if name in params})
        query = self._reads.sanitize(replace(asked, search=None), self._type, _COMPARING)
        if asked.search is not None:
            found = _search(asked.search)
            query = replace(query, filters=found if query.filters is None else And(items=(query.filters, found)))
        if not query.sort:
            query = replace(query, sort=(Order(names=("id",)),))
        shown = Object((("id", Plain(None)), *((name, Plain(name)) for name in names), ("roles", _ROLES)))
        request = ReadRequest(
            content_type=self._type, query=replace(query, page=page), projection=shown, drafts=Drafts.ANY
        )
        entries, total = await self._reads.find(self._reads.prepare(request, None))
        return entries, page, total or 0


def _fields(given: Any) -> Sequence[str]:
    """Return the attributes to show, from the parameter `fields`."""
    if given is None:
        return SHOWN
    names = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else [None]
    for name in names:
        if name not in (*SHOWN, "id", "*"):
            raise InvalidParameter(str(name), ("fields",))
    return SHOWN if "*" in names else [name for name in SHOWN if name in names]


def _search(text: str) -> Filter:
    """Return a filter for administrators whose name or email contains a text, or whose id it is."""
    contains = Compare(operator=OPERATORS["$containsi"], values=(text,))
    found: list[Filter] = [At(attribute=name, filter=contains) for name in _SEARCHED]
    if number := plain_id(text):
        found.append(At(attribute="id", filter=Compare(operator=OPERATORS["$eq"], values=(number,))))
    return Or(items=tuple(found))


def serialize_administrators(entries: bytes, pagination: Mapping[str, int]) -> bytes:
    """Return the response body of a list."""
    return b'{"data":{"results":%b,"pagination":%b}}' % (entries, orjson.dumps(pagination))
