"""`Controller`: the base class of a project's controllers, with the core actions and helpers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from octavo.api.rest.plugin_operations import PLUGIN_OPERATIONS
from octavo.core.errors import NotFoundError
from octavo.project.code import ControllerKind
from octavo.project.naming import action_name, did_you_mean, method_name
from octavo.query.params import PageLimits
from octavo.sdk.answers import Answer, Response
from octavo.sdk.app import App, UnknownName
from octavo.sdk.content_rules import ContentRules
from octavo.sdk.entries import Entries
from octavo.sdk.requests import Request

_PLUGIN_ACTIONS: Final = {(row.controller, row.action.rpartition(".")[2]) for row in PLUGIN_OPERATIONS}

CoreAction = Callable[[str, Request], Awaitable[Answer]]
"""Runs a core action, identified by its full name, for a request."""


class Controller(ControllerKind):
    """Base class of controllers. Each method that takes a request is an action.

    A method with the name of a core action replaces it. `await super().find(request)` runs the core action.
    """

    app: App
    uid: str
    _core: CoreAction
    _limits: PageLimits
    _others: "Callable[[str], Controller]"

    @property
    def entries(self) -> Entries:
        """The entries of the content type."""
        return self.app.entries(self.uid)

    @property
    def service(self) -> Any:
        """The service with the same UID."""
        return self.app.service(self.uid)

    def controller(self, uid: str) -> Any:
        """Return another controller. Call its actions with the request. Raises UnknownName."""
        return self._others(uid)

    async def find(self, request: Request) -> Answer:
        """Return the list of entries, or the entry of a single type."""
        return await self.core("find", request)

    async def find_one(self, request: Request) -> Answer:
        """Return the entry with the id `request.params["id"]`."""
        return await self.core("findOne", request)

    async def create(self, request: Request) -> Answer:
        """Create an entry from the request's data and return it."""
        return await self.core("create", request)

    async def update(self, request: Request) -> Answer:
        """Update the entry with the id `request.params["id"]` and return it."""
        return await self.core("update", request)

    async def delete(self, request: Request) -> Answer:
        """Delete the entry with the id `request.params["id"]` and return it."""
        return await self.core("delete", request)

    async def create_localization(self, request: Request) -> Answer:
        """Create an entry in another locale and return it."""
        return await self.core("createLocalization", request)

    async def validate_query(self, request: Request) -> None:
        """Raise ValidationError if the query uses something that the caller is not allowed to use."""
        self._rules.validate_query(request)

    async def sanitize_query(self, request: Request) -> dict[str, Any]:
        """Return the query without the parts that the caller is not allowed to use."""
        return self._rules.sanitize_query(request)

    async def sanitize_input(self, data: Any, request: Request) -> Any:
        """Return the data without the attributes that the caller is not allowed to write."""
        return self._rules.sanitize_input(data, request)

    async def sanitize_output(self, value: Any, request: Request) -> Any:
        """Return an entry, or several, without the values that the caller is not allowed to see.

        Return None for an entry that the caller is not allowed to find. Additional keys stay.
        """
        return await self._rules.sanitize_output(value, request)

    def transform_response(self, value: Any, meta: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """Return entries in the form of the REST API: `{"data": {"id", "attributes"}, "meta"}`; None for None."""
        return None if value is None else self._rules.transform(value, meta)

    async def entry(self, value: Any, request: Request, meta: Mapping[str, Any] | None = None) -> Answer:
        """Return an entry as a response: sanitized, in the form of the REST API. Raises NotFoundError for None."""
        shown = None if value is None else await self.sanitize_output(value, request)
        if shown is None:
            raise NotFoundError
        return Response.json(self._rules.transform(shown, meta, await self._rules.metas(shown, request)))

    async def page(self, value: Any, request: Request, meta: Mapping[str, Any] | None = None) -> Answer:
        """Return a list of entries or an EntryPage as a response: sanitized, in the form of the REST API."""
        if value is None:
            return Response.json(None)
        shown = await self.sanitize_output(value, request)
        return Response.json(self._rules.transform(shown, meta, await self._rules.metas(shown, request)))

    @property
    def _rules(self) -> ContentRules:
        content_type = self.app.registry.content_types.get(self.uid)
        if content_type is None:
            raise UnknownName(f"{self.uid} is not the controller of a content type")
        return ContentRules(self.app.controller, content_type, self._limits)

    async def core(self, action: str, request: Request) -> Answer:
        """Run the core action with this name, such as `findOne`."""
        return await self._core(f"{self.uid}.{action}", request)


class Controllers:
    """The controllers of a site by name. Content types without a class in the project have the core actions."""

    def __init__(self, app: App, core: CoreAction, limits: PageLimits) -> None:
        self._app = app
        self._core = core
        self._limits = limits
        self._made: dict[str, Controller] = {}

    def join(self, kind: type[Any], uid: str) -> Controller:
        """Return the controller for a project's class."""
        joined: Controller = _with_core_actions(kind, uid)()
        joined.app, joined.uid = self._app, uid
        joined._core, joined._limits, joined._others = self._core, self._limits, self.find  # noqa: SLF001 - made here
        self._made[uid] = joined
        return joined

    def find(self, uid: str) -> Controller:
        """Return the controller with that name. Raises UnknownName."""
        controller = self._made.get(uid)
        if controller is None:
            known = {*self._made, *self._app.registry.content_types, *(owner for owner, _ in _PLUGIN_ACTIONS)}
            if uid not in known:
                raise UnknownName(f"unknown controller {uid}{did_you_mean(uid, known)}")
            controller = self.join(Controller, uid)
        return controller


def own_methods(kind: type[Any]) -> dict[str, str]:
    """Return the methods that a project's class adds to those of Controller, by action."""
    own = [item for item in kind.__mro__[: kind.__mro__.index(Controller)] if not item.__dict__.get("_is_core")]
    names = (name for item in reversed(own) for name, value in vars(item).items() if callable(value))
    return {action_name(name): name for name in names if not name.startswith("_")}


def _with_core_actions(kind: type[Any], uid: str) -> type[Any]:
    """Return the class with a plugin's core actions as its base, for `super()`."""
    actions = {action for owner, action in _PLUGIN_ACTIONS if owner == uid}
    if not actions:
        return kind
    methods = {method_name(action): _core_method(action) for action in actions}
    core = type("CoreActions", (Controller,), {**methods, "_is_core": True})
    bases = (core,) if kind is Controller else (kind, core)
    return type(kind.__name__, bases, {"__module__": kind.__module__})


def _core_method(action: str) -> Callable[[Controller, Request], Awaitable[Answer]]:
    def call(controller: Controller, request: Request) -> Awaitable[Answer]:
        return controller.core(action, request)

    return call
