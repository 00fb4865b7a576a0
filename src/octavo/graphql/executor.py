"""Runs operations of known documents, root field by root field, to the bytes of an answer.

Generated fields never reach graphql-core's executor: they are read and written as a whole. Introspection does.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import orjson
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLField,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    execute_sync,
)

from octavo.access.actors import Actor
from octavo.controllers import ContentController
from octavo.errors import OctavoError
from octavo.graphql.code_fields import CodeFields
from octavo.graphql.cost import Cost
from octavo.graphql.errors import BAD_INPUT, UNEXPECTED, render, render_refused
from octavo.graphql.marks import Marks
from octavo.graphql.meaning import FieldMeaning, PluginField, RootField, field_meaning
from octavo.graphql.mutations import Mutations
from octavo.graphql.plugin_fields import PluginFields
from octavo.graphql.queries import ListLimits
from octavo.graphql.reads import NULL, Asked, Errors, Read, ReadyOperation, ReadyOperations, envelope, weigh
from octavo.graphql.roots import Roots, join
from octavo.graphql.selection import TYPENAME, Selected, Selections
from octavo.graphql.texts import CacheLimits, TextCache
from octavo.graphql.variables import read_variables

_OF_SCHEMA: Final = CacheLimits(entries=50, bytes=16 * 1024**2)
_INTROSPECTION: Final = frozenset({"__schema", "__type"})
Told = tuple[bytes, Errors]


@dataclass(frozen=True, slots=True)
class Executor:
    """Runs operations on one schema."""

    schema: GraphQLSchema
    controller: ContentController
    plugin_fields: PluginFields
    limits: ListLimits
    code: CodeFields | None = None
    ready: ReadyOperations = field(default_factory=ReadyOperations)
    introspected: TextCache[bytes] = field(default_factory=lambda: TextCache(_OF_SCHEMA))

    def ready_at_once(self, asked: Asked, actor: Actor) -> ReadyOperation | None:
        """An operation seen before, of which nothing has to be asked first."""
        ready = self.ready.get(asked, actor)
        return ready if ready is not None and ready.locale is None else None

    async def run(self, asked: Asked, actor: Actor, client: Callable[[], str]) -> bytes:
        """The answer to an operation, errors included; `client` tells the caller's address. Raises RefusedVariables."""
        ready = self.ready.get(asked, actor)
        if ready is not None and (ready.locale is None or ready.locale == await self.controller.locales.default()):
            return await ready.answer(self.controller)
        operation, fragments = asked.operation, asked.document.fragments
        selections = Selections(self.schema, fragments, read_variables(self.schema, operation, asked.variables))
        parent = self.schema.get_root_type(operation.operation)
        assert parent is not None
        roots = Roots(self.controller, selections, actor, self.limits, Cost(self.limits.values), Marks())
        selected = selections.of(parent, [operation.selection_set])
        run = _Run(self, roots, asked, client())
        told = await run.fields(parent, selected)
        if not run.is_mutation and all(item.key in run.constants or item.key in run.reads for item in selected):
            locale = await self.controller.locales.default() if run.is_localized else None
            self.ready.keep(asked, actor, ReadyOperation(run.members(selected), roots.marks, locale))
        return _answer(parent, selected, told)


