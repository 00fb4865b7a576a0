"""The extension service: what a project's `register(app)` says of the GraphQL schema, before the schema is made.

extension = app.plugin("graphql").service("extension")
extension.shadow_crud("api::tag.tag").disable_mutations().field("weight").disable_filters()
extension.use({"type_defs": "extend type Query { hello: String! }", "resolvers": {"Query": {"hello": hello}}})
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, Final, get_args

from octavo.graphql.customization.field_guard import FieldGuard
from octavo.graphql.schema.exclusions import Action, Exclusions, FieldKey
from octavo.project import ProjectCode
from octavo.project.naming import did_you_mean
from octavo.project.running import Runner
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.values import dataclass

QUERIES: Final[tuple[Action, ...]] = ("find", "findOne")
MUTATIONS: Final[tuple[Action, ...]] = ("create", "update", "delete", "createLocalization")
ACTIONS: Final = get_args(Action)
Use = Mapping[str, Any] | Callable[..., Mapping[str, Any]]


class ExtensionError(ValueError):
    """Something is asked of the schema that cannot be."""


@dataclass(slots=True)
class _Excluded:
    types: set[str] = field(default_factory=set)
    actions: set[tuple[str, Action]] = field(default_factory=set)
    outputs: set[FieldKey] = field(default_factory=set)
    inputs: set[FieldKey] = field(default_factory=set)
    filters: set[FieldKey] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class FieldAccess:
    """Settings of a field from outside of `resolvers_config`: whether it is closed or open to all, the scopes that it
    needs instead of the generated action, and its guard."""

    closed: bool = False
    unless_named: bool = False
    """Whether it is open all the same where the project's Python says anything of the field."""
    until_declared: bool = False
    """Whether `auth` or `policies` in `resolvers_config`, or a resolver, open it."""
    is_open: bool = False
    scopes: tuple[str, ...] | None = None
    guard: FieldGuard | None = None


