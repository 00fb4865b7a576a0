"""FieldGuard: a check that runs before the code on a root field. Does not import graphql-core."""

from collections.abc import Mapping
from typing import Any, Protocol

from octavo.api.graphql.customization.context import Context
from octavo.api.graphql.schema.exclusions import FieldKey
from octavo.core.values import dataclass
from octavo.project.execution import CodeClock, Requester


@dataclass(frozen=True, slots=True)
class FieldCall:
    """A call of a root field. `names` are its parameters. `request` is the HTTP request of the operation."""

    field: FieldKey
    arguments: Mapping[str, Any]
    names: frozenset[str]
    context: Context
    info: Any
    request: Requester
    clock: CodeClock


class FieldGuard(Protocol):
    """Checks calls of a root field before its policies, middlewares and resolver."""

    @property
    def action(self) -> str:
        """The field's action, which the caller needs unless the field defines other permissions."""

    async def __call__(self, call: FieldCall) -> dict[str, Any]:
        """Return the arguments, possibly changed. Raises OctavoError to reject the call."""
