"""Attributes that are deleted with their data. v4 keeps the columns of deleted attributes; here a form can drop them.

`drop` is next to `attributes` in a form, such as `["title"]`, together with `confirm`, the name of the definition.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.core.errors import Problem
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.synchronize import Unwanted, drop_unwanted
from octavo.modeling.builder.problems import refused
from octavo.modeling.builder.renames import RENAMES
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import (
    FILES_MORPH_ATTRIBUTE,
    MORPH_ONE_COLUMNS,
    MorphTable,
    column_name,
    link_table,
    morph_table,
    table_name,
)
from octavo.query.sql.statement import Statement
from octavo.schema.attributes import AnyAttribute, Media, Relation, Scalar
from octavo.schema.content_types import FILE, ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind

DROP: Final = "drop"
CONFIRM: Final = "confirm"
_NO_ROWS: Final = "its values are entries of components or of other types; delete those instead"


@dataclass(frozen=True, slots=True)
class Dropped:
    """The data to drop: columns and tables, and file links of a content type or component."""

    uid: str
    unwanted: frozenset[Unwanted]
    media: tuple[str, ...] = ()
    files: MorphTable | None = None

    def row_statements(self, dialect: Dialect) -> list[Statement]:
        """Return the statements that delete rows."""
        if self.files is None:
            return []
        table, kind, field = map(dialect.quote, (self.files.name, self.files.type_column, self.files.field_column))
        one, other = (dialect.placeholder(number, ValueKind.STRING) for number in (1, 2))
        text = f"DELETE FROM {table} WHERE {kind} = {one} AND {field} = {other}"
        return [Statement(text, (self.uid, name)) for name in self.media]


async def drop_data(database: Database, registry: Registry, dropped: Dropped) -> None:
    """Drop the data in one transaction, unless a registry requires it. Raises TablesLocked."""
    await drop_unwanted(database, registry, dropped.unwanted, dropped.row_statements(database.dialect))


def dropped_data(registry: Registry, uid: str, form: Any) -> Dropped | None:
    """Return the data that a form drops from a definition in its current state; None if the form drops nothing.

    Raises BuilderError.
    """
    names = form.get(DROP) if isinstance(form, Mapping) else None
    if names is None or names == []:
        return None
    definition = registry.definition(uid)
    problems = [*_problems(definition, names, form)]
    if problems:
        raise refused(problems)
    attributes = [definition.attributes[name] for name in names]
    unwanted = {place for attribute in attributes for place in _places(registry, definition, attribute) or ()}
    media = tuple(attribute.name for attribute in attributes if isinstance(attribute, Media))
    files = morph_table(registry.content_types[FILE], FILES_MORPH_ATTRIBUTE) if media else None
    return Dropped(uid, frozenset(unwanted), media, files)


def _problems(definition: Definition, names: Any, form: Mapping[str, Any]) -> Iterator[Problem]:
    uid, kept, renamed = definition.uid, form.get("attributes"), form.get(RENAMES)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield Problem((uid, DROP), "must be a list of attribute names")
        return
    own = definition.raw.get("attributes") or {}
    for name in dict.fromkeys(names):
        if name not in own:
            yield Problem((uid, DROP, name), "unknown attribute")
        elif name in (kept or ()) or name in (renamed or ()) or own[name].get("configurable") is False:
            yield Problem((uid, DROP, name), "the form contains the attribute; remove it from one of the two")
        elif _places(None, definition, definition.attributes[name]) is None:
            yield Problem((uid, DROP, name), f"it has no column: {_NO_ROWS}")
    word = definition.singular_name if isinstance(definition, ContentType) else uid.partition(".")[2]
    if form.get(CONFIRM) != word:
        yield Problem((uid, CONFIRM), f"must be {word!r}: dropped attributes lose all their values")


def _places(registry: Registry | None, definition: Definition, attribute: AnyAttribute) -> list[Unwanted] | None:
    """Return where an attribute's values are stored, excluding storage shared with others; None if they are not its
    own."""
    match attribute:
        case Scalar():
            return [Unwanted(table_name(definition), column_name(attribute))]
        case Media():
            return []
        case Relation(kind="morphToOne"):
            return [Unwanted(table_name(definition), column) for column in MORPH_ONE_COLUMNS]
        case Relation(kind="morphToMany"):
            return [Unwanted(morph_table(definition, attribute.name).name)]
        case Relation(is_morph=False):
            return [] if registry is None else [Unwanted(link_table(registry, definition, attribute).name)]
    return None