@dataclass(frozen=True, slots=True)
class _Run:
    executor: Executor
    roots: Roots
    asked: Asked
    client: str

    sizes: list[int] = field(default_factory=list)
    constants: dict[str, bytes] = field(default_factory=dict)
    reads: dict[str, Read] = field(default_factory=dict)
    localized: list[str] = field(default_factory=list)

    @property
    def is_localized(self) -> bool:
        """Whether the default locale matters."""
        return bool(self.localized)

    @property
    def is_mutation(self) -> bool:
        """Whether it writes."""
        return self.asked.operation.operation is OperationType.MUTATION

    def members(self, selected: list[Selected]) -> tuple[tuple[bytes, Read | bytes], ...]:
        """What stands before each field of the answer, and what answers it."""
        known: dict[str, Read | bytes] = {**self.constants, **self.reads}
        before = ((b"," if place else b"{") + b'"%b":' % item.key.encode() for place, item in enumerate(selected))
        return tuple(zip(before, (known[item.key] for item in selected), strict=True))

    async def fields(self, parent: GraphQLObjectType, selected: list[Selected]) -> list[Told]:
        """Queries at once, mutations in turn."""
        work = [self._field(parent, item) for item in selected]
        if self.is_mutation:
            return [await one for one in work]
        return await asyncio.gather(*work)

    async def _field(self, parent: GraphQLObjectType, item: Selected) -> Told:
        if item.name == TYPENAME:
            told = self.constants[item.key] = f'"{parent.name}"'.encode()
            return told, []
        if item.name in _INTROSPECTION:
            return self._introspect(item)
        code = self.executor.code
        try:
            if code is not None and code.concerns(parent, item, self.roots):
                return await code.run(self.roots, self._read_root, self.asked, self.client, item)
            field = parent.fields[item.name]
            return self.roots.marks.take(await self._read_root(self.roots, field_meaning(field), field, item))
        except OctavoError as error:
            return NULL, [render(error)]
        except GraphQLError as error:
            return NULL, [render_refused(error, UNEXPECTED if error.path else BAD_INPUT)]

    async def _read_root(
        self, roots: Roots, meaning: FieldMeaning | None, field: GraphQLField, item: Selected
    ) -> bytes:
        """The JSON of a generated root field, with marks."""
        if isinstance(meaning, PluginField):
            return await self.executor.plugin_fields.answer(meaning.name, field, item, roots, self.client)
        assert isinstance(meaning, RootField), "fields of other meaning are no root fields"
        if self.is_mutation:
            return await Mutations(roots).write(field, meaning, item)
        read = await roots.prepare(field, meaning, item)
        if roots is self.roots:  # and no code has changed what is read
            self.reads[item.key] = read
            self.localized.extend([item.key] if meaning.content_type.localized else ())
        pieces = await read.run(self.executor.controller)
        weigh(pieces, self.sizes, self.executor.controller)
        return b"".join(pieces)

    def _introspect(self, item: Selected) -> Told:
        """graphql-core answers what is asked of the schema itself: always the same, where nothing varies."""
        start = self.asked.operation.loc.start if self.asked.operation.loc else 0
        key = None if self.asked.variables else f"{start} {item.key} {self.asked.document.text}"
        known = self.executor.introspected.get(key) if key else None
        if known is not None:
            return known, []
        operation = OperationDefinitionNode(
            operation=OperationType.QUERY,
            name=None,
            variable_definitions=self.asked.operation.variable_definitions,
            directives=(),
            selection_set=SelectionSetNode(selections=item.nodes),
        )
        document = DocumentNode(definitions=(operation, *self.asked.document.fragments.values()))
        result = execute_sync(self.executor.schema, document, variable_values=self.asked.variables)
        errors = [render_refused(error, BAD_INPUT) for error in result.errors or ()]
        told = orjson.dumps((result.data or {}).get(item.key))
        if key and not errors:
            self.executor.introspected.put(key, told, told)
        return told, errors


def _answer(parent: GraphQLObjectType, selected: list[Selected], told: list[Told]) -> bytes:
    errors = [error for _, found in told for error in found]
    data = join((item.key, value) for item, (value, _) in zip(selected, told, strict=True))
    values = ((item, value) for item, (value, _) in zip(selected, told, strict=True))
    if errors and any(value == NULL and _is_required(parent, item) for item, value in values):
        data = NULL
    return envelope((data,), errors)


def _is_required(parent: GraphQLObjectType, item: Selected) -> bool:
    field = parent.fields.get(item.name)
    return field is not None and isinstance(field.type, GraphQLNonNull)
