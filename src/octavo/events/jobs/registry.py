"""The jobs of one site: background jobs, scheduled tasks, and how they run."""

import asyncio
import importlib
import inspect
import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

import orjson

from octavo.core.clock import this_moment, wall_time
from octavo.core.counters import JOB_RUNS, JOB_SUCCESS
from octavo.core.threads import in_thread, is_cancelled
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.jobs.schedule import InvalidSchedule, Schedule
from octavo.events.jobs.scheduler import Scheduler, Task
from octavo.events.messages import Message, Retries, Topic, Undeliverable
from octavo.events.origin import actor_payload, link, on_behalf_of, past_actor
from octavo.events.outbox import Outbox
from octavo.project.failures import describe, failure_place
from octavo.project.functions import GENERATOR, is_generator, place_of
from octavo.project.modules import without_bytecode
from octavo.project.problems import CodeProblem, InvalidCode

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_LONGEST: Final = 200
_PROJECT: Final = "src"


class NotAJob(ValueError):
    """The function cannot be a job, because it cannot be found by name."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """The options of a function from `app.job`: the number of retries, and the timeout in seconds. None: the default of
    the settings."""

    retries: int | None = None
    timeout: float | None = None


class JobFunctions:
    """The functions of a project's code and its plugins, for one load; `packages` maps package names to folders.

    Functions of a plugin are prefixed with its folder: `octavo_reviews/mail:send`.
    """

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = {_label(package): package for package in packages}
        self._options: dict[str, JobOptions] = {}

    @property
    def are_there(self) -> bool:
        """Return whether the project has code."""
        return bool(self._packages)

    def say(self, function: Callable[..., Any], options: JobOptions) -> None:
        """Set the options of a function. Raises NotAJob."""
        self._options[self.name_of(function)] = options

    def options_of(self, name: str) -> JobOptions:
        """Return the options of a function, by its name."""
        return self._options.get(name, JobOptions())

    def name_of(self, function: Callable[..., Any]) -> str:
        """Return `api.talk.services.talk:send`. Raises NotAJob for anything but a function in a module of the
        project."""
        module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
        label = next((label for label, package in self._packages.items() if module.startswith(f"{package}.")), None)
        if label is None or not inspect.isroutine(function) or not name.isidentifier():
            raise NotAJob(f"{name or function!r} is not a module-level function below src, so a job cannot refer to it")
        found = f"{label}{module.partition('.')[2]}:{name}"
        if getattr(sys.modules.get(module), name, None) is not function or len(found) > _LONGEST:
            raise NotAJob(f"{found} is another function in its module, so a job cannot refer to it")
        return found

    def find(self, name: str) -> Callable[..., Any]:
        """Return the function with that name. Raises NotAJob."""
        place, _, attribute = name.partition(":")
        folder, slash, module_name = place.rpartition("/")
        package = self._packages.get(folder + slash)
        parts = module_name.split(".")
        if package is None or not attribute.isidentifier() or not all(part.isidentifier() for part in parts):
            raise NotAJob(f"the project has no function {name!r}")
        module = self._module(f"{package}.{module_name}", name)
        function = getattr(module, attribute, None)
        if not inspect.isroutine(function) or getattr(function, "__module__", None) != module.__name__:
            raise NotAJob(f"the project has no function {name!r}")
        return function

    def _module(self, whole: str, name: str) -> ModuleType:
        loaded = sys.modules.get(whole)
        if loaded is not None:
            return loaded
        try:
            with without_bytecode():
                return importlib.import_module(whole)
        except ModuleNotFoundError as error:
            raise NotAJob(f"the project has no function {name!r}: {error}") from None


def takes_app(function: Callable[..., Any]) -> bool:
    """Return whether its first parameter is named `app`, which gets the service."""
    try:
        return next(iter(inspect.signature(function).parameters), "") == "app"
    except (TypeError, ValueError):
        return False


def _label(package: str) -> str:
    """Return the prefix of functions in a folder: empty for the project's `src`, the name for a plugin."""
    folder = Path(sys.modules[package].__path__[0])
    return "" if folder.name == _PROJECT else f"{folder.name}/"


logger = logging.getLogger(__name__)

