"""The root fields of scheduled publishing. v4 has none, so they are there where the settings ask for them."""

import logging
from typing import Final

from graphql import GraphQLField, GraphQLInputField, GraphQLInputObjectType, GraphQLObjectType

from octavo.api.graphql.schema import names
from octavo.api.graphql.schema.arguments import Arguments, id_argument, locale_arguments, required
from octavo.api.graphql.schema.content_fields import FieldsByName, is_changed
from octavo.api.graphql.schema.field_metadata import ScheduleField, TypeMetadata, TypeRole, with_metadata
from octavo.api.graphql.schema.name_conflicts import left_out
from octavo.api.graphql.schema.object_types import output_field
from octavo.api.graphql.schema.scalars import DATE_TIME
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.schema.automatic import PUBLISHED_AT
from octavo.schema.content_types import ContentType

logger = logging.getLogger(__name__)

_TIMES: Final = {
    "publishAt": "When the entry is to be published",
    "unpublishAt": "When the entry is to be taken back",
}
SCHEDULE: Final = GraphQLObjectType(
    "PublicationSchedule",
    {name: GraphQLField(DATE_TIME, description=text) for name, text in _TIMES.items()},
    extensions=with_metadata(TypeMetadata(TypeRole.PAYLOAD)),
)
SCHEDULE_INPUT: Final = GraphQLInputObjectType(
    "PublicationScheduleInput",
    {name: GraphQLInputField(DATE_TIME, description=f"{text}; null takes that back") for name, text in _TIMES.items()},
)


def add_schedules(types: TypeRegistry, query: FieldsByName, mutation: FieldsByName) -> None:
    """Add the fields for all content-types whose entries can be published by `update`. Names that are taken stay so."""
    taken = left_out(types.registry).types
    for kind in (SCHEDULE, SCHEDULE_INPUT):
        if kind.name in taken:
            logger.warning("No scheduled publishing over GraphQL: the name %s is %s's", kind.name, taken[kind.name])
            return
    data = {"data": required(SCHEDULE_INPUT)}
    for content_type in types.content_types():
        if _is_published(types, content_type):
            of_query, of_mutation = names.schedule_field(content_type), names.schedule_mutation(content_type)
            if of_query in query or of_mutation in mutation:
                logger.warning("Not scheduled over GraphQL: entries of %s: %s is taken", content_type.uid, of_query)
                continue
            which: Arguments = (
                locale_arguments(content_type) if content_type.is_single else id_argument(is_required=True)
            )
            metadata = ScheduleField(content_type)
            query[of_query] = output_field(SCHEDULE, metadata, which)
            mutation[of_mutation] = output_field(SCHEDULE, metadata, which | data)


def _is_published(types: TypeRegistry, content_type: ContentType) -> bool:
    is_hidden = (content_type.uid, PUBLISHED_AT) in types.exclusions.inputs
    can_update = is_changed(content_type) and types.offers(content_type, "update")
    return content_type.draft_and_publish and can_update and not is_hidden
