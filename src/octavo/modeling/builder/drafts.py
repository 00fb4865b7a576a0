"""Drafts: all definitions during a change. They are edited in memory, and not written yet."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from octavo.core.forms.printing import print_number
from octavo.core.values import dataclass
from octavo.schema.content_types import Definition
from octavo.schema.loader import BUILT_IN
from octavo.schema.registry import Registry

_INDENT: Final = "  "


def json_text(value: Any) -> str:
    """Return the text of a JSON file.

    >>> json_text({"max": 2.0, "enum": [], "default": 1e21}).split()
    ['{', '"max":', '2,', '"enum":', '[],', '"default":', '1e+21', '}']
    """
    return f"{_written(value, '')}\n"


def _written(value: Any, indent: str) -> str:
    inner = indent + _INDENT
    if isinstance(value, Mapping):
        members = (f"{_text(str(key))}: {_written(item, inner)}" for key, item in value.items())
        return _enclosed("{}", members, indent)
    if isinstance(value, list | tuple):
        return _enclosed("[]", (_written(item, inner) for item in value), indent)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return print_number(value)
    return _text(value)


def _enclosed(signs: str, items: Iterable[str], indent: str) -> str:
    listed = f",\n{indent}{_INDENT}".join(items)
    return f"{signs[0]}\n{indent}{_INDENT}{listed}\n{indent}{signs[1]}" if listed else signs


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


Raw = dict[str, Any]

_ORDER: Final = ("kind", "collectionName", "info", "options", "pluginOptions", "attributes", "config", "indexes")
"""The keys that are written. v4 drops all others and also `indexes`, which Octavo uses."""


@dataclass(slots=True)
class Draft:
    """One definition. `file` is its future path, `stored` its current one, both relative to the project. A new
    definition has no `stored`."""

    uid: str
    file: str
    raw: Raw
    stored: str | None = None
    changed: bool = False

    @property
    def attributes(self) -> Raw:
        """Its attributes, for editing in place."""
        attributes: Raw = self.raw.setdefault("attributes", {})
        return attributes

    @property
    def is_component(self) -> bool:
        """Whether it is a component."""
        return "::" not in self.uid

    @property
    def text(self) -> str:
        """Return the text of its file."""
        return json_text({key: self.raw[key] for key in _ORDER if key in self.raw})

    def set_attribute(self, name: str, raw: Raw) -> None:
        """Set an attribute; an existing one keeps its position."""
        self.attributes[name] = raw
        self.changed = True

    def drop_attribute(self, name: str) -> None:
        """Remove an attribute if it exists."""
        if self.attributes.pop(name, None) is not None:
            self.changed = True


@dataclass(slots=True)
class Drafts:
    """The definitions by UID, the deleted ones (with their files), and the new ones."""

    content_types: dict[str, Draft]
    components: dict[str, Draft]
    gone: list[Draft] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    """Components with a new UID: the old and the new one."""

    def __iter__(self) -> Iterator[Draft]:
        yield from self.components.values()
        yield from self.content_types.values()

    def find(self, uid: str) -> Draft | None:
        """Return a definition by its UID, or None."""
        return self.content_types.get(uid) or self.components.get(uid)

    def add(self, draft: Draft) -> None:
        """Add a definition."""
        draft.changed = True
        (self.components if draft.is_component else self.content_types)[draft.uid] = draft

    def remove(self, draft: Draft) -> None:
        """Delete a definition."""
        self.gone.append((self.components if draft.is_component else self.content_types).pop(draft.uid))

    def changed(self) -> list[Draft]:
        """Return the definitions whose files have to be written."""
        return [draft for draft in self if draft.changed]


def drafts_of(registry: Registry) -> Drafts:
    """Return the definitions of a project, for editing."""
    return Drafts(
        {uid: _draft(definition) for uid, definition in registry.content_types.items()},
        {uid: _draft(definition) for uid, definition in registry.components.items()},
    )


def _draft(definition: Definition) -> Draft:
    raw = plain(definition.raw)
    if definition.source == BUILT_IN:
        return Draft(definition.uid, _extension_file(definition), raw)
    return Draft(definition.uid, definition.source, raw, definition.source)


def _extension_file(definition: Definition) -> str:
    """Return the path of a project's extension of a built-in type."""
    plugin, _, name = definition.uid.partition("::")[2].partition(".")
    return f"src/extensions/{plugin}/content-types/{name}/schema.json"


def plain(value: Any) -> Any:
    """Copy JSON values to plain dictionaries and lists."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def is_own(draft: Draft, project: Path) -> bool:
    """Return whether a project's file defines it, or could, unlike definitions of plugins and administrators."""
    if draft.stored is None:
        return draft.uid.startswith("plugin::")
    return draft.stored.startswith("src/") and (project / draft.stored).is_file()
