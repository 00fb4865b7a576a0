"""A set of entries with known values, for tests of read permissions: each value of stories, badges and topics is one of
two.

A cell is a field of an entry. Grants decide which cells a user can read; a user must not be able to find out which of
its two values any other cell has.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tests.api.admin.newsroom import BADGE, IS_CREATOR, STORY, TOPIC, Newsroom
from tests.models.people import write

Cell = tuple[str, int, str]
"""UID, id, field."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    STORY: ("title", "code", "words", "secret", "teaser.text", "teaser.by", "links.text", "parts", "badges", "lead"),
    BADGE: ("label", "stories"),
    TOPIC: ("name", "code", "box.text"),
}
TEXTS = ("title", "code", "secret", "label", "name")
TO_ONE = (("lead", "storys_lead_links", "story_id"), ("teaser.by", "c_teasers_by_links", "teaser_id"))


@dataclass(frozen=True)
class Right:
    """A permission to read."""

    uid: str
    fields: tuple[str, ...]
    own: bool = False
    locales: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """An entry, its creator and its locale."""

    uid: str
    id: int
    by: int
    locale: str = ""
    inside: Mapping[str, int] = field(default_factory=dict)
    """The ids of its components, by field."""


class World:
    """All entries of a newsroom."""

    def __init__(self, newsroom: Newsroom, entries: list[Entry]) -> None:
        self.newsroom = newsroom
        self.database = newsroom.office.club.database
        self.entries = entries

    def of(self, uid: str) -> list[Entry]:
        return [one for one in self.entries if one.uid == uid]

    def holds(self, right: Right, entry: Entry, reader: int = 2) -> bool:
        """Return whether a permission covers an entry."""
        fits = right.uid == entry.uid and (not right.own or entry.by == reader)
        return fits and (not entry.locale or entry.locale in right.locales)

    def known(self, rights: Iterable[Right]) -> set[Cell]:
        """Return the cells that the permissions make readable."""
        pairs = [(entry, right) for entry in self.entries for right in rights if self.holds(right, entry)]
        return {(entry.uid, entry.id, field) for entry, right in pairs for field in right.fields}

    async def turn(self, turned: set[Cell]) -> None:
        """Set the given cells to their second value and all others to their first one, directly in the database."""
        for uid, table in ((STORY, "storys"), (BADGE, "badges"), (TOPIC, "topics")):
            for name in set(FIELDS[uid]) & set(TEXTS):
                await self._set(table, name, self._ids(uid, name, turned), "'omega-' || id", "'alpha-' || id")
        await self._set("storys", "words", self._ids(STORY, "words", turned), "1000 - id", "id")
        for place, table in (("teaser.text", "c_teasers"), ("links.text", "c_teasers"), ("box.text", "c_notes")):
            found = [one for one in self.entries if place in FIELDS[one.uid]]
            ids = [one.inside[place.split(".")[0]] for one in found if (one.uid, one.id, place) in turned]
            every = [one.inside[place.split(".")[0]] for one in found]
            await self._set(table, "text", ids, "'omega-' || id", "'alpha-' || id", every)
        parts = [one.inside["parts"] for one in self.of(STORY) if (STORY, one.id, "parts") in turned]
        every = [one.inside["parts"] for one in self.of(STORY)]
        await self._set("c_notes", "text", parts, "'omega-' || id", "'alpha-' || id", every)
        await self._link(turned)

    def _ids(self, uid: str, field: str, turned: set[Cell]) -> list[int]:
        return [one.id for one in self.of(uid) if (uid, one.id, field) in turned]

    async def _set(
        self, table: str, column: str, ids: list[int], other: str, first: str, every: list[int] | None = None
    ) -> None:
        case = f"CASE WHEN id IN ({_listed(ids)}) THEN {other} ELSE {first} END"
        where = "" if every is None else f" WHERE id IN ({_listed(every)})"
        await self.database.execute(f"UPDATE {table} SET {column} = {case}{where}")

    async def _link(self, turned: set[Cell]) -> None:
        """Link each `lead` to the first badge or to the last one, and each badge to the story or not."""
        badges = [one.id for one in self.of(BADGE)]
        for place, table, column in TO_ONE:
            await self.database.execute(f"DELETE FROM {table}")
            for one in self.of(STORY):
                badge = badges[-1] if (STORY, one.id, place) in turned else badges[0]
                source = one.id if place == "lead" else one.inside["teaser"]
                await write(
                    self.database, f"INSERT INTO {table} ({column}, badge_id) VALUES ({{v1}}, {{v2}})", source, badge
                )
        await self.database.execute("DELETE FROM storys_badges_links")
        text = """INSERT INTO storys_badges_links (story_id, badge_id, badge_order, story_order)
            VALUES ({v1}, {v2}, {v3}, {v4})"""
        for one in self.of(STORY):
            for badge in badges:
                if not {(STORY, one.id, "badges"), (BADGE, badge, "stories")} <= turned:
                    await write(self.database, text, one.id, badge, badge, one.id)

    def turned(self, known: set[Cell], *, linked: bool) -> set[Cell]:
        """Return all cells that are not known. With `linked`, leave out those that lists of related entries show:
        labels, names and codes.
        """
        cells = {(entry.uid, entry.id, field) for entry in self.entries for field in FIELDS[entry.uid]}
        by_links = {cell for cell in cells if linked and cell[2] in ("label", "name", "code")}
        return cells - known - by_links

    async def grant(self, roles: Iterable[Iterable[Right]]) -> None:
        """Replace the permissions of editors and authors with these."""
        await self.newsroom.allow_nothing()
        for code, rights in zip(("strapi-editor", "strapi-author"), roles, strict=True):
            for right in rights:
                locales = right.locales if right.uid == TOPIC else None
                conditions = [IS_CREATOR] if right.own else ()
                await self.newsroom.allow(
                    "read", right.uid, *right.fields, locales=locales, conditions=conditions, role=code
                )


