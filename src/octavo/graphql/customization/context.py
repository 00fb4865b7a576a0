"""What resolvers and the middlewares of fields are told of a request."""

from typing import Any

from octavo.authorization.actor import Actor
from octavo.project import Entry
from octavo.project.context import user_of
from octavo.project.state import State
from octavo.values import dataclass


@dataclass(frozen=True, slots=True)
class Context:
    """What a project's code is told of a request. `app` is the handle that `register` got too; `state` is shared by all
    code of the request."""

    app: Any
    actor: Actor
    client: str
    state: State

    async def user(self) -> Entry | None:
        """The user who asks, or None: for API tokens and for those who are not logged in."""
        return await user_of(self.app, self.actor)
