"""FieldGuard: a check of calls of a root field before the code on the field itself. Imports no graphql-core."""

from collections.abc import Mapping
from typing import Any, Protocol

from octavo.graphql.customization.context import Context
from octavo.graphql.schema.exclusions import FieldKey
from octavo.project.running import Asker, CodeClock
from octavo.values import dataclass


@dataclass(frozen=True, slots=True)
class FieldCall:
    """One call of a root field. `names` are those of all arguments that it takes, `request` is the HTTP request that
    carries the operation."""

    field: FieldKey
    arguments: Mapping[str, Any]
    names: frozenset[str]
    context: Context
    info: Any
    request: Asker
    clock: CodeClock


class FieldGuard(Protocol):
    """Checks calls of a root field before its policies, middlewares and resolver."""

    @property
    def action(self) -> str:
        """The action of the field, which the caller needs unless the field says otherwise."""

    async def __call__(self, call: FieldCall) -> dict[str, Any]:
        """Return the arguments as the guard leaves them. Raises OctavoError for a call that it refuses."""
