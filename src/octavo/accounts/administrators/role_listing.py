"""Read administrator roles, and the catalog of permissions that they can have."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.content.controllers.reading import ContentReads
from octavo.core.errors import NotFoundError
from octavo.database.connection import Database
from octavo.query.answer import Count, Object, Plain
from octavo.query.ast import Page, Query
from octavo.query.params import read_query
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.content_types import ADMIN_ROLE

_SHOWN: Final = Object(
    (
        ("id", Plain(None)),
        *((name, Plain(name)) for name in ("name", "code", "description", "createdAt", "updatedAt")),
        ("usersCount", Count("users", linked=True)),
    )
)
_ALL: Final = Page(with_count=False)
_LOCALES: Final = "SELECT code, name FROM i18n_locale ORDER BY id"


class RoleListing:
    """Reads roles and the permission catalog."""

    def __init__(self, database: Database, reads: ContentReads, rights: AbilityBuilder) -> None:
        self._database = database
        self._reads = reads
        self._rights = rights
        self._type = reads.registry.content_types[ADMIN_ROLE]

    async def find(self, params: Mapping[str, Any], ability: Ability) -> Any:
        """Return the roles that match `filters` and `_q`, sorted by `sort`, without pages."""
        asked = read_query({name: params[name] for name in ("filters", "sort", "_q") if name in params})
        query = Query(filters=asked.filters, sort=asked.sort, search=asked.search, page=_ALL)
        query = self._reads.sanitize(query, self._type, ability)
        request = ReadRequest(content_type=self._type, query=query, projection=_SHOWN, drafts=Drafts.ANY)
        return orjson.loads((await self._reads.find(self._reads.prepare(request, ability)))[0])

    async def find_one(self, role_id: int, ability: Ability) -> Any:
        """Return a role. Raises NotFoundError."""
        request = ReadRequest(content_type=self._type, by=By.ID, projection=_SHOWN, drafts=Drafts.ANY)
        found = await self._reads.find_any(self._reads.prepare(request, ability).bind(id=role_id))
        if found is None:
            raise NotFoundError("role.notFound")
        return orjson.loads(found)

    async def catalogue(self) -> dict[str, Any]:
        """Return the catalog of permissions, with the conditions."""
        locales = await self._database.fetch_all(_LOCALES)
        return self._rights.catalogue.serialize(
            self._rights.conditions.values(), [(code, name) for code, name in locales]
        )
