"""Cache operations by the shape of their variables, so that one is prepared for many values.

The shape is the structure of the variables as they are sent, and the types of their values. A value is free if it is
used only in filters and ids, where plans have a parameter (`query.lifting`), or selects the page of a root field. All
other values are fixed: an operation is prepared for each of them. Early and late pages have different statements.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from graphql import (
    ArgumentNode,
    FieldNode,
    FragmentDefinitionNode,
    ListValueNode,
    Node,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
)

from octavo.access.authorization.actor import Actor
from octavo.api.graphql.document.coercers import Coerce, Coercers, Irregular
from octavo.api.graphql.document.variables import names_in
from octavo.api.graphql.execution.prepared_operations import (
    EntryRead,
    ListRead,
    PageSource,
    PreparedOperation,
    RequestedOperation,
)
from octavo.core.cache import Cache
from octavo.query.lifting import SCALARS, Origin, OtherPlan, Source, marked, value_at

FILTERS: Final = "filters"
ID: Final = "id"
PAGINATION: Final = "pagination"
_POSITIONS: Final = {"start": False, "page": True}
_LIFTING: Final = frozenset({FILTERS, ID})
_DEEPEST: Final = 32
"""Levels of lists and objects. Deeper variables are rare, and their operations are not cached."""
_NESTED: Final = frozenset({dict, list})

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
        self._pages: set[int] = set()
        """The `id` of each `pagination` whose variable selects the page of a list that returns other pages."""

    def filters(self, node: FieldNode, value: Any) -> Any:
        """Return the coerced `filters` of a field with marks."""
        argument = _argument(node, FILTERS)
        return value if argument is None else self._marked(argument.value, value)

    def id_source(self, node: FieldNode) -> str | None:
        """Return the variable of a field's id, or None if it is not a variable with a value."""
        argument = _argument(node, ID)
        if argument is None or not isinstance(argument.value, VariableNode):
            return None
        name = argument.value.name.value
        return name if name in self._variables else None

    def page_source(self, node: FieldNode) -> PageSource | None:
        """Return the source of a root field's page, or None if it is not a variable with a number.

        Call it only for a list that returns other pages: in all other arguments, the variable is fixed.
        """
        argument = _argument(node, PAGINATION)
        page_source = None if argument is None else self._position(argument.value)
        if argument is None or page_source is None:
            return None
        self._pages.add(id(argument))
        if isinstance(argument.value, ObjectValueNode):
            others = [field for field in argument.value.fields if field.name.value not in _POSITIONS]
            self.fixed_names.update(name for field in others for name in names_in(field))
        return page_source

    def _position(self, node: ValueNode) -> PageSource | None:
        """Return the only number of a page in the value of `pagination`, if it is a variable."""
        sources: dict[str, Source | None] = {}
        if isinstance(node, VariableNode):
            given = self._variables.get(node.name.value)
            sources = {key: (node.name.value, key) for key in given or ()}
        elif isinstance(node, ObjectValueNode):
            for field in node.fields:
                name = field.value.name.value if isinstance(field.value, VariableNode) else None
                sources[field.name.value] = None if name is None or name not in self._variables else (name,)
        keys = [key for key in _POSITIONS if key in sources]
        source = sources[keys[0]] if len(keys) == 1 else None
        if source is None or value_at(self._variables, source).__class__ is not int:
            return None
        return PageSource(source, _POSITIONS[keys[0]])

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
        names = self.fixed_names | self._names_elsewhere(asked.operation, asked.document.fragments)
        reads = [read for _, read in operation.members if isinstance(read, EntryRead | ListRead)]
        bound = {id(origin) for read in reads for origin in read.free_origins}
        fixed = {origin.source for origin in self.origins if id(origin) not in bound}
        free = {origin.source for origin in self.origins} | {
            read.free_source for read in reads if read.free_source is not None
        }
        return frozenset(source for source in free - fixed if source[0] not in names)

    def _names_elsewhere(
        self, operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode]
    ) -> set[str]:
        """Return the variables that are used outside of filters, ids and pages of root fields."""
        names = set[str]()
        waiting: list[Node] = [operation, *fragments.values()]
        while waiting:
            node = waiting.pop()
            for directive in getattr(node, "directives", None) or ():
                names.update(names_in(directive))
            if isinstance(node, FieldNode):
                for argument in node.arguments:
                    if argument.name.value not in _LIFTING and id(argument) not in self._pages:
                        names.update(names_in(argument))
            below: SelectionSetNode | None = getattr(node, "selection_set", None)
            if below is not None:
                waiting += below.selections
        return names


class _Shape(NamedTuple):
    """How to read variables of one shape: a coercer for each given one, unless it is used as it was sent, and the
    defaults of the others.

    `fixed` are the sources of values that an operation is prepared for, `pages` the variables that select pages, with
    their size. `only`: the operation, if there are neither.
    """

    coercers: tuple[tuple[str, Coerce | None], ...]
    defaults: Mapping[str, Any]
    fixed: tuple[Source, ...]
    pages: tuple[tuple[PageSource, int], ...]
    only: PreparedOperation | None = None


