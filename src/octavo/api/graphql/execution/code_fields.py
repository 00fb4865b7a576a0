"""Root fields with project code: only these run in graphql-core's executor.

Generated fields are read first, a root field in one statement. The result is a tree by response keys, from which
generated fields below take their value. Project code is called in place.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from inspect import isawaitable
from typing import Any, Final

import orjson
from graphql import (
    DocumentNode,
    ExecutionContext,
    ExecutionResult,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    SelectionSetNode,
    default_field_resolver,
    execute,
    get_named_type,
    is_leaf_type,
)

from octavo.access.authorization.actor import check, check_authenticated
from octavo.api.graphql.customization.context import Context
from octavo.api.graphql.customization.field_customization import Customization, FieldCode
from octavo.api.graphql.customization.field_guard import FieldCall, FieldGuard
from octavo.api.graphql.document.collect_fields import Selected
from octavo.api.graphql.execution.entry_loader import read_attribute
from octavo.api.graphql.execution.error_format import UNEXPECTED, render, render_refused
from octavo.api.graphql.execution.prepared_operations import Errors, RequestedOperation
from octavo.api.graphql.execution.resolver_results import Own, Returned, is_entry
from octavo.api.graphql.execution.root_resolvers import RootResolvers
from octavo.api.graphql.execution.selection_compiler import SELF
from octavo.api.graphql.schema.field_metadata import (
    AttributeField,
    FieldMetadata,
    PluginField,
    TypeRole,
    metadata_of_field,
    metadata_of_type,
)
from octavo.content.controllers.context import PolicyContext, run_policies
from octavo.core.errors import LoggedError, OctavoError
from octavo.core.values import dataclass
from octavo.project import Entry
from octavo.project.execution import CodeClock, Requester, Runner
from octavo.project.state import CURRENT_STATE, State
from octavo.schema.content_types import ContentType

logger = logging.getLogger(__name__)

_NOT_NULL: Final = "Cannot return null for non-nullable field"
ReadRoot = Callable[[RootResolvers, FieldMetadata, GraphQLField, Selected], Awaitable[bytes]]
Next = Callable[..., Awaitable[Any]]


class _Context(ExecutionContext):
    """An execution context that does not serialize values of generated fields, which are JSON already."""

    def complete_value(
        self,
        return_type: GraphQLOutputType,
        field_nodes: list[FieldNode],
        info: GraphQLResolveInfo,
        path: Any,
        result: Any,
    ) -> Any:
        if is_leaf_type(return_type) and result is not None and not isinstance(result, Exception):
            field = info.parent_type.fields.get(info.field_name)  # None for `__typename`
            if field is not None and isinstance(metadata_of_field(field), AttributeField):
                return result
        return super().complete_value(return_type, field_nodes, info, path, result)


@dataclass(frozen=True, slots=True)
class CodeFields:
    """Runs root fields with code on one schema. `app` is passed to the code."""

    schema: GraphQLSchema
    customization: Customization
    app: Any
    runner: Runner

    def concerns(self, parent: GraphQLObjectType, item: Selected, roots: RootResolvers) -> bool:
        """Return whether a root field or a selected field below it has code."""
        if not self.customization.fields or item.name not in parent.fields:
            return False
        if self.customization.of(parent.name, item.name) is not None:
            return True
        return self._reaches(item.nodes, parent, roots.selections.fragments, set())

    def _reaches(
        self,
        nodes: tuple[Any, ...],
        parent: Any,
        fragments: Mapping[str, FragmentDefinitionNode],
        seen: set[str],
    ) -> bool:
        """Return whether a selected field, or a field below it, has code."""
        for node in nodes:
            if isinstance(node, FieldNode):
                below = self._below(node, parent)
                if below is None:
                    return True
                inner, kind = node.selection_set, below
            else:
                if isinstance(node, FragmentSpreadNode):
                    if node.name.value in seen:
                        continue
                    seen.add(node.name.value)
                    node = fragments[node.name.value]
                condition = node.type_condition
                inner, kind = node.selection_set, self.schema.get_type(condition.name.value) if condition else parent
            if inner is not None and self._reaches(inner.selections, kind, fragments, seen):
                return True
        return False

    def _below(self, node: FieldNode, parent: Any) -> Any:
        """Return the named type of a field, or None if the field has code."""
        name = node.name.value
        if name.startswith("__"):
            return parent
        if self.customization.of(parent.name, name) is not None:
            return None
        kind = parent.fields[name].type
        while hasattr(kind, "of_type"):
            kind = kind.of_type
        return kind

    async def run(
        self,
        roots: RootResolvers,
        read_root: ReadRoot,
        asked: RequestedOperation,
        requester: Requester,
        state: State,
        item: Selected,
    ) -> tuple[bytes, Errors]:
        """Return the JSON of a root field, and its errors."""
        context = Context(self.app, roots.actor, requester.client, state)
        call = _Call(self, replace(roots, customization=self.customization), read_root, context, requester)
        fragments = roots.selections.fragments.values()
        document = DocumentNode(definitions=(_only(asked.operation, item), *fragments))
        token = CURRENT_STATE.set(state)
        try:
            result = execute(
                self.schema,
                document,
                context_value=call.context,
                variable_values=asked.variables,
                field_resolver=call.resolve,
                execution_context_class=_Context,
            )
            if not isinstance(result, ExecutionResult):
                promised = result
                result = await self.runner.run(f"GraphQL field {item.name}", requester, call.clock, lambda: promised)
        except LoggedError:
            return b"null", [*call.errors, _unexpected()]
        finally:
            CURRENT_STATE.reset(token)
        errors = [*call.errors, *(self._render(error, requester) for error in result.errors or ())]
        try:
            return orjson.dumps((result.data or {}).get(item.key)), errors
        except TypeError as error:
            logger.error("GraphQL field %s: its code returned a value that is not JSON: %s", item.name, error)
            return b"null", [*errors, _unexpected()]

    def _render(self, error: GraphQLError, requester: Requester) -> dict[str, Any]:
        original = error.original_error
        if isinstance(original, TypeError) and error.message.startswith(_NOT_NULL):
            return render_refused(error, UNEXPECTED)
        if isinstance(original, OctavoError):
            return render(original)
        if original is None or isinstance(original, GraphQLError):
            code = (error.extensions or {}).get("code", UNEXPECTED)
            return render_refused(error, code if isinstance(code, str) else UNEXPECTED)
        field = f"GraphQL field {'.'.join(map(str, error.path or ()))}"
        self.runner.log(original, field, requester)
        return _unexpected()


class _Call:
    """A call of one root field in an operation."""

    def __init__(
        self, fields: CodeFields, roots: RootResolvers, read_root: ReadRoot, context: Context, requester: Requester
    ) -> None:
        self.context = context
        self._requester = requester
        self.clock = CodeClock()
        self.errors: list[dict[str, Any]] = []
        self._customization = fields.customization
        self._roots = roots
        self._read_root = read_root
        self._returned = Returned(roots, self._tree)

    def resolve(self, source: Any, info: GraphQLResolveInfo, /, **arguments: Any) -> Any:
        """Resolve a field for graphql-core, possibly as an awaitable. An argument can be named `info`, too."""
        code = self._customization.of(info.parent_type.name, info.field_name)
        if code is not None:
            return self._run_code(code, source, info, arguments)
        if info.path.prev is None:
            return self._generated(self._roots, source, info, arguments)
        if (
            metadata_of_type(info.parent_type) is None
            and metadata_of_type(get_named_type(info.return_type)) is not None
        ):
            return self._given(source, info, arguments)
        return self._below(source, info, arguments)

    async def _given(self, source: Any, info: GraphQLResolveInfo, arguments: dict[str, Any]) -> Any:
        """Resolve a field of a project's own type that returns a generated type."""
        value = default_field_resolver(source, info, **arguments)
        return await self._returned.resolve_entries(await value if isawaitable(value) else value, info)

    async def _run_code(self, code: FieldCode, source: Any, info: GraphQLResolveInfo, arguments: dict[str, Any]) -> Any:
        parent = _parent(source)
        roots = self._authorized(code, info)
        if code.guard is not None:
            arguments = await self._guarded(code.guard, roots, info, arguments)
        if code.policies:
            await run_policies(code.policies, self._policy_context(parent, info, arguments))

        async def innermost(parent: Any, args: dict[str, Any], context: Any, info: GraphQLResolveInfo) -> Any:
            if code.resolve is None:
                return await self._generated(roots, source, info, args)
            value = await code.resolve(parent, args, context, info)
            return await self._returned.resolve_entries(value, info)

        chain: Next = innermost
        for middleware in reversed(code.middlewares):
            chain = _linked(middleware, chain)
        value = await chain(parent, arguments, self.context, info)
        return await self._returned.resolve_entries(value, info) if is_entry(value) else value

    async def _guarded(
        self, guard: FieldGuard, roots: RootResolvers, info: GraphQLResolveInfo, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments after a guard. Checks permissions first, also those of plugin fields."""
        field = info.parent_type.fields[info.field_name]
        if isinstance(metadata_of_field(field), PluginField):
            roots.require(guard.action)
        key, names = (info.parent_type.name, info.field_name), frozenset(field.args)
        return await guard(FieldCall(key, arguments, names, self.context, info, self._requester, self.clock))

    def _policy_context(self, parent: Any, info: GraphQLResolveInfo, arguments: dict[str, Any]) -> PolicyContext:
        context = self.context
        return PolicyContext(
            "graphql",
            context.app,
            context.actor,
            context.state,
            arguments,
            parent=parent,
            context=context,
            info=info,
        )

    def _authorized(self, code: FieldCode, info: GraphQLResolveInfo) -> RootResolvers:
        """Check the caller's permissions.

        Return the resolvers to use, authorized if the field defines its permissions.
        """
        if code.scopes is not None:
            check(self._roots.actor, *code.scopes)
        if info.path.prev is None and not code.overrides_access:
            field = info.parent_type.fields[info.field_name]
            if metadata_of_field(field) is None:
                check_authenticated(self._roots.actor)
            self._roots.require_field(field)
        return replace(self._roots, is_authorized=code.overrides_access)

    async def _generated(
        self, roots: RootResolvers, source: Any, info: GraphQLResolveInfo, arguments: dict[str, Any]
    ) -> Any:
        """Resolve a field as generated, with arguments that code may have changed."""
        field = info.parent_type.fields[info.field_name]
        metadata, selected = metadata_of_field(field), _selected(info)
        if metadata is None:
            return self._below(source, info, arguments)
        if info.path.prev is None:
            with self.clock.stopped():
                read = await self._read_root(_with(roots, selected, arguments), metadata, field, selected)
            return self._tree(read)
        if not field.args or arguments == roots.selections.arguments(field, selected):
            return self._below(source, info, arguments)
        return await self._read_again(_with(roots, selected, arguments), source, info, metadata)

    async def _read_again(
        self, roots: RootResolvers, source: Any, info: GraphQLResolveInfo, metadata: FieldMetadata
    ) -> Any:
        """Read a relation again for one entry, because code has changed its arguments."""
        parent = _parent(source)
        definition = metadata.definition if isinstance(metadata, AttributeField) else None
        if not isinstance(definition, ContentType) or not isinstance(parent, Entry):
            raise GraphQLError(f"The arguments of {info.parent_type.name}.{info.field_name} cannot be changed")
        return await read_attribute(roots, definition, info.parent_type, _selected(info), parent.id, self._tree)

    def _below(self, source: Any, info: GraphQLResolveInfo, arguments: dict[str, Any]) -> Any:
        """Return the value of a field from the data that was read, or that code returned."""
        metadata = metadata_of_type(info.parent_type)
        if metadata is None or isinstance(source, Own):
            return default_field_resolver(source, info, **arguments)
        is_ours = (
            metadata.role is TypeRole.PAYLOAD or metadata_of_field(info.parent_type.fields[info.field_name]) is not None
        )
        return source.get(info.path.key) if is_ours and isinstance(source, Mapping) else None

    def _tree(self, read: bytes) -> Any:
        """Parse data that was read. Its markers become errors."""
        answer, errors = self._roots.sentinels.take(read)
        self.errors.extend(errors)
        return orjson.loads(answer)


def _only(operation: OperationDefinitionNode, item: Selected) -> OperationDefinitionNode:
    """Return the operation with only this root field."""
    return OperationDefinitionNode(
        operation=operation.operation,
        name=operation.name,
        variable_definitions=operation.variable_definitions,
        directives=(),
        selection_set=SelectionSetNode(selections=item.nodes),
    )


def _selected(info: GraphQLResolveInfo) -> Selected:
    return Selected(str(info.path.key), info.field_name, tuple(info.field_nodes))


def _with(roots: RootResolvers, selected: Selected, arguments: dict[str, Any]) -> RootResolvers:
    """Return the resolvers with these arguments for a field."""
    return replace(roots, selections=replace(roots.selections, given={id(selected.node): arguments}))


def _parent(source: Any) -> Any:
    """Return the parent that code receives: an Entry if the source is one."""
    stored = source.get(SELF) if isinstance(source, Mapping) else None
    if not isinstance(stored, dict):
        return source
    return Entry(stored["uid"], {**stored["entry"], "id": int(stored["entry"]["id"])})


def _linked(middleware: Any, following: Next) -> Next:
    async def link(parent: Any, args: Any, context: Any, info: Any) -> Any:
        return await middleware(following, parent, args, context, info)

    return link


def _unexpected() -> dict[str, Any]:
    """Return the error for unexpected exceptions in code, whose details are only logged."""
    error = render(OctavoError())
    error["extensions"]["code"] = UNEXPECTED
    return error
