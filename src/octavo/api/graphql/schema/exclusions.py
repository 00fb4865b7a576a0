"""What a project wants left out of the generated schema. Knows nothing of graphql-core, so that it costs no start."""

from typing import Literal

from octavo.core.values import dataclass

Action = Literal["find", "findOne", "create", "update", "delete", "createLocalization"]
FieldKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What is left out, by UID: whole content-types, single actions, attributes in one role or another."""

    types: frozenset[str] = frozenset()
    actions: frozenset[tuple[str, Action]] = frozenset()
    outputs: frozenset[FieldKey] = frozenset()
    inputs: frozenset[FieldKey] = frozenset()
    filters: frozenset[FieldKey] = frozenset()


NOTHING = Exclusions()
