"""Read user roles and the permissions they can have, with one query each. Shared by REST, GraphQL and the admin API."""

from dataclasses import replace
from typing import Any, Final

import orjson

from octavo.access.authorization.actions import ActionTree, action_tree
from octavo.content.controllers.content import ContentController
from octavo.content.reader import PreparedRead
from octavo.core.errors import NotFoundError
from octavo.query.ast import Page, Populate, Query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import ROLE

_EVERY_ONE: Final = Query(page=Page(with_count=False))
_WITH_USERS: Final = replace(_EVERY_ONE, populate=(Populate(name="users", query=Query(), count=True),))
_WITH_ACTIONS: Final = Query(populate=(Populate(name="permissions", query=Query(fields=("action",))),))


class RoleReading:
    """Reads user roles and the actions that they can be granted."""

    def __init__(self, controller: ContentController) -> None:
        self._controller = controller

    async def all(self) -> list[dict[str, Any]]:
        """Return all roles, with the number of their users (`nb_users`)."""
        found, _ = await self._controller.reads.find(self._prepare(_WITH_USERS, By.LIST))
        roles: list[dict[str, Any]] = orjson.loads(found)
        for role in roles:
            role["nb_users"] = role.pop("users")["count"]
        return roles

    async def one(self, role_id: int | None) -> dict[str, Any]:
        """Return a role with all actions, each enabled or not. Raises NotFoundError."""
        prepared = self._prepare(_WITH_ACTIONS, By.ID)
        found = None if role_id is None else await self._controller.reads.find_any(prepared.bind(id=role_id))
        if found is None:
            raise NotFoundError("Role not found")
        role: dict[str, Any] = orjson.loads(found)
        granted = {permission["action"] for permission in role["permissions"]}
        role["permissions"] = action_tree(self._controller.registry, granted, self._controller.own_actions)
        return role

    def actions(self) -> ActionTree:
        """Return all actions that can be granted, none enabled."""
        return action_tree(self._controller.registry, own=self._controller.own_actions)

    def _prepare(self, query: Query, by: By) -> PreparedRead:
        """Prepare a query without sanitizing it."""
        role = self._controller.registry.content_types[ROLE]
        own = ReadRequest(content_type=role, query=query, by=by, projection=Form.FLAT, drafts=Drafts.ANY)
        return self._controller.reads.prepare(own, None)
