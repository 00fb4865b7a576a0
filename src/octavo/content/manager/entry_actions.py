"""EntryActions: publish, unpublish, copy and delete entries for administrators, individually or in bulk.

Each is one transaction. Raises NotFoundError, ForbiddenError, ValidationError, ApplicationError and
BadRequestError.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from octavo.access.authorization.ability import FIND
from octavo.access.authorization.actor import Actor
from octavo.content.completeness import missing_in
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.write_policy import Write
from octavo.content.controllers.writing import DELETE
from octavo.content.entry_snapshot import as_data
from octavo.content.entry_unit import EntryUnit
from octavo.content.localization_families import NewEntry
from octavo.content.manager.duplication import copied, prohibited_fields
from octavo.content.manager.entry_writes import EntryWrites
from octavo.content.manager.snapshot_reader import SnapshotReader
from octavo.content.reader import EntryReader
from octavo.core.clock import this_moment
from octavo.core.errors import (
    ApplicationError,
    BadRequestError,
    ForbiddenError,
    NotFoundError,
    Problem,
    ValidationError,
)
from octavo.schema.attributes import LOCALE, PUBLISHED_AT
from octavo.schema.content_types import ContentType

PUBLISH: Final = "publish"
MOST_AT_ONCE: Final = 1_000
"""The maximum number of entries per request, because one transaction locks them all."""
_NOT_COPIED: Final = (
    "Entity could not be cloned as it has unique and/or relational fields. Please edit those fields manually and save"
    " to complete the cloning."
)


class EntryActions:
    """Runs actions on existing entries."""

    def __init__(self, controller: ContentController, reader: EntryReader, writes: EntryWrites) -> None:
        self.registry = controller.registry
        self._writer = controller.writer
        self._content = writes.content
        self._writes = writes
        self._policy = writes.policy
        self._families = controller.writer.families
        self._responses = writes.responses
        self._snapshots = SnapshotReader(reader)

    async def publish(
        self, content_type: ContentType, entry_id: int, actor: Actor, *, published: bool, seen: str | None = None
    ) -> bytes:
        """Publish a complete draft, or unpublish an entry if `published` is False.

        `seen`: the `updatedAt` that the client has read, if it matters. Raises EntryChanged if it is outdated.
        """
        answer = self._responses.prepare_response(content_type, actor.ability)

        async def work(unit: EntryUnit) -> bytes:
            await self._families.lock_family(unit, content_type, entry_id)
            await self._policy.check_access(unit, content_type, entry_id, actor, PUBLISH)
            await self._writes.seen.check(unit, content_type, entry_id, actor, seen)
            await unit.lock_entry(content_type, entry_id)
            entry = await self._snapshots.read_entry(unit, content_type, entry_id)
            if entry is None:
                raise NotFoundError
            if (entry[PUBLISHED_AT] is not None) == published:
                raise ApplicationError("already.published" if published else "already.draft")
            if published:
                self._check_complete(content_type, entry)
            unit.checks_published = False
            await unit.update(content_type, entry_id, _publication(published), actor_id=actor.creator_id)
            await self._policy.check_result(unit, content_type, entry_id, actor, PUBLISH)
            shown = await self._content.answer(answer, entry_id, unit)
            await self._families.copy_shared(unit, content_type, entry_id)
            return shown

        return await self._writer.run(work, about=content_type)

    async def publish_many(
        self, content_type: ContentType, ids: Iterable[int | None], actor: Actor, *, published: bool
    ) -> int:
        """Publish or unpublish several entries, all or none; return how many changed."""
        moment = this_moment() if published else None
        return await self._publish_all(content_type, dict.fromkeys(ids, moment), actor, published=published)

    async def incomplete(
        self, content_type: ContentType, ids: Iterable[int | None], actor: Actor
    ) -> list[tuple[int, list[Problem]]]:
        """Return the drafts among these entries that cannot be published, sorted by id, each with its problems."""
        wanted = _wanted(ids)
        async with self._writer.open_reading() as unit:
            found = await self._check_access(unit, content_type, wanted, actor)
            entries = await self._snapshots.read_entries(unit, content_type, found)
        drafts = [entry for entry in entries if entry[PUBLISHED_AT] is None]
        checked = ((int(entry["id"]), self._missing(content_type, entry)) for entry in drafts)
        return [(entry_id, problems) for entry_id, problems in checked if problems]

    async def publish_as_before(
        self, content_type: ContentType, moments: Mapping[int | None, int], actor: Actor
    ) -> int:
        """Publish drafts with their previous publication dates (milliseconds since 1970), to undo an unpublish.

        All or none; return how many changed. Published entries stay as they are.
        """
        return await self._publish_all(content_type, moments, actor, published=True)

    async def _publish_all(
        self, content_type: ContentType, moments: Mapping[int | None, int | None], actor: Actor, *, published: bool
    ) -> int:
        """Set the publication dates of entries by id, except those that are already published or drafts."""
        wanted = _wanted(moments)

        async def work(unit: EntryUnit) -> int:
            ids = await self._enter_all(unit, content_type, wanted, actor)
            entries = await self._snapshots.read_entries(unit, content_type, ids)
            changing = [entry for entry in entries if (entry[PUBLISHED_AT] is not None) != published]
            of_moment: dict[int | None, list[int]] = {}
            for entry in changing:
                if published:
                    self._check_complete(content_type, entry)
                of_moment.setdefault(moments[entry["id"]], []).append(entry["id"])
            unit.checks_published = False
            counts = [await unit.update_many(content_type, of_moment[at], {PUBLISHED_AT: at}) for at in of_moment]
            return sum(counts)

        return await self._writer.run(work, grouped=False, about=content_type)

    async def delete_many(self, content_type: ContentType, ids: Iterable[int | None], actor: Actor) -> int:
        """Delete the entries that the actor can delete; return their number."""
        wanted = [one for one in _wanted(ids) if one is not None]

        async def work(unit: EntryUnit) -> int:
            unit.removes_many = True
            known = await self._snapshots.existing_ids(
                unit, content_type, wanted, actor.ability.scope(content_type.uid, DELETE)
            )
            return await unit.delete_many(content_type, known) if known else 0

        return await self._writer.run(work, grouped=False, about=content_type)

    async def clone(self, content_type: ContentType, entry_id: int, write: Write, actor: Actor) -> bytes:
        """Create a copy of an entry, as a draft if the type has drafts, in the same locale but without localizations.

        It contains what the actor can read and create of the original, and what the actor can create of the body.
        """
        answer = self._responses.prepare_response(content_type, actor.ability)

        async def start(unit: EntryUnit, data: Mapping[str, Any]) -> NewEntry:
            await self._policy.check_access(unit, content_type, entry_id, actor, FIND)
            source = await self._snapshots.read_copy(unit, content_type, entry_id, actor.ability)
            if source is None:
                raise NotFoundError
            held = as_data(self.registry, content_type, source)
            return NewEntry(copied(self.registry, content_type, held, data, actor.ability), source.get(LOCALE))

        return await self._content.create(content_type, write, answer, actor, start=start)

    async def auto_clone(self, content_type: ContentType, entry_id: int, actor: Actor) -> bytes:
        """Create an unchanged copy of an entry. Raises BadRequestError if an attribute cannot be duplicated."""
        prohibited = list(prohibited_fields(self.registry, content_type))
        if prohibited:
            raise BadRequestError(_NOT_COPIED, {"prohibitedFields": [[path, reason] for path, reason in prohibited]})
        return await self.clone(content_type, entry_id, Write({}), actor)

    def _check_complete(self, content_type: ContentType, entry: Mapping[str, Any]) -> None:
        missing = self._missing(content_type, entry)
        if missing:
            raise ValidationError.from_problems(missing)

    def _missing(self, content_type: ContentType, entry: Mapping[str, Any]) -> list[Problem]:
        return missing_in(self.registry, content_type, entry, strict=self._writer.rules.strict)

    async def _enter_all(
        self, unit: EntryUnit, content_type: ContentType, wanted: Sequence[int | None], actor: Actor
    ) -> list[int]:
        """Lock these entries and return their ids; raise as `_check_access`."""
        await unit.lock_entries(content_type, [one for one in wanted if one is not None])
        return await self._check_access(unit, content_type, wanted, actor)

    async def _check_access(
        self, unit: EntryUnit, content_type: ContentType, wanted: Sequence[int | None], actor: Actor
    ) -> list[int]:
        """Return the ids of these entries. Raises NotFoundError if one is missing, and ForbiddenError if the actor
        cannot publish one."""
        ids = [one for one in wanted if one is not None]
        if len(await self._snapshots.existing_ids(unit, content_type, ids)) < len(wanted):
            raise NotFoundError
        scope = actor.ability.scope(content_type.uid, PUBLISH)
        if scope is not None and len(await self._snapshots.existing_ids(unit, content_type, ids, scope)) < len(wanted):
            raise ForbiddenError
        return ids


def _publication(published: bool) -> dict[str, Any]:
    return {PUBLISHED_AT: this_moment() if published else None}


def _wanted(ids: Iterable[int | None]) -> list[int | None]:
    """Return each id once. Raises ValidationError for more than one transaction can lock."""
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > MOST_AT_ONCE:
        raise ValidationError(f"At most {MOST_AT_ONCE} entries can be changed at once, got {len(wanted)}")
    return wanted
