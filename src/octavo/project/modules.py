"""Load the Python files of a project, or of a plugin, as modules of a package for its folder.

A project gets a new package for each load: its files can import each other relatively, and a later load shares nothing
with an earlier one. The files of a plugin are modules of its installed package, so each is loaded once, whether Octavo,
a command, or an absolute import loads it.
"""

import importlib
import importlib.util
import sys
from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import FileFinder, ModuleSpec
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Final

from octavo.project.failures import PACKAGE_PREFIX, PLUGIN_PACKAGES, describe, failure_place, is_own_module
from octavo.project.problems import CodeProblem
from octavo.schema.definition_files import SourceFolder
from octavo.schema.naming import kebab_case

OWNERS: Final = {"api": "api", "extensions": "plugin", "plugins": "plugin"}
"""Prefixes of names, by the folder in `src`: `plugins` are the project's own plugins, `extensions` extend built-in
ones."""


def below_owners(folder: str) -> tuple[str, ...]:
    """Return the patterns for files in a folder of each API and each plugin."""
    return tuple(f"{owners}/*/{folder}/*.py" for owners in OWNERS)


def python_files(source: Path, *patterns: str) -> Iterator[Path]:
    """Yield the matching files in `src`, pattern by pattern, except hidden ones, which editors create."""
    for pattern in patterns:
        for path in sorted(source.glob(pattern)):
            if path.name != "__init__.py" and not path.name.startswith("."):
                yield path


def owner_name(path: Path, source: Path) -> str:
    """Return `api::talk` for `src/api/talk`, `plugin::upload` for `src/extensions/upload`, `plugin::shop` for
    `src/plugins/shop`, and `global::` otherwise."""
    kind, owner, *_ = path.relative_to(source).parts
    return f"{OWNERS[kind]}::{kebab_case(owner)}" if kind in OWNERS else "global::"


def code_name(path: Path, source: Path) -> str:
    """Return the name of a file's code: `global::is_owner`, `api::talk.is-owner`, `plugin::upload.content-api`."""
    owner = owner_name(path, source)
    return f"{owner}{path.stem}" if owner.endswith("::") else f"{owner}.{kebab_case(path.stem)}"


_ANYTHING: Final = (Exception, SystemExit, KeyboardInterrupt, CancelledError)
"""Any exception of the project's code is reported instead of propagated."""
_PACKAGES: Final = (f"{PACKAGE_PREFIX}{number}" for number in count(1))


class Modules:
    """The modules of one load. Problems of files are collected in `problems`."""

    def __init__(self, folder: SourceFolder) -> None:
        self._folder = folder
        self.source = folder.path
        self.package: str | None = None
        self.problems: list[CodeProblem] = []

    @property
    def made(self) -> str | None:
        """The package created for this load, if any."""
        return None if self._folder.package else self.package

    def run(self, path: Path) -> ModuleType | None:
        """Return the module of a file, loading it once, or None if that fails."""
        if self._folder.package and not self._is_imported():
            return None
        written = ".".join([self._package_name(), *path.relative_to(self.source).with_suffix("").parts])
        for name in (written.replace("-", "_"), written):  # if `a_b.py` exists, `a-b.py` keeps its name
            loaded = sys.modules.get(name)
            if loaded is None:
                return self._execute(name, path)
            if getattr(loaded, "__file__", None) == str(path):
                return loaded
        return self._execute(written, path)

    def _is_imported(self) -> bool:
        """Import the package of a plugin, and return whether that succeeded; an error is recorded once."""
        name = self._folder.package
        if self.package is None and name is not None and not self.problems:
            _install_finder()
            PLUGIN_PACKAGES.add(name)
            try:
                importlib.import_module(name)
            except _ANYTHING as error:
                self.problems.append(self._failed(self.source / "__init__.py", error))
            else:
                self.package = name
        return self.package is not None

    def _execute(self, name: str, path: Path) -> ModuleType | None:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None, "it is a file of Python"
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except _ANYTHING as error:
            del sys.modules[name]
            self.problems.append(self._failed(path, error))
            return None
        return module

    def files(self, *patterns: str) -> Iterator[Path]:
        """Yield the matching Python files in the folder, pattern by pattern."""
        return python_files(self.source, *patterns)

    def place(self, path: Path) -> str:
        """Return a file's name in messages."""
        return self._folder.name(path)

    def refuse(self, path: Path, message: str) -> None:
        """Record a problem of a file."""
        self.problems.append(CodeProblem(self.place(path), message))

    def _package_name(self) -> str:
        """Return the package for the folder, a new one for each load, so that projects do not share modules."""
        if self.package is None:
            self.package = next(_PACKAGES)
            _install_finder()
            package = ModuleType(self.package)
            package.__path__ = [str(self.source)]
            sys.modules[self.package] = package
        return self.package

    def _failed(self, path: Path, error: BaseException) -> CodeProblem:
        if isinstance(error, SyntaxError) and error.filename is not None:
            place = f"{self._folder.name(Path(error.filename))}:{error.lineno}"
            return CodeProblem(place, f"{type(error).__name__}: {error.msg}")
        return CodeProblem(failure_place(error, self._folder.root, self.place(path)), describe(error))


class _HyphenFinder:
    """Finds files and folders with hyphens in a project's packages: `.contact_form` is `contact-form`."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load the module, or None for any other module."""
        if path is None or not is_own_module(name):
            return None
        last = name.rpartition(".")[2]
        for folder in map(Path, path):
            for found in sorted(folder.glob(last.replace("_", "[-_]") + "*")):
                if found.name.removesuffix(".py").replace("-", "_") != last:
                    continue
                if found.is_dir():
                    return _folder_spec(name, found)
                if found.suffix == ".py":
                    return importlib.util.spec_from_file_location(name, found)
        return None


def _folder_spec(name: str, folder: Path) -> ModuleSpec | None:
    code = folder / "__init__.py"
    if code.is_file():
        return importlib.util.spec_from_file_location(name, code, submodule_search_locations=[str(folder)])
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    return spec


def _install_finder() -> None:
    """Install it after all other finders, once a project has code."""
    if _HyphenFinder not in sys.meta_path:
        sys.meta_path.append(_HyphenFinder)


@contextmanager
def without_bytecode() -> Iterator[None]:
    """Write no bytecode: it is validated by the second and size of the source, and edits may be faster than that."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    _forget_folder_caches()
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _forget_folder_caches() -> None:
    """Make the import system find files that were just created. Like `importlib.invalidate_caches`, but without loading
    `importlib.metadata`, which takes two megabytes."""
    for path, finder in list(sys.path_importer_cache.items()):
        if finder is None:  # the folder did not exist
            del sys.path_importer_cache[path]
        elif isinstance(finder, FileFinder):
            finder.invalidate_caches()


def unload(package: str | None) -> None:
    """Unload the modules of a package."""
    for name in [name for name in sys.modules if package and (name == package or name.startswith(f"{package}."))]:
        del sys.modules[name]
