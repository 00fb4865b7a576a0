"""Root fields of scheduled publishing: what is planned for an entry, shown and changed."""

import orjson
from graphql import GraphQLField, GraphQLObjectType, get_named_type

from octavo.api.graphql.document.collect_fields import TYPENAME, Selected
from octavo.api.graphql.execution.root_resolvers import RootResolvers, action_of, join
from octavo.api.graphql.schema.field_metadata import ScheduleField
from octavo.content.controllers.scheduling import read_times
from octavo.core.errors import NotFoundError


async def answer_schedule(
    roots: RootResolvers, field: GraphQLField, root: ScheduleField, selected: Selected, *, changes: bool
) -> bytes:
    """The JSON of such a field; what it `changes` is in `data`. Raises OctavoError."""
    roots.require(action_of(root))
    content_type, schedules = root.content_type, roots.controller.schedules
    assert schedules is not None, "a site has them"
    given = roots.selections.arguments(field, selected)
    single = content_type.is_single
    entry_id = await roots.single_id(root, given.get("locale")) if single else roots.read_id(given["id"])
    if not entry_id:
        raise NotFoundError
    times = read_times(given["data"]) if changes else {}
    planned = await schedules.set(content_type, entry_id, times, roots.actor)
    kind = get_named_type(field.type)
    assert isinstance(kind, GraphQLObjectType)
    asked = roots.selections.of(kind, selected.selection_sets)
    return join((item.key, orjson.dumps(kind.name if item.name == TYPENAME else planned[item.name])) for item in asked)
