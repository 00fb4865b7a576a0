"""Root fields that read content: one statement for each, whose JSON becomes the field's value."""

from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any, Final, Protocol

from graphql import FieldNode, GraphQLField, GraphQLObjectType, get_named_type

from octavo.access.authorization.ability import UPDATE
from octavo.access.authorization.actions import action_on
from octavo.access.authorization.actor import Actor, check
from octavo.api.graphql.customization.field_customization import Customization
from octavo.api.graphql.document.collect_fields import Selected, Selections
from octavo.api.graphql.execution.alias_splitter import read_together
from octavo.api.graphql.execution.argument_parser import ListLimits, read_arguments, read_requested_page
from octavo.api.graphql.execution.cost import Cost
from octavo.api.graphql.execution.error_sentinels import ErrorSentinels
from octavo.api.graphql.execution.prepared_operations import EntryRead, ListRead, PageSource, Read, make_frame
from octavo.api.graphql.execution.selection_compiler import SelectionCompiler, SelectionContext
from octavo.api.graphql.schema.field_metadata import Part, RootField, ScheduleField, metadata_of_field, part_of
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import PreparedRead
from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Fixed
from octavo.query.ast import Page, PublicationState, Query
from octavo.query.numbers import read_entry_id
from octavo.query.request import By, Drafts, ReadRequest


class Sources(Protocol):
    """The variables that provide arguments of root fields."""

    def id_source(self, node: FieldNode) -> str | None:
        """Return the variable that provides a field's id, if any."""

    def page_source(self, node: FieldNode) -> PageSource | None:
        """Return the variable that selects the page of a field that returns other pages, if any."""


class _NoSources:
    def id_source(self, node: FieldNode) -> str | None:
        return None

    def page_source(self, node: FieldNode) -> PageSource | None:
        return None


NO_SOURCES: Final[Sources] = _NoSources()
"""All arguments come from the document."""


