"""`Controller`: what the classes in a project's `controllers` inherit: the core actions, and what actions need."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from octavo.project.api.answers import Answer
from octavo.project.api.app import App
from octavo.project.api.entries import Entries
from octavo.project.api.requests import Request
from octavo.project.kinds import ControllerKind
from octavo.project.naming import action_name, method_name
from octavo.rest.plugin_operations import PLUGIN_OPERATIONS

_PLUGIN_ACTIONS: Final = {(row.controller, row.action.rpartition(".")[2]) for row in PLUGIN_OPERATIONS}

CoreAction = Callable[[str, Request], Awaitable[Answer]]
"""Runs a core action, given by its full name, for a request."""


class Controller(ControllerKind):
    """Actions, each a method of a request. `uid` is the controller's name, and that of its content-type if it has one.

    A method that is named like a core action stands in its place; `await super().find(request)` is the core action.
    """

    app: App
    uid: str
    _core: CoreAction

    @property
    def entries(self) -> Entries:
        """The entries of the content-type."""
        return self.app.entries(self.uid)

    async def find(self, request: Request) -> Answer:
        """A list of entries, or the entry of a single type."""
        return await self.core("find", request)

    async def find_one(self, request: Request) -> Answer:
        """An entry, by `request.params["id"]`."""
        return await self.core("findOne", request)

    async def create(self, request: Request) -> Answer:
        """A new entry."""
        return await self.core("create", request)

    async def update(self, request: Request) -> Answer:
        """A changed entry."""
        return await self.core("update", request)

    async def delete(self, request: Request) -> Answer:
        """An entry less."""
        return await self.core("delete", request)

    async def create_localization(self, request: Request) -> Answer:
        """An entry in another locale."""
        return await self.core("createLocalization", request)

    async def core(self, action: str, request: Request) -> Answer:
        """The core action of that name."""
        return await self._core(f"{self.uid}.{action}", request)


def join(kind: type[Any], app: App, uid: str, core: CoreAction) -> Controller:
    """The controller that a project's class makes."""
    joined: Controller = _with_core_actions(kind, uid)()
    joined.app, joined.uid, joined._core = app, uid, core  # noqa: SLF001 - it is made here
    return joined


def own_methods(kind: type[Any]) -> dict[str, str]:
    """The methods that a project's class brings besides those of Controller, by the action that each is."""
    own = kind.__mro__[: kind.__mro__.index(Controller)]
    names = (name for item in reversed(own) for name, value in vars(item).items() if callable(value))
    return {action_name(name): name for name in names if not name.startswith("_")}


def _with_core_actions(kind: type[Any], uid: str) -> type[Any]:
    """The class with the core actions of a plugin's controller behind it, so that `super()` finds them."""
    actions = {action for owner, action in _PLUGIN_ACTIONS if owner == uid}
    if not actions:
        return kind
    core = type("CoreActions", (Controller,), {method_name(action): _core_method(action) for action in actions})
    return type(kind.__name__, (kind, core), {"__module__": kind.__module__})


def _core_method(action: str) -> Callable[[Controller, Request], Awaitable[Answer]]:
    def call(controller: Controller, request: Request) -> Awaitable[Answer]:
        return controller.core(action, request)

    return call
