"""Hooks: functions of a project that are called before and after content is changed or read.

There is one object for each site. Hooks are added while the project's code is loaded and started, and not later.
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
from octavo.events.event import AFTER, AFTER_COMMIT, EVENTS, FIND_MANY, FIND_ONE, READS, SCHEDULE_FAILED, Event
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
"""Maximum nesting of hooks, each called by a write of the one before it."""
SECONDS: Final = 5.0
_ARGUMENTS: Final = "event"
_PATTERN: Final = "*"
_PASSED: Final = (OctavoError, TransactionConflict, IntegrityViolation)
"""Errors of hooks that are passed to the client, or to the code that retries transactions."""

_running: ContextVar[tuple[str, ...]] = ContextVar("octavo_running_hooks", default=())


class HookFailed(LoggedError):
    """A hook raised an unexpected error, took too long, or calls itself endlessly. The message names the hook. It is
    logged and not sent to clients."""

    def __init__(self, reason: str, cause: Exception | None = None) -> None:
        super().__init__()
        self.reason = reason
        logger.error("Request %s: %s", origin.request_id(), reason, exc_info=cause)

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class Hook:
    """A function for an event. `key` identifies it as long as its file and name stay the same."""

    event: str
    function: Function
    key: str


class TypeHooks:
    """The hooks of one content type."""

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
        """Whether there are hooks for changes, or for reads."""

    def of(self, event: str) -> tuple[Hook, ...]:
        """Return the hooks for an event, in order of registration."""
        return self._by_event.get(event, ())

    def wants(self, *events: str) -> bool:
        """Return whether there is a hook for any of these events."""
        return any(event in self._by_event for event in events)

    async def call(self, action: str, event: Event) -> None:
        """Call the hooks for an event one after another. Raises HookFailed, and their errors for clients."""
        event.action = action
        for hook in self.of(action):
            await self.call_one(hook, event)

    async def call_one(self, hook: Hook, event: Event, seconds: float | None = None) -> None:
        """Call one hook with a time limit. Raises the same as `call`."""
        seconds = seconds or self._seconds
        place = hook.function.place
        running = _running.get()
        if len(running) >= DEEPEST:
            chain = " -> ".join(dict.fromkeys((*running, place)))
            raise HookFailed(f"hooks call each other more than {DEEPEST} levels deep: {chain}")
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
        """Return the error for an unusable result of an event's hooks, with their names and the reason."""
        places = ", ".join(hook.function.place for hook in self.of(action))
        return HookFailed(f"{places}: {action} of {self.uid}: {message}")


class Hooks:
    """The hooks of one site, by content type.

    `app` is available to them as `event.app`; `outbox` stores those after the commit; `parse_query` parses the queries
    of hooks like the REST API.
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
        """Return the hooks of a content type, or None if there are none."""
        return self._types.get(uid)

    def closed_to_graphql(self) -> Iterator[str]:
        """Yield why root fields of GraphQL are closed: hooks that change results cannot change what a query selects."""
        for uid, hooks in self._hooks.items():
            for hook in hooks:
                if hook.event in (f"{AFTER}{FIND_ONE}", f"{AFTER}{FIND_MANY}"):
                    place, event = hook.function.place, hook.event
                    yield f"{place}: {event} cannot change GraphQL responses, so {uid} is closed in GraphQL"

    @property
    def has_after_commit(self) -> bool:
        """Return whether any hooks run after the commit."""
        return any(hook.event.startswith(AFTER_COMMIT) for hooks in self._hooks.values() for hook in hooks)

    def find(self, uid: str, event: str, key: str) -> Hook | None:
        """Return the hook with that key."""
        return next((hook for hook in self._hooks.get(uid, ()) if hook.event == event and hook.key == key), None)

    def close(self) -> None:
        """Stop accepting hooks, because the site is about to be served."""
        self._closed = True

    def add(self, event: str, uids: str | Sequence[str], function: Any, place: str = "") -> None:
        """Call a function for an event of some content types. Raises InvalidCode.

        Content types are UIDs, or patterns such as `api::*`.
        """
        place = place or place_of(function, self._folder)
        if self._closed:
            raise _invalid(place, "hooks can only be added in register")
        if event not in EVENTS:
            raise _invalid(place, f"unknown event {event!r}{did_you_mean(event, EVENTS)}")
        taken = function if isinstance(function, Function) else function_at(function, place, _ARGUMENTS)
        hook = Hook(event, taken, _key(taken.call, self._folder))
        for uid in self._matching(uids, place):
            if event.startswith(AFTER_COMMIT) and self.find(uid, event, hook.key) is not None:
                raise _invalid(place, f"{uid} already has a hook {hook.key} for {event}; use another name")
            self._hooks[uid].append(hook)
            self._types[uid] = TypeHooks(uid, self._hooks[uid], self._folder, self._seconds)

    def add_files(self, files: Iterable[Lifecycles]) -> None:
        """Add the functions of `lifecycles.py`. Raises InvalidCode with every problem."""
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
        names: dict[str, None] = {}
        for wanted in (uids,) if isinstance(uids, str) else uids:
            if wanted in self._components:
                raise _invalid(place, f"{wanted} is a component: add the hook to the content types that contain it")
            matching = [uid for uid in self._known if fnmatchcase(uid, wanted)]
            if not matching:
                raise _invalid(place, f"unknown content type {wanted}{did_you_mean(wanted, self._known)}")
            names.update(dict.fromkeys(matching))
        return list(names)


def _unread(_: Mapping[str, Any]) -> Query:
    raise LookupError("a site says how queries are read")


def _key(function: Callable[..., Any], folder: Path) -> str:
    """Return `src/index.py:register.<locals>.tell`, which does not depend on line numbers."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return name if code is None else f"{relative(Path(code.co_filename), folder)}:{name}"


def _invalid(place: str, message: str) -> InvalidCode:
    return InvalidCode([CodeProblem(place, message)])
