"""What a project excludes from the generated schema. Does not import graphql-core, for a fast start."""

from typing import Literal

from octavo.core.values import dataclass

Action = Literal["find", "findOne", "create", "update", "delete", "createLocalization"]
FieldKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The exclusions by UID: content types, actions, and attributes of outputs, inputs or filters."""

    types: frozenset[str] = frozenset()
    actions: frozenset[tuple[str, Action]] = frozenset()
    outputs: frozenset[FieldKey] = frozenset()
    inputs: frozenset[FieldKey] = frozenset()
    filters: frozenset[FieldKey] = frozenset()


NOTHING = Exclusions()
