"""The table of keys, read from the dataclasses of `files`: names, kinds, defaults, variables, descriptions.

A key is a dataclass field created by `setting`; a TOML table is a nested dataclass created by `table`. Loading,
`octavo config check` and the reference all use this table.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, field, fields
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from octavo.core.values import dataclass
from octavo.settings import values
from octavo.settings.values import Kind

T = TypeVar("T")

AT_LEAST_ONE = (1, None)
AT_LEAST_ZERO = (0, None)
"""A value for `bounds`."""

_KINDS: dict[Any, Kind] = {
    str: values.TEXT,
    bool: values.FLAG,
    int: values.WHOLE_NUMBER,
    tuple[str, ...]: values.TEXTS,
    Mapping[str, str]: values.TEXT_TABLE,
    Mapping[str, int]: values.NUMBER_TABLE,
    Mapping[str, Any]: values.FREE_TABLE,
    Mapping[str, Mapping[str, Any]]: values.TABLES,
    str | None: values.optional(values.TEXT),
    int | None: values.optional(values.WHOLE_NUMBER),
    bool | None: values.optional(values.FLAG),
    tuple[str, ...] | None: values.optional(values.TEXTS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The options of a key besides name, type and default. `shows`: which parts of a table can be shown: all; or those
    that do not look like secrets, which is the default unless the whole table is secret."""

    doc: str = ""
    name: str | None = None
    kind: Kind | None = None
    variable: str | None = None
    bounds: tuple[int, int | None] | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    entry_names: Literal["camel", "kebab"] = "camel"
    secret: bool = False
    shows: Literal["all", "named"] | None = None
    others: bool = False
    default_doc: str | None = None
    older: Mapping[str, str] = field(default_factory=dict)
    former: Mapping[str, str] = field(default_factory=dict)
    """Values of earlier releases, and their replacements."""


def setting(default: T, doc: str, **row: Any) -> T:
    """Define a key with its default and its description in the reference. `row` holds further members of `Row`."""
    described = Row(doc=doc, **row)
    given: dict[str, Any] = {"default_factory": default.copy} if isinstance(default, dict) else {"default": default}
    hidden = described.secret or described.others
    return cast(T, field(**given, repr=not hidden, metadata={"row": described}))


def table(kind: type[T], doc: str = "", name: str | None = None, older: Mapping[str, str] | None = None) -> T:
    """Define a TOML table with only optional keys. `older` maps alternative dotted keys in it to current ones."""
    return field(default_factory=kind, metadata={"row": Row(doc=doc, name=name, older=older or {})})


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key. `path` is its path in TOML, `attributes` its path in `Settings`."""

    file: str
    path: tuple[str, ...]
    attributes: tuple[str, ...]
    kind: Kind
    default: Any
    row: Row

    @property
    def name(self) -> str:
        return self.path[-1]

    @property
    def dotted(self) -> str:
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "OCTAVO_" + "__".join(snake(name).upper() for name in (self.file, *self.path))

    @property
    def is_table(self) -> bool:
        """Whether its value is a table with arbitrary names."""
        return isinstance(self.default, Mapping)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A TOML table (or a whole file) and its members by canonical name. `others` accepts every unknown table. `older`
    are members of other tables that are also accepted here, by name."""

    path: tuple[str, ...]
    members: Mapping[str, "Key | Table"]
    others: Key | None
    doc: str
    older: dict[str, "tuple[str, Key | Table]"] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path[-1]

    def find(self, name: str) -> "tuple[str, Key | Table] | None":
        """Return the member for a name, with its current name, or None if it does not exist."""
        key = canonical(name)
        member = self.members.get(key)
        member_of_key = self.older.get(key) if member is None else (member.name, member)
        return member_of_key if member_of_key is not None and name in spellings(member_of_key[0]) else None

    @property
    def names(self) -> list[str]:
        return [member.name for member in self.members.values()]

    def rows(self) -> Iterator[Key]:
        """Yield all keys in the table and its subtables, in the order of the model."""
        for member in self.members.values():
            if isinstance(member, Key):
                yield member
            else:
                yield from member.rows()
        if self.others is not None:
            yield self.others


def snake(name: str) -> str:
    """Convert `maxLimit`, `max-limit`, `shadowCRUD` to `max_limit`, `max_limit`, `shadow_crud`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def camel(name: str) -> str:
    """Convert `max_limit`, `MAX-LIMIT` to `maxLimit`; a name in mixed case is unchanged."""
    if name not in (name.lower(), name.upper()):
        return name
    first, *rest = name.lower().replace("-", "_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def kebab(name: str) -> str:
    """Convert `MY_PLUGIN` to `my-plugin`."""
    return snake(name).replace("_", "-")


def canonical(name: str) -> str:
    """Return the form that all spellings of a name share."""
    return name.replace("_", "").replace("-", "").lower()


def spellings(name: str) -> set[str]:
    """Return the accepted spellings of a key in TOML."""
    return {name, snake(name), kebab(name)}


def read_table(model: type[Any], path: tuple[str, ...], attributes: tuple[str, ...], doc: str = "") -> Table:
    """Return the table of a settings dataclass. `path` starts with the file's name."""
    members: dict[str, Key | Table] = {}
    others = None
    for part in fields(model):
        row: Row | None = part.metadata.get("row")
        if row is None:
            continue
        inner = (*path, row.name or camel(part.name))
        member = _member(part, row, inner, (*attributes, part.name))
        if row.others and isinstance(member, Key):
            others = member
        else:
            members[canonical(inner[-1])] = member
    return Table(path=path, members=members, others=others, doc=doc)


def _member(part: Field[Any], row: Row, path: tuple[str, ...], attributes: tuple[str, ...]) -> Key | Table:
    if part.default is MISSING and hasattr(part.type, "__dataclass_fields__"):
        inner = read_table(cast(type[Any], part.type), path, attributes, row.doc)
        for place, target in row.older.items():
            _add_older(inner, place, target)
        return inner
    default = part.default if part.default_factory is MISSING else part.default_factory()
    kind = row.kind or _kind_of(part.type, row)
    if row.bounds:
        kind = values.between(kind, *row.bounds)
    return Key(file=path[0], path=path[1:], attributes=attributes, kind=kind, default=default, row=row)


def _add_older(table: Table, place: str, target: str) -> None:
    """Accept `place` as an alternative for `target`; both are dotted and relative to the table."""
    *folders, name = place.split(".")
    holder = table
    for folder in folders:
        named = holder.find(folder)
        if named is None:
            named = folder, Table(path=(*holder.path, folder), members={}, others=None, doc="")
            holder.older[canonical(folder)] = named
        holder = cast(Table, named[1])
    meant: Table | Key = table
    for part in target.split("."):
        meant = cast(Table, meant).members[canonical(part)]
    holder.older[canonical(name)] = name, meant


def _kind_of(annotation: Any, row: Row) -> Kind:
    if get_origin(annotation) is Literal:
        return values.one_of(get_args(annotation), row.aliases)
    return _KINDS[annotation]
