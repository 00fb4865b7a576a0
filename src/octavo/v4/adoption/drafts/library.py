"""Translate functions and constants that pieces import from other files of the project, as separate modules."""

from collections.abc import Iterator, Mapping
from keyword import iskeyword
from pathlib import PurePosixPath
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.functions import helpers_of
from octavo.v4.adoption.drafts.helpers import file_text, needed
from octavo.v4.adoption.drafts.python import Py, python_name
from octavo.v4.adoption.drafts.scope import Helper, Project, Text
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.modules import Binding, Import
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS

_KINDS: Final = {"object": "dict", "array": "list", "string": "text", "template_string": "text", "number": "number"}
"""Kinds of constants."""
_LOADED: Final = frozenset(("controllers", "services", "policies", "middlewares", "routes", "content-types"))
"""Folders that Strapi loads automatically."""


class Library:
    """The modules that drafts import from, as far as they can be translated completely."""

    def __init__(self, sources: Sources, project: Project) -> None:
        self._sources = sources
        self.project = project
        self._known: dict[tuple[str, str], Helper | None] = {}
        self._wanted: dict[str, tuple[Module, dict[str, Node]]] = {}

    def bring(self, text: Text, found: Import) -> Py | None:
        """Return the translation of an imported name, or None if there is none."""
        module = self._sources.module_of(text.module, found)
        place = None if module is None else _python_place(module.file)
        other = self._sources.imported_by(text.module, found)
        if module is None or place is None:
            return None
        if found.name is None and (other is None or other[1].type == "object"):
            return Py(found.specifier, kind="module")
        if other is None:
            return None
        value = other[1]
        is_function = value.type in FUNCTIONS
        if not is_function and value.type not in _KINDS:
            return None
        is_all = found.name in (None, "default")
        name = PurePosixPath(module.file).stem if is_all else str(found.name)
        helper = self._translated(module, value, name)
        if helper is None:
            return None
        steps = "." * (len(PurePosixPath(text.place).parts) - 1)
        text.imports.add(f"from {steps}{'.'.join(place.with_suffix('').parts[1:])} import {helper.name}")
        text.helpers[f"{module.file}:{name}"] = helper
        return Py(helper.name, kind=f"helper {module.file}:{name}" if is_function else _KINDS[value.type])

    def modules(self) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
        """Yield each required module: its JavaScript file, its path, its text, and the names in it."""
        for file, (module, names) in self._wanted.items():
            text, bindings = self._text(module, names)
            text.wanted |= dict.fromkeys(names)
            yield file, text.place, file_text(text, needed(text, bindings, "")), tuple(names)

    def _translated(self, module: Module, value: Node, name: str) -> Helper | None:
        """Return how to use a name of another file, if it and everything that it needs can be translated."""
        key = (module.file, name)
        if key not in self._known:
            self._known[key] = None  # circular dependencies are not translated
            text, bindings = self._text(module, {name: value})
            text.wanted[name] = None
            needed(text, bindings, "")
            if not text.reasons:
                self._known[key] = text.helpers.get(name) or Helper(python_name(name).upper(), False, False)
                self._wanted.setdefault(module.file, (module, {}))[1][name] = value
        return self._known[key]

    def _text(self, module: Module, names: Mapping[str, Node]) -> tuple[Text, dict[str, Binding]]:
        exported = {name: Binding(name, value, value) for name, value in names.items()}
        bindings = {**self._sources.bindings(module), **exported}
        place = str(_python_place(module.file))
        helpers = helpers_of(module, bindings, "")
        text = Text(module, place, self.bring, bindings, project=self.project, helpers=helpers)
        return text, bindings


def _python_place(file: str) -> PurePosixPath | None:
    """Return the path of the Python module for a JavaScript file, or None if Python could not import it."""
    path = PurePosixPath(file)
    inside = path if path.parts[0] == "src" else PurePosixPath("src", path)
    place = inside.with_name(f"{inside.stem.replace('-', '_').replace('.', '_')}.py")
    is_name = all(part.isidentifier() and not iskeyword(part) for part in place.with_suffix("").parts)
    above = inside.parts[1:-1]
    owner = 2 if above[:1] in (("api",), ("extensions",)) else 0
    return place if is_name and not (set(above[owner : owner + 1]) & _LOADED) else None
