"""Hooks: the functions of a project that are called before and after its content changes or is read.

One object for each site. It is filled while the project's code is loaded and called at the start, and closed then.
"""

import asyncio
import inspect
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from octavo.core.errors import LoggedError, OctavoError
from octavo.core.values import dataclass
from octavo.database.connection import IntegrityViolation, TransactionConflict
from octavo.events import origin
from octavo.events.event import Event
from octavo.events.names import AFTER, AFTER_COMMIT, EVENTS, FIND_MANY, FIND_ONE, READS, SCHEDULE_FAILED
from octavo.events.outbox import Outbox
from octavo.project import CodeProblem, Function, InvalidCode, function_at
from octavo.project.failures import describe, failure_place
from octavo.project.functions import place_of, relative
from octavo.project.lifecycles import Lifecycles
from octavo.project.naming import did_you_mean
from octavo.query.ast import Query
from octavo.schema.naming import uid_of_folder

logger = logging.getLogger("octavo.code")

DEEPEST: Final = 8
"""Hooks that may stand one inside another: each is called by a write of the one before it."""
SECONDS: Final = 5.0
_ARGUMENTS: Final = "event"
_PATTERN: Final = "*"
_PASSED: Final = (OctavoError, TransactionConflict, IntegrityViolation)
"""What a hook raises that is meant for the caller, or for who runs the transaction."""

_running: ContextVar[tuple[str, ...]] = ContextVar("octavo_running_hooks", default=())


class HookFailed(LoggedError):
    """A hook raised what is no error for callers, took too long, or calls itself without end. Its text says where, and
    stands in the log; callers are told nothing of it."""

    def __init__(self, reason: str, cause: Exception | None = None) -> None:
        super().__init__()
        self.reason = reason
        logger.error("Request %s: %s", origin.request_id(), reason, exc_info=cause)

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class Hook:
    """One function for one event. `key` names it for as long as file and function have their names."""

    event: str
    function: Function
    key: str


class TypeHooks:
    """The hooks of one content-type."""

    def __init__(self, uid: str, hooks: Iterable[Hook], folder: Path, seconds: float) -> None:
        self.uid = uid
        self._folder = folder
        self._seconds = seconds
        by_event: defaultdict[str, list[Hook]] = defaultdict(list)
        for hook in hooks:
            by_event[hook.event].append(hook)
        self._by_event = {event: tuple(found) for event, found in by_event.items()}
        about_reads = {event for event in by_event if event.endswith(READS)}
        self.reads = bool(about_reads)
        self.writes = bool(by_event.keys() - about_reads - {f"{AFTER_COMMIT}{SCHEDULE_FAILED}"})
        """Whether any of them is about a change, or about a read."""

    def of(self, event: str) -> tuple[Hook, ...]:
        """Those for an event, in the order they were given."""
        return self._by_event.get(event, ())

    def wants(self, *events: str) -> bool:
        """Whether there is one for any of these events."""
        return any(event in self._by_event for event in events)

    async def call(self, action: str, event: Event) -> None:
        """Call those for an event in turn. Raises HookFailed, and what they raise for callers."""
        event.action = action
        for hook in self.of(action):
            await self.call_one(hook, event)

    async def call_one(self, hook: Hook, event: Event, seconds: float | None = None) -> None:
        """Call one, which may take so long. Raises as `call` does."""
        seconds = seconds or self._seconds
        place = hook.function.place
        running = _running.get()
        if len(running) >= DEEPEST:
            chain = " -> ".join(dict.fromkeys((*running, place)))
            raise HookFailed(f"hooks write what calls them again, more than {DEEPEST} deep: {chain}")
        token = _running.set((*running, place))
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                await hook.function(event)
        except _PASSED:
            raise
        except Exception as error:
            where = failure_place(error, self._folder, place)
            if isinstance(error, TimeoutError) and limit.expired():
                raise HookFailed(f"{where}: {hook.event} of {self.uid} took more than {seconds:g} s", error) from error
            raise HookFailed(f"{where}: {hook.event} of {self.uid}: {describe(error)}", error) from error
        finally:
            _running.reset(token)

    def mistake(self, action: str, message: str) -> HookFailed:
        """What hooks of an event left behind cannot be used: who they are, and why."""
        places = ", ".join(hook.function.place for hook in self.of(action))
        return HookFailed(f"{places}: {action} of {self.uid}: {message}")


