"""Scheduled publishing: set and read the schedules of entries, and publish or unpublish when they are due.

    await schedules.set(article_type, 5, {Plan.PUBLISH: 1785571200000}, actor)

Times are milliseconds since 1970. Due schedules use the same path as every write, so hooks, events and webhooks run.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from octavo.access.authorization.ability import PUBLISH, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.content.completeness import Completeness
from octavo.content.controllers.writing import ContentWrites
from octavo.content.entry_unit import EntryUnit
from octavo.content.schedules import TOPIC, Failure, Plan, Planned, Schedules
from octavo.content.writer import EntryWriter
from octavo.core.clock import read_moment, this_moment
from octavo.core.errors import (
    ForbiddenError,
    NotFoundError,
    OctavoError,
    Problem,
    ServiceUnavailable,
    ValidationError,
    problems_of,
)
from octavo.database.change_feed import Presence
from octavo.events.event import SCHEDULE_FAILED
from octavo.events.messages import Message, Topic, Undeliverable
from octavo.events.origin import SERVICE, WORK, Origin
from octavo.schema.attributes import PUBLISHED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

MOST_MOMENT: Final = 253_402_300_799_000
"""The end of the year 9999."""

NAMES: Final[Mapping[str, Plan]] = {"publishAt": Plan.PUBLISH, "unpublishAt": Plan.UNPUBLISH}
Notify = Callable[[int, ContentType, int, Mapping[str, Any]], Awaitable[None]]
"""Given an administrator's id, the entry, and `plan`, `dueAt` and `error`."""
_AT_ONCE: Final = 100
"""Entries that one transaction schedules."""
_PAST: Final = {
    "publishAt": "publishAt must be in the future. To publish the entry now, use its publish action",
    "unpublishAt": "unpublishAt must be in the future. To unpublish the entry now, use its unpublish action",
}
_DONE: Final = {Plan.PUBLISH: "published", Plan.UNPUBLISH: "taken back", Plan.APPEAR: "published"}


