"""Root fields that read content: one statement each, its JSON put into the place of the field."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from graphql import GraphQLField, GraphQLObjectType, get_named_type

from octavo.access.actors import Actor, check
from octavo.controllers import ContentController
from octavo.graphql.cost import Cost
from octavo.graphql.customization import Customization
from octavo.graphql.marks import Marks
from octavo.graphql.meaning import Part, RootField, field_meaning, part_of
from octavo.graphql.queries import ListLimits, PageTold, has_all, read_arguments, tell_page
from octavo.graphql.repeated import apart, together
from octavo.graphql.selection import TYPENAME, Selected, Selections
from octavo.graphql.translate import Translator
from octavo.query.answer import Answer, Fixed
from octavo.query.ast import Page, PublicationState, Query
from octavo.query.numbers import js_number

NULL: Final = b"null"
MAX_ID: Final = 2**31 - 1
_PLUGIN_ACTIONS: Final = {
    ("plugin::upload.file", "find"): "plugin::upload.content-api.find",
    ("plugin::upload.file", "findOne"): "plugin::upload.content-api.findOne",
    ("plugin::upload.file", "create"): "plugin::upload.content-api.upload",
    ("plugin::upload.file", "update"): "plugin::upload.content-api.upload",
    ("plugin::upload.file", "delete"): "plugin::upload.content-api.destroy",
    ("plugin::i18n.locale", "find"): "plugin::i18n.locales.listLocales",
    ("plugin::i18n.locale", "findOne"): "plugin::i18n.locales.listLocales",
}
"""Actions that plugins call otherwise than content-types do."""
_COUNTED: Final = frozenset({Part.TOTAL, Part.PAGE_COUNT})


@dataclass(frozen=True, slots=True)
class Roots:
    """Reads for one operation of one caller."""

    controller: ContentController
    selections: Selections
    actor: Actor
    limits: ListLimits
    cost: Cost
    marks: Marks
    customization: Customization | None = None
    is_authorized: bool = False
    """Whether a project's code has decided that the caller may have this root field."""

    def require(self, *actions: str) -> None:
        """Raise ForbiddenError unless the caller may take these actions, or need not be asked."""
        if not self.is_authorized:
            check(self.actor, *actions)

    def require_field(self, field: GraphQLField) -> None:
        """Raise ForbiddenError unless the caller may have what is generated for a root field."""
        meaning = field_meaning(field)
        if isinstance(meaning, RootField):
            self.require(action_of(meaning))

    async def read(self, field: GraphQLField, root: RootField, selected: Selected) -> bytes:
        """The JSON of a root field of Query. Raises OctavoError, GraphQLError."""
        self.require(action_of(root))
        arguments = self.selections.arguments(field, selected)
        wrapper = get_named_type(field.type)
        assert isinstance(wrapper, GraphQLObjectType)
        if root.action == "findOne":
            return await self._one(root, wrapper, selected, arguments)
        if root.content_type.is_single:
            return await self._single(root, wrapper, selected, arguments)
        return await self._list(root, wrapper, selected, arguments)

    async def entry(self, uid: str, wrapper: GraphQLObjectType, selected: Selected, entry_id: int) -> bytes:
        """A response with the entry of that id, which may be gone."""
        below = self.selections.of(wrapper, selected.selection_sets)
        answer, found = self._shown(wrapper, below, None), NULL
        if answer is not None:
            prepared = self.controller.prepare_own_one(
                self.controller.registry.content_types[uid], answer, self.actor.permissions
            )
            found = await self.controller.read_own_one(prepared, entry_id) or NULL
        return _response(wrapper, below, found)

    async def _one(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected, arguments: dict[str, Any]
    ) -> bytes:
        return await self.entry(root.content_type.uid, wrapper, selected, read_id(arguments.get("id")))

    async def _single(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected, arguments: dict[str, Any]
    ) -> bytes:
        query = self._query(root, selected, arguments)
        below = self.selections.of(wrapper, selected.selection_sets)
        answer, found = self._shown(wrapper, below, query.publication_state), NULL
        if answer is not None:
            locale = await self.locale(root)
            prepared = self.controller.prepare_own_single(root.content_type, query, answer, locale)
            found = await self.controller.read_own(prepared) or NULL
        return _response(wrapper, below, found)

    async def _list(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected, arguments: dict[str, Any]
    ) -> bytes:
        query, locale = self._query(root, selected, arguments), await self.locale(root)
        below = self.selections.of(wrapper, selected.selection_sets)
        given = arguments.get("pagination") or {}
        counting = _COUNTED | {Part.PAGE_SIZE} if has_all(given) else _COUNTED
        counted = any(self._counts(wrapper, item, counting) for item in below)
        page = query.page or Page()
        answer = self._shown(wrapper, below, query.publication_state, page.limit or 1) or Fixed("0")
        asked = _with_count(query, page, with_count=counted)
        prepared = self.controller.prepare_own_list(root.content_type, asked, answer, locale)
        entries, total = await self.controller.find(prepared)
        shown = tell_page(given, page, total or 0)
        told = _told(wrapper, below, entries)
        return join((item.key, told.get(item.key) or self.meta(wrapper, item, shown)) for item in below)

    def _shown(
        self, wrapper: GraphQLObjectType, below: list[Selected], state: PublicationState | None, times: int = 1
    ) -> Answer | None:
        """What each `data` of a wrapper is to show, in one answer; None where there is no `data`."""
        shown = (item for item in below if part_of(wrapper, item.name) is Part.DATA)
        answers = [self.entity_answer(wrapper, item, state, times) for item in shown]
        return together(answers) if answers else None

    def entity_answer(
        self, wrapper: GraphQLObjectType, item: Selected, state: PublicationState | None, times: int = 1
    ) -> Answer:
        """What `data` of a wrapper is to show, of as many entries as that at most."""
        if part_of(wrapper, item.name) is None:
            return Fixed("null")  # a field that a project added; its code answers
        entity = get_named_type(wrapper.fields[item.name].type)
        assert isinstance(entity, GraphQLObjectType)
        return self.translator(state, times).entity(entity, item.selection_sets)

    def translator(self, state: PublicationState | None = None, times: int = 1) -> Translator:
        """What makes Answers of selection sets, for the caller."""
        return Translator(
            self.selections,
            self.controller,
            self.actor.permissions,
            self.limits,
            self.cost,
            self.marks,
            state,
            self.customization,
            times,
        )

    def _query(self, root: RootField, selected: Selected, arguments: dict[str, Any]) -> Query:
        query = read_arguments(arguments, self.limits, (selected.key,))
        return self.controller.sanitize(query, root.content_type, self.actor.permissions)

    async def locale(self, root: RootField) -> str:
        """The default locale, for types that have locales."""
        return await self.controller.locales.default() if root.content_type.localized else ""

    def _counts(self, wrapper: GraphQLObjectType, item: Selected, counting: frozenset[Part]) -> bool:
        """Whether `meta.pagination` is asked for what needs a count."""
        if part_of(wrapper, item.name) is not Part.META:
            return False
        meta = _below(wrapper, item)
        for one in self.selections.of(meta, item.selection_sets):
            if one.name != TYPENAME:
                pagination = _below(meta, one)
                parts = self.selections.of(pagination, one.selection_sets)
                if any(part_of(pagination, part.name) in counting for part in parts):
                    return True
        return False

    def meta(self, wrapper: GraphQLObjectType, item: Selected, page: PageTold) -> bytes:
        """`meta` of a collection, or its type's name."""
        if item.name == TYPENAME:
            return f'"{wrapper.name}"'.encode()
        if part_of(wrapper, item.name) is None:
            return NULL
        meta = _below(wrapper, item)
        members = []
        for one in self.selections.of(meta, item.selection_sets):
            told = f'"{meta.name}"'.encode() if one.name == TYPENAME else self._page(meta, one, page)
            members.append((one.key, told))
        return join(members)

    def _page(self, meta: GraphQLObjectType, item: Selected, page: PageTold) -> bytes:
        pagination = _below(meta, item)
        numbers = {
            Part.PAGE: page.number,
            Part.PAGE_SIZE: page.size,
            Part.TOTAL: page.total,
            Part.PAGE_COUNT: page.count,
        }
        members = []
        for one in self.selections.of(pagination, item.selection_sets):
            part = part_of(pagination, one.name)
            told = f'"{pagination.name}"' if part is None else str(numbers[part])
            members.append((one.key, told.encode()))
        return join(members)


