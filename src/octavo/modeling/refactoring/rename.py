"""Plan the rename of an attribute: the edits of definition files, and the migration of the data.

The tables required by the definitions before and after the rename are compared: differences in names are renames.
Attribute names in rows are handled separately.
"""

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from octavo.core.bounded_files import read_own_file
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.database.migrations.renames import COMPONENT_LAYOUT, SETTINGS
from octavo.modeling.refactoring.definition_edits import Edit, edited, replace_file
from octavo.project.naming import did_you_mean
from octavo.project.plugins import plugins_in_use, project_custom_fields, v4_plugin_definitions
from octavo.query.sql.ddl.renames import renames
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.physical_names import ComponentTable, MorphTable, component_table, morph_tables
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.definition_files import LARGEST_DEFINITION, TYPE_FILES
from octavo.schema.loader import inspect_definitions
from octavo.schema.naming import snake_case
from octavo.schema.parse_indexes import renamed_keys
from octavo.schema.problems import InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.settings import Settings

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")
_NAMES = ("mappedBy", "inversedBy", "morphBy")
_FILES = (f"api/*/{TYPE_FILES}", "components/*/*.json", f"extensions/*/{TYPE_FILES}")
_HEAD = '"""{about}"""\n\n\nasync def up(transaction):\n'


class RenameRefused(OctavoError):
    """An attribute cannot be renamed. The message contains the reason."""


@dataclass(frozen=True, slots=True)
class RenamePlan:
    """The files of a rename: definition files by their paths, and the source of a migration.

    `files` is empty if the definitions already have the new name.
    """

    uid: str
    files: Mapping[Path, bytes]
    migration: str

    def write_definitions(self) -> None:
        """Write the definition files, one after another."""
        for path, content in self.files.items():
            replace_file(path, content)


def plan_rename(settings: Settings, type_name: str, old: str, new: str) -> RenamePlan:
    """Plan a rename. Raises RenameRefused, InvalidDefinitions."""
    registry = _registry(settings, settings.project)
    definition = find_definition(registry, type_name)
    path = settings.project / definition.source
    if not path.is_file():
        raise RenameRefused(f"{definition.uid} is not defined in a file of the project")
    if old == new:
        raise RenameRefused("Both names are the same")
    is_done = new in definition.attributes and old not in definition.attributes
    if not _NAME.fullmatch(new):
        raise RenameRefused(f"{new!r} is not a valid name: use letters, digits, - and _, starting with a letter")
    _check(definition, *((new, old) if is_done else (old, new)))
    files = _edited_files(settings.project, registry, definition, *((new, old) if is_done else (old, new)))
    other = _edited_registry(settings, files)
    before, after = (other, registry) if is_done else (registry, other)
    if len(after.remarks) > len(before.remarks):
        new_remarks = "; ".join(str(remark) for remark in after.remarks if remark not in before.remarks)
        raise RenameRefused(f"{new} is not possible: {new_remarks}")
    lines = rename_lines(before, after, definition.uid, old, new)
    about = f"Rename {_literal(old)[1:-1]} of {definition.uid} to {new}."
    return RenamePlan(definition.uid, {} if is_done else files, migration_text(about, lines))


def plan_table_rename(settings: Settings, type_name: str, old: str) -> tuple[str, str]:
    """Return a definition's UID and the migration that renames its former table `old` to the one it has now.

    Raises RenameRefused, InvalidDefinitions.
    """
    registry = _registry(settings, settings.project)
    definition = find_definition(registry, type_name)
    path = settings.project / definition.source
    if not path.is_file():
        raise RenameRefused(f"{definition.uid} is not defined in a file of the project")
    owner = next((each for each in registry.definitions() if each.collection_name == old), None)
    if owner is not None:
        raise RenameRefused(f"{old} is the table of {owner.uid}")
    try:
        text = edited(read_own_file(path, LARGEST_DEFINITION), [Edit(("collectionName",), old)])
    except (KeyError, OSError) as error:
        raise RenameRefused(f"{definition.source} has no collectionName") from error
    lines = _table_lines(_edited_registry(settings, {path: text}), registry)
    about = f"Rename the table {_literal(old)[1:-1]} of {definition.uid} to {definition.collection_name}."
    return definition.uid, migration_text(about, lines)