TOPIC: Final = "jobs"
RETRIES: Final = Retries(attempts=1000, first=10.0, factor=4.0, longest=6 * 3600.0)
"""The pauses between attempts. The number of attempts is set by each job."""
AT_ONCE: Final = 8
MOST_RETRIES: Final = 100
_LONGEST_SECONDS: Final = 7 * 86_400.0


_OUTCOMES: Final = ("completed", "failed")
"""The label values of the metric."""


class JobFailed(Exception):
    """A job raised an error or timed out. It may be retried."""


class Jobs:
    """The jobs of a project's code, for one load. `timeout` is in seconds, `zone` is the default time zone.

    An invalid task raises InvalidCode.
    """

    def __init__(
        self, database: Database, outbox: Outbox, folder: Path, packages: Sequence[str], timeout: float, zone: str
    ) -> None:
        self.app: Any = None
        """The argument for functions whose first parameter is named `app`."""
        self.tasks: dict[str, Task] = {}
        self._database = database
        self._outbox = outbox
        self._folder = folder
        self._functions = JobFunctions(packages)
        self._timeout = timeout
        self._zone = zone

    # Registration by the project's code

    def job(self, function: FunctionT, options: JobOptions) -> FunctionT:
        """Set the options of a function."""
        self._refuse_generator(function)
        try:
            self._functions.say(function, options)
        except NotAJob as error:
            raise InvalidCode([CodeProblem(place_of(function, self._folder), str(error))]) from None
        return function

    def cron(
        self,
        rule: Any,
        function: FunctionT,
        *,
        tz: Any = None,
        name: str | None = None,
        catch_up: bool = False,
        place: str | None = None,
    ) -> FunctionT:
        """Run a function on a schedule."""
        at = place or place_of(function, self._folder)
        if not callable(function):
            raise InvalidCode([CodeProblem(at, f"expected a function, not {type(function).__name__}")])
        self._refuse_generator(function)
        if not isinstance(rule, str) or not isinstance(tz, str | None):
            raise InvalidCode([CodeProblem(at, "expected a cron expression and a time zone as strings")])
        called = name or _name_of(function, rule)
        try:
            schedule = Schedule(rule, tz or self._zone)
        except InvalidSchedule as error:
            raise InvalidCode([CodeProblem(at, str(error))]) from None
        if called in self.tasks or ":" in called or len(called) > 200:
            taken = f"a task {called!r} already exists ({self.tasks[called].place})" if called in self.tasks else ""
            message = taken or f"{called!r}: a name can have at most 200 characters and no colon"
            raise InvalidCode([CodeProblem(at, message)])
        self.tasks[called] = Task(called, schedule, function, at, catch_up)
        for outcome in _OUTCOMES:
            JOB_RUNS.expect(called, outcome)
        return function

    def _refuse_generator(self, function: Any) -> None:
        if is_generator(function):
            raise InvalidCode([CodeProblem(place_of(function, self._folder), GENERATOR)])

    def read_tasks(self, tasks: Any, place: str) -> None:
        """Add the tasks of `cron.py`, in v4's format."""
        if not isinstance(tasks, Mapping):
            raise InvalidCode([CodeProblem(place, f"tasks: expected a dict, not {type(tasks).__name__}")])
        problems: list[CodeProblem] = []
        for key, given in tasks.items():
            try:
                self._read_task(str(key), given, f"{place}: tasks[{key!r}]")
            except InvalidCode as error:
                problems.extend(error.problems)
        if problems:
            raise InvalidCode(problems)

    def _read_task(self, key: str, given: Any, place: str) -> None:
        if not isinstance(given, Mapping):
            self.cron(key, given, place=place)
            return
        options = given.get("options", {})
        unknown = [*(given.keys() - {"task", "options"})]
        if not isinstance(options, Mapping) or "task" not in given or unknown:
            raise InvalidCode([CodeProblem(place, "expected a function, or a dict with `task` and `options`")])
        unknown = [*(options.keys() - {"rule", "tz", "catch_up"})]
        if unknown:
            message = f"options: expected rule, tz and catch_up, not {', '.join(map(str, unknown))}"
            raise InvalidCode([CodeProblem(place, message)])
        has_rule = "rule" in options
        self.cron(
            options["rule"] if has_rule else key,
            given["task"],
            tz=options.get("tz"),
            name=key if has_rule else None,
            catch_up=bool(options.get("catch_up")),
            place=place,
        )

    # Enqueuing

    async def enqueue(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        *,
        delay: float = 0,
        retries: int | None = None,
    ) -> int:
        """Enqueue a function with JSON arguments, and return the job's id. Raises NotAJob, TypeError."""
        name = self._functions.name_of(function)
        options = self._functions.options_of(name)
        again = retries if retries is not None else options.retries if options.retries is not None else 3
        if not 0 <= again <= MOST_RETRIES or delay < 0:
            raise ValueError(f"retries must be 0 to {MOST_RETRIES}, and a delay at least 0")
        due = this_moment() + int(delay * 1000) if delay else None
        payload = {"name": name, "args": list(args), "kwargs": dict(kwargs), "attempts": again + 1}
        payload |= actor_payload()
        if followed := link():
            payload["link"] = followed
        body = orjson.dumps(payload)
        return await run_unit(
            self._database, UnitOfWork, lambda unit: self._outbox.add(unit, TOPIC, body, not_before=due), grouped=False
        )

    async def run_task(self, name: str) -> int:
        """Run a scheduled task now, and return the job's id. Raises KeyError for an unknown one."""
        task = self.tasks[name]
        return await run_unit(
            self._database, UnitOfWork, lambda unit: self._start(unit, task, this_moment()), grouped=False
        )

    # Running

    def topic(self) -> Topic:
        """Return the topic that runs jobs in the outbox."""
        return Topic(TOPIC, self._deliver, RETRIES, _LONGEST_SECONDS, AT_ONCE, lambda: self._functions.are_there)

    def scheduler(self) -> Scheduler:
        """Return the scheduler of the tasks."""
        return Scheduler(self._database, self.tasks.values(), self._start)

    async def _start(self, unit: UnitOfWork, task: Task, occurrence: int) -> int:
        payload = {
            "name": task.name,
            "args": [],
            "kwargs": {},
            "attempts": 1,
            "occurrence": occurrence,
            **actor_payload(),
        }
        return await self._outbox.add(unit, TOPIC, payload, ordering_key=f"task {task.name}")

    async def _deliver(self, message: Message) -> None:
        job = message.payload
        name, attempts = job["name"], job["attempts"]
        if message.attempt > attempts:
            raise Undeliverable(f"{name}: the service stopped while it ran")
        began, limit = time.monotonic(), None
        try:
            function, seconds = self._find(name)
            async with asyncio.timeout(seconds) as limit:
                with on_behalf_of(past_actor(job.get("actor"))):
                    await self._call(function, job["args"], job["kwargs"])
        except Undeliverable:
            raise
        except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            expired = isinstance(error, TimeoutError) and limit is not None and limit.expired()
            said = f"stopped after {seconds:g} s" if expired else describe(error)
            text = f"{name}: {failure_place(error, self._folder, name)}: {said}"
            JOB_RUNS.add(name, "failed")
            if message.attempt >= attempts:
                raise Undeliverable(text) from error
            raise JobFailed(text) from error
        JOB_RUNS.add(name, "completed")
        JOB_SUCCESS.set(wall_time(), name)
        logger.info("Finished job %s in %.1f s", name, time.monotonic() - began)

    def _find(self, name: str) -> tuple[Callable[..., Any], float]:
        if ":" not in name:
            task = self.tasks.get(name)
            if task is None:
                raise Undeliverable(f"the task {name!r} no longer exists")
            return task.call, self._timeout
        try:
            function = self._functions.find(name)
        except NotAJob as error:
            raise Undeliverable(str(error)) from None
        return function, self._functions.options_of(name).timeout or self._timeout

    async def _call(self, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> None:
        given = [self.app, *args] if takes_app(function) else args
        if inspect.iscoroutinefunction(function):
            await function(*given, **kwargs)
            return
        result = await in_thread(partial(function, *given, **kwargs))
        if inspect.isawaitable(result):
            await result


def _name_of(function: Callable[..., Any], rule: str) -> str:
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else rule
