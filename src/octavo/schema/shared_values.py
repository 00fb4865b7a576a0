"""Attributes of localized types whose value is shared across locales."""

from octavo.schema.attributes import STAMPED, UID, AnyAttribute, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition


def is_shared(attribute: AnyAttribute) -> bool:
    """Return whether all localizations of an entry have the same value. UIDs are unique across locales, so each has
    a separate one (observed)."""
    return not attribute.localized and attribute.name not in STAMPED and not isinstance(attribute, UID)


def is_shared_value(attribute: AnyAttribute) -> bool:
    """Return whether localizations share an attribute. Relations are never shared: each has separate ones
    (observed)."""
    return is_shared(attribute) and not isinstance(attribute, Relation)


def shares_unique(definition: Definition, attribute: Scalar) -> bool:
    """Return whether the localizations of one entry may have the same unique value, because they share it."""
    return isinstance(definition, ContentType) and definition.localized and is_shared(attribute)
