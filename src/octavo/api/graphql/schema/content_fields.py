"""The generated root fields of content types: entry, list, create, update, delete, and create a localization."""

from collections.abc import Callable
from typing import Final

from graphql import GraphQLField

from octavo.api.graphql.schema import names
from octavo.api.graphql.schema.arguments import (
    Arguments,
    data_argument,
    id_argument,
    list_arguments,
    locale_arguments,
    state_arguments,
)
from octavo.api.graphql.schema.exclusions import Action
from octavo.api.graphql.schema.field_metadata import RootField
from octavo.api.graphql.schema.object_types import collection, output_field, response
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.core.values import dataclass
from octavo.schema.content_types import LOCALE, PERMISSION, USERS_PERMISSIONS, ContentType

FieldsByName = dict[str, GraphQLField]

READ_ONLY: Final = frozenset({LOCALE})
"""Content types without mutations: they are changed elsewhere."""
UNREACHABLE: Final = frozenset({PERMISSION})
"""Content types without root fields: they are only available through relations."""
OWN_MUTATIONS: Final = (f"{USERS_PERMISSIONS}.",)
"""Plugins whose create, update and delete mutations are custom fields."""


@dataclass(frozen=True, slots=True)
class _Operation:
    """An action: the field's name, its arguments, and whether it returns a list."""

    action: Action
    name: Callable[[ContentType], str]
    arguments: Callable[[TypeRegistry, ContentType], Arguments]
    applies: Callable[[ContentType], bool] = lambda content_type: True
    answers_list: bool = False


def _is_collection(content_type: ContentType) -> bool:
    return not content_type.is_single


def _find_arguments(types: TypeRegistry, content_type: ContentType) -> Arguments:
    return list_arguments(types, content_type) | locale_arguments(content_type)


def _single_arguments(_: TypeRegistry, content_type: ContentType) -> Arguments:
    return state_arguments(content_type) | locale_arguments(content_type)


def _find_one_arguments(_: TypeRegistry, content_type: ContentType) -> Arguments:
    return id_argument() | locale_arguments(content_type)


def _create_arguments(types: TypeRegistry, content_type: ContentType) -> Arguments:
    return data_argument(types, content_type) | locale_arguments(content_type)


def _update_arguments(types: TypeRegistry, content_type: ContentType) -> Arguments:
    which = {} if content_type.is_single else id_argument(is_required=True)
    return which | data_argument(types, content_type) | locale_arguments(content_type)


def _delete_arguments(_: TypeRegistry, content_type: ContentType) -> Arguments:
    which = {} if content_type.is_single else id_argument(is_required=True)
    return which | locale_arguments(content_type)


def _localization_arguments(types: TypeRegistry, content_type: ContentType) -> Arguments:
    data = data_argument(types, content_type, is_required=False)
    return id_argument() | data | locale_arguments(content_type)


QUERIES: Final = (
    _Operation("find", names.single_field, _single_arguments, lambda item: item.is_single),
    _Operation("findOne", names.single_field, _find_one_arguments, _is_collection),
    _Operation("find", names.plural_field, _find_arguments, _is_collection, answers_list=True),
)
MUTATIONS: Final = (
    _Operation("create", lambda item: names.mutation_field("create", item), _create_arguments, _is_collection),
    _Operation("update", lambda item: names.mutation_field("update", item), _update_arguments),
    _Operation("delete", lambda item: names.mutation_field("delete", item), _delete_arguments),
    _Operation("createLocalization", names.localization_field, _localization_arguments, lambda item: item.localized),
)


def query_fields(types: TypeRegistry) -> FieldsByName:
    """Return the generated fields of Query."""
    return _fields(types, QUERIES, lambda item: item.uid not in UNREACHABLE)


def mutation_fields(types: TypeRegistry) -> FieldsByName:
    """Return the generated fields of Mutation."""
    return _fields(types, MUTATIONS, is_changed)


def is_changed(content_type: ContentType) -> bool:
    """Return whether a content type has generated mutations."""
    return content_type.uid not in READ_ONLY and not content_type.uid.startswith(OWN_MUTATIONS)


def _fields(
    types: TypeRegistry, operations: tuple[_Operation, ...], applies: Callable[[ContentType], bool]
) -> FieldsByName:
    fields: FieldsByName = {}
    for content_type in types.content_types():
        for operation in operations:
            is_there = applies(content_type) and operation.applies(content_type)
            if is_there and types.offers(content_type, operation.action):
                fields[operation.name(content_type)] = _field(types, operation, content_type)
    return fields


def _field(types: TypeRegistry, operation: _Operation, content_type: ContentType) -> GraphQLField:
    answer = collection if operation.answers_list else response
    arguments = operation.arguments(types, content_type)
    return output_field(answer(types, content_type), RootField(content_type, operation.action), arguments)
