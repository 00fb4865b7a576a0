"""Routes as declared in a project, in Octavo's or v4's form. They are validated when they are added to the service."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.project.naming import action_name

Auth = bool | Sequence[str] | Mapping[str, Any] | None
Named = str | tuple[str, Any] | Mapping[str, Any] | Callable[..., Any]
"""A reference to a policy or a middleware: its name, its name and config, or the function itself."""

CONFIG_KEYS: Final = ("auth", "policies", "middlewares")
_MAPPING_KEYS: Final = ("method", "path", "handler", "config", "info")
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Access:
    """Access to a route: public, or for callers with permission for all actions in `scopes`; without any, for users."""

    public: bool = False
    scopes: tuple[str, ...] = ()


class InvalidRoute(ValueError):
    """A route declaration is invalid."""


class Route:
    """A route: `Route("GET", "/talks/by-slug/:slug", "talk.by_slug", auth=False)`.

    `handler` is the name of a controller method, or a function that takes the request. `auth` is None for the
    permission of the handler's action, False for a public route, or a list of actions that the caller needs (v4:
    `{"scope": [...]}`). `policies` and `middlewares` are names, pairs of name and config, or functions.
    """

    __slots__ = ("auth", "handler", "line", "method", "middlewares", "path", "policies")

    def __init__(
        self,
        method: str,
        path: str,
        handler: str | Callable[..., Any],
        *,
        auth: Auth = None,
        policies: Sequence[Named] = (),
        middlewares: Sequence[Named] = (),
    ) -> None:
        self.method: Any = method  # unchanged: it is validated together with the rest
        self.path: Any = path
        self.handler = handler
        self.auth = auth
        self.policies = policies
        self.middlewares = middlewares
        self.line: int | None = sys._getframe(1).f_lineno  # noqa: SLF001 - the declaration's line, for messages

    @property
    def name(self) -> str:
        """The method and path: `GET /talks/by-slug/:slug`."""
        return f"{self.method} {self.path}"

    @classmethod
    def of(cls, given: Any) -> "Route":
        """Return the route for an item of a list: a Route, or v4's mapping. Raises InvalidRoute."""
        if isinstance(given, Route):
            return given
        if not isinstance(given, Mapping):
            raise InvalidRoute(f"expected a Route, not {type(given).__name__}")
        if unknown := given.keys() - set(_MAPPING_KEYS):
            raise InvalidRoute(
                f"unknown keys: {', '.join(sorted(map(str, unknown)))}; expected {', '.join(_MAPPING_KEYS)}"
            )
        if missing := [key for key in ("method", "path", "handler") if key not in given]:
            raise InvalidRoute(f"lacks {', '.join(missing)}")
        route = cls(given["method"], given["path"], given["handler"], **read_config(given.get("config")))
        route.line = None
        return route


@dataclass(frozen=True, slots=True)
class CoreRouter:
    """The routes of the core actions of a content type.

    `CoreRouter(except_=["delete"], config={"find": {"auth": False, "policies": ["is-member"]}})`. `only` and `except_`
    select actions, `prefix` is added to all paths, and `config` sets `auth`, `policies` and `middlewares` by action.
    `uid` is the content type, if the file has a different name.
    """

    uid: str | None = None
    only: Iterable[str] | None = None
    except_: Iterable[str] = ()
    prefix: str = ""
    config: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: _NOTHING)

    def has(self, action: str) -> bool:
        """Return whether an action has a route."""
        if self.only is not None and action not in map(action_name, self.only):
            return False
        return action not in map(action_name, self.except_)

    def route_config(self, action: str) -> dict[str, Any]:
        """Return the configuration of an action's route. Raises InvalidRoute."""
        given = [value for name, value in self.config.items() if action_name(name) == action]
        return read_config(given[0]) if given else {}

    def named(self) -> set[str]:
        """Return all actions in its arguments."""
        return {action_name(name) for name in (*(self.only or ()), *self.except_, *self.config)}


def read_config(given: Any) -> dict[str, Any]:
    """Parse `auth`, `policies` and `middlewares` of a route. Raises InvalidRoute."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidRoute(f"config: expected a mapping, not {type(given).__name__}")
    if unknown := given.keys() - set(CONFIG_KEYS):
        raise InvalidRoute(
            f"config: unknown keys: {', '.join(sorted(map(str, unknown)))}; expected {', '.join(CONFIG_KEYS)}"
        )
    return {key: value for key, value in given.items() if value is not None}


def read_access(auth: Auth, action: str | None) -> Access:
    """Return the access to a route whose handler is the action. Raises InvalidRoute."""
    if auth is False:
        return Access(public=True)
    if auth is None or auth is True:
        return Access(scopes=() if action is None else (action,))
    scopes = auth.get("scope") if isinstance(auth, Mapping) and auth.keys() == {"scope"} else auth
    if isinstance(scopes, str) or not isinstance(scopes, Sequence) or not all(isinstance(item, str) for item in scopes):
        raise InvalidRoute("auth: expected False, or a list of actions such as api::talk.talk.find")
    return Access(scopes=tuple(scopes) or (() if action is None else (action,)))
