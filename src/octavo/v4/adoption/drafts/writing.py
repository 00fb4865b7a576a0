"""Write drafts to a folder. Existing files are not overwritten."""

from collections.abc import Iterable
from pathlib import Path

from octavo.schema.custom_fields import known_custom_fields
from octavo.schema.definition_files import PluginDefinitions
from octavo.schema.loader import inspect_definitions
from octavo.schema.registry import Registry
from octavo.v4.adoption.drafts.files import Draft, drafts
from octavo.v4.adoption.report import DraftItem
from octavo.v4.code.read import read_code
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.source import resolved_inside


def write_drafts(project: Path, folder: Path) -> tuple[DraftItem, ...]:
    """Write a draft for each JavaScript file to port, at its path below `folder`.

    Raises OSError.
    """
    found = inspect_definitions(project, known_custom_fields(project), of_v4=PluginDefinitions())
    registry = found.registry or Registry((), ())
    code = read_code(project, registry)
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(drafts(Sources(project), registry, code.findings), key=lambda draft: draft.path)
    return tuple(_item(draft, _write(draft, folder)) for draft in _by_place(ordered))


def _by_place(found: Iterable[Draft]) -> Iterable[Draft]:
    """Return one draft for each path: two JavaScript files may have the same one (`talk.js` next to `talk.ts`)."""
    return {draft.path: draft for draft in found}.values()


def _write(draft: Draft, folder: Path) -> bool:
    """Write a draft, and return whether it was written. Existing files and links out of the folder are left alone."""
    path = folder / draft.path
    above = next(parent for parent in path.parents if parent.exists())
    if resolved_inside(above, folder) is None:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(draft.text)
    except FileExistsError:
        return False
    return True


def _item(draft: Draft, written: bool) -> DraftItem:
    return DraftItem(draft.path, draft.stands_for, draft.pieces, draft.missing, draft.doubted, written)
