"""The interface of the builder's API: passes a plan to the process, which previews or applies it."""

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
    """Passes changes to the process that applies them, if changes of definitions are allowed."""

    change: Change | None = None
    look: Look | None = None

    async def make(self, plan: "MakePlan") -> str:
        """Change the definitions, and return the UID or name of the subject once they are served.

        Raises BuilderError, ApplicationError, and ForbiddenError if changes are not allowed; then nothing has changed.
        """
        if self.change is None:
            raise ForbiddenError
        return await self.change(plan)

    async def preview(self, plan: "MakePlan") -> "Preview":
        """Return the effects of a change without applying it. Raises the same errors as `make`."""
        if self.look is None:
            raise ForbiddenError
        return await self.look(plan)
