"""Extend the generated schema with a project's types, SDL and plugins, in this order, and read its resolvers."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Final

from graphql import (
    DefinitionNode,
    DocumentNode,
    EnumTypeDefinitionNode,
    EnumTypeExtensionNode,
    GraphQLError,
    GraphQLObjectType,
    GraphQLSchema,
    InputObjectTypeDefinitionNode,
    InputObjectTypeExtensionNode,
    InterfaceTypeDefinitionNode,
    InterfaceTypeExtensionNode,
    ObjectTypeDefinitionNode,
    ObjectTypeExtensionNode,
    TypeExtensionNode,
    UnionTypeDefinitionNode,
    UnionTypeExtensionNode,
    extend_schema,
    parse,
    validate_schema,
)

from octavo.api.graphql.customization.extension import Extension, Use
from octavo.api.graphql.customization.field_customization import (
    Customization,
    Reader,
    with_access,
    with_guarded_schedules,
)
from octavo.api.graphql.customization.type_merging import adopt_types, rebuilt
from octavo.core.values import dataclass
from octavo.project import CodeProblem, InvalidCode, ProjectCode
from octavo.project.failures import describe, failure_place
from octavo.project.functions import place_of
from octavo.project.naming import did_you_mean

KEYS: Final = ("types", "type_defs", "plugins", "resolvers", "resolvers_config")
_EXTENSIONS: Final[Mapping[type[DefinitionNode], type[TypeExtensionNode]]] = {
    ObjectTypeDefinitionNode: ObjectTypeExtensionNode,
    InterfaceTypeDefinitionNode: InterfaceTypeExtensionNode,
    InputObjectTypeDefinitionNode: InputObjectTypeExtensionNode,
    EnumTypeDefinitionNode: EnumTypeExtensionNode,
    UnionTypeDefinitionNode: UnionTypeExtensionNode,
}
_NO_LIBRARY: Final = "a function that takes the library needs strawberry-graphql: pip install 'octavo[strawberry]'"


@dataclass(frozen=True, slots=True)
class Extended:
    """The extended schema, and the code on its fields."""

    schema: GraphQLSchema
    customization: Customization


def extend_generated(schema: GraphQLSchema, extension: Extension, code: ProjectCode) -> Extended:
    """Return the extended schema. Raises InvalidCode with the problems of the first failing step."""
    given = [_answer(item, schema, code) for item in extension.used]
    for kinds in (item.get("types") for item in given):
        if kinds:
            schema = _step("types", lambda kinds=kinds, schema=schema: adopt_types(schema, kinds))
    for text in (item.get("type_defs") for item in given):
        if text:
            schema = _step("type_defs", lambda text=text, schema=schema: _extend_by_sdl(schema, text))
    for plugin in (plugin for item in given for plugin in item.get("plugins") or ()):
        schema = _plug(plugin, schema, code)
    schema = _with_mutation(schema)
    reader = Reader(schema, code)
    customization = with_guarded_schedules(with_access(reader.read(given), extension.access, schema), schema)
    problems = [*reader.problems, *_unsound(schema)]
    if problems:
        raise InvalidCode(problems)
    return Extended(schema, customization)


def _with_mutation(schema: GraphQLSchema) -> GraphQLSchema:
    """Use the type `Mutation` for mutations, also if none are generated."""
    mutation = schema.get_type("Mutation")
    if schema.mutation_type is not None or not isinstance(mutation, GraphQLObjectType):
        return schema
    return rebuilt(schema, mutation=mutation)


def _answer(extending: Use, schema: GraphQLSchema, code: ProjectCode) -> Mapping[str, Any]:
    """Return an extension's mapping, calling it if it is a function."""
    if callable(extending):
        place = place_of(extending, code.folder)
        try:
            said = extending(*_offered(extending, schema))
        except InvalidCode:
            raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            raise InvalidCode([CodeProblem(failure_place(error, code.folder, place), describe(error))]) from error
    else:
        place, said = "extension.use", extending
    if not isinstance(said, Mapping):
        raise InvalidCode([CodeProblem(place, f"expected a mapping, not {type(said).__name__}")])
    unknown = [key for key in said if key not in KEYS]
    if unknown:
        hints = (f"unknown key {key!r}{did_you_mean(str(key), KEYS)}" for key in unknown)
        raise InvalidCode([CodeProblem(place, hint) for hint in hints])
    return said


def _offered(extending: Any, schema: GraphQLSchema) -> tuple[Any, ...]:
    """Return the arguments for a function passed to `use`:

    `strawberry`, the generated schema, as many as it accepts.
    """
    count = len(inspect.signature(extending).parameters)
    if count == 0:
        return ()
    try:
        import strawberry  # optional and slow to import
    except ImportError:
        raise InvalidCode([CodeProblem("extension.use", _NO_LIBRARY)]) from None
    return (strawberry, schema)[:count]


def _step(place: str, work: Any) -> GraphQLSchema:
    try:
        extended: GraphQLSchema = work()
    except (GraphQLError, TypeError, ValueError) as error:
        raise InvalidCode([CodeProblem(f"extension.use: {place}", _message(error))]) from error
    return extended


def _message(error: Exception) -> str:
    if isinstance(error, GraphQLError) and error.locations:
        place = error.locations[0]
        return f"{error.message} (line {place.line}, column {place.column})"
    return str(error)


def _extend_by_sdl(schema: GraphQLSchema, text: Any) -> GraphQLSchema:
    """Extend the schema with SDL.

    `type Query` extends Query like `extend type Query`; an existing field is replaced.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected SDL, not {type(text).__name__}")
    document = parse(text)
    definitions = tuple(_as_extension(node, schema) for node in document.definitions)
    return extend_schema(schema, DocumentNode(definitions=definitions), assume_valid=True, assume_valid_sdl=True)


def _as_extension(node: DefinitionNode, schema: GraphQLSchema) -> DefinitionNode:
    """Return the definition of an existing type as an extension of it."""
    extension = _EXTENSIONS.get(type(node))
    name = getattr(node, "name", None)
    if extension is None or name is None or schema.get_type(name.value) is None:
        return node
    known = {key: getattr(node, key) for key in extension.keys if hasattr(node, key)}
    return extension(**known)


def _plug(plugin: Any, schema: GraphQLSchema, code: ProjectCode) -> GraphQLSchema:
    """Apply a plugin, a function of the schema that returns another schema or changes it in place."""
    place = f"extension.use: plugins ({place_of(plugin, code.folder)})"
    if not callable(plugin):
        raise InvalidCode([CodeProblem(place, "expected a function of (schema)")])
    try:
        answered = plugin(schema)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise InvalidCode([CodeProblem(failure_place(error, code.folder, place), describe(error))]) from error
    if answered is None:
        return schema
    if not isinstance(answered, GraphQLSchema):
        raise InvalidCode([CodeProblem(place, f"expected a schema or None, not {type(answered).__name__}")])
    return answered


def _unsound(schema: GraphQLSchema) -> Iterable[CodeProblem]:
    """Return the validation errors of the extended schema.

    The generated part is valid, so they are in the extension.
    """
    unchecked = rebuilt(schema, assume_valid=False)
    return [CodeProblem("extension.use", _message(error)) for error in validate_schema(unchecked)]