def _listed(ids: Iterable[int]) -> str:
    return ", ".join(map(str, ids)) or "0"


async def make_world(newsroom: Newsroom) -> World:
    """Create four badges, five stories and two topics in two languages, by Ada (1) and Edi (2) in turn."""
    database = newsroom.office.club.database
    for table in ("storys", "badges", "topics"):
        await database.execute(f"DELETE FROM {table}")
    entries = []
    for number in range(4):
        made = await newsroom.make("badge.badge", {"label": f"b{number}"})
        entries.append(Entry(BADGE, made["id"], 1 + number % 2))
    for number in range(5):
        body = {
            "title": f"s{number}",
            "teaser": {"text": "t"},
            "links": [{"text": "l"}],
            "parts": [{"__component": "shared.note", "text": "n"}],
        }
        made = await newsroom.make("story.story", body)
        inside = {"teaser": made["teaser"]["id"], "links": made["links"][0]["id"], "parts": made["parts"][0]["id"]}
        entries.append(Entry(STORY, made["id"], 1 + number % 2, inside=inside))
    for number in range(2):
        made = await newsroom.make("topic.topic", {"name": f"n{number}", "box": {"text": "x"}})
        entries.append(Entry(TOPIC, made["id"], 1 + number % 2, "en", {"box": made["box"]["id"]}))
        target = f"topic.topic?locale=fr&relatedEntityId={made['id']}"
        other = await newsroom.make(target, {"name": f"f{number}"})
        entries.append(Entry(TOPIC, other["id"], 1 + number % 2, "fr", {"box": other["box"]["id"]}))
    for table, uid in (("storys", STORY), ("badges", BADGE), ("topics", TOPIC)):
        for one in entries:
            if one.uid == uid:
                await database.execute(f"UPDATE {table} SET created_by_id = {one.by} WHERE id = {one.id}")
    text = "INSERT INTO admin_users_roles_links (user_id, role_id) SELECT 2, id FROM admin_roles WHERE code = {v1}"
    await write(database, text, "strapi-author")
    return World(newsroom, entries)


def generated(seed: int) -> tuple[tuple[Right, ...], tuple[Right, ...]]:
    """Return random read permissions for a user's two roles."""
    chance = random.Random(seed)

    def role() -> tuple[Right, ...]:
        rights = []
        for uid, fields in FIELDS.items():
            if chance.random() < 0.75:
                some = tuple(name for name in fields if chance.random() < 0.5) or fields[:1]
                locales = ("en",) if chance.random() < 0.5 else ("en", "fr")
                rights.append(Right(uid, some, chance.random() < 0.5, locales if uid == TOPIC else ()))
        return tuple(rights)

    return role(), role()
