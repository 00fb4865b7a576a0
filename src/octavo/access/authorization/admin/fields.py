"""Fields that can be granted: the attributes of a content type and of its components, by path."""

from collections.abc import Iterable, Iterator

from octavo.core.values import dataclass
from octavo.schema.attributes import ComponentField
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.managed import automatic_names
from octavo.schema.registry import Registry


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute, with the fields inside if it is a component. Dynamic zones are granted as a whole."""

    name: str
    path: str
    required: bool
    inside: tuple["Field", ...] = ()


def fields_of(content_type: ContentType, registry: Registry) -> tuple[Field, ...]:
    """Return the fields of a content type as a tree, in definition order."""
    return tuple(_fields(content_type, registry, "", automatic_names(content_type), ()))


def _fields(
    definition: Definition, registry: Registry, way: str, left_out: frozenset[str], around: tuple[str, ...]
) -> Iterator[Field]:
    for name, attribute in definition.attributes.items():
        if name in left_out or not attribute.visible:
            continue
        path = f"{way}{name}"
        inside: tuple[Field, ...] = ()
        component = registry.components.get(attribute.component) if isinstance(attribute, ComponentField) else None
        if component is not None and component.uid not in around:
            inside = tuple(_fields(component, registry, f"{path}.", frozenset(), (*around, component.uid)))
        yield Field(name, path, attribute.required, inside)


def leaves(fields: Iterable[Field], *, required: bool = False) -> tuple[str, ...]:
    """Return the paths that a grant of all fields lists.

    With `required`, only required fields in required components: every grant on the content type includes them.
    """
    paths: list[str] = []
    for field in fields:
        if field.required or not required:
            paths += leaves(field.inside, required=required) if field.inside else (field.path,)
    return tuple(paths)


def all_paths(fields: Iterable[Field]) -> tuple[str, ...]:
    """Return every path that a grant can list, including whole components."""
    return tuple(path for field in fields for path in (field.path, *all_paths(field.inside)))
