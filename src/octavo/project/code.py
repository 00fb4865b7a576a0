"""Load the Python files of a project by their location. The names are v4's.

- `src/index.py`: `register(app)`, before the GraphQL schema is built, `bootstrap(app)`, when the content is ready, and
  `destroy(app)`, at the end
- `policies/NAME.py`: `policy(context, config)`
- `middlewares/NAME.py`: `middleware(request, next, config)` for requests, or for fields of GraphQL
  `middleware(next, parent, args, context, info)`
- `controllers/NAME.py`, `services/NAME.py`: a class that inherits from `octavo.Controller`, `octavo.Service`
- `routes/NAME.py`: `router`, a CoreRouter, and `routes`, a list
- `src/cron.py`: `tasks`, functions by cron expression
- `content-types/TYPE/lifecycles.py`: `before_create(event)` and the other hooks

Policies and middlewares can be in `src` (`global::NAME`); all kinds of files in `src/api/API` (`api::API.NAME`) and in
`src/extensions/PLUGIN` and `src/plugins/PLUGIN` (`plugin::PLUGIN.NAME`). The package of a plugin has the same structure
as `src`.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Final

from octavo.core.text_limits import close_match
from octavo.core.values import dataclass
from octavo.project.functions import Function, function_at
from octavo.project.lifecycles import MOMENTS, PATTERNS, Lifecycles, read_lifecycles
from octavo.project.modules import OWNERS, Modules, below_owners, code_name, owner_name, unload, without_bytecode
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.project.routes import CoreRouter, InvalidRoute, Route
from octavo.schema.definition_files import SourceFolder, project_source
from octavo.schema.naming import kebab_case

_FOLDERS: Final = ("content-types", "controllers", "middlewares", "policies", "routes", "services")
_HOOKS: Final = "lifecycles"
_NEAR: Final = 0.9
"""Minimum similarity of names that differ by a letter: `controler`, `service`, `boostrap`, but not `devices`."""
_VERBS: Final = ("create", "update", "delete", "publish", "unpublish", "find", "commit")
_NEAR_MOMENT: Final = 0.7
"""The same for short words: `aftr`, `befor`."""


class ControllerKind:
    """A class with actions."""


class ServiceKind:
    """A class with code that several actions share."""


def misplaced_files(source: Path) -> Iterator[tuple[Path, str]]:
    """Yield files in `src` that are near, but not at, a location where they would be loaded, with the message."""
    for pattern in ("*", *(f"{owners}/*/*" for owners in OWNERS)):
        for path in sorted(source.glob(pattern)):
            near = close_match(path.stem, _FOLDERS, _NEAR)
            if near is None:
                continue
            if path.suffix == ".py":
                yield path, f"is not loaded from here. Move it to a folder: {near}/NAME.py"
            elif path.name != near and path.is_dir() and any(path.glob("*.py")):
                yield path, f"unknown folder; did you mean {near}?"
    for owners in OWNERS:
        for path in sorted(source.glob(f"{owners}/*/content-types/*/*.py")):
            if path.stem != _HOOKS and close_match(path.stem, [_HOOKS], _NEAR):
                yield path, f"unknown file; did you mean {_HOOKS}.py?"


def misnamed_functions(module: ModuleType) -> Iterator[str]:
    """Yield messages for functions of a module whose names are similar to those that are called."""
    for name, value in vars(module).items():
        if name not in _LIFE and callable(value) and getattr(value, "__module__", None) == module.__name__:
            near = close_match(name, _LIFE, _NEAR)
            if near is not None:
                yield f"{name}: unknown function, which is never called. Did you mean {near}?"


def misnamed_hooks(module: ModuleType) -> Iterator[str]:
    """Yield messages for functions of `lifecycles.py` whose names are similar to those of hooks."""
    for name, value in vars(module).items():
        first, _, event = name.partition("_")
        if event.startswith(_VERBS) and first not in MOMENTS and getattr(value, "__module__", None) == module.__name__:
            moment = close_match(first, MOMENTS, _NEAR_MOMENT)
            if moment is not None:
                yield f"{name}: unknown function, which is never called. Did you mean {moment}_{event}?"


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_POLICY: Final = "context, config"
FIELD_MIDDLEWARE: Final = "next, parent, args, context, info"
REQUEST_MIDDLEWARE: Final = "request, next, config"
_HOOK: Final = "app"
_LIFE: Final = ("register", "bootstrap", "destroy")
_LISTED: Final = (*_LIFE, "routes", "lifecycles", "tasks", "packages")
_NAMED: Final = ("policies", "middlewares", "request_middlewares", "controllers", "services")


@dataclass(frozen=True, slots=True)
class LoadedClass:
    """A class of a project, and its file."""

    kind: type
    place: str


@dataclass(frozen=True, slots=True)
class RoutesFile:
    """The declarations of a routes file. `owner` is `api::talk` or `plugin::upload`, `name` the file's."""

    owner: str
    name: str
    place: str
    router: CoreRouter | None
    routes: tuple[Route, ...]


