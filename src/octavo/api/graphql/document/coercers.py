"""Coercers: functions that read valid values of variables, built once for each input type.

They do what graphql-core's `coerce_input_value` does, for values without errors. For all others, and where it would be
unclear, they raise Irregular: the regular path reads the value again and reports the errors.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

from graphql import (
    GraphQLID,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    GraphQLString,
    NamedTypeNode,
    NonNullTypeNode,
    OperationDefinitionNode,
    TypeNode,
    Undefined,
    type_from_ast,
)

_MOST_TYPES: Final = 1_000
_FLAT: Final = 8
_NESTING: Final[frozenset[type]] = frozenset({dict, list})
_TEXTS: Final = frozenset({GraphQLID.name, GraphQLString.name})

Coerce = Callable[[Any], Any]


VariableCoercers = tuple[tuple[str, Coerce, bool, bool], ...]
"""The variables of an operation: name, coercer, whether it can be left out, and whether it takes texts unchanged."""


class Irregular(Exception):
    """A value that the regular path has to read."""


def coerce_variables(coercers: VariableCoercers, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an operation's variables. Raises Irregular."""
    values: dict[str, Any] = {}
    for name, coerce, is_optional, _ in coercers:
        if name in given:
            value = given[name]
            if value.__class__ in _NESTING and _is_nested(value):
                raise Irregular
            values[name] = coerce(value)
        elif not is_optional:
            raise Irregular
    return values


class _Field(NamedTuple):
    name: str
    key: str
    coerce: Coerce
    default: Any
    required: bool


class Coercers:
    """Coercers of one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._by_text: dict[tuple[str, str], Coerce] = {}
        self._by_type: dict[GraphQLInputType, Coerce] = {}

    def of(self, operation: OperationDefinitionNode) -> VariableCoercers:
        """Return the coercers of an operation's variables."""
        return tuple(
            (
                definition.variable.name.value,
                self._of(definition.type),
                definition.default_value is None and definition.type.__class__ is not NonNullTypeNode,
                _takes_texts(definition.type),
            )
            for definition in operation.variable_definitions
        )

    def read(self, operation: OperationDefinitionNode, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of an operation's variables. Raises Irregular."""
        return coerce_variables(self.of(operation), given)

    def _of(self, node: TypeNode) -> Coerce:
        """Return the coercer of a type as a document writes it."""
        inner, wrapping = node, ""
        while not isinstance(inner, NamedTypeNode):
            wrapping += "!" if inner.__class__ is NonNullTypeNode else "["
            inner = cast(Any, inner).type
        key = wrapping, inner.name.value
        coerce = self._by_text.get(key)
        if coerce is None:
            if len(self._by_text) >= _MOST_TYPES:
                self._by_text.clear()
            coerce = self._by_text[key] = self._make(cast(GraphQLInputType, type_from_ast(self._schema, node)))
        return coerce

    def _make(self, kind: GraphQLInputType) -> Coerce:
        if isinstance(kind, GraphQLNonNull):
            return _required(self._make(kind.of_type))
        if isinstance(kind, GraphQLList):
            return _list(self._make(kind.of_type))
        coerce = self._by_type.get(kind)
        if coerce is None:
            is_object = isinstance(kind, GraphQLInputObjectType)
            coerce = self._by_type[kind] = self._object(kind) if is_object else _leaf(kind)
        return coerce

    def _object(self, kind: Any) -> Coerce:
        fields: list[_Field] = []  # filled by the first value: types can contain themselves
        convert = None if kind.out_type is GraphQLInputObjectType.out_type else kind.out_type

        def coerce(value: Any) -> Any:
            if value is None:
                return None
            if value.__class__ is not dict or kind.is_one_of:
                raise Irregular
            if not fields:
                fields.extend(self._fields(kind))
            coerced: dict[str, Any] = {}
            given = 0
            for name, key, coerce_field, default, required in fields:
                if name in value:
                    given += 1
                    coerced[key] = coerce_field(value[name])
                elif default is not Undefined:
                    coerced[key] = default
                elif required:
                    raise Irregular
            if given < len(value):
                raise Irregular
            return coerced if convert is None else convert(coerced)

        return coerce

    def _fields(self, kind: GraphQLInputObjectType) -> list[_Field]:
        return [
            _Field(
                name,
                field.out_name or name,
                self._make(field.type),
                field.default_value,
                isinstance(field.type, GraphQLNonNull),
            )
            for name, field in kind.fields.items()
        ]


def _takes_texts(node: TypeNode) -> bool:
    """Return whether a variable of a type is a text that is used as it was sent."""
    inner = node.type if isinstance(node, NonNullTypeNode) else node
    return isinstance(inner, NamedTypeNode) and inner.name.value in _TEXTS


def _is_nested(value: Any) -> bool:
    """Return whether lists and objects are nested so deeply that their depth has to be measured first."""
    level: list[Any] = [value]
    for _ in range(_FLAT):
        below: list[Any] = []
        for one in level:
            below += one.values() if one.__class__ is dict else one
        level = [item for item in below if item.__class__ in _NESTING]
        if not level:
            return False
    return True


def _required(coerce: Coerce) -> Coerce:
    def coerce_required(value: Any) -> Any:
        if value is None:
            raise Irregular
        return coerce(value)

    return coerce_required


def _list(coerce: Coerce) -> Coerce:
    def coerce_list(value: Any) -> Any:
        if value is None:
            return None
        return [coerce(item) for item in value] if value.__class__ is list else [coerce(value)]

    return coerce_list


def _leaf(kind: Any) -> Coerce:
    is_text, parse = kind is GraphQLString or kind is GraphQLID, kind.parse_value

    def coerce_leaf(value: Any) -> Any:
        if value is None or (is_text and value.__class__ is str):
            return value
        try:
            parsed = parse(value)
        except Exception:
            raise Irregular from None
        if parsed is Undefined:
            raise Irregular
        return parsed

    return coerce_leaf
