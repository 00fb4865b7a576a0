"""What the builder's door asks: it hands a plan to the process, which makes it and serves what has become of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from octavo.builder.plans import MakePlan
from octavo.errors import ForbiddenError

Change = Callable[[MakePlan], Awaitable[str]]


@dataclass(slots=True)
class DefinitionChanges:
    """The way to the process that changes definitions; there is none where they are not to be changed."""

    change: Change | None = None

    async def make(self, plan: MakePlan) -> str:
        """Change definitions, and come back when what they say is served. The UID or name of what was changed.

        Raises BuilderError, ApplicationError, and ForbiddenError where definitions are not to be changed; then
        everything is as before.
        """
        if self.change is None:
            raise ForbiddenError
        return await self.change(plan)
