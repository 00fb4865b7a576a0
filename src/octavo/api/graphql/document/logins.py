"""Limit root fields that check credentials: each is a sign-in attempt, so a request can have only a few."""

from collections.abc import Iterator
from typing import Final

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
)

from octavo.api.graphql.document.limits import Fragments

CHECKING: Final = frozenset(
    {"login", "register", "forgotPassword", "resetPassword", "changePassword", "emailConfirmation"}
)
"""The mutations that check a password, a code or an address."""


class TooManyLogins(Exception):
    """A request with too many attempts."""


class Attempts:
    """The remaining attempts of a request, including all operations of a batch. Unlimited without `most`."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._made = 0

    def add(self, operation: OperationDefinitionNode, fragments: Fragments) -> None:
        """Count the attempts of an operation. Raises TooManyLogins."""
        if self._most is None or operation.operation is not OperationType.MUTATION:
            return
        self._made += count_logins(operation.selection_set, fragments)
        if self._made > self._most:
            raise TooManyLogins(f"A request can have at most {self._most} root fields that check credentials")


def count_logins(selections: SelectionSetNode, fragments: Fragments) -> int:
    """Return the number of root fields that check credentials, including aliases and fragments."""
    fields = _fields(selections, fragments, set())
    return len({(node.alias or node.name).value for node in fields if node.name.value in CHECKING})


def _fields(selections: SelectionSetNode, fragments: Fragments, seen: set[str]) -> Iterator[FieldNode]:
    for node in selections.selections:
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, InlineFragmentNode):
            yield from _fields(node.selection_set, fragments, seen)
        elif isinstance(node, FragmentSpreadNode) and node.name.value not in seen:
            seen.add(node.name.value)
            yield from _fields(fragments[node.name.value].selection_set, fragments, seen)
