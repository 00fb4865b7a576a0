"""Mutations that are prepared once for all values that they write.

What a mutation shows of its entries, and the reads that answer it, depend on the document, on the permissions and on
the variables outside of the arguments of its root fields. All other variables take their values when it runs.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson
from graphql import FieldNode, FragmentDefinitionNode, GraphQLObjectType, OperationDefinitionNode

from octavo.access.authorization.actor import Actor
from octavo.api.graphql.document.collect_fields import Selected
from octavo.api.graphql.document.variables import names_in
from octavo.api.graphql.execution.error_sentinels import ErrorSentinels
from octavo.api.graphql.execution.mutation_resolvers import EntryWrite
from octavo.api.graphql.execution.prepared_operations import MOST_CHARACTERS, RequestedOperation
from octavo.core.cache import Cache, size_of

Key = tuple[Any, ...]


class PreparedMutation(NamedTuple):
    """The root fields of a mutation, in order: each a write, or JSON that is always the same."""

    parent: GraphQLObjectType
    selected: tuple[Selected, ...]
    writes: tuple[EntryWrite | bytes, ...]
    sentinels: ErrorSentinels

    def response(self, values: Iterable[bytes]) -> bytes:
        """Return the response with the values of the root fields, without errors."""
        members = [b'"%b":%b' % (item.key.encode(), value) for item, value in zip(self.selected, values, strict=True)]
        return b'{"data":{%b}}' % b",".join(members)


class _FixedNames(NamedTuple):
    """The variables whose values are a part of what is prepared."""

    names: tuple[str, ...]


class PreparedMutations:
    """Mutations seen before, by document, name, permissions and the values of fixed variables."""

    def __init__(self, cache: Cache[Key, PreparedMutation | _FixedNames]) -> None:
        self._cache = cache

    def get(self, asked: RequestedOperation, variables: Mapping[str, Any], actor: Actor) -> PreparedMutation | None:
        """Return the mutation, if it is prepared."""
        key = asked.operation_key(actor)
        mutation = self._cache.get(key)
        if isinstance(mutation, _FixedNames):
            valued = _valued_key(key, mutation, variables)
            mutation = None if valued is None else self._cache.get(valued)
        assert not isinstance(mutation, _FixedNames), "keys with values have mutations"
        return mutation

    def keep(
        self, asked: RequestedOperation, variables: Mapping[str, Any], actor: Actor, mutation: PreparedMutation
    ) -> None:
        """Keep a mutation. It refers to the document, which counts as a part of it."""
        fixed = _FixedNames(_fixed_names(asked.operation, asked.document.fragments))
        key: Key = asked.operation_key(actor)
        if fixed.names:
            self._cache.put(key, fixed)
        valued = _valued_key(key, fixed, variables) if fixed.names else key
        if valued is not None:
            self._cache.put(valued, mutation, size_of((valued, mutation)) + asked.document.size)


def _valued_key(key: Key, fixed: _FixedNames, variables: Mapping[str, Any]) -> Key | None:
    """Return the key with the values of variables; None where it would be too long, or a value is no JSON."""
    try:
        text = orjson.dumps({name: variables[name] for name in fixed.names if name in variables})
    except TypeError:
        return None
    return (*key, text) if len(text) <= MOST_CHARACTERS else None


def _fixed_names(
    operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode]
) -> tuple[str, ...]:
    """Return the variables used elsewhere than in arguments of root fields: in directives, fragments and selections."""
    names = set[str]()
    for node in operation.selection_set.selections:
        if not isinstance(node, FieldNode):
            names.update(names_in(node))
            continue
        for below in (*node.directives, *([node.selection_set] if node.selection_set else [])):
            names.update(names_in(below))
    for fragment in fragments.values():
        names.update(names_in(fragment))
    return tuple(sorted(names))
