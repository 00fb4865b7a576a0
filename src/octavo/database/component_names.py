"""What rows call components: names that no definition has any more, because v4 renames components in definitions alone.

v4 reads an attribute that holds a component by the attribute, whatever name its rows say; a dynamic zone by the names.
So do we, but for rows that lead to components of other entries: there the attribute was given another component, and
ids mean rows of the table before.
"""

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from functools import partial
from typing import Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import component_table
from octavo.query.sql.system_table_statement import OwnStatement, escape_braces
from octavo.schema.attributes import ComponentField, DynamicZone
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

_TOGETHER: Final = 50
"""Tables that one statement looks into."""
_PLACES_TOLD: Final = 4
_KINDS: Final = """
SELECT {number}, kind FROM (
  WITH RECURSIVE kinds (kind) AS (
    SELECT min(component_type) FROM {table}
    UNION ALL
    SELECT (SELECT min(component_type) FROM {table} WHERE component_type > kinds.kind) FROM kinds
    WHERE kinds.kind IS NOT NULL)
  SELECT kind FROM kinds WHERE kind IS NOT NULL) AS found"""
"""Step by step along the index: a large table costs no more than a small one."""
_PLACES: Final = "SELECT field, count(*) FROM {table} WHERE component_type = {{name}} GROUP BY field ORDER BY field"
_ALL_PLACES: Final = "SELECT field, component_type, count(*) FROM {table} GROUP BY field, component_type ORDER BY 1, 2"
_OF_OTHERS: Final = """
SELECT count(*) FROM {table} held WHERE held.component_type = {{old}} AND held.field = {{field}}
AND held.component_id IN (SELECT other.component_id FROM {other} other WHERE other.component_type = {{new}})
AND NOT EXISTS (SELECT 1 FROM {table} twice WHERE twice.entity_id = held.entity_id AND twice.field = held.field
  AND twice.component_id = held.component_id AND twice.component_type = {{new}})"""
"""Rows that lead to what is somebody else's; not those that v4 has written a second time under the name of now."""


class Meaning(StrEnum):
    """What rows with another name than that of the definition are."""

    FORMER = "former"  # of the attribute's component, under a name of before: shown
    FOREIGN = "foreign"  # an unknown name, and ids that belong to other entries: not shown
    OTHER = "other"  # of another component that there is: not shown
    UNKNOWN = "unknown"  # in a dynamic zone, which asks by name: not shown, as in v4


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherName:
    """Rows of one attribute under one name. `component` is what the attribute holds; of a zone, what has the name now
    as far as can be told."""

    uid: str
    attribute: str
    name: str
    rows: int
    meaning: Meaning
    component: str | None

    @property
    def says(self) -> str:
        """What it means, and what to do."""
        rename = f"`octavo db rename-component {self.name} {self.component or 'NEW'}`"
        match self.meaning:
            case Meaning.FORMER:
                return f"as {self.component} was called before: they are shown; {rename} gives them the name of now"
            case Meaning.FOREIGN:
                return (
                    f"which no definition has, with ids of what other entries hold as {self.component}: they were "
                    "another component, and are not shown"
                )
            case Meaning.OTHER:
                return f"and {self.component} by its definition: they are not shown"
            case Meaning.UNKNOWN:
                return (
                    "which no definition has: they are not shown, and lost where an entry is saved; if it was renamed, "
                    f"{rename} finds them again"
                )


