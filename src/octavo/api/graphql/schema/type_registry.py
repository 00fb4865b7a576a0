"""Registry of the schema's types: each is built once, by name, without those that a project excludes."""

from collections.abc import Callable
from dataclasses import field
from typing import TypeVar, cast

from graphql import GraphQLNamedType

from octavo.api.graphql.schema.exclusions import NOTHING, Action, Exclusions
from octavo.api.graphql.schema.name_conflicts import left_out
from octavo.core.values import dataclass
from octavo.schema.attributes import TIMESTAMPS, AnyAttribute, DynamicZone, Media, Relation
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import I18N, UPLOAD, USERS_PERMISSIONS, Component, ContentType, Definition
from octavo.schema.registry import Registry

NamedT = TypeVar("NamedT", bound=GraphQLNamedType)

INVERSE_MORPHS = frozenset({"morphOne", "morphMany"})
SHOWN_PLUGINS = (f"{UPLOAD}.", f"{USERS_PERMISSIONS}.", f"{I18N}.")
"""The built-in plugins whose content types are part of the schema. Administrators, tokens and releases never are."""


@dataclass(slots=True)
class TypeRegistry:
    """The definitions, and the types built so far. Types refer to each other, so each is built on first use."""

    registry: Registry
    exclusions: Exclusions = NOTHING
    has_cursors: bool = False
    made: dict[str, GraphQLNamedType] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[str], NamedT]) -> NamedT:
        """Return the type of that name, and build it on first use."""
        made_type = self.made.get(name)
        if made_type is None:
            made_type = self.made[name] = make(name)
        return cast("NamedT", made_type)

    def shows(self, definition: Definition) -> bool:
        """Return whether a definition is part of the schema."""
        if definition.uid in self.exclusions.types or definition.uid in left_out(self.registry).definitions:
            return False
        return definition.uid not in BUILTIN_TYPES or definition.uid.startswith(SHOWN_PLUGINS)

    def content_types(self) -> list[ContentType]:
        """Return the content types of the schema, those of plugins first."""
        shown = [item for item in self.registry.content_types.values() if self.shows(item)]
        return sorted(shown, key=lambda item: item.is_api)

    def offers(self, content_type: ContentType, action: Action) -> bool:
        """Return whether an action on a content type has a root field."""
        return (content_type.uid, action) not in self.exclusions.actions

    def outputs(self, definition: Definition) -> list[AnyAttribute]:
        """Return the attributes that can be selected."""
        hidden = self.exclusions.outputs
        return [
            item for item in self._linked(definition) if not item.private and (definition.uid, item.name) not in hidden
        ]

    def inputs(self, definition: Definition) -> list[AnyAttribute]:
        """Return the attributes that can be written, including private ones, and timestamps only of API types."""
        stamped = isinstance(definition, ContentType) and definition.is_api
        hidden = self.exclusions.inputs
        return [
            item
            for item in self._linked(definition)
            if (item.writable or (stamped and item.name in TIMESTAMPS))
            and not _names_rows(item)
            and (definition.uid, item.name) not in hidden
        ]

    def filters(self, definition: Definition) -> list[AnyAttribute]:
        """Return the attributes in filters, including private ones, whose use is a separate error."""
        hidden = self.exclusions.filters
        return [
            item
            for item in self._linked(definition)
            if not isinstance(item, Media | DynamicZone)
            and not _names_rows(item)
            and (definition.uid, item.name) not in hidden
        ]

    def zone_components(self, zone: DynamicZone) -> list[Component]:
        """Return the components of a dynamic zone, without duplicates."""
        listed = (self.registry.components[uid] for uid in dict.fromkeys(zone.components))
        return [item for item in listed if self.shows(item)]

    def _linked(self, definition: Definition) -> list[AnyAttribute]:
        """Return the attributes with valid GraphQL names, without relations to types outside the schema.

        One attribute with an invalid name must not break the whole endpoint.
        """
        unnamed = left_out(self.registry).attributes
        attributes = definition.attributes.values()
        return [item for item in attributes if (definition.uid, item.name) not in unnamed and self._leads_inside(item)]

    def _leads_inside(self, attribute: AnyAttribute) -> bool:
        if isinstance(attribute, Relation) and attribute.kind in INVERSE_MORPHS:
            return False
        target = self.registry.target(attribute)
        return target is None or self.shows(target)


def _names_rows(attribute: AnyAttribute) -> bool:
    """Return whether an attribute is a relation whose rows contain the target type."""
    return isinstance(attribute, Relation) and attribute.target is None
