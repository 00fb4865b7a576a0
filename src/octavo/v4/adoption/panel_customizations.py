"""The project's customizations of v4's admin panel (`src/admin/app`), with what replaces them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.report import Item
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS, named, properties, statements, unwrap

_ONLY_THERE: Final = 'only in v4\'s panel, which Octavo serves with admin.panel = "project" after `strapi build`'
_INSTEAD: Final[Mapping[str, str]] = {
    "locales": "Octavo's admin pages are in English and German, as the browser or the administrator chooses",
    "translations": f"texts of the panel: {_ONLY_THERE}",
    "auth": f"the logo of the sign-in page: {_ONLY_THERE}",
    "menu": f"the logo of the menu: {_ONLY_THERE}",
    "head": f"the icon of the page: {_ONLY_THERE}",
    "theme": f"colors: {_ONLY_THERE}",
    "tutorials": "Octavo's admin pages have no tutorials",
    "notifications": "Octavo's admin pages do not announce releases",
}
_CODE: Final = f"code of the panel: {_ONLY_THERE}"
_UNREAD: Final = f"cannot be read; {_ONLY_THERE}"
_SUFFIXES: Final = (".ts", ".tsx", ".js", ".jsx")


def find_customizations(project: Path) -> Iterator[Item]:
    """Yield the customizations in `src/admin/app`, without the example that v4 generates."""
    sources = Sources(project)
    for path in (project / "src/admin" / f"app{suffix}" for suffix in _SUFFIXES):
        if not path.is_file():
            continue
        file = sources.place(path).file
        module = sources.module(path)
        value = None if module is None else sources.exported(module)
        if module is not None and not named(module.root):
            continue
        if module is None or value is None or value.type != "object":
            yield Item(file, "", _UNREAD)
        else:
            yield from _customized(sources, module, properties(module, value), file)


def _customized(sources: Sources, module: Module, members: Mapping[str, Node], file: str) -> Iterator[Item]:
    for name, node in members.items():
        other, value = sources.resolved(module, node)
        if name == "config" and value.type == "object":
            for key, inner in properties(other, value).items():
                if not _is_empty(unwrap(inner)):
                    place = other.place(inner)
                    yield Item(f"{file}:{place.line}", key, _INSTEAD.get(key, _CODE))
        elif value.type not in FUNCTIONS or statements(value):
            yield Item(f"{file}:{other.place(value).line}", name, _CODE)


def _is_empty(node: Node) -> bool:
    return node.type in ("array", "object") and not named(node)
