"""Root fields that write content: each in its own transaction, in which the response is read."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from graphql import FieldNode, GraphQLField, GraphQLNonNull, GraphQLObjectType, Undefined, VariableNode, get_named_type

from octavo.api.graphql.document.collect_fields import TYPENAME, Selected
from octavo.api.graphql.execution.prepared_operations import NULL, Errors
from octavo.api.graphql.execution.root_resolvers import RootResolvers, action_of
from octavo.api.graphql.schema.field_metadata import RootField
from octavo.content.controllers.write_policy import Write
from octavo.content.reader import PreparedRead
from octavo.core.errors import NotFoundError, OctavoError, ValidationError
from octavo.core.threads import compute
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Fixed
from octavo.query.request import Drafts
from octavo.schema.attributes import TIMESTAMPS
from octavo.schema.content_types import ContentType


@dataclass(frozen=True, slots=True)
class EntryWrite:
    """A root field of Mutation that is ready to run with any arguments.

    `texts` are the JSON around the entry, of which the response shows none, one or several; `answer` reads it.
    `sources` are the names of its arguments and of their variables, and whether the argument is required; or None if
    one of them is no variable.
    """

    field: GraphQLField
    root: RootField
    selected: Selected
    texts: tuple[bytes, ...]
    answer: PreparedRead
    sources: tuple[tuple[str, str, bool], ...] | None

    def arguments(self, variables: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments if they are variables, which need no further reading; None if one may be invalid."""
        if self.sources is None:
            return None
        arguments = {}
        for name, variable, is_required in self.sources:
            if variable in variables:
                arguments[name] = variables[variable]
            if is_required and arguments.get(name) is None:
                return None
        return arguments

    @property
    def is_reusable(self) -> bool:
        """Whether its errors do not change the sentinels of the operation."""
        return not _reports_below(self.root)


@dataclass(frozen=True, slots=True)
class _Call:
    """The arguments of a root field, and the read for its response."""

    root: RootField
    id: Any
    data: Mapping[str, Any]
    locale: str | None
    answer: PreparedRead

    @property
    def content_type(self) -> ContentType:
        """The type of the entry."""
        return self.root.content_type


