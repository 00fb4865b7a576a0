"""Generate unused values for UID attributes, from an entry's title or a wanted value.

Callers need permission to read the field in all entries, or to write it, because a write reveals whether a value is
taken. Raises ForbiddenError otherwise, and ValidationError if the attribute is not a UID.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from octavo.access.authorization.ability import CREATE, FIND, UPDATE, Ability, reads_always
from octavo.content.controllers.reading import ContentReads
from octavo.content.slugs import slug
from octavo.core.errors import ForbiddenError, ValidationError
from octavo.query.answer import Plain
from octavo.query.ast import At, Compare, Page, Query
from octavo.query.operators import OPERATORS
from octavo.query.request import Drafts, ReadRequest
from octavo.schema.attributes import UID
from octavo.schema.content_types import ContentType

_ONE = Page(limit=1, with_count=False)
_ALL = Page(with_count=False)


class Uids:
    """Generates and looks up UID values."""

    def __init__(self, reads: ContentReads) -> None:
        self._reads = reads

    async def generate(self, uid: str, field: str, data: Mapping[str, Any], ability: Ability) -> str:
        """Return an unused value for an entry with this data."""
        content_type, attribute = self._attribute(uid, field, ability)
        called = data.get(attribute.target_field) if attribute.target_field else None
        text = called if isinstance(called, str) and called else content_type.singular_name
        wanted = slug(text, attribute.separator)
        wanted = wanted.lower() if attribute.lowercase else wanted
        if not await self._has(content_type, field, "$contains", wanted):
            return wanted
        return await self._free(content_type, attribute, wanted)

    async def suggest(self, uid: str, field: str, value: str, ability: Ability) -> str | None:
        """Return None if a value is unused, otherwise a similar unused value."""
        content_type, attribute = self._attribute(uid, field, ability)
        if not await self._has(content_type, field, "$eq", value):
            return None
        return await self._free(content_type, attribute, value)

    def _attribute(self, uid: str, field: str, ability: Ability) -> tuple[ContentType, UID]:
        content_type = self._reads.registry.content_types.get(uid)
        if content_type is None:
            raise ValidationError("ContentType not found")
        attribute = content_type.attributes.get(field)
        if not isinstance(attribute, UID):
            raise ValidationError(f"{field} must be a valid `uid` attribute")
        if not _may_know(ability, uid, field):
            raise ForbiddenError
        return content_type, attribute

    async def _free(self, content_type: ContentType, attribute: UID, wanted: str) -> str:
        """Return the first unused one of `wanted-1`, `wanted-2`, ..."""
        beginning = f"{wanted}{attribute.separator}"
        taken = set(await self._values(content_type, attribute.name, "$startsWith", beginning, _ALL))
        number = 1
        while f"{beginning}{number}" in taken:
            number += 1
        return f"{beginning}{number}"

    async def _has(self, content_type: ContentType, field: str, operator: str, value: str) -> bool:
        return bool(await self._values(content_type, field, operator, value, _ONE))

    async def _values(self, content_type: ContentType, field: str, operator: str, value: str, page: Page) -> list[str]:
        compare = Compare(operator=OPERATORS[operator], values=(value,))
        query = Query(filters=At(attribute=field, filter=compare), page=page)
        request = ReadRequest(content_type=content_type, query=query, projection=Plain(field), drafts=Drafts.ANY)
        values: list[str] = orjson.loads((await self._reads.find(self._reads.prepare(request, None)))[0])
        return values


def _may_know(ability: Ability, uid: str, field: str) -> bool:
    """Return whether the values of all entries are readable, or could be found out by writing."""
    if any(ability.may(action, uid) and ability.writes(uid, field, action) for action in (CREATE, UPDATE)):
        return True
    return ability.may(FIND, uid) and ability.scope(uid) is None and reads_always(ability, uid, field)
