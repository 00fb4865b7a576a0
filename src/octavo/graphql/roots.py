"""Root fields that read content: one statement each, its JSON put into the place of the field."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from graphql import GraphQLField, GraphQLObjectType, get_named_type

from octavo.access.actors import Actor, check
from octavo.controllers import ContentController, with_id
from octavo.graphql.cost import Cost
from octavo.graphql.customization import Customization
from octavo.graphql.marks import Marks
from octavo.graphql.meaning import Part, RootField, field_meaning, part_of
from octavo.graphql.queries import ListLimits, read_arguments
from octavo.graphql.reads import EntryRead, ListRead, Read, make_frame
from octavo.graphql.repeated import together
from octavo.graphql.selection import Selected, Selections
from octavo.graphql.translate import Translator
from octavo.query.answer import Answer, Fixed
from octavo.query.ast import Page, PublicationState, Query
from octavo.query.numbers import js_number

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
    is_gone: bool = False
    """Whether what is shown is deleted by then: v4 answers its own values only, and nothing that it led to."""

    def require(self, *actions: str) -> None:
        """Raise ForbiddenError unless the caller may take these actions, or need not be asked."""
        if not self.is_authorized:
            check(self.actor, *actions)

    def require_field(self, field: GraphQLField) -> None:
        """Raise ForbiddenError unless the caller may have what is generated for a root field."""
        meaning = field_meaning(field)
        if isinstance(meaning, RootField):
            self.require(action_of(meaning))

    async def prepare(self, field: GraphQLField, root: RootField, selected: Selected) -> Read:
        """The read of a root field of Query. Raises OctavoError, GraphQLError."""
        self.require(action_of(root))
        arguments = self.selections.arguments(field, selected)
        wrapper = get_named_type(field.type)
        assert isinstance(wrapper, GraphQLObjectType)
        if root.action == "findOne":
            return self._one(root.content_type.uid, wrapper, selected, read_id(arguments.get("id")))
        if root.content_type.is_single:
            return await self._single(root, wrapper, selected, arguments)
        return await self._list(root, wrapper, selected, arguments)

    async def entry(self, uid: str, wrapper: GraphQLObjectType, selected: Selected, entry_id: int) -> bytes:
        """A response with the entry of that id, which may be gone."""
        return b"".join(await self._one(uid, wrapper, selected, entry_id).run(self.controller))

    def _one(self, uid: str, wrapper: GraphQLObjectType, selected: Selected, entry_id: int) -> EntryRead:
        below = self.selections.of(wrapper, selected.selection_sets)
        frame, answer = make_frame(self.selections, wrapper, below), self._shown(wrapper, below, None)
        if answer is None:
            return EntryRead(frame, None)
        content_type = self.controller.registry.content_types[uid]
        prepared = self.controller.prepare_own_one(content_type, answer, self.actor.permissions)
        return EntryRead(frame, with_id(prepared, entry_id))

    async def _single(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected, arguments: dict[str, Any]
    ) -> EntryRead:
        query = self._query(root, selected, arguments)
        below = self.selections.of(wrapper, selected.selection_sets)
        frame = make_frame(self.selections, wrapper, below)
        answer = self._shown(wrapper, below, query.publication_state)
        if answer is None:
            return EntryRead(frame, None)
        locale = await self.locale(root)
        return EntryRead(frame, self.controller.prepare_own_single(root.content_type, query, answer, locale))

    async def _list(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected, arguments: dict[str, Any]
    ) -> ListRead:
        query, locale = self._query(root, selected, arguments), await self.locale(root)
        below = self.selections.of(wrapper, selected.selection_sets)
        frame, given = make_frame(self.selections, wrapper, below), arguments.get("pagination") or {}
        page = query.page or Page()
        answer = self._shown(wrapper, below, query.publication_state, page.limit or 1) or Fixed("0")
        asked = _with_count(query, page, with_count=frame.is_counted(given))
        return ListRead(frame, self.controller.prepare_own_list(root.content_type, asked, answer, locale), given)

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
            self.is_gone,
        )

    def _query(self, root: RootField, selected: Selected, arguments: dict[str, Any]) -> Query:
        query = read_arguments(arguments, self.limits, (selected.key,))
        self.cost.add_query(query, selected.key)
        return self.controller.sanitize(query, root.content_type, self.actor.permissions)

    async def locale(self, root: RootField) -> str:
        """The default locale, for types that have locales."""
        return await self.controller.locales.default() if root.content_type.localized else ""


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
