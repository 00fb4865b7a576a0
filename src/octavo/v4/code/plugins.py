"""Local plugins: `src/plugins/*`. Their routes for the content API are known, their code is named."""

from collections.abc import Iterator
from pathlib import Path

from octavo.core.plurals import counted
from octavo.v4.code.code import Kind, Route, State
from octavo.v4.code.inventory import code_files
from octavo.v4.code.routes import RouteReader
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.syntax import properties


def read_plugin(sources: Sources, reader: RouteReader, folder: Path) -> Iterator[Route]:
    """The routes of one plugin; findings for its files."""
    owner = f"plugin::{folder.name}"
    files = list(code_files(sources, folder))
    place = sources.place(files[0] if files else folder)
    sources.find(Kind.PLUGIN, owner, place, f"a local plugin of {counted(len(files), 'file')}", State.OPEN)
    for path in files:
        if "routes" in (*path.relative_to(folder).parts[:-1], path.stem):
            yield from _routes(sources, reader, path, owner)


def _routes(sources: Sources, reader: RouteReader, path: Path, owner: str) -> Iterator[Route]:
    module = sources.module(path)
    value = None if module is None else sources.exported(module)
    if module is None or value is None:
        return
    module, value = sources.resolved(module, value)
    node = answered(module, value) or value
    if node.type == "object" and not {"type", "routes"} & properties(module, node).keys():
        for member in properties(module, node).values():
            other, router = sources.resolved(module, member)
            if other is module:  # those of other files are read there
                yield from reader.plugin_router(other, answered(other, router) or router, owner)
        return
    yield from reader.plugin_router(module, node, owner)
