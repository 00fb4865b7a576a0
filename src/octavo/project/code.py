"""Loads the Python files of a project that have a meaning by their place.

- `src/index.py`: `register(app)`, before the GraphQL schema is made, and `bootstrap(app)`, when the content is ready
- `src/policies/NAME.py`: `policy(context, config)`, known as `global::NAME`
- `src/middlewares/NAME.py`: `middleware(next, parent, args, context, info)`, known as `global::NAME`
- `src/api/API/policies/NAME.py`, `src/api/API/middlewares/NAME.py`: the same, known as `api::API.NAME`
- `src/api/API/content-types/TYPE/lifecycles.py`, `src/extensions/PLUGIN/content-types/TYPE/lifecycles.py`:
  `before_create(event)` and its kin

`src` is a package of its own for each loading: these files may import each other and their neighbours relatively, and a
later loading finds nothing of an earlier one. Files whose names begin with a dot are passed over: editors make them.
"""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final

from octavo.project.functions import Function, function_at, relative
from octavo.project.lifecycles import PATTERNS, Lifecycles, read_lifecycles
from octavo.project.problems import CodeProblem, InvalidCode

_NOTHING: Final[Mapping[str, Function]] = MappingProxyType({})
_PACKAGES: Final = (f"octavo_project_{number}" for number in count(1))
_SIGNATURES: Final = {"policy": "context, config", "middleware": "next, parent, args, context, info"}
_FOLDERS: Final = {"policies": "policy", "middlewares": "middleware"}
_HOOK: Final = "app"


@dataclass(frozen=True, slots=True)
class ProjectCode:
    """The functions of a project, by their meaning; policies and middlewares by their names."""

    folder: Path
    register: Function | None = None
    bootstrap: Function | None = None
    policies: Mapping[str, Function] = field(default_factory=lambda: _NOTHING)
    middlewares: Mapping[str, Function] = field(default_factory=lambda: _NOTHING)
    lifecycles: tuple[Lifecycles, ...] = ()
    package: str | None = None
    """The package that stands for `src`, where anything was loaded."""

    def unload(self) -> None:
        """Forget the modules, once nothing of them runs any more."""
        _unload(self.package)


def load_code(project: Path) -> ProjectCode:
    """Run the files of a project that have a meaning, as they are now. Raises InvalidCode with every problem found."""
    loading = _Loading(project)
    with _without_bytecode():
        try:
            return loading.load()
        except BaseException:
            _unload(loading.package)
            raise


@contextmanager
def _without_bytecode() -> Iterator[None]:
    """Keep no bytecode: it is known by the second and the size of its source, and people save more often than that."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    importlib.invalidate_caches()  # or files that were made a moment ago are not found
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _unload(package: str | None) -> None:
    for name in [name for name in sys.modules if package and (name == package or name.startswith(f"{package}."))]:
        del sys.modules[name]


class _Loading:
    def __init__(self, project: Path) -> None:
        self._project = project
        self._source = project / "src"
        self.package: str | None = None
        self._problems: list[CodeProblem] = []

    def load(self) -> ProjectCode:
        index = self._source / "index.py"
        module = self._run(index) if index.is_file() else None
        hooks = {name: self._function(module, index, name, _HOOK) for name in ("register", "bootstrap")}
        named = {kind: dict(self._named(kind)) for kind in _FOLDERS}
        lifecycles = tuple(self._lifecycles())
        if self._problems:
            raise InvalidCode(self._problems)
        return ProjectCode(
            self._project,
            hooks["register"],
            hooks["bootstrap"],
            named["policies"],
            named["middlewares"],
            lifecycles,
            self.package,
        )

    def _lifecycles(self) -> Iterator[Lifecycles]:
        """The hooks of content-types."""
        for path in (path for pattern in PATTERNS for path in sorted(self._source.glob(pattern))):
            module = self._run(path)
            if module is None:
                continue
            found = read_lifecycles(path.relative_to(self._source), self._place(path), module)
            if found.functions:
                yield found
            else:
                self._problems.append(CodeProblem(found.place, "has no function like `before_create`"))

    def _named(self, kind: str) -> Iterator[tuple[str, Function]]:
        """Policies or middlewares: those of the whole project, then those of each API."""
        word = _FOLDERS[kind]
        for pattern in (f"{kind}/*.py", f"api/*/{kind}/*.py"):
            for path in sorted(self._source.glob(pattern)):
                if path.name == "__init__.py" or path.name.startswith("."):
                    continue
                module = self._run(path)
                found = self._function(module, path, word, _SIGNATURES[word])
                if found is not None:
                    yield _name(path.relative_to(self._source)), found
                elif module is not None and not hasattr(module, word):
                    self._problems.append(CodeProblem(self._place(path), f"has no function `{word}`"))

    def _function(self, module: ModuleType | None, path: Path, name: str, arguments: str) -> Function | None:
        value = getattr(module, name, None)
        if value is None:
            return None
        try:
            return function_at(value, f"{self._place(path)}: {name}", arguments)
        except InvalidCode as error:
            self._problems.extend(error.problems)
            return None

    def _run(self, path: Path) -> ModuleType | None:
        name = ".".join([self._package_name(), *path.relative_to(self._source).with_suffix("").parts])
        name = name.replace("-", "_")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None, "it is a file of Python"
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # whatever the project's code raises is told, not passed on
            del sys.modules[name]
            self._problems.append(self._failed(path, error))
            return None
        return module

    def _package_name(self) -> str:
        """The package that stands for `src`, one for each loading: projects do not see each other's modules."""
        if self.package is None:
            self.package = next(_PACKAGES)
            package = ModuleType(self.package)
            package.__path__ = [str(self._source)]
            sys.modules[self.package] = package
        return self.package

    def _failed(self, path: Path, error: BaseException) -> CodeProblem:
        if isinstance(error, SyntaxError) and error.filename is not None:
            place = f"{relative(Path(error.filename), self._project)}:{error.lineno}"
            return CodeProblem(place, f"{type(error).__name__}: {error.msg}")
        return CodeProblem(failure_place(error, self._project, self._place(path)), describe(error))

    def _place(self, path: Path) -> str:
        return relative(path, self._project)


def failure_place(error: BaseException, project: Path, otherwise: str) -> str:
    """The last line of the project's own code that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(project)]
    if not own:
        return otherwise
    return f"{relative(Path(own[-1].filename), project)}:{own[-1].lineno} {own[-1].name}"


def describe(error: BaseException) -> str:
    """An error of a project's code in one line."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _name(path: Path) -> str:
    """`global::NAME`, or `api::API.NAME` below `api/API`."""
    return f"api::{path.parts[1]}.{path.stem}" if path.parts[0] == "api" else f"global::{path.stem}"