class ContentSchedules:
    """The schedules of one registry's entries."""

    def __init__(
        self, writer: EntryWriter, writes: ContentWrites, schedules: Schedules, completeness: Completeness
    ) -> None:
        self._writer = writer
        self._writes = writes
        self._schedules = schedules
        self._completeness = completeness
        self.notify: Notify | None = None
        """Notifies an administrator that their schedule failed."""

    @property
    def registry(self) -> Registry:
        """The content types."""
        return self._writer.registry

    async def read(self, content_type: ContentType, entry_id: int, actor: Actor) -> dict[str, Any]:
        """Return an entry's schedules, `publishAt` and `unpublishAt`. Raises NotFoundError, ValidationError."""
        _check_drafts(content_type)
        async with self._writer.open_reading() as unit:
            presence = await self._check(unit, content_type, entry_id, {}, actor)
            planned = await self._schedules.read(unit.connection, content_type.uid, entry_id)
            return await self._state(unit, content_type, entry_id, presence, planned)

    async def set(
        self, content_type: ContentType, entry_id: int, times: Mapping[Plan, int | None], actor: Actor
    ) -> dict[str, Any]:
        """Set or cancel (None) an entry's schedules. Return `publishAt` and `unpublishAt`, as texts or None.

        A failed schedule is returned in `failure` instead. `problems` are what the entry lacks to be published, because
        it changed since.

        Raises NotFoundError; ValidationError for a time in the past, an incomplete entry, an unpublish time before the
        publish time, and content types without drafts; ForbiddenError if the actor cannot publish the entry.
        """
        _check_drafts(content_type)
        if times and not actor.ability.publishes(content_type.uid):
            raise ForbiddenError

        check_times(times)

        async def work(unit: EntryUnit) -> dict[str, Any]:
            presence = await self._check(unit, content_type, entry_id, times, actor)
            planned = await self._schedules.read(unit.connection, content_type.uid, entry_id)
            for plan, due_at in times.items():
                planned.pop(plan, None)
                if due_at is not None:
                    planned[plan] = due_at
            if planned.get(Plan.UNPUBLISH, MOST_MOMENT) <= planned.get(Plan.PUBLISH, 0):
                raise ValidationError("unpublishAt must be later than publishAt")
            for plan, due_at in times.items():
                await self._schedules.set(unit, Planned(content_type.uid, entry_id, plan, due_at), actor.creator_id)
            return await self._state(unit, content_type, entry_id, presence, planned)

        return await self._writer.run(work)

    async def _check(
        self,
        unit: EntryUnit,
        content_type: ContentType,
        entry_id: int,
        times: Mapping[Plan, int | None],
        actor: Actor,
    ) -> Presence:
        """Return the entry's presence if the actor can schedule it, and lock it if there are times to set.

        Raises the errors of `set`.
        """
        await self._writes.policy.check_access(unit, content_type, entry_id, actor, UPDATE)
        if times and not await self._writes.policy.in_scope(unit, content_type, entry_id, actor, PUBLISH):
            raise ForbiddenError
        presence = await (unit.lock_presence if times else unit.presence)(content_type, entry_id)
        if presence is Presence.ABSENT:
            raise NotFoundError
        if times.get(Plan.PUBLISH) is not None and presence is Presence.DRAFT:
            await self._completeness.require(content_type, [entry_id], unit.connection)
        return presence

    async def _state(
        self,
        unit: EntryUnit,
        content_type: ContentType,
        entry_id: int,
        presence: Presence,
        planned: Mapping[Plan, int],
    ) -> dict[str, Any]:
        """Return an entry's schedules, its failed schedule, and its problems."""
        now = this_moment()
        state: dict[str, Any] = {name: _shown(planned.get(plan)) for name, plan in NAMES.items()}
        if any(due_at <= now for due_at in planned.values()):
            for failure in await self._schedules.failures(unit.connection, content_type.uid, entry_id):
                state.update({name: None for name, plan in NAMES.items() if plan == failure.plan})
                state["failure"] = serialize_failure(failure)
        if planned.get(Plan.PUBLISH, 0) > now and presence is Presence.DRAFT:
            missing = await self._completeness.missing(content_type, entry_id, unit.connection)
            state |= {"problems": [_text_of(problem) for problem in missing]} if missing else {}
        return state

    async def problems(self, content_type: ContentType, ids: Iterable[int]) -> dict[int, list[str]]:
        """Return the problems of drafts scheduled for publishing, by id. Runs one query per draft."""
        problems_by_id = {one: await self._completeness.missing(content_type, one) for one in ids}
        return {
            one: [_text_of(problem) for problem in problems] for one, problems in problems_by_id.items() if problems
        }

    async def failures(self, uid: str, most: int) -> list[Failure]:
        """Return the failed schedules of a content type."""
        return await self._schedules.failures_of(uid, most)

    async def next(self, most: int, uid: str | None = None) -> list[Planned]:
        """Return the next schedules, earliest first, of all content types or of one."""
        return await self._schedules.next(most, uid)

    async def between(self, start: int, end: int, uids: Sequence[str], most: int) -> list[Planned]:
        """Return the schedules of content types from `start` to before `end`, earliest first."""
        return await self._schedules.between(start, end, uids, most)

    async def adopt(self) -> int:
        """Schedule entries that other software saved with a future publication date; return their number."""
        count = 0
        for content_type in self.registry.content_types.values():
            while content_type.draft_and_publish:
                unscheduled = await self._schedules.find_unscheduled(content_type, _AT_ONCE)
                if not unscheduled:
                    break
                adopted = await self._writer.run(partial(self._adopt, content_type, unscheduled))
                count += adopted
                if adopted < _AT_ONCE:
                    break
        await self._writer.run(self._schedules.remove_old_failures)
        return count

    async def _adopt(self, content_type: ContentType, ids: Sequence[int], unit: EntryUnit) -> int:
        return sum([await self._schedules.adopt(unit, content_type, one) for one in ids])

    def topic(self) -> Topic:
        """Return the job topic for due schedules."""
        types = self.registry.content_types.values()
        has_drafts = any(one.draft_and_publish for one in types)
        return Topic(TOPIC, self._do, is_active=lambda: has_drafts)

    async def _do(self, message: Message) -> None:
        """Run a due schedule if it is still set. Raises Undeliverable if validation fails."""
        given = message.payload
        planned = Planned(given["uid"], given["id"], Plan(given["plan"]), given["dueAt"])
        content_type = self.registry.content_types.get(planned.uid)
        if content_type is None or not content_type.draft_and_publish:
            raise Undeliverable(f"the content type {planned.uid} no longer exists or has no drafts")
        work = WORK.set(Origin("schedule", SERVICE))
        try:
            await self._writer.run(lambda unit: self._carry_out(unit, content_type, planned))
        except ServiceUnavailable:
            raise
        except OctavoError as error:
            why = "; ".join(_text_of(problem) for problem in problems_of(error))
            failure = {"plan": planned.plan.value, "dueAt": _shown(planned.due_at), "error": why}
            await self._writer.run(partial(self._record_failure, content_type, planned, failure), about=content_type)
            if self.notify is not None and (author := given.get("by")) is not None:
                await self.notify(author, content_type, planned.entry_id, failure)
            raise Undeliverable(f"{planned.uid} {planned.entry_id} cannot be {_DONE[planned.plan]}: {why}") from error
        finally:
            WORK.reset(work)

    async def _record_failure(
        self, content_type: ContentType, planned: Planned, failure: Mapping[str, Any], unit: EntryUnit
    ) -> None:
        await self._schedules.fail(unit, planned, failure["error"])
        await unit.emit(content_type, planned.entry_id, SCHEDULE_FAILED, failure)

    async def _carry_out(self, unit: EntryUnit, content_type: ContentType, planned: Planned) -> None:
        if not await self._schedules.take(unit, planned):
            return
        if planned.plan is Plan.APPEAR:
            due_at = unit.as_of = planned.due_at or 0
            if await unit.lock_presence(content_type, planned.entry_id) is not Presence.LIVE:
                return  # another process has rescheduled or unpublished it
            unit.as_of = due_at - 1  # the moment before it appears
        presence = await unit.lock_presence(content_type, planned.entry_id)
        wanted = Presence.DRAFT if planned.plan is Plan.UNPUBLISH else Presence.LIVE
        if presence not in (Presence.ABSENT, wanted):
            if planned.plan is Plan.PUBLISH:
                await self._completeness.require(content_type, [planned.entry_id], unit.connection)
                unit.checks_published = False
            moment = None if planned.plan is Plan.UNPUBLISH else planned.due_at
            await unit.update(content_type, planned.entry_id, {PUBLISHED_AT: _shown(moment)})


