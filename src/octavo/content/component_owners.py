"""Find the entries that contain a component, and the places in content types where it can be.

A relation in a component is addressed by the component only; permission to read it depends on the entry that contains
the component.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.query.sql.physical_names import component_table
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.schema.attributes import components_of
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry

_DEEPEST: Final = 20
_HOLDERS: Final = """
SELECT entity_id, field, component_type FROM {table}
WHERE component_id = {{component}} AND component_type IN ({names})"""


@dataclass(frozen=True, slots=True)
class Owner:
    """An entry, and the position of a component in it."""

    content_type: ContentType
    entry_id: int
    place: FieldPlace


class ComponentOwners:
    """Finds the entries that contain components."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._database = database
        self._registry = registry

    async def of(
        self, component: Component, component_id: int, connection: Connection | None = None, *, depth: int = _DEEPEST
    ) -> list[Owner]:
        """Return the entries that contain a component, even nested. There is one, unless data is corrupt.

        Reads through the connection, or any of the database's if None.
        """
        owners: list[Owner] = []
        for holder in self._registry.holders(component.uid):
            for entry_id, field in await self._find_holders(holder, component, component_id, connection):
                if isinstance(holder, ContentType):
                    owners.append(Owner(holder, entry_id, FieldPlace(holder.uid, f"{field}.")))
                elif isinstance(holder, Component) and depth:
                    for owner in await self.of(holder, entry_id, connection, depth=depth - 1):
                        place = FieldPlace(owner.place.uid, f"{owner.place.way}{field}.")
                        owners.append(Owner(owner.content_type, owner.entry_id, place))
        return owners

    async def _find_holders(
        self, holder: Definition, component: Component, component_id: int, connection: Connection | None
    ) -> list[tuple[int, str]]:
        dialect, registry = self._database.dialect, self._registry
        former = registry.former_names.at(holder.uid).values()
        names = ", ".join(map(dialect.literal, dict.fromkeys((component.uid, *chain.from_iterable(former)))))
        table = dialect.quote(component_table(holder).name)
        statement = RawStatement(_HOLDERS.format(table=escape_braces(table), names=escape_braces(names)))
        rows = await (connection or self._database).fetch_all(*statement.bind(dialect, component=component_id))
        holders = [
            (int(entry_id), str(field))
            for entry_id, field, name in rows
            if registry.component_held(holder, field, name) == component.uid
        ]
        return list(dict.fromkeys(holders))


def places_of(registry: Registry, component: Definition) -> Iterator[FieldPlace]:
    """Yield the places in content types that can contain a component."""
    for content_type in registry.content_types.values():
        yield from _places(registry, component.uid, content_type, FieldPlace(content_type.uid), ())


def _places(
    registry: Registry, wanted: str, definition: Definition, place: FieldPlace, around: tuple[str, ...]
) -> Iterator[FieldPlace]:
    for name, attribute in definition.attributes.items():
        for uid in components_of(attribute):
            below = FieldPlace(place.uid, f"{place.way}{name}.")
            if uid == wanted:
                yield below
            if uid in registry.components and uid not in around:
                yield from _places(registry, wanted, registry.components[uid], below, (*around, uid))
