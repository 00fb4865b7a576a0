"""The home page of the admin panel: recently changed entries, the actor's drafts, and scheduled entries.

Each content type is read as its list is, with the actor's permissions and conditions.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from octavo.access.authorization.ability import FIND, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.content.controllers.scheduling import ContentSchedules
from octavo.content.manager.configurations import Configurations
from octavo.content.manager.entries import ManagedEntries
from octavo.content.schedules import Plan, Planned
from octavo.core.clock import format_timestamp, this_moment
from octavo.schema.attributes import CREATED_BY, LOCALE, PUBLISHED_AT, UPDATED_AT, UPDATED_BY
from octavo.schema.content_types import USER, ContentType
from octavo.schema.managed import managed_types

Line = dict[str, Any]

MOST_TYPES: Final = 50
"""The maximum number of content types to read, with two queries each."""
MOST_LINES: Final = 10
"""The length of each list."""
MOST_CALENDAR: Final = 500
"""The maximum number of schedules in a calendar."""
_MOST_PLANS: Final = 200
_MOST_CHECKED: Final = 25
"""Scheduled drafts of a content type that are checked for missing values, the next ones first."""
_NEWEST: Final = {"sort": f"{UPDATED_AT}:DESC,id:DESC", "locale": "all"}


class RecentEntries:
    """Reads the lists. `schedules` is None if scheduling is not available."""

    def __init__(
        self, entries: ManagedEntries, configurations: Configurations, schedules: ContentSchedules | None
    ) -> None:
        self.registry = entries.registry
        self._entries = entries
        self._configurations = configurations
        self._schedules = schedules

    async def changed(self, actor: Actor) -> list[Line]:
        """Return the latest changed entries. Users are left out."""
        return _latest([line for one in self._types(actor) for line in await self._lines(one, _NEWEST, actor)])

    async def drafts(self, actor: Actor) -> list[Line]:
        """Return the drafts that the actor created or changed last, latest first."""
        mine = {"id": {"$eq": actor.creator_id}}
        filters = {PUBLISHED_AT: {"$null": True}, "$or": [{CREATED_BY: mine}, {UPDATED_BY: mine}]}
        types = [one for one in self._types(actor) if one.draft_and_publish]
        asked = {**_NEWEST, "filters": filters}
        return _latest([line for one in types for line in await self._lines(one, asked, actor)])

    async def planned(self, actor: Actor) -> list[Line]:
        """Return scheduled entries, the next first: `plan`, `due`, the `error` if it failed, and the `problems` of an
        incomplete entry to publish."""
        if self._schedules is None:
            return []
        types = {one.uid: one for one in self._types(actor) if one.draft_and_publish}
        plans = [plan for plan in await self._schedules.next(_MOST_PLANS) if plan.uid in types][:MOST_LINES]
        known = {uid: await self._of_ids(types[uid], plans, actor) for uid in {plan.uid for plan in plans}}
        remarks = {uid: await self._remarks(types[uid], plans, known[uid]) for uid in known}
        return [
            {
                **known[uid][entry_id],
                "plan": plan.value,
                "due": format_timestamp(due_at),
                **remarks[uid].get((entry_id, plan), {}),
            }
            for uid, entry_id, plan, due_at in plans
            if due_at is not None and entry_id in known[uid]
        ]

    async def planned_of(self, content_type: ContentType, actor: Actor) -> list[Line]:
        """Return a content-type's scheduled entries, with only `id`, `plan`, `due`, `error` and `problems`."""
        plans = [] if self._schedules is None else await self._schedules.next(_MOST_PLANS, content_type.uid)
        known = await self._of_ids(content_type, plans, actor)
        remarks = await self._remarks(content_type, plans, known)
        return [
            {"id": entry_id, "plan": plan.value, "due": format_timestamp(due_at), **remarks.get((entry_id, plan), {})}
            for _, entry_id, plan, due_at in plans
            if due_at is not None and entry_id in known
        ]

    async def calendar(self, start: int, end: int, actor: Actor) -> tuple[list[Line], bool]:
        """Return the schedules of entries that the actor can read, earliest first, and whether there are more.

        They are due from `start` to before `end`, in milliseconds since 1970. Runs one query, and one per content type
        that has schedules.
        """
        if self._schedules is None:
            return [], False
        ability = actor.ability
        types = {one.uid: one for one in managed_types(self.registry) if one.draft_and_publish}
        readable = [uid for uid in types if uid != USER and ability.may(FIND, uid)]
        planned = await self._schedules.between(start, end, readable, MOST_CALENDAR + 1)
        uids = list(dict.fromkeys(plan.uid for plan in planned))[:MOST_TYPES]
        plans = [plan for plan in planned[:MOST_CALENDAR] if plan.uid in uids]
        known = {uid: await self._of_ids(types[uid], plans, actor) for uid in uids}
        errors = {uid: await self._errors(uid, plans) for uid in uids}
        may_change = {uid: ability.may(UPDATE, uid) and ability.publishes(uid) for uid in uids}
        lines = [
            {
                **known[uid][entry_id],
                "plan": plan.value,
                "due": format_timestamp(due_at or 0),
                "mayChange": plan is not Plan.APPEAR and may_change[uid],
                **errors[uid].get((entry_id, plan), {}),
            }
            for uid, entry_id, plan, due_at in plans
            if entry_id in known[uid]
        ]
        return lines, len(plans) < len(planned)

    async def _remarks(
        self, content_type: ContentType, plans: Iterable[Planned], known: Mapping[int, Line]
    ) -> dict[tuple[int, str], Line]:
        """Return the `error` or the `problems` of schedules, by entry and plan."""
        uid, now = content_type.uid, this_moment()
        errors = await self._errors(uid, plans)
        drafts = [
            one.entry_id
            for one in plans
            if one.uid == uid and one.plan is Plan.PUBLISH and (one.due_at or 0) > now
            if one.entry_id in known and known[one.entry_id]["isDraft"]
        ]
        if self._schedules is not None and drafts:
            problems = await self._schedules.problems(content_type, drafts[:_MOST_CHECKED])
            errors.update({(one, Plan.PUBLISH.value): {"problems": missing} for one, missing in problems.items()})
        return errors

    async def _errors(self, uid: str, plans: Iterable[Planned]) -> dict[tuple[int, str], Line]:
        """Return the errors of failed schedules, by entry and plan. Runs a query only if one is overdue."""
        now = this_moment()
        if self._schedules is None or not any(one.uid == uid and (one.due_at or 0) <= now for one in plans):
            return {}
        failures = await self._schedules.failures(uid, _MOST_PLANS)
        return {(one.entry_id, one.plan): {"error": one.error} for one in failures}

    async def _of_ids(self, content_type: ContentType, plans: Iterable[Planned], actor: Actor) -> dict[int, Line]:
        ids = sorted({plan.entry_id for plan in plans if plan.uid == content_type.uid})
        if not ids:
            return {}
        asked = {"filters": {"id": {"$in": ids}}, "locale": "all"}
        return {line["id"]: line for line in await self._lines(content_type, asked, actor, len(ids))}

    def _types(self, actor: Actor) -> list[ContentType]:
        ability = actor.ability
        types = [one for one in managed_types(self.registry) if one.uid != USER and ability.may(FIND, one.uid)]
        return types[:MOST_TYPES]

    async def _lines(
        self, content_type: ContentType, asked: dict[str, Any], actor: Actor, most: int = MOST_LINES
    ) -> list[Line]:
        main = (await self._configurations.of(content_type))["settings"]["mainField"]
        names = (main, UPDATED_AT, UPDATED_BY, PUBLISHED_AT, LOCALE)
        entries = await self._entries.lines(content_type, asked, names, most, actor)
        return [_line(content_type, main, entry) for entry in entries]


def _line(content_type: ContentType, main: str, entry: dict[str, Any]) -> Line:
    name = entry.get(main)
    return {
        "uid": content_type.uid,
        "id": entry["id"],
        "name": str(entry["id"] if name in (None, "") else name),
        "locale": entry.get(LOCALE),
        "isDraft": content_type.draft_and_publish and entry.get(PUBLISHED_AT) is None,
        "updatedAt": entry.get(UPDATED_AT),
        "updatedBy": entry.get(UPDATED_BY),
    }


def _latest(lines: list[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line["updatedAt"] or "", reverse=True)[:MOST_LINES]
