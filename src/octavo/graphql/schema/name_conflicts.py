"""Names that GraphQL cannot take: two things of one name, those of its own types, and what is not of its alphabet."""

import logging
from collections.abc import Iterator
from typing import Final

from octavo.graphql.schema import names
from octavo.schema.attributes import DynamicZone, Enumeration
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_SCALARS: Final = ("ID", "String", "Int", "Float", "Boolean", "JSON", "Date", "DateTime", "Time", "Long", "Upload")
RESERVED: Final = frozenset(
    {
        *_SCALARS,
        *(f"{name}FilterInput" for name in _SCALARS if name != "Upload"),
        *("Query", "Mutation", "Subscription", "Error", names.GENERIC_MORPH, "I18NLocaleCode", "PublicationState"),
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


def name_problems(registry: Registry) -> list[DefinitionProblem]:
    """What has to be renamed so that everything has its place in the schema."""
    return [*left_out(registry), *name_clashes(registry)]


def left_out(registry: Registry) -> list[DefinitionProblem]:
    """Definitions and attributes that the schema has no type and no field for; REST has them."""
    return [
        problem
        for definition in _shown(registry)
        for problem in (*_taken(definition, _own_names(definition), {}), *_attribute_problems(definition))
    ]


def is_reserved(definition: Definition) -> bool:
    """Whether GraphQL itself has a type by the name of one that would be made of a definition."""
    return any(name in RESERVED for _, name in _own_names(definition))


def name_clashes(registry: Registry) -> list[DefinitionProblem]:
    """What has to be renamed before a schema can be made of the definitions."""
    types: dict[str, str] = {}
    fields: dict[str, str] = {}
    problems: list[DefinitionProblem] = []
    for definition in _shown(registry):
        if is_reserved(definition):
            continue
        problems += _taken(definition, _type_names(definition), types)
        problems += _taken(definition, _field_names(definition), fields)
    return problems


def check_names(registry: Registry) -> None:
    """Raise InvalidDefinitions unless a schema can be made; say in the log what it leaves out."""
    clashes = name_clashes(registry)
    if clashes:
        raise InvalidDefinitions(clashes)
    for problem in left_out(registry):
        logger.warning("Left out of GraphQL: %s", problem)


def _shown(registry: Registry) -> Iterator[Definition]:
    yield from registry.components.values()
    yield from (item for item in registry.content_types.values() if not item.uid.startswith("admin::"))


def _attribute_problems(definition: Definition) -> Iterator[DefinitionProblem]:
    for name in definition.attributes:
        if not names.is_name(name):
            message = "GraphQL names are letters, digits and single underscores, no digit first; rename it"
            yield DefinitionProblem(definition.source, f"attributes.{name}", message)


def _own_names(definition: Definition) -> Iterator[tuple[str, str]]:
    """The types named after a definition: the JSON path of what names them, and the name."""
    path = "" if isinstance(definition, Component) else "info.singularName"
    for name in _OF_COMPONENTS if isinstance(definition, Component) else _OF_CONTENT_TYPES:
        yield path, name(definition)


def _type_names(definition: Definition) -> Iterator[tuple[str, str]]:
    """All types made of a definition, those of its attributes too."""
    yield from _own_names(definition)
    for attribute in definition.attributes.values():
        if isinstance(attribute, Enumeration):
            yield f"attributes.{attribute.name}", names.enum_name(definition, attribute)
        elif isinstance(attribute, DynamicZone):
            yield f"attributes.{attribute.name}", names.zone_name(definition, attribute)
            yield f"attributes.{attribute.name}", names.zone_input_name(definition, attribute)


def _field_names(definition: Definition) -> Iterator[tuple[str, str]]:
    """The fields of Query made of a definition."""
    if isinstance(definition, ContentType):
        yield "info.singularName", names.single_field(definition)
        if not definition.is_single:
            yield "info.pluralName", names.plural_field(definition)


def _taken(
    definition: Definition, listed: Iterator[tuple[str, str]], taken: dict[str, str]
) -> Iterator[DefinitionProblem]:
    for path, name in listed:
        other = "GraphQL itself" if name in RESERVED else taken.setdefault(name, f"{definition.uid} {path}".strip())
        if other != f"{definition.uid} {path}".strip():
            message = f"its GraphQL name {name!r} is taken by {other}; rename one"
            yield DefinitionProblem(definition.source, path, message)