def find_definition(registry: Registry, name: str) -> Definition:
    """Return the content type or component for a UID, or for its singular or plural name.

    Raises RenameRefused.
    """
    matching = [each for each in registry.definitions() if name in _names_of(each)]
    exact = [each for each in matching if each.uid == name]
    if len(exact or matching) == 1:
        return (exact or matching)[0]
    if matching:
        raise RenameRefused(f"{name} may be {' or '.join(each.uid for each in matching)}; use one of these UIDs")
    raise RenameRefused(f"Unknown content type or component {name}; run `octavo content-types list`")


def _names_of(definition: Definition) -> tuple[str, ...]:
    names = (definition.uid, definition.collection_name)
    if isinstance(definition, ContentType):
        return (*names, definition.singular_name, definition.plural_name)
    return names


def _check(definition: Definition, old: str, new: str) -> None:
    """Raise RenameRefused if `old` is not an attribute of the definition, or if `new` is already used."""
    own = definition.raw.get("attributes")
    if not isinstance(own, Mapping) or old not in own:
        hint = did_you_mean(old, own if isinstance(own, Mapping) else ())
        raise RenameRefused(f"{definition.uid} does not define an attribute {old} ({definition.source}){hint}")
    taken = next((name for name in definition.attributes if snake_case(name) == snake_case(new) and name != old), None)
    if taken is not None:
        raise RenameRefused(f"{definition.uid} already has an attribute {taken}")


def _registry(settings: Settings, folder: Path) -> Registry:
    fields = project_custom_fields(settings)
    plugins = [plugin.source for plugin in plugins_in_use(settings.plugins.others)]
    inspected = inspect_definitions(folder, fields, plugins, v4_plugin_definitions(settings))
    if inspected.registry is None:
        raise InvalidDefinitions(problem for problem in inspected.problems if problem.severity == "error")
    return inspected.registry


def _edited_files(project: Path, registry: Registry, definition: Definition, old: str, new: str) -> dict[Path, bytes]:
    files = {}
    for each in registry.definitions():
        path = project / each.source
        edits = list(_edits(each, definition, old, new)) if path.is_file() else []
        if edits:
            try:
                files[path] = edited(read_own_file(path, LARGEST_DEFINITION), edits)
            except (KeyError, OSError, ValueError) as error:
                raise RenameRefused(f"{each.source} cannot be changed: {error}") from error
    return files


def _edits(definition: Definition, changed: Definition, old: str, new: str) -> Iterator[Edit]:
    """Yield the edits where a definition refers to an attribute of another one, or its own."""
    is_own = definition is changed
    attributes = _mapping(definition.raw.get("attributes"))
    if is_own:
        yield Edit(("attributes", old), new, is_key=True)
        yield from (Edit(path, text) for path, text in renamed_keys(definition.raw, old, new))
        yield from _index_edits(definition.raw.get("indexes"), snake_case(old), snake_case(new))
    for name, raw in attributes.items():
        options = _mapping(raw)
        if is_own and options.get("targetField") == old:
            yield Edit(("attributes", name, "targetField"), new)
        if options.get("target") == changed.uid:
            yield from (Edit(("attributes", name, key), new) for key in _NAMES if options.get(key) == old)


def _index_edits(indexes: Any, old: str, new: str) -> Iterator[Edit]:
    for number, index in enumerate(indexes if isinstance(indexes, list) else ()):
        columns = _mapping(index).get("columns")
        for place, column in enumerate(columns if isinstance(columns, list) else ()):
            if column == old != new:
                yield Edit(("indexes", number, "columns", place), new)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _edited_registry(settings: Settings, files: Mapping[Path, bytes]) -> Registry:
    """Return the registry of edited files, loaded like any other."""
    with TemporaryDirectory() as folder:
        source = settings.project / "src"
        for pattern in _FILES:
            for path in source.glob(pattern):
                copy = Path(folder) / path.relative_to(settings.project)
                copy.parent.mkdir(parents=True, exist_ok=True)
                if path in files:
                    copy.write_bytes(files[path])
                else:
                    shutil.copyfile(path, copy)
        return _registry(settings, Path(folder))