@dataclass(frozen=True, slots=True)
class MutationResolvers:
    """Writes for one operation of one caller. `size` is the size of the request's body in bytes."""

    roots: RootResolvers
    size: int

    async def write(self, field: GraphQLField, root: RootField, selected: Selected) -> tuple[bytes, EntryWrite | None]:
        """Return the JSON of a root field of Mutation, and the field prepared for other arguments.

        Raises OctavoError, GraphQLError.
        """
        self.roots.require(action_of(root))
        arguments = await self._arguments(field, selected)
        wrapper = get_named_type(field.type)
        assert isinstance(wrapper, GraphQLObjectType)
        texts, answer = self._response(root, wrapper, selected)
        try:
            prepared = self.roots.prepare_entry(root.content_type.uid, answer, Drafts.ANY)
            write = EntryWrite(field, root, selected, texts, prepared, _sources(field, selected.node))
            return (await self._write(root, arguments, prepared)).join(texts), write
        except OctavoError as error:
            if len(texts) > 1 and _reports_below(root):
                return self.roots.sentinels.null(error).json.encode().join(texts), None
            raise

    async def run(self, write: EntryWrite) -> tuple[bytes, Errors]:
        """Return the JSON of a root field that is prepared, and its errors. Raises OctavoError, GraphQLError."""
        arguments = write.arguments(self.roots.selections.variables)
        if arguments is None:
            arguments = await self._arguments(write.field, write.selected)
        response = (await self._write(write.root, arguments, write.answer)).join(write.texts)
        return self.roots.sentinels.take(response, (write.selected.key,))

    async def _arguments(self, field: GraphQLField, selected: Selected) -> dict[str, Any]:
        return await compute(partial(self.roots.selections.arguments, field, selected), self.size)

    def _response(
        self, root: RootField, wrapper: GraphQLObjectType, selected: Selected
    ) -> tuple[tuple[bytes, ...], Answer]:
        """Return the JSON around the entry, and what is shown of it."""
        roots = replace(self.roots, is_gone=root.action == "delete")
        texts = [b"{"]
        shown: Answer | None = None
        for place, below in enumerate(self.roots.selections.of(wrapper, selected.selection_sets)):
            texts[-1] += b"," * (place > 0) + f'"{below.key}":'.encode()
            if below.name == TYPENAME:
                texts[-1] += f'"{wrapper.name}"'.encode()
                continue
            shown = shown or roots.entity_answer(wrapper, below, None)
            texts.append(b"")
        texts[-1] += b"}"
        return tuple(texts), shown or Fixed("0")

    async def _write(self, root: RootField, arguments: dict[str, Any], prepared: PreparedRead) -> bytes:
        data, locale = arguments.get("data") or {}, arguments.get("locale")
        if locale is not None and not isinstance(locale, str):  # variables can have any type
            raise ValidationError("Locale must be a string")
        call = _Call(root, arguments.get("id"), data, locale, prepared)
        writes = {
            "create": self._create,
            "update": self._update,
            "delete": self._delete,
            "createLocalization": self._create_localization,
        }
        return await writes[root.action](call)

    async def _create(self, call: _Call) -> bytes:
        creating = partial(self.roots.controller.writes.create, draft=True, locale=call.locale)
        return await creating(call.content_type, self._body(call), call.answer, self.roots.actor)

    async def _update(self, call: _Call) -> bytes:
        entry_id = await self._entry_id(call, call.locale)
        if not entry_id and call.content_type.is_single:
            return await self._create_single(call)
        updating = self.roots.controller.writes.update
        try:
            return await updating(call.content_type, entry_id, self._body(call), call.answer, self.roots.actor)
        except NotFoundError:
            return NULL

    async def _create_single(self, call: _Call) -> bytes:
        beside = call.locale is None or call.locale == await self.roots.controller.locales.default()
        again = partial(self._entry_id, call, call.locale)
        creating = partial(self.roots.controller.writes.create_single, draft=True, locale=call.locale, beside=beside)
        return await creating(call.content_type, self._body(call), call.answer, self.roots.actor, again)

    async def _delete(self, call: _Call) -> bytes:
        entry_id = await self._entry_id(call, call.locale)
        if not entry_id and call.content_type.is_single:
            raise NotFoundError("Entity not found")
        try:
            return await self.roots.controller.writes.delete(call.content_type, entry_id, call.answer, self.roots.actor)
        except NotFoundError:
            return NULL

    async def _create_localization(self, call: _Call) -> bytes:
        entry_id = await self._entry_id(call, None) or self.roots.read_id(call.id)
        write = Write({**call.data, "locale": call.locale}, size=self.size)
        localizing = self.roots.controller.writes.localize
        return await localizing(call.content_type, entry_id, write, call.answer, self.roots.actor)

    async def _entry_id(self, call: _Call, locale: str | None) -> int:
        """Return the id of the entry to change, or 0: the id in the arguments, or the single type's entry."""
        is_single = call.content_type.is_single
        return await self.roots.single_id(call.root, locale) if is_single else self.roots.read_id(call.id)

    def _body(self, call: _Call) -> Write:
        dates = {name: call.data[name] for name in TIMESTAMPS if call.data.get(name) is not None}
        return Write(call.data, dates=dates, size=self.size)


def _sources(field: GraphQLField, node: FieldNode) -> tuple[tuple[str, str, bool], ...] | None:
    if any(argument.default_value is not Undefined for argument in field.args.values()):
        return None
    sources = []
    for one in node.arguments:
        if not isinstance(one.value, VariableNode):
            return None
        argument = field.args[one.name.value]
        is_required = isinstance(argument.type, GraphQLNonNull)
        sources.append((argument.out_name or one.name.value, one.value.name.value, is_required))
    return tuple(sources)


def _reports_below(root: RootField) -> bool:
    """Whether errors of a root field are shown below it: those of the update of a single type (observed)."""
    return root.action == "update" and root.content_type.is_single
