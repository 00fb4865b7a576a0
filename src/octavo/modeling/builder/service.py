"""What the builder's door asks: it hands a plan to the process, which tells what it would do, or makes it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from octavo.core.errors import ForbiddenError
from octavo.core.values import dataclass

if TYPE_CHECKING:
    from octavo.modeling.builder.plans import MakePlan
    from octavo.modeling.builder.preview import Preview

Change = Callable[["MakePlan"], Awaitable[str]]
Look = Callable[["MakePlan"], Awaitable["Preview"]]


@dataclass(slots=True)
class DefinitionChanges:
    """The way to the process that changes definitions; there is none where they are not to be changed."""

    change: Change | None = None
    look: Look | None = None

    async def make(self, plan: "MakePlan") -> str:
        """Change definitions, and come back when what they say is served. The UID or name of what was changed.

        Raises BuilderError, ApplicationError, and ForbiddenError where definitions are not to be changed; then
        everything is as before.
        """
        if self.change is None:
            raise ForbiddenError
        return await self.change(plan)

    async def preview(self, plan: "MakePlan") -> "Preview":
        """What a change would do. Raises as `make` does; nothing is changed."""
        if self.look is None:
            raise ForbiddenError
        return await self.look(plan)
