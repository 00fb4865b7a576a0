"""Merge types built with graphql-core or Strawberry into the generated schema.

A type with a new name is added. A type with an existing name adds its fields. References by name are resolved to the
generated types, so a placeholder with the same name can represent one.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, cast

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLType,
    GraphQLUnionType,
    is_introspection_type,
    is_named_type,
    is_specified_scalar_type,
)

_STRAWBERRY: Final = "__strawberry_definition__"
_UNUSED: Final = "octavoUnused"
TypeT = TypeVar("TypeT", bound=GraphQLType)


def adopt_types(schema: GraphQLSchema, given: Any) -> GraphQLSchema:
    """Return the schema with these types. Raises TypeError for other values."""
    kinds = [given] if hasattr(given, _STRAWBERRY) or is_named_type(given) else list(given)
    made = [kind for kind in kinds if not hasattr(kind, _STRAWBERRY)]
    for kind in made:
        if not is_named_type(kind):
            raise TypeError(f"{kind!r} is neither a type of graphql-core nor one of Strawberry")
    strawberries = [kind for kind in kinds if hasattr(kind, _STRAWBERRY)]
    return _Adopting(schema).adopt([*made, *(_converted(strawberries) if strawberries else ())])


def rebuilt(schema: GraphQLSchema, **changes: Any) -> GraphQLSchema:
    """Return a copy of the schema with some parts replaced."""
    parts: dict[str, Any] = {**schema.to_kwargs(), "assume_valid": True, **changes}
    return GraphQLSchema(**parts)


def _converted(classes: list[Any]) -> Iterable[GraphQLNamedType]:
    """Convert classes decorated with Strawberry to types of graphql-core."""
    import strawberry

    @strawberry.type(name="Query")
    class Nothing:
        octavoUnused: str = ""  # noqa: N815 - a schema requires a query type; this one is dropped

    named = {getattr(item, _STRAWBERRY).name: item for item in classes}
    others = [item for name, item in named.items() if name not in ("Query", "Mutation")]
    built = strawberry.Schema(query=named.get("Query", Nothing), mutation=named.get("Mutation"), types=others)
    kinds: Mapping[str, GraphQLNamedType] = built._schema.type_map  # noqa: SLF001 - the only access to its resolvers
    return [kind for kind in kinds.values() if not is_introspection_type(kind) and not is_specified_scalar_type(kind)]


class _Adopting:
    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._given: dict[str, GraphQLNamedType] = {}
        self._made: dict[str, GraphQLNamedType] = {}

    def adopt(self, kinds: Iterable[GraphQLNamedType]) -> GraphQLSchema:
        for kind in kinds:
            self._given[kind.name] = kind
        for kind in self._given.values():
            present = self._schema.get_type(kind.name)
            if present is None:
                self._new(kind)
            elif isinstance(present, GraphQLObjectType) and isinstance(kind, GraphQLObjectType):
                present.fields.update(self._fields(kind))
            elif isinstance(present, GraphQLInputObjectType) and isinstance(kind, GraphQLInputObjectType):
                present.fields.update(self._input_fields(kind))
        return rebuilt(self._schema, types=(*self._schema.type_map.values(), *self._made.values()))

    def _named(self, kind: GraphQLNamedType) -> GraphQLNamedType:
        return self._schema.get_type(kind.name) or self._new(kind)

    def _new(self, kind: GraphQLNamedType) -> GraphQLNamedType:
        """Return a copy whose references are resolved in the schema. Scalars and enums have none."""
        made = self._made.get(kind.name)
        if made is not None:
            return made
        own: dict[str, Any] = {**kind.to_kwargs()}
        match kind:
            case GraphQLObjectType() | GraphQLInterfaceType():
                own |= {"fields": lambda: self._fields(kind), "interfaces": lambda: self._all(kind.interfaces)}
            case GraphQLUnionType():
                own |= {"types": lambda: self._all(kind.types)}
            case GraphQLInputObjectType():
                own |= {"fields": lambda: self._input_fields(kind)}
            case _:
                self._made[kind.name] = kind
                return kind
        make: Any = type(kind)
        copied: GraphQLNamedType = make(**own)
        self._made[kind.name] = copied
        return copied

    def _all(self, kinds: Iterable[Any]) -> list[Any]:
        return [self._named(kind) for kind in kinds]

    def _fields(self, kind: GraphQLObjectType | GraphQLInterfaceType) -> dict[str, GraphQLField]:
        merged: dict[str, GraphQLField] = {}
        for name, defined in kind.fields.items():
            if name != _UNUSED:
                arguments = {key: self._argument(item) for key, item in defined.args.items()}
                own = {**defined.to_kwargs(), "type_": self._reference(defined.type), "args": arguments}
                merged[name] = GraphQLField(**own)
        return merged

    def _argument(self, argument: GraphQLArgument) -> GraphQLArgument:
        own: dict[str, Any] = {**argument.to_kwargs(), "type_": self._reference(argument.type)}
        return GraphQLArgument(**own)

    def _input_fields(self, kind: GraphQLInputObjectType) -> dict[str, GraphQLInputField]:
        return {
            name: GraphQLInputField(**{**item.to_kwargs(), "type_": self._reference(item.type)})
            for name, item in kind.fields.items()
        }

    def _reference(self, kind: TypeT) -> TypeT:
        if isinstance(kind, GraphQLNonNull | GraphQLList):
            return cast("TypeT", type(kind)(self._reference(kind.of_type)))
        return cast("TypeT", self._named(cast("GraphQLNamedType", kind)))
