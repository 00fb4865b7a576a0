"""The context object of resolvers and field middlewares."""

from typing import Any

from octavo.access.authorization.actor import Actor
from octavo.content.controllers.context import user_of
from octavo.core.values import dataclass
from octavo.project import Entry
from octavo.project.state import State


@dataclass(frozen=True, slots=True)
class Context:
    """The request, for resolvers and field middlewares."""

    app: Any
    actor: Actor
    client: str
    state: State

    async def user(self) -> Entry | None:
        """Return the user's entry, or None for API tokens and requests without credentials."""
        return await user_of(self.app, self.actor)
