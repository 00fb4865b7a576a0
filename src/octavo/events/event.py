"""Event: what a hook is given."""

from dataclasses import field
from typing import Any, NoReturn, Protocol

from octavo.events.origin import Source
from octavo.project import Entry
from octavo.project.state import State as RequestState
from octavo.project.state import shared_state
from octavo.values import dataclass


class Acting(Protocol):
    """Who asks."""

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
        """The address of a user or an administrator."""


class State(dict[str, Any]):
    """What hooks keep from one moment of a change to the next: `event.state.old = ...`, or `event.state["old"]`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"event.state has no {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Written(Entry):
    """An entry as it was written. Another value in it would change nothing, so it is refused."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("event.result is what was written; change event.params.data before, or update the entry")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse


@dataclass(slots=True, kw_only=True)
class Params:
    """What is asked for. `data` is what is to be written; `where` says of which entry: `{"id": 7}`.

    Before a read, `filters` are what entries have to meet besides what was asked, and `populate` what is shown besides;
    both are as the REST API takes them, and empty until hooks fill them.
    """

    data: Any = None
    where: dict[str, Any] = field(default_factory=dict)
    locale: str | None = None
    filters: dict[str, Any] = field(default_factory=dict)
    populate: Any = None


@dataclass(slots=True, kw_only=True)
class Event:
    """One thing that happens to content, for the hooks before and after it.

    `action` is the hook's moment (`before_create`); `uid` the content-type's, `id` the entry's as soon as there is one.
    `result` is the entry as it was written or as it was before it was removed, flat, private attributes included; after
    a read, what was found.
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
        """What policies, middlewares and controllers of the request under way keep as `request.state`, for hooks too;
        empty where no code has met the request, and after the commit."""
        return shared_state()
