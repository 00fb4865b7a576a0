"""FileUses: find the entries that use a file, directly or in components, as far as the actor can read them."""

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import FIND, Ability, reads_always
from octavo.access.authorization.actor import Actor
from octavo.content.component_owners import ComponentOwners
from octavo.content.controllers.reading import ContentReads
from octavo.content.manager.layouts import main_field
from octavo.content.manager.snapshot_reader import chosen_by_ids
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.answer import Object, Plain
from octavo.query.ast import ALL_LOCALES, Query
from octavo.query.request import Drafts, ReadRequest
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.attributes import LOCALE
from octavo.schema.content_types import Component, ContentType
from octavo.schema.managed import is_managed

MOST: Final = 100
"""The maximum number of uses to check."""
_MORPHS: Final = RawStatement(
    "SELECT related_type, related_id, field FROM files_related_morphs WHERE file_id = {file} ORDER BY id LIMIT {most}"
)
_Places = dict[int, str]


@dataclass(frozen=True, slots=True)
class FileUse:
    """An entry that uses a file: its title, its locale if it is localized, and the path of the field."""

    content_type: ContentType
    entry_id: int
    label: str
    locale: str | None
    field: str


class FileUses:
    """Finds the entries that use files."""

    def __init__(self, database: Database, reads: ContentReads, owners: ComponentOwners) -> None:
        self._database = database
        self._reads = reads
        self._registry = reads.registry
        self._owners = owners

    async def of(self, file_id: int, actor: Actor) -> tuple[list[FileUse], int]:
        """Return where a file is used, and the number of further entries that the actor cannot read."""
        places = await self._places(file_id)
        uses: list[FileUse] = []
        for uid, entries in places.items():
            content_type = self._registry.content_types[uid]
            known = {one: field for one, field in entries.items() if _knows(actor.ability, uid, field)}
            names = await self._names(content_type, list(known), actor)
            uses += (FileUse(content_type, one, *names[one], field) for one, field in known.items() if one in names)
        return uses, sum(map(len, places.values())) - len(uses)

    async def _places(self, file_id: int) -> Mapping[str, _Places]:
        """Return the entries that use the file, by content type UID, each with the path of a field."""
        statement = _MORPHS.bind(self._database.dialect, file=file_id, most=MOST)
        places: dict[str, _Places] = {}
        for kind, related, field in await self._database.fetch_all(*statement):
            component = self._registry.components.get(str(kind))
            if component is not None:
                for uid, entry_id, way in await self._holders(component, int(related)):
                    places.setdefault(uid, {}).setdefault(entry_id, f"{way}{field}")
            elif (content_type := self._registry.content_types.get(str(kind))) is not None and is_managed(content_type):
                places.setdefault(content_type.uid, {}).setdefault(int(related), str(field))
        return places

    async def _holders(self, component: Component, component_id: int) -> list[tuple[str, int, str]]:
        owners = await self._owners.of(component, component_id)
        managed = (owner for owner in owners if is_managed(owner.content_type))
        return [(one.content_type.uid, one.entry_id, one.place.way) for one in islice(managed, MOST)]

    async def _names(
        self, content_type: ContentType, ids: list[int], actor: Actor
    ) -> dict[int, tuple[str, str | None]]:
        """Return the titles and locales of entries that the actor can read; the id if the title is not readable."""
        ability, uid = actor.ability, content_type.uid
        if not ids or not ability.may(FIND, uid):
            return {}
        main = main_field(content_type)
        knows_name = main != "id" and reads_always(ability, uid, main)
        named = {"name": main} if knows_name else {}
        located = {LOCALE: LOCALE} if content_type.localized else {}
        members = (("id", Plain(None)), *((name, Plain(column)) for name, column in (named | located).items()))
        request = ReadRequest(
            content_type=content_type,
            query=Query(filters=chosen_by_ids(ids), locales=(ALL_LOCALES,) if content_type.localized else None),
            projection=Object(members),
            drafts=Drafts.SHOWN,
        )
        entries, _ = await self._reads.find(self._reads.prepare(request, ability))
        read: list[dict[str, Any]] = orjson.loads(entries)
        return {one["id"]: (str(one.get("name") or one["id"]), one.get(LOCALE)) for one in read}


def _knows(ability: Ability, uid: str, field: str) -> bool:
    """Return whether a field can be read, directly or as part of a dynamic zone."""
    way = field.split(".")
    return any(reads_always(ability, uid, ".".join(way[:length])) for length in range(1, len(way) + 1))
