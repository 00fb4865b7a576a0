"""Check a registry for duplicate names and missing targets. All problems are reported together."""

from collections.abc import Iterable, Iterator, Mapping

from octavo.schema.attributes import AnyAttribute, ComponentField, Media, Relation
from octavo.schema.builtin_attributes import redefined
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.problems import DefinitionProblem, did_you_mean
from octavo.schema.registry import Registry

# The sides of a two-way relation that must not be swapped: the relation, the key, what to do.
_WRONG_SIDES = (
    ("oneToMany", "inversed_by", "inversedBy", "a oneToMany is stored on its other side; write mappedBy instead"),
    ("manyToOne", "mapped_by", "mappedBy", "a manyToOne is stored on this side; write inversedBy instead"),
)


def unsound(registry: Registry) -> list[DefinitionProblem]:
    """Return all problems that prevent a registry from being served."""
    problems = [*_name_problems(registry)]
    for content_type in registry.content_types.values():
        problems += redefined(content_type)
    for definition in registry.definitions():
        for attribute in definition.attributes.values():
            problems += _attribute_problems(registry, definition, attribute)
    return problems


def _name_problems(registry: Registry) -> Iterator[DefinitionProblem]:
    seen: dict[tuple[str, str], Definition] = {}
    for definition in (*registry.content_types.values(), *registry.components.values()):
        for group, key, value in _names(definition):
            other = seen.setdefault((group, value.lower()), definition)
            if other is not definition:
                message = f"{value!r} is already used by {other.uid}; choose another"
                yield DefinitionProblem(definition.source, key, message)


def _names(definition: Definition) -> Iterator[tuple[str, str, str]]:
    """Yield the names that must be unique to a definition: their kind, the JSON path, the name."""
    yield "table", "collectionName", definition.collection_name
    if isinstance(definition, ContentType) and definition.is_api:
        if definition.is_single:
            yield "route", "info.singularName", definition.singular_name
        else:
            yield "route", "info.pluralName", definition.plural_name


def _attribute_problems(
    registry: Registry, definition: Definition, attribute: AnyAttribute
) -> Iterable[DefinitionProblem]:
    path = f"attributes.{attribute.name}"
    match attribute:
        case Relation(target=str()):
            yield from _relation_problems(registry, definition, attribute, path)
        case ComponentField(component=uid) if uid not in registry.components:
            message = missing("component", uid, registry.components)
            yield DefinitionProblem(definition.source, f"{path}.component", message)


def _relation_problems(
    registry: Registry, definition: Definition, relation: Relation, path: str
) -> Iterator[DefinitionProblem]:
    target = registry.content_types.get(str(relation.target))
    if target is None:
        message = missing("content type", str(relation.target), registry.content_types)
        yield DefinitionProblem(definition.source, f"{path}.target", message)
        return
    for kind, field, key, message in _WRONG_SIDES:
        if relation.kind == kind and getattr(relation, field):
            yield DefinitionProblem(definition.source, f"{path}.{key}", message)
    if relation.inversed_by and not isinstance(target.attributes.get(relation.inversed_by), Relation):
        yield DefinitionProblem(definition.source, f"{path}.inversedBy", _no_relation(target, relation.inversed_by))
    if relation.morph_by and relation.morph_by not in target.attributes:
        yield DefinitionProblem(definition.source, f"{path}.morphBy", _no_relation(target, relation.morph_by))


def _no_relation(target: ContentType, name: str) -> str:
    relations = {key: value for key, value in target.attributes.items() if isinstance(value, Relation | Media)}
    return missing(f"relation of {target.uid}", name, relations)


def missing(what: str, name: str, known: Mapping[str, object]) -> str:
    """Return the message for a missing name, with the most similar known name."""
    return f"unknown {what} {name!r}; {did_you_mean(name, known, 'define it, or remove this attribute')}"
