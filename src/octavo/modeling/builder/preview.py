"""Preview the effects of a change of definitions: on files, tables and columns, and what is left unchanged."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from octavo.core.threads import in_thread
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.synchronize import plan_changes
from octavo.modeling.builder.files import check_path
from octavo.modeling.builder.plans import Plan
from octavo.query.sql.ddl import changes as ddl
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.ddl.renames import Rename
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.registry import Registry

_SHOWN: Final = 200_000
"""Maximum bytes of a file that are shown. Definitions are usually far smaller."""
_READABLE: Final = (".json", ".js", ".ts", ".py")


@dataclass(frozen=True, slots=True)
class FilePreview:
    """A file of the project before and after the change; None if it does not exist."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class TablePreview:
    """A change of a table or a column. `change` is one of `_KINDS`, or a rename. `was` is the previous name or type,
    `type` the new type of a column."""

    change: str
    table: str
    column: str | None = None
    was: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects of a change. `uid` is the subject under its new name; `kept` are tables and columns that definitions
    no longer require, and that stay."""

    uid: str
    files: tuple[FilePreview, ...]
    tables: tuple[TablePreview, ...]
    kept: tuple[TablePreview, ...]


async def preview_of(
    plan: Plan, before: Registry, project: Path, database: Database, migration: Path | None
) -> Preview:
    """Return the effects of a plan, with the file of its migration."""
    files = await in_thread(lambda: tuple(_files(plan, project, migration)))
    dialect = database.dialect
    renames = tuple(_physical(plan.renamed.tables if plan.renamed else (), dialect))
    known = (await plan_changes(database, before)).ordered
    new = [one for one in (await plan_changes(database, plan.registry, renames)).ordered if one not in known]
    dropped = plan.dropped.unwanted if plan.dropped else ()
    places = {(physical_name(one.table, dialect), one.column and physical_name(one.column, dialect)) for one in dropped}
    listed = [_change(one) for one in new]
    kept = [one for one in listed if one.change in _LOSING and (one.table, one.column) not in places]
    made = [one for one in listed if one not in kept]
    return Preview(plan.uid, files, (*_renamed(renames), *made), tuple(kept))


def _physical(renames: Iterable[Rename], dialect: Dialect) -> Iterator[Rename]:
    for one in renames:
        table, old, new = (physical_name(name, dialect) for name in (one.table, one.old, one.new))
        if old != new:
            yield replace(one, table=table, old=old, new=new)


def _renamed(renames: Sequence[Rename]) -> Iterator[TablePreview]:
    for one in renames:
        if one.kind == "table":
            yield TablePreview("renameTable", one.new, was=one.old)
        if one.kind == "column":
            yield TablePreview("renameColumn", one.table, one.new, one.old)


_LOSING: Final = ("dropColumn", "dropTable")


def _change(change: ddl.Change) -> TablePreview:
    match change:
        case ddl.CreateTable():
            return TablePreview("createTable", change.table)
        case ddl.AddColumn(column=column):
            return TablePreview("addColumn", change.table, column.name, type=column.type)
        case ddl.WidenColumn(found=found, wanted=wanted):
            return TablePreview("widenColumn", change.table, wanted.name, found.type, wanted.type)
        case ddl.ChangeType(found=found, wanted=wanted):
            return TablePreview("convertColumn", change.table, wanted.name, found.type, wanted.type)
        case ddl.DropColumn(column=column):
            return TablePreview("dropColumn", change.table, column.name, type=column.type)
        case ddl.DropTable():
            return TablePreview("dropTable", change.table)
        case ddl.CreateIndex(index=index):
            return TablePreview("createIndex", change.table, ", ".join(index.columns))
        case ddl.DropIndex(index=index):
            return TablePreview("dropIndex", change.table, ", ".join(index.columns))
        case ddl.AddForeignKey(key=key):
            return TablePreview("addForeignKey", change.table, key.column)
    return TablePreview("changeTable", change.table)


def _files(plan: Plan, project: Path, migration: Path | None) -> Iterator[FilePreview]:
    written = plan.files.written
    for name in (*written, *plan.files.removed):
        check_path(project, name)
    for name, content in written.items():
        before, after = _text(project / name), content.decode("utf-8", "replace")
        if before != after:
            yield FilePreview(name, before, after)
    if migration is not None and plan.renamed is not None:
        yield FilePreview(migration.relative_to(project).as_posix(), None, plan.renamed.forward)
    for path in dict.fromkeys(path for name in plan.files.removed for path in _below(project / name)):
        name = path.relative_to(project).as_posix()
        if name not in written:
            yield FilePreview(name, _text(path) or "", None)


def _below(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        yield from sorted(one for one in path.rglob("*") if one.is_file())


def _text(path: Path) -> str | None:
    """Return the text of a project file, up to the limit."""
    if not path.is_file() or path.suffix not in _READABLE:
        return None
    with path.open("rb") as file:
        return file.read(_SHOWN).decode("utf-8", "replace")
