"""Drafts: all definitions while one change is made of them. They are edited as values; nothing is written yet."""

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
    """The text of a file.

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
"""What is written. v4 drops whatever else stands in a definition, and the indexes too, which mean something here."""


@dataclass(slots=True)
class Draft:
    """One definition. `file` is where it is to stand, `stored` where it stands now; both are below the project, and
    one without `stored` is new."""

    uid: str
    file: str
    raw: Raw
    stored: str | None = None
    changed: bool = False

    @property
    def attributes(self) -> Raw:
        """Its attributes, to be edited in place."""
        found: Raw = self.raw.setdefault("attributes", {})
        return found

    @property
    def is_component(self) -> bool:
        """Whether it is a component."""
        return "::" not in self.uid

    @property
    def text(self) -> str:
        """The text of its file."""
        return json_text({key: self.raw[key] for key in _ORDER if key in self.raw})

    def set_attribute(self, name: str, raw: Raw) -> None:
        """Write an attribute; one of that name keeps its place."""
        self.attributes[name] = raw
        self.changed = True

    def drop_attribute(self, name: str) -> None:
        """Take an attribute out, if it is there."""
        if self.attributes.pop(name, None) is not None:
            self.changed = True


@dataclass(slots=True)
class Drafts:
    """The definitions by UID, those that are gone (with the files they stood in), and those that are new."""

    content_types: dict[str, Draft]
    components: dict[str, Draft]
    gone: list[Draft] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    """Components that get another UID: what it was, and what it becomes."""

    def __iter__(self) -> Iterator[Draft]:
        yield from self.components.values()
        yield from self.content_types.values()

    def find(self, uid: str) -> Draft | None:
        """A definition by its UID."""
        return self.content_types.get(uid) or self.components.get(uid)

    def add(self, draft: Draft) -> None:
        """Take in a new one."""
        draft.changed = True
        (self.components if draft.is_component else self.content_types)[draft.uid] = draft

    def remove(self, draft: Draft) -> None:
        """Take one out."""
        self.gone.append((self.components if draft.is_component else self.content_types).pop(draft.uid))

    def changed(self) -> list[Draft]:
        """Those whose files are to be written."""
        return [draft for draft in self if draft.changed]


def drafts_of(registry: Registry) -> Drafts:
    """The definitions of a project, to be edited."""
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
    """Where a project says what it has of a built-in type otherwise."""
    plugin, _, name = definition.uid.partition("::")[2].partition(".")
    return f"src/extensions/{plugin}/content-types/{name}/schema.json"


def plain(value: Any) -> Any:
    """A copy of JSON values, of dictionaries and lists alone."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def is_own(draft: Draft, project: Path) -> bool:
    """Whether a project's own file defines it, or could: not so what plugins and administrators bring."""
    if draft.stored is None:
        return draft.uid.startswith("plugin::")
    return draft.stored.startswith("src/") and (project / draft.stored).is_file()
