"""Unique attributes, and attributes of localized types whose value is shared across locales."""

from typing import Final

from octavo.schema.attributes import STAMPED, UID, AnyAttribute, Enumeration, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

_NEVER_UNIQUE: Final = frozenset({ValueKind.BOOLEAN, ValueKind.JSON})


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


def is_unique(attribute: Scalar) -> bool:
    """Return whether an attribute is unique. Strapi ignores `unique` for enumerations, booleans and JSON."""
    if not (attribute.unique or isinstance(attribute, UID)) or attribute.type == "password":
        return False
    return not isinstance(attribute, Enumeration) and SCALAR_TYPES[attribute.type].kind not in _NEVER_UNIQUE
