"""Root fields that write content: each in its own transaction, in which the response is read."""

from dataclasses import replace
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLObjectType, get_named_type

from octavo.api.graphql.document.collect_fields import TYPENAME, Selected
from octavo.api.graphql.execution.prepared_operations import NULL
from octavo.api.graphql.execution.root_resolvers import RootResolvers, action_of, join
from octavo.api.graphql.schema.field_metadata import RootField
from octavo.content.controllers.writing import Write
from octavo.core.errors import NotFoundError, OctavoError, ValidationError
from octavo.core.threads import compute
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Fixed
from octavo.query.request import Drafts
from octavo.schema.attributes import TIMESTAMPS


@dataclass(frozen=True, slots=True)
class MutationResolvers:
    """Writes for one operation of one caller. `size` is the size of the request's body in bytes."""

    roots: RootResolvers
    size: int

    async def write(self, field: GraphQLField, root: RootField, selected: Selected) -> bytes:
        """Return the JSON of a root field of Mutation. Raises OctavoError and GraphQLError."""
        self.roots.require(action_of(root))
        arguments = await compute(lambda: self.roots.selections.arguments(field, selected), self.size)
        wrapper = get_named_type(field.type)
        assert isinstance(wrapper, GraphQLObjectType)
        roots = replace(self.roots, is_gone=root.action == "delete")
        members = []
        entry: bytes | None = None
        for below in self.roots.selections.of(wrapper, selected.selection_sets):
            if below.name == TYPENAME:
                members.append((below.key, f'"{wrapper.name}"'.encode()))
            elif entry is None:
                entry = await self._written(root, arguments, roots.entity_answer(wrapper, below, None))
                members.append((below.key, entry))
            else:
                members.append((below.key, entry))
        if entry is None:
            await self._write(root, arguments, Fixed("0"))
        return join(members)

    async def _written(self, root: RootField, arguments: dict[str, Any], answer: Answer) -> bytes:
        """Return the written entry. Errors in updates of single types become an error below the field (observed)."""
        try:
            return await self._write(root, arguments, answer)
        except OctavoError as error:
            if root.action == "update" and root.content_type.is_single:
                return self.roots.sentinels.null(error).json.encode()
            raise

    async def _write(self, root: RootField, arguments: dict[str, Any], answer: Answer) -> bytes:
        writes, content_type = self.roots.controller.writes, root.content_type
        actor = self.roots.actor
        prepared = self.roots.prepare_entry(content_type.uid, answer, Drafts.ANY)
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


def _dates(data: dict[str, Any] | None) -> dict[str, Any]:
    return {name: data[name] for name in TIMESTAMPS if data and data.get(name) is not None}
