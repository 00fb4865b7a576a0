"""Whether a draft has all that a published entry needs: what it holds, looked at as the body of a new one."""

from collections.abc import Mapping
from typing import Any

from octavo.content.validation.body_validator import COMPONENT_KEY, Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.errors import Problem
from octavo.schema.attributes import ComponentField, DynamicZone, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry


def populate_owned(registry: Registry, definition: Definition) -> dict[str, Any]:
    """What to populate so that an entry can be judged: its components all the way down, and what has to be related."""
    populate: dict[str, Any] = {}
    for name, attribute in definition.attributes.items():
        match attribute:
            case ComponentField(component=uid):
                populate[name] = {"populate": populate_owned(registry, registry.components[uid])}
            case DynamicZone(components=listed):
                inside = {uid: {"populate": populate_owned(registry, registry.components[uid])} for uid in listed}
                populate[name] = {"on": inside}
            case Relation(required=True):
                populate[name] = {"fields": ["id"]}
    return populate


def missing_for_publication(registry: Registry, content_type: ContentType, shown: Mapping[str, Any]) -> list[Problem]:
    """What an entry that was read so would be refused for if it were new and published."""
    data = _data(registry, content_type, shown)
    return list(Validator(registry, Mode(creating=True, draft=False)).entry(content_type, data).problems)


def _data(registry: Registry, definition: Definition, shown: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, attribute in definition.attributes.items():
        value = shown.get(name)
        match attribute:
            case Scalar(type="password"):
                data[name] = value or "set"  # what is stored is none of ours; that there is one was asked for then
            case Scalar() if value is not None:
                data[name] = value
            case Relation(required=True) if value:
                data[name] = value
            case ComponentField(component=uid, repeatable=True):
                data[name] = [_data(registry, registry.components[uid], item) for item in value or ()]
            case ComponentField(component=uid) if value is not None:
                data[name] = _data(registry, registry.components[uid], value)
            case DynamicZone():
                data[name] = [
                    {COMPONENT_KEY: item[COMPONENT_KEY]}
                    | _data(registry, registry.components[item[COMPONENT_KEY]], item)
                    for item in value or ()
                ]
    return data
