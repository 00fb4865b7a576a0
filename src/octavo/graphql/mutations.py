"""Root fields that write content: each in a transaction of its own, the answer read inside it."""

from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLField, GraphQLObjectType, get_named_type

from octavo.controllers import Write
from octavo.errors import NotFoundError, OctavoError, ValidationError
from octavo.graphql.meaning import RootField
from octavo.graphql.reads import NULL
from octavo.graphql.roots import Roots, action_of, join, read_id
from octavo.graphql.selection import TYPENAME, Selected
from octavo.query.answer import Answer, Fixed
from octavo.query.ast import Query


@dataclass(frozen=True, slots=True)
class Mutations:
    """Writes for one operation of one caller."""

    roots: Roots

    async def write(self, field: GraphQLField, root: RootField, selected: Selected) -> bytes:
        """The JSON of a root field of Mutation. Raises OctavoError, GraphQLError."""
        self.roots.require(action_of(root))
        arguments = self.roots.selections.arguments(field, selected)
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
        """What a write shows. What is wrong with the update of a single type stands below its field (observed)."""
        try:
            return await self._write(root, arguments, answer)
        except OctavoError as error:
            if root.action == "update" and root.content_type.is_single:
                return self.roots.marks.null(error).json.encode()
            raise

    async def _write(self, root: RootField, arguments: dict[str, Any], answer: Answer) -> bytes:
        controller, content_type = self.roots.controller, root.content_type
        actor = self.roots.actor
        prepared = controller.prepare_own_answer(content_type, answer, actor.permissions)
        data, locale = arguments.get("data") or {}, arguments.get("locale")
        if locale is not None and not isinstance(locale, str):  # variables bring values of any kind
            raise ValidationError("Locale must be a text")
        if root.action == "createLocalization":
            flat = {**data, "locale": locale}
            base = await self._single(root, None) or read_id(arguments.get("id"))
            return await controller.localize(content_type, base, Write(flat), prepared, actor)
        write = Write(data, dates=_dates(data))
        if root.action == "create":
            return await controller.create(content_type, write, prepared, actor, draft=True, locale=locale)
        entry_id = await self._single(root, locale) if content_type.is_single else read_id(arguments.get("id"))
        if not entry_id and root.action == "update" and content_type.is_single:
            await controller.check_no_single(content_type)
            return await controller.create(content_type, write, prepared, actor, draft=True, locale=locale)
        if not entry_id and content_type.is_single:
            raise NotFoundError("Entity not found")
        try:
            if root.action == "delete":
                return await controller.delete(content_type, entry_id, prepared)
            return await controller.update(content_type, entry_id, write, prepared, actor)
        except NotFoundError:
            return NULL

    async def _single(self, root: RootField, locale: str | None) -> int:
        if not root.content_type.is_single:
            return 0
        asked = Query(locales=None if locale is None else (locale,))
        return await self.roots.controller.single_id(root.content_type, asked, await self.roots.locale(root)) or 0


def _dates(data: dict[str, Any] | None) -> dict[str, Any]:
    return {name: data[name] for name in ("createdAt", "updatedAt") if data and data.get(name) is not None}
