"""Translate functions and constants that pieces import or depend on, as separate modules."""

import re
from collections.abc import Collection, Iterator, Mapping
from keyword import iskeyword
from pathlib import PurePosixPath
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.expressions import read
from octavo.v4.adoption.drafts.functions import helper_lines, helpers_of, new_scope
from octavo.v4.adoption.drafts.pieces import spaced
from octavo.v4.adoption.drafts.python import Py, comment, python_name, text_literal
from octavo.v4.adoption.drafts.scope import Helper, Project, Text, Untranslated
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.modules import Binding, Import
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS, unwrap, walk

Lines = list[str]

_MOST_ROUNDS: Final = 100


def needed(text: Text, bindings: Mapping[str, Binding], owner: str) -> Lines:
    """Return the constants, then the functions, each in the order of the file."""
    written: dict[str, Lines] = {}
    for _ in range(_MOST_ROUNDS):
        missing = [name for name in text.wanted if name not in written]
        if not missing:
            break
        for name in missing:
            value = bindings[name].value
            written[name] = []
            if value is not None:
                is_function = name in text.helpers
                write = helper_lines if is_function else _constant
                written[name] = write(text, name, unwrap(value), owner)
    order = sorted(written, key=lambda name: bindings[name].node.start_byte)
    constants = [line for name in order if name not in text.helpers for line in written[name]]
    functions = spaced(written[name] for name in order if name in text.helpers)
    return [*constants, *["", ""] * bool(constants and functions), *functions]


def file_text(text: Text, lines: Lines) -> str:
    """Return the complete file: header, imports and lines, without unprintable characters."""
    words = set(re.findall(r"\w+", "\n".join(lines)))
    needed = filter(None, (_used(line, words) for line in text.imports))
    imports = sorted(needed, key=lambda line: (line.startswith("from ."), line))
    if text.octavo:
        imports += [f"from octavo import {', '.join(sorted(text.octavo))}"]
    head = [text_literal(f"Draft of {text.module.file}. Review it before you use it."), "", *imports, "", ""]
    joined = "\n".join(line.rstrip() for line in "\n".join([*head, *lines]).split("\n"))
    seen = "".join(char if char.isprintable() or char == "\n" else "�" for char in joined)
    return re.sub(r"\n{4,}", "\n\n\n", seen).rstrip() + "\n"


def _used(line: str, words: Collection[str]) -> str:
    """Return an import with the used names only, or an empty text if it has none."""
    start, _, names = line.rpartition("import ")
    used = [name for name in names.split(", ") if name in words]
    return f"{start}import {', '.join(used)}" if used else ""


def _constant(text: Text, name: str, value: Node, owner: str) -> Lines:
    try:
        if any(
            descendant.type == "identifier" and text.module.text(descendant) == "strapi" for descendant in walk(value)
        ):
            raise Untranslated(value, f"cannot translate `{name}`, which uses `strapi` at the top of the file")
        return f"{python_name(name).upper()} = {read(new_scope(text, '', owner, ''), value).text}".split("\n")
    except Untranslated as missing:
        text.reasons.append(missing.why)
        return [*comment(text.module.text(value)), f"{python_name(name).upper()} = None  # missing: {missing.why}"]


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