class Hooks:
    """The hooks of one site, by content-type.

    `app` is what they find in `event.app`; `outbox` keeps what is called after the commit; `parse_query` reads what
    hooks ask for as the REST API does.
    """

    def __init__(
        self,
        known: Collection[str] = (),
        components: Collection[str] = (),
        folder: Path = Path(),
        seconds: float = SECONDS,
    ) -> None:
        self.app: Any = None
        self.outbox: Outbox | None = None
        self.parse_query: Callable[[Mapping[str, Any]], Query] = _unread
        self._known = known
        self._components = components
        self._folder = folder
        self._seconds = seconds
        self._hooks: defaultdict[str, list[Hook]] = defaultdict(list)
        self._types: dict[str, TypeHooks] = {}
        self._closed = False

    def __bool__(self) -> bool:
        return bool(self._types)

    def of(self, uid: str) -> TypeHooks | None:
        """Those of a content-type; None where there are none."""
        return self._types.get(uid)

    def closed_to_graphql(self) -> Iterator[str]:
        """Why root fields of GraphQL are closed: hooks that change what is found cannot change what is selected."""
        for uid, hooks in self._hooks.items():
            for hook in hooks:
                if hook.event in (f"{AFTER}{FIND_ONE}", f"{AFTER}{FIND_MANY}"):
                    place, event = hook.function.place, hook.event
                    yield f"{place}: {event} cannot change what GraphQL answers, so {uid} is closed there"

    @property
    def has_after_commit(self) -> bool:
        """Whether any are called after the commit."""
        return any(hook.event.startswith(AFTER_COMMIT) for hooks in self._hooks.values() for hook in hooks)

    def find(self, uid: str, event: str, key: str) -> Hook | None:
        """The hook of that key."""
        return next((hook for hook in self._hooks.get(uid, ()) if hook.event == event and hook.key == key), None)

    def close(self) -> None:
        """Take no more: the site is about to be served."""
        self._closed = True

    def add(self, event: str, uids: str | Sequence[str], function: Any, place: str = "") -> None:
        """Call a function of `event` for an event of some content-types. Raises InvalidCode.

        Content-types are named by UID, or with stars: `api::*`.
        """
        place = place or place_of(function, self._folder)
        if self._closed:
            raise _invalid(place, "hooks are given in register, not later")
        if event not in EVENTS:
            raise _invalid(place, f"there is no event {event!r}{did_you_mean(event, EVENTS)}")
        taken = function if isinstance(function, Function) else function_at(function, place, _ARGUMENTS)
        hook = Hook(event, taken, _key(taken.call, self._folder))
        for uid in self._matching(uids, place):
            if event.startswith(AFTER_COMMIT) and self.find(uid, event, hook.key) is not None:
                raise _invalid(place, f"{uid} has a hook {hook.key} for {event} already: give this one another name")
            self._hooks[uid].append(hook)
            self._types[uid] = TypeHooks(uid, self._hooks[uid], self._folder, self._seconds)

    def add_files(self, files: Iterable[Lifecycles]) -> None:
        """Take the functions of `lifecycles.py`. Raises InvalidCode with every problem."""
        problems: list[CodeProblem] = []
        for file in files:
            uid = uid_of_folder(file.owner, file.folder, self._known)
            for name, function in file.functions.items():
                try:
                    self.add(name, uid, function, f"{file.place}: {name}")
                except InvalidCode as error:
                    problems += error.problems
        if problems:
            raise InvalidCode(problems)

    def _matching(self, uids: str | Sequence[str], place: str) -> list[str]:
        found: dict[str, None] = {}
        for wanted in (uids,) if isinstance(uids, str) else uids:
            if wanted in self._components:
                raise _invalid(place, f"{wanted} is a component: hook the content-types that hold it")
            matching = [uid for uid in self._known if fnmatchcase(uid, wanted)]
            if not matching:
                raise _invalid(place, f"there is no content-type {wanted}{did_you_mean(wanted, self._known)}")
            found.update(dict.fromkeys(matching))
        return list(found)


def _unread(_: Mapping[str, Any]) -> Query:
    raise LookupError("a site says how queries are read")


def _key(function: Callable[..., Any], folder: Path) -> str:
    """`src/index.py:register.<locals>.tell`: what stays the same while lines move."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return name if code is None else f"{relative(Path(code.co_filename), folder)}:{name}"


def _invalid(place: str, message: str) -> InvalidCode:
    return InvalidCode([CodeProblem(place, message)])
