"""Remove from a query what the caller is not allowed to use, for code that passes it on to its own reads.

Each part is validated by `QuerySanitizer`, so nothing passes that core actions would reject.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from octavo.access.authorization.ability import Ability
from octavo.content.controllers.content import ContentController
from octavo.core.errors import OctavoError
from octavo.query.ast import Query
from octavo.query.params import read_query
from octavo.schema.content_types import Definition
from octavo.schema.field_places import FieldPlace

_NOTHING: Final = object()
Wrap = Callable[[Any], Any]


class _Level(NamedTuple):
    """A definition, and the place of its fields."""

    definition: Definition
    place: FieldPlace


class QueryPruner:
    """Prunes queries for the callers with one ability."""

    def __init__(self, controller: ContentController, ability: Ability, *, split_fields: bool = False) -> None:
        self._reads = controller.reads
        self._registry = controller.registry
        self._ability = ability
        self._split_fields = split_fields

    def check(self, given: Mapping[str, Any], definition: Definition, place: FieldPlace | None = None) -> Query:
        """Return the parsed query. Raises InvalidParameter or ValidationError if the caller is not allowed to use it.

        `place` is the place of a component's fields, for field permissions.
        """
        query = read_query(given, split_fields=self._split_fields)
        return self._reads.sanitize(query, definition, self._ability, place)

    def prune(
        self, given: Mapping[str, Any], definition: Definition, place: FieldPlace | None = None
    ) -> dict[str, Any]:
        """Return the values without what the caller is not allowed to use."""
        level = _Level(definition, place or FieldPlace(definition.uid))
        kept = dict(given)
        for part in ("filters", "sort", "fields"):
            if part in given:
                self._put(kept, part, self._kept(given[part], part, level, lambda value: value))
        if "populate" in given:
            self._put(kept, "populate", self._populate(given["populate"], level))
        return kept

    def _put(self, kept: dict[str, Any], part: str, value: Any) -> None:
        if value is _NOTHING and isinstance(kept[part], Mapping | list):
            kept[part] = type(kept[part])()
        elif value is _NOTHING:
            del kept[part]
        else:
            kept[part] = value

    def _kept(self, value: Any, part: str, level: _Level, wrap: Wrap) -> Any:
        """Return the allowed part of a value. `wrap` puts it at its position in a query."""
        if self._passes({part: wrap(value)}, level):
            return value
        if isinstance(value, Mapping):
            named = ((name, self._kept(item, part, level, _at(wrap, name))) for name, item in value.items())
            left = {name: item for name, item in named if item is not _NOTHING}
            return left or _NOTHING
        if isinstance(value, str) and part == "sort" and "," in value:
            names = [self._kept(name, part, level, wrap) for name in value.split(",")]
            return ",".join(name for name in names if name is not _NOTHING) or _NOTHING
        if isinstance(value, list):
            items = [self._kept(item, part, level, lambda one: wrap([one])) for item in value]
            return [item for item in items if item is not _NOTHING] or _NOTHING
        return _NOTHING

    def _passes(self, given: Mapping[str, Any], level: _Level) -> bool:
        try:
            self.check(given, *level)
        except OctavoError:
            return False
        return True

    def _populate(self, value: Any, level: _Level) -> Any:
        """Return the allowed relations: a list of names, or a dictionary with the pruned nested queries."""
        if not isinstance(value, Mapping):
            try:
                query = self.check({"populate": value}, *level)
            except OctavoError:
                return _NOTHING
            return self._paths(query) or _NOTHING
        left = {name: self._below(name, item, level) for name, item in value.items()}
        return {name: item for name, item in left.items() if item is not _NOTHING} or _NOTHING

    def _paths(self, query: Query, before: str = "") -> list[str]:
        """Return what a query populates, as dotted paths."""
        paths = []
        for item in query.populate:
            paths += self._paths(item.query, f"{before}{item.name}.") or [f"{before}{item.name}"]
        return paths

    def _below(self, name: str, value: Any, level: _Level) -> Any:
        attribute = level.definition.attributes.get(name)
        if attribute is None or not self._names(name, level):
            return _NOTHING
        if not isinstance(value, Mapping):
            return value
        target = self._registry.target(attribute)
        if target is not None:
            return self.prune(value, target, level.place.below(attribute, target))
        variants = value.get("on")
        known: Mapping[str, Definition] = {**self._registry.components, **self._registry.content_types}
        if not isinstance(variants, Mapping):
            return True
        pruned = {
            uid: self.prune(item, known[uid], level.place.below(attribute, known[uid]))
            if isinstance(item, Mapping)
            else item
            for uid, item in variants.items()
            if uid in known
        }
        return {"on": pruned}

    def _names(self, name: str, level: _Level) -> bool:
        """Return whether an attribute can be populated."""
        try:
            query = self.check({"populate": {name: True}}, *level)
        except OctavoError:
            return False
        return any(item.name == name for item in query.populate)


def _at(wrap: Wrap, name: str) -> Wrap:
    return lambda value: wrap({name: value})