@dataclass(frozen=True, slots=True)
class TasksFile:
    """The `tasks` of `cron.py`, not validated yet."""

    place: str
    tasks: Any


@dataclass(frozen=True, slots=True)
class ProjectCode:
    """The code of a project and its plugins, by kind and name. `middlewares` are those for fields of GraphQL.

    `register`, `bootstrap` and `destroy` are called in order: those of plugins, then the project's.
    """

    folder: Path
    register: tuple[Function, ...] = ()
    bootstrap: tuple[Function, ...] = ()
    destroy: tuple[Function, ...] = ()
    policies: Mapping[str, Function] = field(default_factory=lambda: _NOTHING)
    middlewares: Mapping[str, Function] = field(default_factory=lambda: _NOTHING)
    request_middlewares: Mapping[str, Function] = field(default_factory=lambda: _NOTHING)
    controllers: Mapping[str, LoadedClass] = field(default_factory=lambda: _NOTHING)
    services: Mapping[str, LoadedClass] = field(default_factory=lambda: _NOTHING)
    routes: tuple[RoutesFile, ...] = ()
    lifecycles: tuple[Lifecycles, ...] = ()
    tasks: tuple[TasksFile, ...] = ()
    settings: Mapping[Path, Any] = field(default_factory=dict)
    """The class `Settings` of each `index.py`, by its folder."""
    packages: tuple[str, ...] = ()
    """The packages for `src`, if anything was loaded."""

    def unload(self) -> None:
        """Unload the modules, after none of their code is running."""
        for package in self.packages:
            unload(package)


def load_code(project: Path, plugins: Sequence[SourceFolder] = ()) -> ProjectCode:
    """Load the code of plugins and of a project in its current state.

    Raises InvalidCode with all problems.
    """
    loadings = [Modules(folder) for folder in (*plugins, project_source(project))]
    with without_bytecode():
        try:
            return _join(project, loadings)
        except BaseException:
            for modules in loadings:
                unload(modules.made)
            raise


