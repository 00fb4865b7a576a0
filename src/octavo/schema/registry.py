"""Registry: the immutable set of all definitions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import FILE, Component, ContentType, Definition
from octavo.schema.problems import DefinitionProblem


class FormerNames:
    """Former component names, by definition UID and component attribute.

    v4 renames a component (its UID) in its definition only, leaves rows unchanged, and reads them by attribute. The
    names in rows are loaded from the database (`database/component_names`), before anything else is read.
    """

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: Mapping[tuple[str, str], tuple[str, ...]] = {}

    def know(self, names: Mapping[tuple[str, str], tuple[str, ...]]) -> None:
        """Set the names that were found."""
        self._names = names

    def of(self, uid: str, attribute: str) -> tuple[str, ...]:
        """Return the former names for an attribute; usually none."""
        return self._names.get((uid, attribute), ())

    def at(self, uid: str) -> dict[str, tuple[str, ...]]:
        """Return a definition's attributes with former names."""
        return {attribute: names for (holder, attribute), names in self._names.items() if holder == uid}


class HiddenEntries:
    """Content types with hidden entries, by UID.

    If a type loses drafts, its drafts are hidden; if it loses locales, the entries of other locales. The database
    stores which ones they are (`database/option_changes`); this is loaded at the start, before any statement is
    compiled.
    """

    __slots__ = ("_uids",)

    def __init__(self) -> None:
        self._uids: frozenset[str] = frozenset()

    def know(self, uids: Iterable[str]) -> None:
        """Set the types with hidden entries."""
        self._uids = frozenset(uids)

    def __contains__(self, uid: object) -> bool:
        return uid in self._uids


def _file(component: Component) -> tuple[str, str]:
    """Return the folder and the file name of a component. With the suffix, `cta-line.json` sorts before `cta.json`."""
    folder, _, name = component.uid.partition(".")
    return folder, f"{name}.json"


class Registry:
    """All content types and components, by UID. Immutable.

    `remarks` are warnings about ignored parts of the definitions (see `tolerance`). `former_names` and `hidden_entries`
    are loaded once from the database: further component names in rows, and content types with entries that are not
    served. `morph_lists` are the morphToMany relations, each with its owner: any entry may be among their targets.
    """

    __slots__ = (
        "__weakref__",
        "components",
        "content_types",
        "former_names",
        "hidden_entries",
        "morph_lists",
        "remarks",
    )

    def __init__(
        self,
        content_types: Iterable[ContentType],
        components: Iterable[Component],
        remarks: Iterable[DefinitionProblem] = (),
    ) -> None:
        self.remarks = tuple(remarks)
        self.former_names = FormerNames()
        self.hidden_entries = HiddenEntries()
        self.content_types: Mapping[str, ContentType] = MappingProxyType({item.uid: item for item in content_types})
        self.components: Mapping[str, Component] = MappingProxyType({item.uid: item for item in components})
        self.morph_lists: Sequence[tuple[Definition, Relation]] = tuple(
            (definition, attribute)
            for definition in self.definitions()
            for attribute in definition.attributes.values()
            if isinstance(attribute, Relation) and attribute.kind == "morphToMany"
        )

    def definition(self, uid: str) -> Definition:
        """Return the content type or component with that UID. Raises KeyError."""
        definition = self.content_types.get(uid) or self.components.get(uid)
        if definition is None:
            raise KeyError(uid)
        return definition

    def components_backwards(self) -> list[Component]:
        """All components, from the last file to the first, as v4 reads its folders."""
        return sorted(self.components.values(), key=_file, reverse=True)

    def target(self, attribute: AnyAttribute) -> Definition | None:
        """Return the definition of an attribute's targets: a relation's target, files, a component; None if rows
        decide."""
        match attribute:
            case Relation(target=str() as uid):
                return self.content_types.get(uid)
            case Media():
                return self.content_types[FILE]
            case ComponentField(component=uid):
                return self.components[uid]
            case _:
                return None

    def component_held(self, definition: Definition, attribute: str, name: str) -> str:
        """Return the UID of a component, given the name in rows of an attribute."""
        held = definition.attributes.get(attribute)
        if isinstance(held, ComponentField) and name in self.former_names.of(definition.uid, attribute):
            return held.component
        return name

    def holders(self, component: str | None = None) -> Iterator[Definition]:
        """Yield the definitions whose entries can contain components, or the given one: a zone can contain any."""
        for definition in self.definitions():
            held = (
                isinstance(attribute, DynamicZone)
                or (isinstance(attribute, ComponentField) and component in (None, attribute.component))
                for attribute in definition.attributes.values()
            )
            if any(held):
                yield definition

    def definitions(self) -> tuple[Definition, ...]:
        """All definitions, components first."""
        return (*self.components.values(), *self.content_types.values())

    def api_types(self) -> list[ContentType]:
        """Return the content types that have REST endpoints."""
        return [item for item in self.content_types.values() if item.is_api]

    def own_types(self) -> list[ContentType]:
        """Return the content types that the project and its plugins define."""
        return [item for item in self.content_types.values() if item.uid not in BUILTIN_TYPES]

    def owner(self, definition: Definition, relation: Relation) -> tuple[Definition, Relation, bool]:
        """Return where a relation is stored: the owning definition, its relation, and whether `relation` is the
        inverse."""
        if relation.owner and relation.target:
            target = self.content_types[relation.target]
            return target, target.relation(relation.owner), True
        return definition, relation, False