class Extension:
    """Collects switches and extensions. After `register` it is read once."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._excluded = _Excluded()
        self._used: list[Use] = []
        self.access: dict[FieldKey, FieldAccess] = {}
        """By type and field; fields that are not in the schema do not matter."""

    def shadow_crud(self, uid: str) -> "ShadowCrud":
        """What is generated for a content-type or a component, by its UID. Raises ExtensionError for an unknown one."""
        known = {**self._registry.content_types, **self._registry.components}
        if uid not in known:
            raise ExtensionError(f"there is no content-type {uid}{did_you_mean(uid, known)}")
        return ShadowCrud(known[uid], self._excluded)

    def use(self, extending: Use) -> "Extension":
        """Extend the schema: by a mapping, or by a function that answers one.

        Keys: `types`, `type_defs`, `plugins`, `resolvers`, `resolvers_config`. A function is called when the schema is
        made, with the library of schema builders (`strawberry`) and the generated schema, if it takes them.
        """
        if not isinstance(extending, Mapping) and not callable(extending):
            raise ExtensionError(f"use() takes a mapping or a function, not {type(extending).__name__}")
        self._used.append(extending)
        return self

    @property
    def used(self) -> tuple[Use, ...]:
        """What was given to `use`, in order."""
        return tuple(self._used)

    @property
    def is_extended(self) -> bool:
        """Whether there is code, or access, on any field."""
        return bool(self._used or self.access)

    @property
    def is_empty(self) -> bool:
        """Whether the schema is as it is generated."""
        return not self.is_extended and self._excluded == _Excluded()

    def exclusions(self) -> Exclusions:
        """What is to be left out of the generated schema."""
        found = self._excluded
        return Exclusions(
            types=frozenset(found.types),
            actions=frozenset(found.actions),
            outputs=frozenset(found.outputs),
            inputs=frozenset(found.inputs),
            filters=frozenset(found.filters),
        )


class ShadowCrud:
    """Switches of one content-type. Each method that switches answers itself, so that they can be chained."""

    def __init__(self, definition: Definition, excluded: _Excluded) -> None:
        self._definition = definition
        self._uid = definition.uid
        self._excluded = excluded

    def disable(self) -> "ShadowCrud":
        """Leave the content-type out, and the relations that lead to it."""
        self._excluded.types.add(self._uid)
        return self

    def disable_queries(self) -> "ShadowCrud":
        """No queries. Its type stays where relations lead to it."""
        return self.disable_actions(QUERIES)

    def disable_mutations(self) -> "ShadowCrud":
        """No mutations."""
        return self.disable_actions(MUTATIONS)

    def disable_action(self, action: str) -> "ShadowCrud":
        """Not this action: `find`, `findOne`, `create`, `update`, `delete`. Raises ExtensionError for another word."""
        self._excluded.actions.add((self._uid, _action(action)))
        return self

    def disable_actions(self, actions: Iterable[str]) -> "ShadowCrud":
        """None of these actions."""
        for action in [actions] if isinstance(actions, str) else actions:
            self.disable_action(action)
        return self

    def field(self, name: str) -> "ShadowField":
        """Switches of an attribute. Raises ExtensionError for an unknown one."""
        attributes = self._definition.attributes
        if name not in attributes:
            raise ExtensionError(f"{self._uid} has no attribute {name}{did_you_mean(name, attributes)}")
        return ShadowField((self._uid, name), self._excluded)

    def is_enabled(self) -> bool:
        """Whether the content-type is part of the schema."""
        return self._uid not in self._excluded.types

    def is_disabled(self) -> bool:
        """Whether it is left out."""
        return not self.is_enabled()

    def are_queries_enabled(self) -> bool:
        """Whether any query is offered."""
        return any(self.is_action_enabled(action) for action in QUERIES)

    def are_queries_disabled(self) -> bool:
        """Whether none is."""
        return not self.are_queries_enabled()

    def are_mutations_enabled(self) -> bool:
        """Whether any mutation is offered."""
        return any(self.is_action_enabled(action) for action in MUTATIONS)

    def are_mutations_disabled(self) -> bool:
        """Whether none is."""
        return not self.are_mutations_enabled()

    def is_action_enabled(self, action: str) -> bool:
        """Whether an action is offered. Raises ExtensionError for a word that is no action."""
        return (self._uid, _action(action)) not in self._excluded.actions

    def is_action_disabled(self, action: str) -> bool:
        """Whether it is not."""
        return not self.is_action_enabled(action)


class ShadowField:
    """Switches of one attribute; chained like those of its content-type."""

    def __init__(self, key: FieldKey, excluded: _Excluded) -> None:
        self._key = key
        self._excluded = excluded

    def disable(self) -> "ShadowField":
        """Leave the attribute out everywhere."""
        return self.disable_output().disable_input().disable_filters()

    def disable_output(self) -> "ShadowField":
        """It cannot be selected."""
        self._excluded.outputs.add(self._key)
        return self

    def disable_input(self) -> "ShadowField":
        """It cannot be written."""
        self._excluded.inputs.add(self._key)
        return self

    def disable_filters(self) -> "ShadowField":
        """It cannot be filtered by."""
        self._excluded.filters.add(self._key)
        return self

    def is_enabled(self) -> bool:
        """Whether it can be selected or written."""
        return self.has_output_enabled() or self.has_input_enabled()

    def is_disabled(self) -> bool:
        """Whether it can be neither."""
        return not self.is_enabled()

    def has_output_enabled(self) -> bool:
        """Whether it can be selected."""
        return self._key not in self._excluded.outputs

    def has_input_enabled(self) -> bool:
        """Whether it can be written."""
        return self._key not in self._excluded.inputs

    def has_filters_enabled(self) -> bool:
        """Whether it can be filtered by."""
        return self._key not in self._excluded.filters


@dataclass(frozen=True, slots=True)
class Extending:
    """What a project makes of the schema: what `register` said, its named functions, and the handle they are given."""

    extension: Extension
    code: ProjectCode
    app: Any
    runner: Runner


def _action(word: str) -> Action:
    found: Action | None = next((action for action in ACTIONS if action == word), None)
    if found is None:
        raise ExtensionError(f"there is no action {word!r}; there are {', '.join(ACTIONS)}")
    return found
