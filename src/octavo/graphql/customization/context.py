"""What a project's code is told of a request. Knows graphql-core by type only, so that it costs no start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from octavo.authorization.actor import Actor
from octavo.project import Entry
from octavo.schema.uids import USER

if TYPE_CHECKING:
    from graphql import GraphQLResolveInfo


@dataclass(frozen=True, slots=True)
class Context:
    """What a project's code is told of a request. `app` is the handle that `register` got too."""

    app: Any
    actor: Actor
    client: str

    async def user(self) -> Entry | None:
        """The user who asks, or None: for API tokens and for those who are not logged in."""
        if self.actor.kind != "user" or self.actor.id is None:
            return None
        found: Entry | None = await self.app.entries(USER).find_one(self.actor.id)
        return found


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """What a policy is asked about: one call of one field."""

    parent: Any
    args: Mapping[str, Any]
    context: Context
    info: "GraphQLResolveInfo"

    @property
    def app(self) -> Any:
        """The handle that `register` got too."""
        return self.context.app

    @property
    def actor(self) -> Actor:
        """Who asks."""
        return self.context.actor
