"""Execute operations of known documents, root field by root field, and return the bytes of the response.

Generated fields do not run in graphql-core's executor: they are read and written as a whole. Introspection does.
"""

import asyncio
from collections.abc import Awaitable, Coroutine, Sequence
from dataclasses import field
from functools import partial
from typing import Any, Final

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
    get_named_type,
)

from octavo.access.authorization.actor import Actor
from octavo.api.graphql.document.coercers import Coercers, VariableCoercers
from octavo.api.graphql.document.collect_fields import TYPENAME, Selected, Selections
from octavo.api.graphql.document.variables import read_variables
from octavo.api.graphql.execution.argument_parser import ListLimits
from octavo.api.graphql.execution.code_fields import CodeFields
from octavo.api.graphql.execution.cost import Cost
from octavo.api.graphql.execution.error_format import BAD_INPUT, UNEXPECTED, render, render_refused
from octavo.api.graphql.execution.error_sentinels import ErrorSentinels
from octavo.api.graphql.execution.mutation_resolvers import EntryWrite, MutationResolvers
from octavo.api.graphql.execution.operation_shapes import Lifting, OperationShapes
from octavo.api.graphql.execution.plugin_resolvers import PluginResolvers
from octavo.api.graphql.execution.prepared_mutations import PreparedMutation, PreparedMutations
from octavo.api.graphql.execution.prepared_operations import (
    NULL,
    Errors,
    PreparedOperation,
    PreparedOperations,
    Read,
    RequestedOperation,
    complete,
    weigh,
)
from octavo.api.graphql.execution.root_resolvers import NO_SOURCES, RootResolvers, Sources, action_of, join
from octavo.api.graphql.schema.field_metadata import (
    FieldMetadata,
    PluginField,
    RootField,
    ScheduleField,
    metadata_of_field,
)
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.scheduling import read_times
from octavo.core.cache import Cache
from octavo.core.errors import NotFoundError, OctavoError
from octavo.core.threads import compute
from octavo.core.values import dataclass
from octavo.project.execution import Requester
from octavo.project.state import State, shared_state


async def answer_schedule(
    roots: RootResolvers, field: GraphQLField, root: ScheduleField, selected: Selected, *, changes: bool
) -> bytes:
    """Return the JSON of a scheduling field. With `changes`, `data` has the new times. Raises OctavoError."""
    roots.require(action_of(root))
    content_type, schedules = root.content_type, roots.controller.schedules
    assert schedules is not None, "a site has them"
    given = roots.selections.arguments(field, selected)
    single = content_type.is_single
    entry_id = await roots.single_id(root, given.get("locale")) if single else roots.read_id(given["id"])
    if not entry_id:
        raise NotFoundError
    times = read_times(given["data"]) if changes else {}
    planned = await schedules.set(content_type, entry_id, times, roots.actor)
    kind = get_named_type(field.type)
    assert isinstance(kind, GraphQLObjectType)
    asked = roots.selections.of(kind, selected.selection_sets)
    return join((item.key, orjson.dumps(kind.name if item.name == TYPENAME else planned[item.name])) for item in asked)


_INTROSPECTION: Final = frozenset({"__schema", "__type"})
FieldResult = tuple[bytes, Errors]


