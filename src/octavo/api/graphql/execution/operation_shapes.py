"""Cache operations by the shape of their variables, so that one is prepared for many values.

The shape is the structure of the variables and the types of their values. A value is free if it is used only in
filters and ids, where plans have a parameter (`query.lifting`). All other values are fixed: an operation is prepared
for each of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    ListValueNode,
    Node,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

from octavo.access.authorization.actor import Actor
from octavo.api.graphql.document.variables import names_in
from octavo.api.graphql.execution.prepared_operations import EntryRead, ListRead, PreparedOperation, RequestedOperation
from octavo.core.cache import Cache
from octavo.query.lifting import Origin, OtherPlan, Source, marked, value_at

FILTERS: Final = "filters"
ID: Final = "id"
_LIFTING: Final = frozenset({FILTERS, ID})
_SCALARS: Final = (str, int, float)

Key = tuple[Any, ...]


class _Shapeless(Exception):
    pass


class Lifting:
    """Marks values that come from variables, in the arguments of an operation being prepared."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self.origins: list[Origin] = []
        self.fixed_names: set[str] = set()
        """Variables with a use that could not be marked."""

    def filters(self, node: FieldNode, value: Any) -> Any:
        """Return the coerced `filters` of a field with marks."""
        argument = next((one for one in node.arguments if one.name.value == FILTERS), None)
        return value if argument is None else self._marked(argument.value, value)

    def id_source(self, node: FieldNode) -> Source | None:
        """Return the source of a field's id, or None if it is not a variable."""
        argument = next((one for one in node.arguments if one.name.value == ID), None)
        if argument is None or not isinstance(argument.value, VariableNode):
            return None
        return (argument.value.name.value,)

    def _marked(self, node: Node, value: Any) -> Any:
        match node:
            case VariableNode(name=name) if name.value in self._variables and value is self._variables[name.value]:
                return self._lift(value, (name.value,))
            case ObjectValueNode(fields=fields) if isinstance(value, dict):
                nodes = {field.name.value: field.value for field in fields}
                if value.keys() <= nodes.keys():
                    for key in nodes.keys() - value.keys():
                        self.fixed_names.update(names_in(nodes[key]))
                    return {key: self._marked(nodes[key], item) for key, item in value.items()}
            case ListValueNode(values=nodes) if isinstance(value, list) and len(nodes) == len(value):
                return [self._marked(one, item) for one, item in zip(nodes, value, strict=True)]
        self.fixed_names.update(names_in(node))
        return value

    def _lift(self, value: Any, source: Source) -> Any:
        if isinstance(value, dict):
            return {key: self._lift(item, (*source, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self._lift(item, (*source, index)) for index, item in enumerate(value)]
        origin = Origin(source)
        lifted = marked(value, origin)
        if lifted is not value:
            self.origins.append(origin)
        return lifted

    def free_sources(self, asked: RequestedOperation, operation: PreparedOperation) -> frozenset[Source]:
        """Return the sources of all values that can be replaced."""
        names = self.fixed_names | _names_elsewhere(asked.operation, asked.document.fragments)
        reads = [read for _, read in operation.members if isinstance(read, EntryRead | ListRead)]
        bound = {id(origin) for read in reads for origin in read.free_origins}
        fixed = {origin.source for origin in self.origins if id(origin) not in bound}
        free = {origin.source for origin in self.origins} | {read.source for read in reads if read.source is not None}
        return frozenset(source for source in free - fixed if source[0] not in names)


class OperationShapes:
    """Cached operations by shape."""

    def __init__(self, fixed: Cache[Key, tuple[Source, ...]], operations: Cache[Key, PreparedOperation]) -> None:
        self._fixed = fixed
        self._operations = operations

    def get(self, asked: RequestedOperation, variables: Mapping[str, Any], actor: Actor) -> PreparedOperation | None:
        """Return the operation with these values, if its shape is cached."""
        key = _shape_key(asked, variables, actor)
        fixed = None if key is None else self._fixed.get(key)
        if key is None or fixed is None:
            return None
        found = self._operations.get(_operation_key(key, fixed, variables))
        if found is None:
            return None
        try:
            return found.rebind(variables)
        except OtherPlan:
            return None

    def keep(
        self,
        asked: RequestedOperation,
        variables: Mapping[str, Any],
        actor: Actor,
        operation: PreparedOperation,
        lifting: Lifting,
    ) -> None:
        """Cache an operation, if any of its values is free."""
        key = _shape_key(asked, variables, actor)
        free = lifting.free_sources(asked, operation)
        if key is None or not free:
            return
        fixed = tuple(source for source in _leaves(variables) if source not in free)
        self._fixed.put(key, fixed)
        self._operations.put(_operation_key(key, fixed, variables), operation)


def _shape_key(asked: RequestedOperation, variables: Mapping[str, Any], actor: Actor) -> Key | None:
    key = asked.operation_key(actor)
    try:
        return None if key is None else (*key, _shape(variables))
    except _Shapeless:
        return None


def _operation_key(key: Key, fixed: tuple[Source, ...], variables: Mapping[str, Any]) -> Key:
    return (*key, fixed, tuple(value_at(variables, source) for source in fixed))


def _shape(value: Any) -> Any:
    """Return the structure of a value, with types instead of texts and numbers. Booleans and null are unchanged.

    Raises _Shapeless for values of other types, which custom scalars can have.
    """
    if type(value) in _SCALARS:
        return type(value)
    if isinstance(value, dict):
        return (dict, *((key, _shape(item)) for key, item in value.items()))
    if isinstance(value, list):
        return (list, *map(_shape, value))
    if value is None or isinstance(value, bool):
        return value
    raise _Shapeless


def _leaves(value: Any, source: Source = ()) -> Iterator[Source]:
    """Yield the sources of texts and numbers."""
    if type(value) in _SCALARS:
        yield source
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*source, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*source, index))


def _names_elsewhere(operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode]) -> set[str]:
    """Return the variables that are used outside of filters and ids."""
    names = set[str]()
    waiting: list[Node] = [operation, *fragments.values()]
    while waiting:
        node = waiting.pop()
        for directive in getattr(node, "directives", None) or ():
            names.update(names_in(directive))
        if isinstance(node, FieldNode):
            for argument in node.arguments:
                if argument.name.value not in _LIFTING:
                    names.update(names_in(argument))
        below: SelectionSetNode | None = getattr(node, "selection_set", None)
        if below is not None:
            waiting += below.selections
    return names
