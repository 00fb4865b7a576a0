"""Field places: paths of attributes from their content type through components, as used in field permissions."""

from collections.abc import Iterable, Iterator

from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A content type, or a component in it at the path `way` (`seo.`, empty for the content type itself)."""

    uid: str
    way: str = ""

    def field(self, name: str) -> str:
        """Return the path of an attribute.

        >>> FieldPlace("api::a.a").field("title"), FieldPlace("api::a.a", "seo.").field("metaTitle")
        ('title', 'seo.metaTitle')
        """
        return f"{self.way}{name}"

    def below(self, attribute: AnyAttribute, target: Definition) -> "FieldPlace":
        """Return the place of an attribute's targets. Another content type starts a new path."""
        if isinstance(target, ContentType):
            return FieldPlace(target.uid)
        return FieldPlace(self.uid, f"{self.way}{attribute.name}.")


ComponentPath = tuple[tuple[Definition, str, str], ...]
"""The steps from an entry to a component: the containing definition, the field, and the component's UID."""


def component_paths(
    registry: Registry, definition: Definition, uid: str, fields: Iterable[str] | None = None
) -> tuple[ComponentPath, ...]:
    """Return the paths from a definition, through these fields (None: all), to a component."""
    return tuple(_walk(registry, definition, uid, fields, frozenset()))


def _walk(
    registry: Registry, definition: Definition, uid: str, fields: Iterable[str] | None, passed: frozenset[str]
) -> Iterator[ComponentPath]:
    for name in definition.attributes if fields is None else fields:
        match definition.attributes[name]:
            case ComponentField(component=held):
                inside: Iterable[str] = (held,)
            case DynamicZone(components=listed):
                inside = dict.fromkeys((*listed, uid))  # in v4, a zone may contain components that it does not list
            case _:
                continue
        for one in inside:
            step = (definition, name, one)
            if one == uid:
                yield (step,)
            if one not in passed:
                for rest in _walk(registry, registry.components[one], uid, None, passed | {one}):
                    yield (step, *rest)