def _told(wrapper: GraphQLObjectType, below: list[Selected], found: bytes) -> dict[str, bytes]:
    """The JSON of each `data` of a wrapper, by its key."""
    keys = [item.key for item in below if part_of(wrapper, item.name) is Part.DATA]
    return dict(zip(keys, apart(found, len(keys)), strict=True)) if keys else {}


def _response(wrapper: GraphQLObjectType, below: list[Selected], found: bytes) -> bytes:
    told = _told(wrapper, below, found)
    return join((item.key, told.get(item.key) or f'"{wrapper.name}"'.encode()) for item in below)


def join(members: Iterable[tuple[str, bytes]]) -> bytes:
    """A JSON object of keys (GraphQL names: plain letters) and JSON."""
    return b"{%b}" % b",".join(b'"%b":%b' % (key.encode(), value) for key, value in members)


def action_of(root: RootField) -> str:
    """What the caller has to be allowed."""
    uid = root.content_type.uid
    return _PLUGIN_ACTIONS.get((uid, root.action), f"{uid}.{root.action}")


def read_id(value: Any) -> int:
    """An id of GraphQL, a text; 0 for one that no entry has."""
    number = js_number(value)
    return int(number) if 0 < number <= MAX_ID and number == int(number) else 0


def _with_count(query: Query, page: Page, *, with_count: bool) -> Query:
    counted = Page(start=page.start, limit=page.limit, number=page.number, with_count=with_count)
    return replace(query, page=counted)


def _below(parent: GraphQLObjectType, item: Selected) -> GraphQLObjectType:
    found = get_named_type(parent.fields[item.name].type)
    assert isinstance(found, GraphQLObjectType)
    return found