def rename_lines(before: Registry, after: Registry, uid: str, old: str, new: str) -> list[str]:
    """Return the migration statements from the definitions before a rename to those after it. Raises RenameRefused."""
    return [*_table_lines(before, after), *_row_lines(before, uid, old, new)]


def component_lines(registry: Registry, old: str, new: str) -> list[str]:
    """Return the migration statements for a component's UID in rows."""
    tables: list[ComponentTable | MorphTable] = list(map(component_table, registry.holders()))
    tables += morph_tables(registry)
    rows = [_call("rename_rows", table.name, table.type_column, old, new, only=None) for table in tables]
    return [
        *rows,
        _call("rename_rows", SETTINGS, "key", f"{COMPONENT_LAYOUT}{old}", f"{COMPONENT_LAYOUT}{new}", only=None),
    ]


def migration_text(about: str, lines: Iterable[str]) -> str:
    """Return the source of a migration with these statements."""
    return _HEAD.format(about=about) + "".join(f"    {line}\n" for line in lines or ["pass"])


def _call(method: str, *arguments: object, **named: object) -> str:
    rendered = [_literal(argument) for argument in arguments]
    rendered += [f"{name}={_literal(value)}" for name, value in named.items()]
    return f"await transaction.{method}({', '.join(rendered)})"


def _literal(value: object) -> str:
    """Return a Python literal, with double quotes."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))})"
    return "None" if value is None else '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _table_lines(before: Registry, after: Registry) -> Iterator[str]:
    try:
        for each in renames(wanted_tables(before), wanted_tables(after)):
            arguments = (each.old, each.new) if each.kind == "table" else (each.table, each.old, each.new)
            yield _call(f"rename_{each.kind}", *arguments)
    except ValueError as error:
        raise RenameRefused("The definitions differ in more than a name. Is a key written twice?") from error


def _row_lines(registry: Registry, uid: str, old: str, new: str) -> Iterator[str]:
    definition = registry.definition(uid)
    attribute = definition.attributes[old]
    if isinstance(attribute, ComponentField | DynamicZone):
        yield _call("rename_rows", component_table(definition).name, "field", old, new, only=None)
    elif _is_named_in_rows(attribute):
        for table in morph_tables(registry):
            yield _call("rename_rows", table.name, table.field_column, old, new, only=(table.type_column, uid))
    for holder, path in _places(registry, definition):
        yield _call("rename_field", holder, f"{path}{old}", f"{path}{new}")
    if isinstance(attribute, Scalar):
        for holder, name in _relations_to(registry, uid):
            yield _call("rename_main_field", holder, name, old, new)


def _is_named_in_rows(attribute: AnyAttribute) -> bool:
    """Return whether rows of a morphToMany relation contain this attribute's name."""
    is_inverse = isinstance(attribute, Relation) and attribute.kind in ("morphOne", "morphMany")
    return is_inverse or isinstance(attribute, Media)


def _places(registry: Registry, definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield where the attributes of a definition are named: itself, and for a component the types that contain it."""
    yield definition.uid, ""
    if isinstance(definition, ContentType):
        return
    for content_type in registry.content_types.values():
        yield from ((content_type.uid, path) for path in _paths(registry, content_type, definition.uid, ()))


def _paths(registry: Registry, holder: Definition, uid: str, seen: tuple[str, ...]) -> Iterator[str]:
    for attribute in holder.attributes.values():
        if isinstance(attribute, ComponentField) and attribute.component not in seen:
            if attribute.component == uid:
                yield f"{attribute.name}."
            inner = registry.components[attribute.component]
            for path in _paths(registry, inner, uid, (*seen, attribute.component)):
                yield f"{attribute.name}.{path}"


def _relations_to(registry: Registry, uid: str) -> Iterator[tuple[str, str]]:
    """Yield the project's relations to a type: definition and attribute."""
    for holder in registry.definitions():
        for attribute in holder.attributes.values():
            if isinstance(attribute, Relation) and attribute.target == uid and holder.raw and attribute.visible:
                yield holder.uid, attribute.name