@dataclass(frozen=True, slots=True)
class Executor:
    """Executes operations on one schema."""

    schema: GraphQLSchema
    controller: ContentController
    plugin_resolvers: PluginResolvers
    limits: ListLimits
    ready: PreparedOperations
    shapes: OperationShapes
    introspected: Cache[str, bytes]
    mutations: PreparedMutations
    coercers: Coercers
    code: CodeFields | None = None
    digit_ids: bool = False

    def run(self, asked: RequestedOperation, actor: Actor, requester: Requester) -> Coroutine[Any, Any, bytes]:
        """Return the coroutine that returns the response of an operation, including errors.

        It raises RefusedVariables and OperationUnavailable.
        """
        if asked.is_new:
            ready = self.shapes.get(asked, actor) or self.ready.get(asked, actor)
        else:
            ready = None if asked.is_mutation else self._find(asked, actor)
        if ready is None:
            return self._run_regularly(asked, actor, requester)
        if ready.locale is None or ready.locale == self.controller.locales.default_at_once():
            return ready.answer(self.controller.reads, asked)
        return self._run_for_locale(ready, asked, actor, requester)

    async def _run_for_locale(
        self, ready: PreparedOperation, asked: RequestedOperation, actor: Actor, requester: Requester
    ) -> bytes:
        """Return the response of an operation that is prepared for a default locale, if that is still the default."""
        if ready.locale == await self.controller.locales.default():
            return await ready.answer(self.controller.reads, asked)
        return await self._run_regularly(asked, actor, requester)

    async def _run_regularly(self, asked: RequestedOperation, actor: Actor, requester: Requester) -> bytes:
        coercers = self._coercers(asked)
        read = partial(read_variables, self.schema, asked.operation, asked.variables, coercers)
        variables = await compute(read, asked.size)
        if asked.literals is not None:
            variables = {**variables, **asked.literals.values}
        if asked.is_mutation:
            mutation = self.mutations.get(asked, variables, actor)
            if mutation is not None:
                return await self._write(mutation, asked, variables, actor)
            return await self._run_unprepared(asked, variables, actor, requester)
        return await self._run_unprepared(asked, variables, actor, requester)

    def _find(self, asked: RequestedOperation, actor: Actor) -> PreparedOperation | None:
        """Return the prepared query for these values or this shape, and keep a shape's query for the values."""
        ready = self.ready.get(asked, actor)
        if ready is None:
            ready = self.shapes.get(asked, actor)
            if ready is not None:
                self.ready.keep(asked, actor, ready, asked.values_size)
        return ready

    def _coercers(self, asked: RequestedOperation) -> VariableCoercers:
        known, key = asked.document.coercers, id(asked.operation)
        return known.get(key) or known.setdefault(key, self.coercers.of(asked.operation))

    async def _run_unprepared(
        self, asked: RequestedOperation, variables: dict[str, Any], actor: Actor, requester: Requester
    ) -> bytes:
        """Return the response to an operation, and prepare it for later requests if possible."""
        operation, lifting = asked.operation, Lifting(variables)
        selections = Selections(self.schema, asked.document.fragments, variables, lifting.filters)
        parent = self.schema.get_root_type(operation.operation)
        assert parent is not None
        roots = self._roots(selections, actor, ErrorSentinels(), lifting)
        selected = selections.of(parent, [operation.selection_set])
        run = _Run(self, roots, asked, requester)
        with self.controller.reads.request_share():
            results = await run.fields(parent, selected)
        if asked.is_mutation:
            run.keep_mutation(parent, selected, variables)
        else:
            run.keep_query(selected, variables, lifting)
        return _answer(asked, parent, selected, results)

    def _roots(
        self, selections: Selections, actor: Actor, sentinels: ErrorSentinels, sources: Sources = NO_SOURCES
    ) -> RootResolvers:
        cost = Cost(self.limits.values, self.controller.reads.limits.cost)
        return RootResolvers(
            self.controller,
            selections,
            actor,
            self.limits,
            cost,
            sentinels,
            digit_ids=self.digit_ids,
            sources=sources,
        )

    async def _write(
        self, mutation: PreparedMutation, asked: RequestedOperation, variables: dict[str, Any], actor: Actor
    ) -> bytes:
        """Return the response to a prepared mutation."""
        selections = Selections(self.schema, asked.document.fragments, variables)
        resolvers = MutationResolvers(self._roots(selections, actor, mutation.sentinels), asked.size)
        self.controller.reads.read_newest()
        if len(mutation.writes) == 1:
            results = await _run_writes(resolvers, mutation)
        else:
            with self.controller.reads.request_share():
                results = await _run_writes(resolvers, mutation)
        if all(not errors for _, errors in results):
            return mutation.response([value for value, _ in results])
        return _answer(asked, mutation.parent, mutation.selected, results)


async def _run_writes(resolvers: MutationResolvers, mutation: PreparedMutation) -> list[FieldResult]:
    """Run the writes of a mutation in order."""
    return [
        (write, []) if isinstance(write, bytes) else await _caught(resolvers.run(write)) for write in mutation.writes
    ]


async def _caught(work: Awaitable[FieldResult]) -> FieldResult:
    """Return the JSON of a root field with its errors, and null with the error that it raised."""
    try:
        return await work
    except OctavoError as error:
        return NULL, [render(error)]
    except GraphQLError as error:
        return NULL, [render_refused(error, UNEXPECTED if error.path else BAD_INPUT)]