@dataclass(frozen=True, slots=True)
class RootResolvers:
    """Reads for one operation of one caller."""

    controller: ContentController
    selections: Selections
    actor: Actor
    limits: ListLimits
    cost: Cost
    sentinels: ErrorSentinels
    customization: Customization | None = None
    is_authorized: bool = False
    """Whether project code has granted the caller access to this root field."""
    digit_ids: bool = False
    """Whether ids are digits only. Otherwise, all numbers in JavaScript's notation are accepted."""
    sources: Sources = NO_SOURCES
    defaults: set[str] = field(default_factory=set, compare=False)
    """The default locales that were used: one, unless it changed meanwhile."""
    is_gone: bool = False
    """Whether the entry was deleted: as in v4, the response has its own values, but no relations."""

    @property
    def reads(self) -> ContentReads:
        """Runs the reads."""
        return self.controller.reads

    def prepare_read(self, request: ReadRequest) -> PreparedRead:
        """Prepare a read for the caller."""
        return self.reads.prepare(request, self.actor.ability)

    def require(self, *actions: str) -> None:
        """Raise ForbiddenError unless the caller has these permissions, or code has granted access."""
        if not self.is_authorized:
            check(self.actor, *actions)

    def require_field(self, field: GraphQLField) -> None:
        """Raise ForbiddenError unless the caller has the permission for a generated root field."""
        metadata = metadata_of_field(field)
        if isinstance(metadata, RootField | ScheduleField):
            self.require(action_of(metadata))

    def read_id(self, value: Any) -> int:
        """Parse an id. Returns 0 for an invalid one."""
        return read_entry_id(value, digits_only=self.digit_ids) or 0

    async def prepare(self, field: GraphQLField, root: RootField, selected: Selected) -> Read:
        """Prepare a root field of Query. Raises OctavoError and GraphQLError."""
        self.require(action_of(root))
        arguments = self.selections.arguments(field, selected)
        wrapper = get_named_type(field.type)
        assert isinstance(wrapper, GraphQLObjectType)
        if root.action == "findOne":
            source = self.sources.id_source(selected.node)
            return self._one(root.content_type.uid, wrapper, selected, self.read_id(arguments.get("id")), source)
        if root.content_type.is_single:
            return await self._single(root, wrapper, selected, arguments)
        return await self._list(root, wrapper, selected, arguments)

    async def entry(self, uid: str, wrapper: GraphQLObjectType, selected: Selected, entry_id: int) -> bytes:
        """Return a response with the entry of that id, or null if it was deleted."""
        read = self._one(uid, wrapper, selected, entry_id)
        return b"".join(read.fill(await read.fetch(self.reads)))

    def _one(
        self, uid: str, wrapper: GraphQLObjectType, selected: Selected, entry_id: int, source: str | None = None
    ) -> EntryRead:
        below = self.selections.of(wrapper, selected.selection_sets)
        frame, answer = make_frame(self.selections, wrapper, below), self._shown(wrapper, below, None)
        if answer is None:
            return EntryRead(frame, None)
        unbound = self.prepare_entry(uid, answer)
        return EntryRead(frame, unbound.bind(id=entry_id), unbound, source, self.digit_ids)

    def prepare_entry(self, uid: str, answer: Answer, drafts: Drafts = Drafts.BY_ID) -> PreparedRead:
        """Prepare the read of an entry whose id is bound later."""
        content_type = self.controller.registry.content_types[uid]
        return self.prepare_read(ReadRequest(content_type=content_type, by=By.ID, projection=answer, drafts=drafts))

    async def _single(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected, arguments: dict[str, Any]
    ) -> EntryRead:
        query = self._query(root, selected, arguments)
        below = self.selections.of(wrapper, selected.selection_sets)
        frame = make_frame(self.selections, wrapper, below)
        answer = self._shown(wrapper, below, query.publication_state)
        if answer is None:
            return EntryRead(frame, None)
        request = ReadRequest(
            content_type=root.content_type,
            query=query,
            by=By.SINGLE,
            projection=answer,
            locale=await self.locale(root),
        )
        return EntryRead(frame, self.prepare_read(request))

    async def _list(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected, arguments: dict[str, Any]
    ) -> ListRead:
        query, locale = self._query(root, selected, arguments), await self.locale(root)
        below = self.selections.of(wrapper, selected.selection_sets)
        frame, page = make_frame(self.selections, wrapper, below), query.page or Page()
        wanted = read_requested_page(arguments.get("pagination") or {}, page, self.limits)
        answer = self._shown(wrapper, below, query.publication_state, page.limit or 1) or Fixed("0")
        begins = page.after is None and not page.start and frame.has_cursor
        asked = _with_page(
            query, page, with_count=frame.is_counted(cut=wanted.is_cut(page)), after="" if begins else page.after
        )
        request = ReadRequest(content_type=root.content_type, query=asked, projection=answer, locale=locale)
        read = self.prepare_read(request)
        source = self.sources.page_source(selected.node) if _returns_pages(read) else None
        return ListRead(frame, read, wanted, source)

    def _shown(
        self, wrapper: GraphQLObjectType, below: list[Selected], state: PublicationState | None, times: int = 1
    ) -> Answer | None:
        """Return one answer for all `data` fields of a wrapper, or None without any."""
        shown = (item for item in below if part_of(wrapper, item.name) is Part.DATA)
        answers = [self.entity_answer(wrapper, item, state, times) for item in shown]
        return read_together(answers) if answers else None

    def entity_answer(
        self, wrapper: GraphQLObjectType, item: Selected, state: PublicationState | None, times: int = 1
    ) -> Answer:
        """Return the answer for a wrapper's `data`, which has at most `times` entries."""
        if part_of(wrapper, item.name) is None:
            return Fixed("null")  # a field that a project added; code resolves it
        entity = get_named_type(wrapper.fields[item.name].type)
        assert isinstance(entity, GraphQLObjectType)
        return self.compiler(state, times).entity(entity, item.selection_sets)

    def compiler(self, state: PublicationState | None = None, times: int = 1) -> SelectionCompiler:
        """Return a compiler of selection sets for the caller."""
        context = SelectionContext(
            selections=self.selections,
            reads=self.reads,
            ability=self.actor.ability,
            limits=self.limits,
            cost=self.cost,
            sentinels=self.sentinels,
            customization=self.customization,
            is_gone=self.is_gone,
        )
        return SelectionCompiler(context=context, state=state, times=times)

    def _query(self, root: RootField, selected: Selected, arguments: dict[str, Any]) -> Query:
        query = read_arguments(arguments, self.limits, (selected.key,))
        self.cost.add_query(query, selected.key)
        return self.reads.sanitize(query, root.content_type, self.actor.ability)

    async def single_id(self, root: RootField | ScheduleField, locale: object) -> int:
        """Return the id of a single type's entry in a locale, or 0. Raises ValidationError."""
        if locale is not None and not isinstance(locale, str):  # variables can have any type
            raise ValidationError("Locale must be a string")
        asked = Query(locales=None if locale is None else (locale,))
        default = await self.locale(root)
        return await self.reads.single_id(root.content_type, asked, default, Drafts.ANY) or 0

    async def locale(self, root: RootField | ScheduleField) -> str:
        """Return the default locale, or an empty string for types without locales."""
        if not root.content_type.localized:
            return ""
        default = await self.controller.locales.default()
        self.defaults.add(default)
        return default


def _returns_pages(read: PreparedRead) -> bool:
    """Return whether a list can return other pages: the first one if this is the first one, else later ones."""
    page = read.page
    if page is None or page.limit is None:
        return False
    return read.can_turn if page.start else type(read) is PreparedRead and read.renewal is None


def join(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a JSON object. Keys are GraphQL names, which need no escaping."""
    return b"{%b}" % b",".join(b'"%b":%b' % (key.encode(), value) for key, value in members)


def action_of(root: RootField | ScheduleField) -> str:
    """Return the required action. Schedules require the permission to update the entry."""
    return action_on(root.content_type.uid, root.action if isinstance(root, RootField) else UPDATE)


def _with_page(query: Query, page: Page, *, with_count: bool, after: str | None) -> Query:
    """Return a query that also returns the values for `meta`: the total and the cursor."""
    return replace(query, page=replace(page, with_count=with_count, after=after))
