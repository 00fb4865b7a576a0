"""Apply a project's code to the REST routes: changes of generated routes, and its own routes."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.api.http.operations import Endpoint
from octavo.api.rest.content_operations import content_operation, content_operations
from octavo.api.rest.operations import Admission, Declared, Guarded, RestOperation
from octavo.api.rest.plugin_operations import PLUGIN_OPERATIONS
from octavo.core.values import dataclass
from octavo.project.code import REQUEST_MIDDLEWARE, ProjectCode, RoutesFile
from octavo.project.execution import Runner
from octavo.project.failures import describe, failure_place
from octavo.project.functions import function_at, place_of
from octavo.project.named_handlers import Used, UsedReader
from octavo.project.naming import action_name, did_you_mean
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.project.routes import Access, CoreRouter, InvalidRoute, Route, read_access
from octavo.query.params import PageLimits
from octavo.sdk.app import App
from octavo.sdk.controllers import Controller, Controllers, own_methods
from octavo.sdk.core_actions import CoreActions, NewEndpoints
from octavo.sdk.request_pipeline import Action, CodeHandler, answering, chained
from octavo.sdk.service_endpoints import ServiceActions
from octavo.sdk.services import ServiceTable

_POLICY: Final = "context, config"
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_PATH: Final = re.compile(r"/|(/(:[A-Za-z_]\w*|[^/:?#*()\s]+))+")
_PLUGIN_ACTIONS: Final = frozenset(row.action for row in PLUGIN_OPERATIONS)
_NAME: Final = re.compile(r":[^/]*")


@dataclass(frozen=True, slots=True)
class _Around:
    """The policies, middlewares and access of a route."""

    policies: tuple[Used, ...] = ()
    middlewares: tuple[Used, ...] = ()
    access: Access | None = None

    @property
    def is_empty(self) -> bool:
        return not self.policies and not self.middlewares


_NOTHING: Final = _Around()


class RestCode:
    """A project's code for REST. `problems` are its errors, which `check` raises."""

    def __init__(
        self,
        code: ProjectCode,
        app: App,
        services: ServiceTable,
        runner: Runner,
        authenticator: Authenticator,
        new_endpoints: NewEndpoints,
    ) -> None:
        self._code = code
        self._app = app
        self._runner = runner
        self._authenticator = authenticator
        self._registry = app.registry
        self.problems = services.problems(app)
        if self.problems:
            raise InvalidCode(self.problems)
        served = ServiceActions(services, app, runner, services.limits)
        self._core = CoreActions(app.registry, new_endpoints, served)
        self._controllers = dict(self._join_controllers(services.limits))
        self._actions = {
            f"{uid}.{action}": name
            for uid, controller in self._controllers.items()
            for action, name in own_methods(type(controller)).items()
        }
        self._routers = dict(self._read_routers())
        self._own = tuple(self._read_own())

    def check(self) -> None:
        """Raise InvalidCode if there are problems."""
        if self.problems:
            raise InvalidCode(self.problems)

    def own_actions(self) -> tuple[str, ...]:
        """The actions that its routes require."""
        return tuple(dict.fromkeys(operation.action for operation, _ in self._own if operation.action))

    def own_routes(self) -> tuple[Declared, ...]:
        """The routes that the project adds, with their handlers."""
        return self._own

    def handlers(self, operation: RestOperation, endpoint: Endpoint) -> Declared | None:
        """Return how a generated operation is declared in this project; None if it is not, or is replaced by a
        route."""
        action = operation.action.rpartition(".")[2]
        around = _NOTHING
        found = self._routers.get(operation.controller)
        if found is not None:
            router, arounds = found
            around = arounds.get(action, _NOTHING)
            operation = replace(
                operation, path=router.prefix + operation.path, access=around.access or operation.access
            )
        around = self._with_named(operation, around)
        self._core.register(operation, endpoint)
        if (found is not None and not router.has(action)) or self._is_replaced(operation):
            return None
        return operation, self._handler(operation, endpoint, around)

    def _handler(self, operation: RestOperation, endpoint: Endpoint | None, around: _Around) -> Any:
        """Return the handler of an operation; without an endpoint, it is the project's own."""
        method = self._method(operation.action)
        is_plain = method is None and around.is_empty and not self._core.is_served(operation.action)
        if is_plain and endpoint is not None:
            return Guarded(endpoint, Admission(self._authenticator, operation.admits))
        action: Action = method or partial(self._core.run, operation.action)
        return self._code_handler(operation, around, action, operation.action)

    def _code_handler(self, operation: RestOperation, around: _Around, action: Action, place: str) -> CodeHandler:
        admit = Admission(self._authenticator, operation.admits)
        if self._app.settings.api.compat.empty_answers == "notFound":
            action = partial(answering, action)
        return CodeHandler(
            self._app,
            self._runner,
            operation.name,
            place,
            admit,
            around.policies,
            chained(around.middlewares, action),
            around.middlewares,
            self._overridden_at(operation.action),
        )

    def _overridden_at(self, action: str) -> str:
        """Return the location of the code that replaces a core action, or an empty text."""
        uid = action.rpartition(".")[0]
        if action in self._actions:
            return self._code.controllers[uid].place
        return self._code.services[uid].place if self._core.is_served(action) else ""

    def _method(self, action: str) -> Action | None:
        """Return the method of a project's controller for an action."""
        name = self._actions.get(action)
        if name is None:
            return None
        controller = self._controllers[action.rpartition(".")[0]]
        method = getattr(controller, name)
        place = f"{self._code.controllers[controller.uid].place}: {name}"
        try:
            return function_at(method, place, "request")
        except InvalidCode as error:
            self.problems.extend(error.problems)
            return None

    def _with_named(self, operation: RestOperation, around: _Around) -> _Around:
        """Add the policies and middlewares that the operation names to those of its router."""
        if not operation.policies and not operation.middlewares:
            return around
        reader = UsedReader(self._code.folder, self.problems)
        policies = reader.read(operation.policies, self._code.policies, _POLICY, f"{operation.name}: policies")
        known = self._code.request_middlewares
        middlewares = reader.read(operation.middlewares, known, REQUEST_MIDDLEWARE, f"{operation.name}: middlewares")
        return _Around((*policies, *around.policies), (*middlewares, *around.middlewares), around.access)

    def plugin_actions(self) -> dict[str, str]:
        """Return the actions of plugins that the project replaces, with the locations of their files."""
        own = (action for action in self._actions if action in _PLUGIN_ACTIONS)
        return {action: self._code.controllers[action.rpartition(".")[0]].place for action in own}

    def core_types(self) -> tuple[str, ...]:
        """Return the content types that have a core router."""
        return tuple(self._routers)

    def _is_replaced(self, operation: RestOperation) -> bool:
        """Return whether a route of the project has the path of an operation. For a content type, that is an error."""
        place = self._addresses.get(_address(operation))
        if place is not None and operation.owner.startswith("api::"):
            hint = f'exclude that action with CoreRouter(except_=["{operation.handler}"]), or choose another path'
            self._refuse(place, f"{operation.name} is also the route of {operation.action}: {hint}")
        return place is not None

    # Reading

    def _join_controllers(self, limits: PageLimits) -> Iterator[tuple[str, Controller]]:
        joined = Controllers(self._app, self._core.run, limits)
        for uid, controller_class in self._code.controllers.items():
            try:
                yield uid, joined.join(controller_class.kind, uid)
            except Exception as error:  # any error of the project's code is reported with its location
                self._refuse(failure_place(error, self._code.folder, controller_class.place), describe(error))

    def _read_routers(self) -> Iterator[tuple[str, tuple[CoreRouter, dict[str, _Around]]]]:
        known = {item.uid: item for item in self._registry.api_types()}
        seen = set()
        for file in self._code.routes:
            router = file.router
            if router is None:
                continue
            uid = router.uid or f"{file.owner}.{file.name}"
            if uid not in known:
                self._refuse(file.place, f"CoreRouter: unknown content type {uid}{did_you_mean(uid, known)}")
                continue
            if uid in seen:
                self._refuse(file.place, f"CoreRouter: another file already has one for {uid}")
            seen.add(uid)
            yield uid, (router, dict(self._read_core(file, router, uid)))

    def _read_core(self, file: RoutesFile, router: CoreRouter, uid: str) -> Iterator[tuple[str, _Around]]:
        operations = content_operations(self._registry.content_types[uid])
        actions = [row.action.rpartition(".")[2] for row in operations]
        for unknown in sorted(router.named() - set(actions)):
            self._refuse(file.place, f"CoreRouter: {uid} has no action {unknown}{did_you_mean(unknown, actions)}")
        if router.prefix and not _PATH.fullmatch(router.prefix):
            self._refuse(file.place, f"CoreRouter: {router.prefix!r} is not a valid prefix; expected one such as /old")
        for action in actions:
            place = f"{file.place}: CoreRouter.config.{action}"
            try:
                config = router.route_config(action)
                access = read_access(config["auth"], f"{uid}.{action}") if "auth" in config else None
            except InvalidRoute as error:
                self._refuse(place, str(error))
                continue
            yield action, self._around(file, config.get("policies"), config.get("middlewares"), access, place)

    def _around(self, file: RoutesFile, policies: Any, middlewares: Any, access: Access | None, place: str) -> _Around:
        reader = UsedReader(self._code.folder, self.problems, file.owner)
        return _Around(
            reader.read(policies, self._code.policies, _POLICY, f"{place}: policies"),
            reader.read(middlewares, self._code.request_middlewares, REQUEST_MIDDLEWARE, f"{place}: middlewares"),
            access,
        )

    def _read_own(self) -> Iterator[Declared]:
        self._addresses: dict[tuple[str, str], str] = {}
        for file in self._code.routes:
            for number, route in enumerate(file.routes):
                place = f"{file.place}: routes[{number}]" if route.line is None else f"{file.place}:{route.line}"
                try:
                    declared = self._read_route(file, route, place)
                except InvalidRoute as error:
                    self._refuse(place, f"{route.name}: {error}")
                    continue
                address = _address(declared[0])
                if address in self._addresses:
                    self._refuse(place, f"{route.name} is also declared in {self._addresses[address]}")
                    continue
                self._addresses[address] = place
                yield declared

    def _read_route(self, file: RoutesFile, route: Route, place: str) -> Declared:
        method = route.method.upper() if isinstance(route.method, str) else ""
        if method not in _METHODS:
            raise InvalidRoute(f"unknown method {route.method!r}; expected {', '.join(_METHODS)}")
        if not isinstance(route.path, str) or not _PATH.fullmatch(route.path):
            raise InvalidRoute("a path must consist of names and parameters, such as /talks/by-slug/:slug")
        around = self._around(file, route.policies, route.middlewares, None, place)
        if isinstance(route.handler, str):
            return self._read_named(file, route, method, around)
        function = _function(route.handler, self._code)
        access = read_access(route.auth, None)
        summary = _summary(function) or route.name
        operation = RestOperation(method, route.path, "", summary, action="", tag=_tag(file.owner), access=access)
        return operation, self._code_handler(operation, around, function, function.place)

    def _read_named(self, file: RoutesFile, route: Route, method: str, around: _Around) -> Declared:
        """Return a route whose handler is the method of a controller, or a core action."""
        action = self._action(file.owner, str(route.handler))
        access = read_access(route.auth, action)
        endpoint = self._core.find(action)
        if action not in self._actions and endpoint is None and action not in _PLUGIN_ACTIONS:
            known = [*self._actions, *self._core.known(), *_PLUGIN_ACTIONS]
            raise InvalidRoute(f"unknown action {action}{did_you_mean(action, known)}")
        operation = replace(self._row(action, _tag(file.owner)), method=method, path=route.path, access=access)
        return operation, self._handler(operation, endpoint, around)

    def _row(self, action: str, tag: str) -> RestOperation:
        uid, _, name = action.rpartition(".")
        content_type = self._registry.content_types.get(uid)
        try:
            if content_type is not None:
                return content_operation(content_type, name)
        except KeyError:
            pass
        method = getattr(self._controllers.get(uid), self._actions.get(action, ""), None)
        return RestOperation("", "", "", _summary(method) or name, action=action, tag=tag)

    def _action(self, owner: str, handler: str) -> str:
        """Return the full name of a handler's action: `api::talk.talk.bySlug` for `talk.by_slug`."""
        controller, _, method = handler.rpartition(".")
        if not controller:
            raise InvalidRoute(f"handler {handler!r}: expected a controller and its method, such as talk.find")
        return f"{controller if '::' in controller else f'{owner}.{controller}'}.{action_name(method)}"

    def _refuse(self, place: str, message: str) -> None:
        self.problems.append(CodeProblem(place, message))


def _function(handler: Callable[..., Any], code: ProjectCode) -> Any:
    try:
        return function_at(handler, f"handler ({place_of(handler, code.folder)})", "request")
    except InvalidCode as error:
        raise InvalidRoute(str(error.problems[0])) from error


def _summary(function: object) -> str:
    """Return the first line of its docstring."""
    return (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".") if callable(function) else ""


def _address(operation: RestOperation) -> tuple[str, str]:
    """Return what distinguishes routes: method and path, ignoring the names of parameters."""
    return operation.method, _NAME.sub(":", operation.path.lower().rstrip("/"))


def _tag(owner: str) -> str:
    return owner.partition("::")[2]
