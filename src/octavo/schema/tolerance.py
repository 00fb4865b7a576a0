"""What v4 tolerates in definitions although it leads nowhere: it is left out, with a remark."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from octavo.schema.attributes import AnyAttribute, DynamicZone, Media, Relation
from octavo.schema.content_types import Component, ContentType
from octavo.schema.problems import DefinitionProblem, warning
from octavo.schema.registry import Registry

DefinitionT = TypeVar("DefinitionT", ContentType, Component)


def tolerate(registry: Registry, noticed: Iterable[DefinitionProblem] = ()) -> Registry:
    """The registry without relations that are stored nowhere and components that do not exist.

    Its remarks are what was noticed before, and this.
    """
    remarks: list[DefinitionProblem] = [*noticed]
    content_types = [_cleaned(item, registry, remarks) for item in registry.content_types.values()]
    components = [_cleaned(item, registry, remarks) for item in registry.components.values()]
    return Registry(content_types, components, remarks) if remarks else registry


def _cleaned(definition: DefinitionT, registry: Registry, remarks: list[DefinitionProblem]) -> DefinitionT:
    attributes: dict[str, AnyAttribute] = {}
    count = len(remarks)
    for name, attribute in definition.attributes.items():
        path = f"attributes.{name}"
        match attribute:
            case Relation() if _leads_nowhere(definition.uid, attribute, registry):
                key = "morphBy" if attribute.is_morph else "mappedBy"
                message = "no relation is stored under that name; this attribute is left out"
                remarks.append(warning(definition.source, f"{path}.{key}", message))
            case DynamicZone():
                known = tuple(uid for uid in attribute.components if uid in registry.components)
                remarks += _unknown_components(definition.source, path, attribute, known)
                attributes[name] = attribute if known == attribute.components else replace(attribute, components=known)
            case _:
                attributes[name] = attribute
    return definition if len(remarks) == count else replace(definition, attributes=attributes)


def _leads_nowhere(uid: str, relation: Relation, registry: Registry) -> bool:
    if relation.target is None:
        return False
    target = registry.content_types[relation.target]
    if relation.is_morph:
        return not isinstance(target.attributes.get(relation.morph_by or ""), Relation | Media)
    if relation.mapped_by is None:
        return False
    owning = target.attributes.get(relation.mapped_by)
    return not (isinstance(owning, Relation) and owning.target == uid and owning.mapped_by is None)


def _unknown_components(
    source: str, path: str, zone: DynamicZone, known: tuple[str, ...]
) -> Iterator[DefinitionProblem]:
    for position, uid in enumerate(zone.components):
        if uid not in known:
            message = f"there is no component {uid!r}; it is left out"
            yield warning(source, f"{path}.components.{position}", message)