class OperationShapes:
    """Cached operations by the shape of the variables as a request sends them."""

    def __init__(
        self, coercers: Coercers, shapes: Cache[Key, _Shape], operations: Cache[Key, PreparedOperation]
    ) -> None:
        self._coercers = coercers
        self._shapes = shapes
        self._operations = operations

    def get(self, asked: RequestedOperation, actor: Actor) -> PreparedOperation | None:
        """Return the operation with the values of a request, if its shape is cached."""
        key, given = _shape_key(asked, actor), asked.variables
        shape = None if key is None else self._shapes.get(key)
        if key is None or shape is None:
            return None
        try:
            values = dict(shape.defaults)
            for name, coerce in shape.coercers:
                values[name] = given[name] if coerce is None else coerce(given[name])
            if asked.literals is not None:
                values.update(asked.literals.values)
            operation = shape.only or self._operations.get(_operation_key(key, shape, values))
            return None if operation is None else operation.rebind(values)
        except (Irregular, OtherPlan):
            return None

    def keep(
        self,
        asked: RequestedOperation,
        variables: Mapping[str, Any],
        actor: Actor,
        operation: PreparedOperation,
        lifting: Lifting,
    ) -> None:
        """Cache an operation for these values of its variables, if any of them is free."""
        key = _shape_key(asked, actor)
        free = lifting.free_sources(asked, operation)
        if (
            key is None
            or not free
            or not all(_is_alike(asked.variables.get(name, one), one) for name, one in variables.items())
        ):
            return
        fixed = tuple(source for source in _leaves(variables) if source not in free)
        sent = asked.variables
        coercers = tuple(
            (name, None if takes_texts and sent[name].__class__ is str else coerce)
            for name, coerce, _, takes_texts in self._coercers.of(asked.operation)
            if name in sent
        )
        given = dict(coercers) if asked.literals is None else {**dict(coercers), **asked.literals.values}
        defaults = {name: value for name, value in variables.items() if name not in given}
        reads = [read for _, read in operation.members if isinstance(read, ListRead)]
        pages = tuple(
            (read.page_source, read.limit)
            for read in reads
            if read.page_source is not None and read.page_source.source in free
        )
        shape = _Shape(coercers, defaults, fixed, pages)
        if not fixed and not pages:
            self._shapes.put(key, shape._replace(only=operation))
            return
        self._shapes.put(key, shape)
        self._operations.put(_operation_key(key, shape, variables), operation)


def _shape_key(asked: RequestedOperation, actor: Actor) -> Key | None:
    literals, name, variables = asked.literals, asked.operation.name, asked.variables
    kinds = tuple(map(type, variables.values()))
    given: Any = (*variables, *kinds)
    try:
        if not SCALARS.issuperset(kinds):
            given = _shape(variables, _DEEPEST)
        values = None if literals is None else _shape(literals.values, _DEEPEST)
    except _Shapeless:
        return None
    return asked.document.text, name and name.value, actor.kind, actor.ability.key, given, values


def _operation_key(key: Key, shape: _Shape, values: Mapping[str, Any]) -> Key:
    """Return the key of an operation for its fixed values and the parts of the lists that its pages are in.

    Raises Irregular if a fixed value is not a text or number.
    """
    found: list[Any] = [value_at(values, source) for source in shape.fixed] if shape.fixed else []
    for value in found:
        if value.__class__ not in SCALARS:
            raise Irregular
    if shape.pages:
        found += [source.part(values, limit) for source, limit in shape.pages]
    return (key, *found)


def _argument(node: FieldNode, name: str) -> ArgumentNode | None:
    return next((one for one in node.arguments if one.name.value == name), None)


def _shape(value: Any, levels: int) -> Any:
    """Return the structure of a value, with types instead of texts and numbers. Booleans and null are unchanged.

    Raises _Shapeless for deep values, and for those of other types, such as files.
    """
    kind = value.__class__
    if kind in SCALARS:
        return kind
    if value is None or kind is bool:
        return value
    if not levels or kind not in _NESTED:
        raise _Shapeless
    shapes: list[Any] = [kind]
    if kind is dict:
        shapes += value
        value = value.values()
    for item in value:
        shapes.append(item.__class__ if item.__class__ in SCALARS else _shape(item, levels - 1))
    return tuple(shapes)


def _is_alike(given: Any, value: Any) -> bool:
    """Return whether a variable has the structure with which it was sent, such as no list instead of a text."""
    if value.__class__ is dict:
        return (
            given.__class__ is dict
            and given.keys() == value.keys()
            and all(_is_alike(given[key], value[key]) for key in value)
        )
    if value.__class__ is list:
        return given.__class__ is list and len(given) == len(value) and all(map(_is_alike, given, value))
    return given is value if value is None or value.__class__ is bool else {given.__class__, value.__class__} <= SCALARS


def _leaves(value: Any, source: Source = ()) -> Iterator[Source]:
    """Yield the sources of texts and numbers."""
    if type(value) in SCALARS:
        yield source
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*source, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*source, index))
