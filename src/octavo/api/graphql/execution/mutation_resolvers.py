"""Root fields that write content: each in its own transaction, in which the response is read."""

from dataclasses import replace
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLObjectType, get_named_type

from octavo.api.graphql.document.collect_fields import TYPENAME, Selected
from octavo.api.graphql.execution.prepared_operations import NULL, Errors
from octavo.api.graphql.execution.root_resolvers import RootResolvers, action_of
from octavo.api.graphql.schema.field_metadata import RootField
from octavo.content.controllers.writing import Write
from octavo.content.reader import PreparedRead
from octavo.core.errors import NotFoundError, OctavoError, ValidationError
from octavo.core.threads import compute
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Fixed
from octavo.query.request import Drafts
from octavo.schema.attributes import TIMESTAMPS


@dataclass(frozen=True, slots=True)
class EntryWrite:
    """A root field of Mutation that is ready to run with any arguments.

    `texts` are the JSON around the entry, of which the response shows none, one or several; `answer` reads it.
    """

    field: GraphQLField
    root: RootField
    selected: Selected
    texts: tuple[bytes, ...]
    answer: PreparedRead

    @property
    def is_reusable(self) -> bool:
        """Whether its errors do not change the sentinels of the operation."""
        return not _reports_below(self.root)


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
            write = EntryWrite(field, root, selected, texts, prepared)
            return (await self._write(root, arguments, prepared)).join(texts), write
        except OctavoError as error:
            if len(texts) > 1 and _reports_below(root):
                return self.roots.sentinels.null(error).json.encode().join(texts), None
            raise

    async def run(self, write: EntryWrite) -> tuple[bytes, Errors]:
        """Return the JSON of a root field that is prepared, and its errors. Raises OctavoError, GraphQLError."""
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
        writes, content_type = self.roots.controller.writes, root.content_type
        actor = self.roots.actor
        data, locale = arguments.get("data") or {}, arguments.get("locale")
        if locale is not None and not isinstance(locale, str):  # variables can have any type
            raise ValidationError("Locale must be a text")
        if root.action == "createLocalization":
            flat = {**data, "locale": locale}
            base = await self._single(root, None) or self.roots.read_id(arguments.get("id"))
            return await writes.localize(content_type, base, Write(flat, size=self.size), prepared, actor)
        write = Write(data, dates=_dates(data), size=self.size)
        if root.action == "create":
            return await writes.create(content_type, write, prepared, actor, draft=True, locale=locale)
        entry_id = (
            await self._single(root, locale) if content_type.is_single else self.roots.read_id(arguments.get("id"))
        )
        if not entry_id and root.action == "update" and content_type.is_single:
            beside = locale is None or locale == await self.roots.controller.locales.default()
            creating = partial(writes.create_single, draft=True, locale=locale, beside=beside)
            return await creating(content_type, write, prepared, actor, partial(self._single, root, locale))
        if not entry_id and content_type.is_single:
            raise NotFoundError("Entity not found")
        try:
            if root.action == "delete":
                return await writes.delete(content_type, entry_id, prepared, actor)
            return await writes.update(content_type, entry_id, write, prepared, actor)
        except NotFoundError:
            return NULL

    async def _single(self, root: RootField, locale: str | None) -> int:
        return await self.roots.single_id(root, locale) if root.content_type.is_single else 0


def _reports_below(root: RootField) -> bool:
    """Whether errors of a root field are shown below it: those of the update of a single type (observed)."""
    return root.action == "update" and root.content_type.is_single


def _dates(data: dict[str, Any] | None) -> dict[str, Any]:
    return {name: data[name] for name in TIMESTAMPS if data and data.get(name) is not None}
