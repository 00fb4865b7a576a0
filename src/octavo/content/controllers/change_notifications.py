"""Change notifications: which changes an audience hears about. Only entries that `find` shows it.

A change is reported if the audience could read the entry at that time and still can. If it could and cannot any more,
the change is reported as a deletion. Other changes are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

import orjson

from octavo.access.authorization.ability import FIND, Ability
from octavo.access.authorization.actions import action_on
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import PreparedRead
from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind, Presence
from octavo.events.journal import JournalRow
from octavo.query.ast import ALL_LOCALES, At, Compare, Page, PublicationState, Query
from octavo.query.operators import OPERATORS
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import FILE, ContentType

_MOST_REMEMBERED: Final = 10_000
"""The number of reported entries to remember, for an audience with scopes."""

Place = tuple[str, int]
"""A content-type's UID and an entry's id."""
Looks = dict[tuple[str, ...], frozenset[int]]
"""The results of checking a batch of rows, shared by audiences with the same permissions."""


@dataclass(slots=True, eq=False)
class Audience:
    """Subscribers with the same permissions and options. `state` is the publication state they would pass to `find`;
    `with_entries`: notifications contain the entries.

    If an ability has a scope, Octavo cannot know which entries it included before a change. So it remembers the entries
    it has reported.
    """

    ability: Ability
    state: PublicationState = PublicationState.LIVE
    with_entries: bool = False
    remembered: dict[Place, None] = field(default_factory=dict)
    entries: dict[str, PreparedRead] = field(default_factory=dict)

    def remember(self, place: Place) -> None:
        """Remember a reported entry; the oldest one is dropped if there are too many."""
        self.remembered.pop(place, None)
        self.remembered[place] = None
        if len(self.remembered) > _MOST_REMEMBERED:
            del self.remembered[next(iter(self.remembered))]


@dataclass(frozen=True, slots=True)
class ChangeNotification:
    """A change to report: its name (`entry.update`), whether the entry is gone, and the entry if requested.

    An entry that exceeds the maximum response size is left out.
    """

    row: JournalRow
    name: str
    gone: bool = False
    entry: bytes | None = None


class VisibleChanges:
    """Selects the changes to report, by reading the entries as `find` does."""

    def __init__(self, reads: ContentReads, uids: Iterable[str]) -> None:
        self._reads = reads
        self.types: Mapping[str, ContentType] = {uid: reads.registry.content_types[uid] for uid in uids}
        """The content types whose changes are reported."""

    def may_find(self, uid: str, ability: Ability) -> bool:
        """Return whether changes of a content type can be reported to this ability at all."""
        return uid in self.types and ability.allows(action_on(uid, FIND))

    async def visible_changes(
        self, rows: Iterable[JournalRow], audience: Audience, looks: Looks
    ) -> list[ChangeNotification]:
        """Return the changes to report to an audience, in order. `looks` is shared by all audiences of these rows.

        Raises ServiceUnavailable.
        """
        concerning = [row for row in rows if self.may_find(row.change.uid, audience.ability)]
        seen = {
            uid: await self._visible_entries(
                self.types[uid], [row.change.id for row in concerning if row.change.uid == uid], audience, looks
            )
            for uid in {row.change.uid for row in concerning}
        }
        reports = [self._report(row, audience, is_seen=row.change.id in seen[row.change.uid]) for row in concerning]
        changes = [one for one in reports if one is not None]
        return await self._with_entries(changes, audience) if audience.with_entries else changes

    def _report(self, row: JournalRow, audience: Audience, *, is_seen: bool) -> ChangeNotification | None:
        change, ability = row.change, audience.ability
        place = (change.uid, change.id)
        least = self._least(self.types[change.uid], audience)
        is_scoped = ability.scope(change.uid) is not None
        was_seen = place in audience.remembered if is_scoped else change.was >= least
        family = "media" if change.uid == FILE else "entry"
        if is_seen and change.became >= least:
            if is_scoped:
                audience.remember(place)
            return ChangeNotification(row, f"{family}.{change.kind}")
        if is_seen or not was_seen:
            return None
        audience.remembered.pop(place, None)
        stays = change.kind is not ChangeKind.DELETE and self._has_visible_drafts(self.types[change.uid], ability)
        return ChangeNotification(row, f"{family}.unpublish" if stays else f"{family}.delete", gone=True)

    def _least(self, content_type: ContentType, audience: Audience) -> Presence:
        """Return the minimum presence of an entry for this audience to see it."""
        return Presence.LIVE if self._state(content_type, audience) is PublicationState.LIVE else Presence.DRAFT

    def _state(self, content_type: ContentType, audience: Audience) -> PublicationState:
        hidden = not self._reads.can_read_drafts(content_type.uid, audience.ability)
        return PublicationState.LIVE if hidden else audience.state

    def _has_visible_drafts(self, content_type: ContentType, ability: Ability) -> bool:
        """Return whether the audience can read drafts, so an entry that is no longer live may still exist for it."""
        return content_type.draft_and_publish and self._reads.can_read_drafts(content_type.uid, ability)

    async def _visible_entries(
        self, content_type: ContentType, ids: Sequence[int], audience: Audience, looks: Looks
    ) -> frozenset[int]:
        """Return the entries that `find` shows now, in any locale."""
        state, ability = self._state(content_type, audience), audience.ability
        scoped = ability.key if ability.scope(content_type.uid) is not None else ""
        key = (content_type.uid, state.value, scoped)
        if key not in looks:
            looks[key] = await self._find(content_type, sorted(set(ids)), state, ability)
        return looks[key]

    async def _find(
        self, content_type: ContentType, ids: Sequence[int], state: PublicationState, ability: Ability
    ) -> frozenset[int]:
        query = Query(
            filters=At(attribute="id", filter=Compare(operator=OPERATORS["$in"], values=tuple(ids))),
            locales=(ALL_LOCALES,),
            publication_state=state,
            page=Page(limit=len(ids), with_count=False),
        )
        request = ReadRequest(content_type=content_type, query=query, projection=Form.ID)
        visible, _ = await self._reads.find(self._reads.prepare(request, ability))
        return frozenset(int(one) for one in orjson.loads(visible))

    async def _with_entries(
        self, changes: Sequence[ChangeNotification], audience: Audience
    ) -> list[ChangeNotification]:
        """Add the entries, each read once; changes whose entry is no longer visible are left out."""
        read: dict[Place, bytes | ValidationError | None] = {}
        shown: list[ChangeNotification] = []
        for one in changes:
            if one.gone:
                shown.append(one)
                continue
            place = (one.row.change.uid, one.row.change.id)
            if place not in read:
                read[place] = await self._entry(place, audience)
            entry = read[place]
            if isinstance(entry, bytes):
                shown.append(ChangeNotification(one.row, one.name, entry=entry))
            elif entry is not None:
                shown.append(one)
        return shown

    async def _entry(self, place: Place, audience: Audience) -> bytes | ValidationError | None:
        uid, entry_id = place
        prepared = audience.entries.get(uid)
        if prepared is None:
            request = ReadRequest(
                content_type=self.types[uid],
                query=Query(publication_state=self._state(self.types[uid], audience)),
                by=By.ID,
                projection=Form.FLAT if uid == FILE else Form.REST,
                drafts=Drafts.ASKED,
            )
            prepared = audience.entries[uid] = self._reads.prepare(request, audience.ability)
        try:
            return await self._reads.find_any(prepared.bind(id=entry_id))
        except ValidationError as error:  # exceeds the maximum response size
            return error
