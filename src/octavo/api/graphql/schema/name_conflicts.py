"""Names that GraphQL cannot use: duplicates, names of built-in types, and invalid characters."""

from collections.abc import Iterator, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from octavo.api.graphql.schema import names
from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute, DynamicZone, Enumeration
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.problems import DefinitionProblem, unserved
from octavo.schema.registry import Registry

_SCALARS: Final = ("ID", "String", "Int", "Float", "Boolean", "JSON", "Date", "DateTime", "Time", "Long", "Upload")
RESERVED: Final = frozenset(
    {
        *_SCALARS,
        *(f"{name}FilterInput" for name in _SCALARS if name != "Upload"),
        *("Query", "Mutation", "Error", names.GENERIC_MORPH, "I18NLocaleCode", "PublicationState"),
        *("Pagination", "PaginationArg", "ResponseCollectionMeta", "FileInfoInput"),
        *("UsersPermissionsMe", "UsersPermissionsMeRole", "UsersPermissionsLoginInput", "UsersPermissionsLoginPayload"),
        *("UsersPermissionsRegisterInput", "UsersPermissionsPasswordPayload", "UsersPermissionsCreateRolePayload"),
        *("UsersPermissionsUpdateRolePayload", "UsersPermissionsDeleteRolePayload"),
    }
)
"""Names of types that every schema has."""
_OF_CONTENT_TYPES: Final = (
    names.type_name,
    names.entity_name,
    names.response_name,
    names.collection_name,
    names.relation_collection_name,
    names.input_name,
    names.filters_name,
)
_OF_COMPONENTS: Final = (names.type_name, names.input_name, names.filters_name)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the schema omits: definitions by UID, and attributes by UID and name, with the problems.

    `types` maps the names of types to the definition or attribute that uses them.
    """

    definitions: frozenset[str]
    attributes: frozenset[tuple[str, str]]
    problems: tuple[DefinitionProblem, ...]
    types: Mapping[str, str]


_OF_REGISTRIES: Final[WeakKeyDictionary[Registry, LeftOut]] = WeakKeyDictionary()


def left_out(registry: Registry) -> LeftOut:
    """Return the definitions and attributes that GraphQL omits, because their name is invalid or already in use.

    Names are assigned in order: to GraphQL's own types, to definitions, to their attributes; components before content
    types.
    """
    problems = _OF_REGISTRIES.get(registry)
    if problems is None:
        problems = _OF_REGISTRIES[registry] = _look_through(registry)
    return problems


def _look_through(registry: Registry) -> LeftOut:
    types = dict.fromkeys(RESERVED, "GraphQL itself")
    fields: dict[str, str] = {}
    problems: list[DefinitionProblem] = []
    definitions: set[str] = set()
    for definition in _shown(registry):
        own = [*_taken(definition, _own_names(definition), types)]
        own += _taken(definition, _field_names(definition), fields)
        if own:
            definitions.add(definition.uid)
            problems.append(own[0])
        else:
            types |= {name: definition.uid for _, name in _own_names(definition)}
            fields |= {name: definition.uid for _, name in _field_names(definition)}
    attributes: set[tuple[str, str]] = set()
    for definition in _shown(registry):
        for attribute in definition.attributes.values() if definition.uid not in definitions else ():
            found = [*_attribute_problems(definition, attribute, types)]
            if found:
                attributes.add((definition.uid, attribute.name))
                problems.append(found[0])
            else:
                types |= {name: f"{definition.uid} {path}" for path, name in _attribute_types(definition, attribute)}
    return LeftOut(frozenset(definitions), frozenset(attributes), tuple(problems), types)


def _shown(registry: Registry) -> Iterator[Definition]:
    yield from registry.components.values()
    yield from (item for item in registry.content_types.values() if not item.uid.startswith("admin::"))


def _attribute_problems(
    definition: Definition, attribute: AnyAttribute, types: Mapping[str, str]
) -> Iterator[DefinitionProblem]:
    if not names.is_name(attribute.name):
        message = "GraphQL names are letters, digits and single underscores, no digit first; rename it"
        yield _problem(definition, f"attributes.{attribute.name}", message)
    yield from _taken(definition, _attribute_types(definition, attribute), types)


def _own_names(definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield the types named after a definition, as the JSON path of the name and the type's name."""
    path = "" if isinstance(definition, Component) else "info.singularName"
    for name in _OF_COMPONENTS if isinstance(definition, Component) else _OF_CONTENT_TYPES:
        yield path, name(definition)


def _attribute_types(definition: Definition, attribute: AnyAttribute) -> Iterator[tuple[str, str]]:
    """Yield the types of an attribute."""
    path = f"attributes.{attribute.name}"
    if isinstance(attribute, Enumeration):
        yield path, names.enum_name(definition, attribute)
    elif isinstance(attribute, DynamicZone):
        yield path, names.zone_name(definition, attribute)
        yield path, names.zone_input_name(definition, attribute)


def _field_names(definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield the fields of Query for a definition."""
    if isinstance(definition, ContentType):
        yield "info.singularName", names.single_field(definition)
        if not definition.is_single:
            yield "info.pluralName", names.plural_field(definition)


def _taken(
    definition: Definition, listed: Iterator[tuple[str, str]], taken: Mapping[str, str]
) -> Iterator[DefinitionProblem]:
    own: set[str] = set()
    for path, name in listed:
        if not names.is_name(name):
            yield _problem(definition, path, f"{name!r} is not a valid GraphQL name; rename it")
        elif name in taken or name in own:
            message = f"its GraphQL name {name!r} is taken by {taken.get(name, definition.uid)}; rename one"
            yield _problem(definition, path, message)
        own.add(name)


def _problem(definition: Definition, path: str, message: str) -> DefinitionProblem:
    return unserved(definition.source, path, f"left out of GraphQL: {message}")