def _join(project: Path, loadings: Sequence[Modules]) -> ProjectCode:
    """Merge the code of all folders. Raises InvalidCode."""
    parts = [_Loading(modules).load(project) for modules in loadings]
    problems = list(dict.fromkeys(problem for modules in loadings for problem in modules.problems))

    def named(kind: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for part in parts:
            for name, item in getattr(part, kind).items():
                if name in found:
                    problems.append(CodeProblem(item.place, f"{name} is also in {found[name].place}"))
                found[name] = item
        return found

    joined: dict[str, Any] = {kind: named(kind) for kind in _NAMED}
    for name in _LISTED:
        joined[name] = tuple(item for part in parts for item in getattr(part, name))
    joined["settings"] = {folder: item for part in parts for folder, item in part.settings.items()}
    if problems:
        raise InvalidCode(problems)
    return ProjectCode(project, **joined)


class _Loading:
    def __init__(self, modules: Modules) -> None:
        self._modules = modules

    def load(self, project: Path) -> ProjectCode:
        """Return the code of one folder. Its problems are collected by its modules."""
        index = self._modules.source / "index.py"
        module = self._modules.run(index) if index.is_file() else None
        called = [self._function(module, index, name, _HOOK) for name in _LIFE]
        register, bootstrap, destroy = (() if function is None else (function,) for function in called)
        self._refuse_misplaced(module, index)
        policies = dict(self._functions("policies", "policy"))
        middlewares = dict(self._functions("middlewares", "middleware"))
        controllers = dict(self._classes("controllers", ControllerKind, "Controller"))
        services = dict(self._classes("services", ServiceKind, "Service"))
        routes = tuple(self._routes())
        lifecycles = tuple(self._lifecycles())
        tasks = tuple(self._tasks())
        return ProjectCode(
            project,
            register,
            bootstrap,
            destroy,
            policies,
            {name: middleware for name, middleware in middlewares.items() if not _is_of_requests(middleware)},
            {name: middleware for name, middleware in middlewares.items() if _is_of_requests(middleware)},
            controllers,
            services,
            routes,
            lifecycles,
            tasks,
            {self._modules.source: getattr(module, "Settings", None)},
            (self._modules.made,) if self._modules.made else (),
        )

    def _refuse_misplaced(self, module: ModuleType | None, index: Path) -> None:
        """Add problems for files and functions that would never be used."""
        for path, message in misplaced_files(self._modules.source):
            self._modules.refuse(path, message)
        for message in misnamed_functions(module) if module else ():
            self._modules.refuse(index, message)

    def _functions(self, folder: str, word: str) -> Iterator[tuple[str, Function]]:
        """Yield policies or middlewares: those of the whole project, then those of each API and of each plugin."""
        for path, module in self._run(f"{folder}/*.py", *below_owners(folder)):
            value = getattr(module, word, None)
            arguments = _POLICY if word == "policy" else _middleware_arguments(value)
            functions = self._function(module, path, word, arguments)
            if functions is not None:
                yield self._name(path), functions
            elif not hasattr(module, word):
                self._modules.refuse(path, f"has no function `{word}`")

    def _classes(self, folder: str, kind: type, name: str) -> Iterator[tuple[str, LoadedClass]]:
        for path, module in self._run(*below_owners(folder)):
            members = vars(module).values()
            own = [item for item in members if isinstance(item, type) and item.__module__ == module.__name__]
            classes = list(dict.fromkeys(item for item in own if issubclass(item, kind)))
            if len(classes) == 1:
                yield self._name(path), LoadedClass(classes[0], self._modules.place(path))
            else:
                several = f"found several: {', '.join(item.__name__ for item in classes)}"
                says = several if classes else f"found no class that inherits from octavo.{name}"
                self._modules.refuse(path, f"expected one {name.lower()}, {says}")

    def _lifecycles(self) -> Iterator[Lifecycles]:
        """Yield the hooks of content types."""
        for path, module in self._run(*PATTERNS):
            lifecycles = read_lifecycles(path.relative_to(self._modules.source), self._modules.place(path), module)
            for message in misnamed_hooks(module):
                self._modules.refuse(path, message)
            if lifecycles.functions:
                yield lifecycles
            else:
                self._modules.refuse(path, "has no function like `before_create`")

    def _tasks(self) -> Iterator[TasksFile]:
        """Yield the scheduled tasks."""
        for path, module in self._run("cron.py"):
            if hasattr(module, "tasks"):
                yield TasksFile(self._modules.place(path), module.tasks)
            else:
                self._modules.refuse(path, "has no `tasks`")

    def _routes(self) -> Iterator[RoutesFile]:
        for path, module in self._run(*below_owners("routes")):
            router, listed = getattr(module, "router", None), getattr(module, "routes", ())
            if router is None and not hasattr(module, "routes"):
                self._modules.refuse(path, "requires `router`, a CoreRouter, or `routes`, a list")
            elif router is not None and not isinstance(router, CoreRouter):
                self._modules.refuse(path, f"router: expected a CoreRouter, not {type(router).__name__}")
            elif not isinstance(listed, list | tuple):
                self._modules.refuse(path, f"routes: expected a list, not {type(listed).__name__}")
            else:
                routes = tuple(self._listed(path, listed))
                owner = owner_name(path, self._modules.source)
                yield RoutesFile(owner, kebab_case(path.stem), self._modules.place(path), router, routes)

    def _listed(self, path: Path, listed: list[Any] | tuple[Any, ...]) -> Iterator[Route]:
        for number, item in enumerate(listed):
            try:
                yield Route.of(item)
            except InvalidRoute as error:
                self._modules.refuse(path, f"routes[{number}]: {error}")

    def _run(self, *patterns: str) -> Iterator[tuple[Path, ModuleType]]:
        for path in self._modules.files(*patterns):
            module = self._modules.run(path)
            if module is not None:
                yield path, module

    def _function(self, module: ModuleType | None, path: Path, name: str, arguments: str) -> Function | None:
        value = getattr(module, name, None)
        if value is None:
            return None
        try:
            return function_at(value, f"{self._modules.place(path)}: {name}", arguments)
        except InvalidCode as error:
            self._modules.problems.extend(error.problems)
            return None

    def _name(self, path: Path) -> str:
        return code_name(path, self._modules.source)


def _first_name(value: Any) -> str:
    """Return the name of a function's first parameter."""
    try:
        return next(iter(inspect.signature(value).parameters), "")
    except (TypeError, ValueError):
        return ""


def _middleware_arguments(value: Any) -> str:
    return FIELD_MIDDLEWARE if not callable(value) or _first_name(value) == "next" else REQUEST_MIDDLEWARE


def _is_of_requests(middleware: Function) -> bool:
    return _middleware_arguments(middleware.call) == REQUEST_MIDDLEWARE
