"""FieldGuard: a check of calls of a root field before the code on the field itself. Imports no graphql-core."""

from collections.abc import Mapping
from typing import Any, Protocol

from octavo.api.graphql.customization.context import Context
from octavo.api.graphql.schema.exclusions import FieldKey
from octavo.core.values import dataclass
from octavo.project.execution import Asker, CodeClock


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
