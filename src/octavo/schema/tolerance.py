"""Handle definitions that v4 tolerates, with a remark for each: parts without effect, and relations with two owners."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from octavo.schema.attributes import AnyAttribute, DynamicZone, Media, Relation
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import Component, ContentType
from octavo.schema.definition_files import PluginDefinitions
from octavo.schema.problems import DefinitionProblem, did_you_mean, unserved, warning
from octavo.schema.registry import Registry
from octavo.schema.shared_links import Side, shared_links

DefinitionT = TypeVar("DefinitionT", ContentType, Component)
_PLUGIN: Final = "plugin::"
_BUILT_IN: Final = frozenset(uid.partition(".")[0] for uid in BUILTIN_TYPES)


def tolerate(registry: Registry, noticed: Iterable[DefinitionProblem] = ()) -> Registry:
    """Return the registry without relations that are stored nowhere and components that do not exist.

    Its remarks are `noticed` and those for the ignored parts.
    """
    remarks: list[DefinitionProblem] = [*noticed]
    shared = shared_links(registry)
    content_types = [_cleaned(item, registry, shared, remarks) for item in registry.content_types.values()]
    components = [_cleaned(item, registry, shared, remarks) for item in registry.components.values()]
    return Registry(content_types, components, remarks) if remarks else registry


def without_missing_plugins(
    registry: Registry, plugins: PluginDefinitions, problems: list[DefinitionProblem]
) -> Registry:
    """Return the registry of a v4 project without relations to content types of plugins that are not installed, are
    disabled, or are computed.

    Their tables stay unchanged. Each is recorded as a warning. Unknown types of built-in plugins stay, as errors.
    """
    count = len(problems)
    content_types = [_without_plugins(item, registry, plugins, problems) for item in registry.content_types.values()]
    components = [_without_plugins(item, registry, plugins, problems) for item in registry.components.values()]
    return Registry(content_types, components) if len(problems) > count else registry


def _without_plugins(
    definition: DefinitionT, registry: Registry, plugins: PluginDefinitions, problems: list[DefinitionProblem]
) -> DefinitionT:
    kept = dict(definition.attributes)
    for name, attribute in definition.attributes.items():
        target = attribute.target if isinstance(attribute, Relation) else None
        if target is not None and _is_of_plugin(target) and target not in registry.content_types:
            message = _missing_type(target, registry, plugins)
            problems.append(unserved(definition.source, f"attributes.{name}.target", message))
            del kept[name]
    return definition if len(kept) == len(definition.attributes) else replace(definition, attributes=kept)


def _is_of_plugin(uid: str) -> bool:
    """Return whether a content type belongs to a plugin that is not built in."""
    return uid.startswith(_PLUGIN) and uid.partition(".")[0] not in _BUILT_IN


def _missing_type(target: str, registry: Registry, plugins: PluginDefinitions) -> str:
    plugin = target.removeprefix(_PLUGIN).partition(".")[0]
    if plugin in plugins.found:
        own = [uid for uid in registry.content_types if uid.startswith(f"{_PLUGIN}{plugin}.")]
        return (
            f"the plugin {plugin} has no content type {target}, or its definition is computed, so this relation is not "
            f"served; correct the target, or write the definition as a JSON object{_meant(target, own)}"
        )
    if plugin in plugins.disabled:
        return (
            f"the plugin {plugin} of the content type {target} is disabled in config/plugins, so this relation is not "
            f"served; enable the plugin, or remove the attribute"
        )
    remedy = f"; not installed: {', '.join(sorted(plugins.missing))}" if plugins.missing else ""
    return (
        f"the content type {target} of the plugin {plugin} was not found, so this relation is not served; install the "
        f"project's packages (npm ci), or remove the attribute{remedy}"
    )


def _cleaned(
    definition: DefinitionT, registry: Registry, shared: Mapping[Side, str], remarks: list[DefinitionProblem]
) -> DefinitionT:
    attributes: dict[str, AnyAttribute] = {}
    count = len(remarks)
    for name, attribute in definition.attributes.items():
        path = f"attributes.{name}"
        match attribute:
            case Relation() if _has_no_target(definition.uid, attribute, registry):
                key = "morphBy" if attribute.is_morph else "mappedBy"
                hint = _meant(
                    attribute.morph_by or attribute.mapped_by or "", _owning(definition.uid, attribute, registry)
                )
                message = f"the target has no such relation; this attribute is ignored{hint}"
                remarks.append(warning(definition.source, f"{path}.{key}", message))
            case Relation() if (definition.uid, name) in shared:
                owner = shared[definition.uid, name]
                remarks.append(warning(definition.source, path, _stored_by(attribute, owner)))
                attributes[name] = replace(attribute, stored_by=owner)
            case DynamicZone():
                known = tuple(uid for uid in attribute.components if uid in registry.components)
                remarks += _unknown_components(definition.source, path, attribute, registry.components)
                attributes[name] = attribute if known == attribute.components else replace(attribute, components=known)
            case _:
                attributes[name] = attribute
    return definition if len(remarks) == count else replace(definition, attributes=attributes)


def _stored_by(relation: Relation, owner: str) -> str:
    remedy = f"replace inversedBy with mappedBy: {owner!r}" if relation.inversed_by else f"add mappedBy: {owner!r}"
    return (
        f"neither this relation nor {owner!r} of {relation.target} has mappedBy; as in Strapi v4, the table of "
        f"{owner!r} stores the links of both; {remedy}"
    )


def _has_no_target(uid: str, relation: Relation, registry: Registry) -> bool:
    if relation.target is None:
        return False
    name = relation.morph_by if relation.is_morph else relation.mapped_by
    if name is None:
        return relation.is_morph
    return name not in _owning(uid, relation, registry)


def _owning(uid: str, relation: Relation, registry: Registry) -> list[str]:
    """Return the attributes of a relation's target that it could be the inverse of."""
    attributes = registry.content_types[str(relation.target)].attributes.items()
    if relation.is_morph:
        return [name for name, item in attributes if isinstance(item, Relation | Media)]
    return [
        name
        for name, item in attributes
        if isinstance(item, Relation) and item.target == uid and item.mapped_by is None
    ]


def _unknown_components(
    source: str, path: str, zone: DynamicZone, known: Collection[str]
) -> Iterator[DefinitionProblem]:
    for position, uid in enumerate(zone.components):
        if uid not in known:
            message = f"unknown component {uid!r}; it is ignored{_meant(uid, known)}"
            yield warning(source, f"{path}.components.{position}", message)


def _meant(name: str, known: Collection[str]) -> str:
    hint = did_you_mean(name, known, otherwise="")
    return f"; {hint}" if hint else ""
