"""The state that all project code of one request shares, in any API."""

from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, Final


class State(SimpleNamespace):
    """Attributes that all code of one request shares: `request.state.member = member`.

    Reading an attribute that is not set raises `AttributeError`.
    """

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"state.{name} is not set")

    def __contains__(self, name: object) -> bool:
        return name in vars(self)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Return an attribute, or `otherwise`."""
        return vars(self).get(name, otherwise)


CURRENT_STATE: Final[ContextVar[State | None]] = ContextVar("octavo state", default=None)
"""The state of the current request, if project code has used it."""


def shared_state() -> State:
    """Return the state of the current request, or a new one."""
    known = CURRENT_STATE.get()
    return State() if known is None else known