def read_times(given: Mapping[str, Any]) -> dict[Plan, int | None]:
    """Return the times for `publishAt` and `unpublishAt` in a body. Raises ValidationError with the field's path."""
    unknown = next((name for name in given if name not in NAMES), None)
    if unknown is not None:
        raise ValidationError(f"Invalid key {unknown}: expected {' and '.join(NAMES)}")
    return {NAMES[name]: None if value is None else read_time(name, value) for name, value in given.items()}


def check_times(times: Mapping[Plan, int | None]) -> None:
    """Raise ValidationError for times in the past: they would publish immediately, with an earlier date."""
    now = this_moment()
    past = [name for name, plan in NAMES.items() if (due_at := times.get(plan)) is not None and due_at <= now]
    if past:
        raise ValidationError.from_problems([Problem((name,), _PAST[name]) for name in past])


def serialize_failure(failure: Failure) -> dict[str, str | None]:
    """Return a failure as the APIs show it."""
    moments = {"dueAt": _shown(failure.due_at), "failedAt": _shown(failure.failed_at)}
    return {"plan": failure.plan, **moments, "error": failure.error}


def read_time(name: str, value: object) -> int:
    """Return a time in milliseconds since 1970, from ISO 8601 text or a datetime (UTC by default)."""
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)  # type: ignore[arg-type]
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        milliseconds = round(aware.timestamp() * 1000)
    except (TypeError, ValueError, OverflowError):
        milliseconds = -1
    if not 0 <= milliseconds <= MOST_MOMENT:
        raise ValidationError(f"{name} must be a time such as 2026-01-31T09:30:00.000Z, or null")
    return milliseconds


def _text_of(problem: Problem) -> str:
    place = ".".join(problem.path)
    return problem.message if not place or place in problem.message else f"{place}: {problem.message}"


def _check_drafts(content_type: ContentType) -> None:
    if not content_type.draft_and_publish:
        raise ValidationError(f"{content_type.uid} has no drafts: its entries are always published")


def _shown(milliseconds: Any) -> str | None:
    moment = read_moment(milliseconds)
    return None if moment is None else moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