@dataclass(frozen=True, slots=True)
class ComponentNames:
    """Looks for what the rows of a database call components."""

    connection: Connection
    dialect: Dialect
    registry: Registry

    async def unknown(self) -> list[OtherName]:
        """The names that no definition has, by place. Large tables cost no more than small ones where all are known."""
        found: list[OtherName] = []
        for definition, name in await self._unknown():
            table = self._table(definition)
            statement = OwnStatement(_PLACES.format(table=escape_braces(table))).bind(self.dialect, name=name)
            for field, rows in await self.connection.fetch_all(*statement, long=True):
                found += await self._told(definition, str(field), name, rows)
        return found

    async def others(self, present: Collection[str]) -> list[OtherName]:
        """All names but those of the definitions, in the tables that are `present`. Looks at every row."""
        found: list[OtherName] = []
        for definition in self.registry.holders():
            if component_table(definition).name in present:
                text = _ALL_PLACES.format(table=self._table(definition))
                for field, name, rows in await self.connection.fetch_all(text, long=True):
                    found += await self._told(definition, str(field), str(name), rows)
        return found

    async def rows_of_others(self, definition: Definition, field: str, old: str, new: str) -> int:
        """How many rows at a place say `old`, and lead to what other entries hold as `new`."""
        table = escape_braces(self._table(definition))
        for other in self.registry.holders(new):
            text = _OF_OTHERS.format(table=table, other=escape_braces(self._table(other)))
            statement = OwnStatement(text).bind(self.dialect, old=old, field=field, new=new)
            count: int = await self.connection.fetch_value(*statement, long=True)
            if count:
                return count
        return 0

    def _table(self, definition: Definition) -> str:
        return self.dialect.quote(component_table(definition).name)

    async def _unknown(self) -> list[tuple[Definition, str]]:
        holders, found = list(self.registry.holders()), list[tuple[Definition, str]]()
        for start in range(0, len(holders), _TOGETHER):
            part = holders[start : start + _TOGETHER]
            selects = (_KINDS.format(number=number, table=self._table(each)) for number, each in enumerate(part))
            rows = await self.connection.fetch_all(" UNION ALL ".join(selects), long=True)
            found += [(part[number], name) for number, name in rows if name not in self.registry.components]
        return found

    async def _told(self, definition: Definition, field: str, name: str, rows: int) -> list[OtherName]:
        """What so many rows of a place are; nothing where they say what the definitions say."""
        attribute, is_known = definition.attributes.get(field), name in self.registry.components
        told = partial(OtherName, uid=definition.uid, attribute=field, name=name, rows=rows)
        match attribute:
            case ComponentField(component=component) if component != name:
                if is_known:
                    return [told(meaning=Meaning.OTHER, component=component)]
                foreign = await self.rows_of_others(definition, field, name, component)
                return [told(meaning=Meaning.FOREIGN if foreign else Meaning.FORMER, component=component)]
            case DynamicZone(components=listed) if not is_known:
                return [told(meaning=Meaning.UNKNOWN, component=self._likely(name, listed))]
        return []

    def _likely(self, name: str, listed: Iterable[str]) -> str | None:
        """The component that may have had the name: the only one, listed or not, that differs in its category alone."""
        for uids in (listed, self.registry.components):
            alike = [uid for uid in uids if uid.partition(".")[2] == name.partition(".")[2]]
            if len(alike) == 1:
                return alike[0]
        return None


async def learn_former_names(connection: Connection, dialect: Dialect, registry: Registry) -> list[OtherName]:
    """Look for names that no definition has, and tell the registry which of them are names of before."""
    found = await ComponentNames(connection, dialect, registry).unknown()
    former: dict[tuple[str, str], tuple[str, ...]] = {}
    for each in found:
        if each.meaning is Meaning.FORMER:
            place = (each.uid, each.attribute)
            former[place] = (*former.get(place, ()), each.name)
    registry.former_names.know(former)
    return found


def told(found: Iterable[OtherName]) -> Iterator[str]:
    """What was found, for people: a line for each name and what it means."""
    groups: dict[tuple[str, str], list[OtherName]] = {}
    for each in found:
        groups.setdefault((each.name, each.says), []).append(each)
    for (name, says), others in groups.items():
        places = [f"{each.attribute} of {each.uid}" for each in others]
        more = f" and {len(places) - _PLACES_TOLD} more" if len(places) > _PLACES_TOLD else ""
        rows = sum(each.rows for each in others)
        yield f"Rows call components {name} ({rows:,} in {', '.join(places[:_PLACES_TOLD])}{more}), {says}"
