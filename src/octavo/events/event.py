"""Event: the argument of hooks, and the names of events that can have hooks."""

from dataclasses import field
from typing import Any, Final, NoReturn, Protocol

from octavo.core.values import dataclass
from octavo.events.origin import Source
from octavo.project import Entry
from octavo.project.state import State as RequestState
from octavo.project.state import shared_state


class Acting(Protocol):
    """The caller of an operation."""

    @property
    def kind(self) -> str:
        """`anonymous`, `user`, `api-token`, `administrator`, or `system`: the service itself, commands, code."""

    @property
    def id(self) -> int | None:
        """The id of the user, the token or the administrator."""

    @property
    def role_id(self) -> int | None:
        """The role of a user or of the public."""

    @property
    def username(self) -> str | None:
        """The name of a user."""

    @property
    def email(self) -> str | None:
        """The email address of a user or an administrator."""


class State(dict[str, Any]):
    """Values that hooks of one change share: `event.state.old = ...`, or `event.state["old"]`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"event.state has no {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Written(Entry):
    """An entry as written. Assigning values raises an error, because it would have no effect."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "event.result is read-only after the write; change event.params.data before it, or update the entry"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse


@dataclass(slots=True, kw_only=True)
class Params:
    """The parameters of a write or a read. Hooks can change them.

    `filters` and `populate` are as in the REST API, and empty before hooks set them.
    """

    data: Any = None
    where: dict[str, Any] = field(default_factory=dict)
    locale: str | None = None
    filters: dict[str, Any] = field(default_factory=dict)
    populate: Any = None


@dataclass(slots=True, kw_only=True)
class Event:
    """A change or a read of content, for hooks.

    `result` is the stored entry with private attributes; after a deletion, its last state; after a read, the result. It
    is read-only, except after reads.
    """

    action: str
    uid: str
    params: Params
    actor: Acting
    source: Source
    app: Any
    id: int | None = None
    result: Any = None
    state: State = field(default_factory=State)

    @property
    def shared(self) -> RequestState:
        """The `request.state` of the current request. Empty if the request ran no project code."""
        return shared_state()


CREATE: Final = "create"
UPDATE: Final = "update"
DELETE: Final = "delete"
PUBLISH: Final = "publish"
UNPUBLISH: Final = "unpublish"
FIND_ONE: Final = "find_one"
FIND_MANY: Final = "find_many"

CHANGES: Final = (CREATE, UPDATE, DELETE, PUBLISH, UNPUBLISH)
"""Changes of one entry."""
MANY: Final = ("create_many", "update_many", "delete_many")
"""Bulk changes."""
READS: Final = (FIND_ONE, FIND_MANY)
SCHEDULE_FAILED: Final = "schedule_failed"
"""A scheduled publication or unpublication has failed. This event only has hooks after the commit."""

BEFORE: Final = "before_"
AFTER: Final = "after_"
AFTER_COMMIT: Final = "after_commit_"

EVENTS: Final = (
    *(f"{moment}{action}" for action in (*CHANGES, *MANY, *READS) for moment in (BEFORE, AFTER)),
    *(f"{AFTER_COMMIT}{action}" for action in (*CHANGES, SCHEDULE_FAILED)),
)
"""All events, by the names of functions in `lifecycles.py`."""