@dataclass(frozen=True, slots=True)
class _Run:
    executor: Executor
    roots: RootResolvers
    asked: RequestedOperation
    requester: Requester

    state: State = field(default_factory=shared_state)
    """State that project code shares within the request."""
    sizes: list[int] = field(default_factory=list)
    constants: dict[str, bytes] = field(default_factory=dict)
    reads: dict[str, Read] = field(default_factory=dict)
    writes: dict[str, EntryWrite] = field(default_factory=dict)

    @property
    def is_mutation(self) -> bool:
        """Whether the operation is a mutation."""
        return self.asked.is_mutation

    def members(self, selected: list[Selected]) -> tuple[tuple[bytes, Read | bytes], ...]:
        """Return the bytes before each field of the response, and its value or read."""
        known: dict[str, Read | bytes] = {**self.constants, **self.reads}
        before = ((b"," if place else b"{") + b'"%b":' % item.key.encode() for place, item in enumerate(selected))
        return tuple(zip(before, (known[item.key] for item in selected), strict=True))

    async def fields(self, parent: GraphQLObjectType, selected: list[Selected]) -> list[FieldResult]:
        """Run queries concurrently, and mutations one after the other."""
        work = [self._field(parent, item) for item in selected]
        if self.is_mutation:
            self.executor.controller.reads.read_newest()
            return [await one for one in work]
        return await asyncio.gather(*work)

    async def _field(self, parent: GraphQLObjectType, item: Selected) -> FieldResult:
        if item.name == TYPENAME:
            value = self.constants[item.key] = f'"{parent.name}"'.encode()
            return value, []
        if item.name in _INTROSPECTION:
            return self._introspect(item)
        return await _caught(self._generated(parent, item))

    async def _generated(self, parent: GraphQLObjectType, item: Selected) -> FieldResult:
        code = self.executor.code
        if code is not None and code.concerns(parent, item, self.roots):
            return await code.run(self.roots, self._read_root, self.asked, self.requester, self.state, item)
        field = parent.fields[item.name]
        read = await self._read_root(self.roots, metadata_of_field(field), field, item)
        return self.roots.sentinels.take(read, (item.key,))

    def keep_query(self, selected: list[Selected], variables: dict[str, Any], lifting: Lifting) -> None:
        """Keep the query for later requests, if all its root fields are prepared."""
        known, defaults = self.constants.keys() | self.reads.keys(), tuple(self.roots.defaults)
        if len(defaults) < 2 and all(item.key in known for item in selected):
            locale = defaults[0] if defaults else None  # not the current default: the reads are bound to this one
            prepared = PreparedOperation(self.members(selected), self.roots.sentinels, locale)
            self.executor.ready.keep(self.asked, self.roots.actor, prepared)
            self.executor.shapes.keep(self.asked, variables, self.roots.actor, prepared, lifting)

    def keep_mutation(self, parent: GraphQLObjectType, selected: list[Selected], variables: dict[str, Any]) -> None:
        """Keep the mutation for other values of its variables, if all its root fields are prepared."""
        known: dict[str, EntryWrite | bytes] = {**self.constants, **self.writes}
        is_likely_again = self.asked.operation.variable_definitions or self.asked.literals
        if is_likely_again and all(item.key in known for item in selected):
            writes = tuple(known[item.key] for item in selected)
            mutation = PreparedMutation(parent, tuple(selected), writes, self.roots.sentinels)
            self.executor.mutations.keep(self.asked, variables, self.roots.actor, mutation)

    async def _read_root(
        self, roots: RootResolvers, metadata: FieldMetadata | None, field: GraphQLField, item: Selected
    ) -> bytes:
        """Return the JSON of a generated root field, with sentinels for errors."""
        if isinstance(metadata, PluginField):
            return await self.executor.plugin_resolvers.answer(metadata.name, field, item, roots, self.requester.client)
        if isinstance(metadata, ScheduleField):
            return await answer_schedule(roots, field, metadata, item, changes=self.is_mutation)
        assert isinstance(metadata, RootField), "fields of other metadata are no root fields"
        if self.is_mutation:
            value, write = await MutationResolvers(roots, self.asked.size).write(field, metadata, item)
            if roots is self.roots and write is not None and write.is_reusable:
                self.writes[item.key] = write
            return value
        read = await roots.prepare(field, metadata, item)
        if roots is self.roots:  # no code has changed the arguments
            self.reads[item.key] = read
        reads = self.executor.controller.reads
        pieces = read.fill(await read.fetch(reads))
        weigh(pieces, self.sizes, reads)
        return b"".join(pieces)

    def _introspect(self, item: Selected) -> FieldResult:
        """Run introspection with graphql-core. The result is cached if there are no variables."""
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
        data = orjson.dumps((result.data or {}).get(item.key))
        if key and not errors:
            self.executor.introspected.put(key, data)
        return data, errors


def _answer(
    asked: RequestedOperation, parent: GraphQLObjectType, selected: Sequence[Selected], results: list[FieldResult]
) -> bytes:
    errors = [error for _, found in results for error in found]
    data = join((item.key, value) for item, (value, _) in zip(selected, results, strict=True))
    values = ((item, value) for item, (value, _) in zip(selected, results, strict=True))
    if errors and any(value == NULL and _is_required(parent, item) for item, value in values):
        data = NULL
    found = (value for item, (value, _) in zip(selected, results, strict=True) if item.name != TYPENAME)
    return complete((data,), asked.place(errors), has_values=data != NULL and any(value != NULL for value in found))


def _is_required(parent: GraphQLObjectType, item: Selected) -> bool:
    field = parent.fields.get(item.name)
    return field is not None and isinstance(field.type, GraphQLNonNull)
