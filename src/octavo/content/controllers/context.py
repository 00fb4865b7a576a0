"""The request context for a project's code, independent of the API."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal

from octavo.access.authorization.actor import Actor
from octavo.core.errors import PolicyError
from octavo.core.values import dataclass
from octavo.project.named_handlers import Used
from octavo.project.results import Entry
from octavo.project.state import State
from octavo.schema.content_types import USER


async def user_of(app: Any, actor: Actor) -> Entry | None:
    """Return the signed-in user; None for API tokens and anonymous requests."""
    if actor.kind != "user" or actor.id is None:
        return None
    user: Entry | None = await app.entries(USER).find_one(actor.id)
    return user


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """The request that a policy decides on: a REST request, or one call of a GraphQL field."""

    door: Literal["rest", "graphql"]
    app: Any
    actor: Actor
    state: State
    args: Mapping[str, Any]
    params: Mapping[str, Any] = field(default_factory=dict)
    request: Any = None
    parent: Any = None
    context: Any = None
    info: Any = None

    async def user(self) -> Entry | None:
        """Return the user's entry, or None for API tokens and requests without credentials."""
        if self.request is not None:
            known: Entry | None = await self.request.user()
            return known
        return await user_of(self.app, self.actor)


async def run_policies(policies: Iterable[Used], context: PolicyContext) -> None:
    """Call each policy in order. Raises PolicyError if one returns a false value."""
    for policy in policies:
        if not await policy.function(context, policy.config):
            raise PolicyError
