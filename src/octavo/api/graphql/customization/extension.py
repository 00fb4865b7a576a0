"""The extension service: a project's `register(app)` uses it to customize the GraphQL schema before it is built.

extension = app.plugin("graphql").service("extension")
extension.shadow_crud("api::tag.tag").disable_mutations().field("weight").disable_filters()
extension.use({"type_defs": "extend type Query { hello: String! }", "resolvers": {"Query": {"hello": hello}}})
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, Final, get_args

from octavo.api.graphql.customization.field_guard import FieldGuard
from octavo.api.graphql.schema.exclusions import Action, Exclusions, FieldKey
from octavo.core.values import dataclass
from octavo.project import ProjectCode
from octavo.project.execution import Runner
from octavo.project.naming import did_you_mean
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

QUERIES: Final[tuple[Action, ...]] = ("find", "findOne")
MUTATIONS: Final[tuple[Action, ...]] = ("create", "update", "delete", "createLocalization")
ACTIONS: Final = get_args(Action)
Use = Mapping[str, Any] | Callable[..., Mapping[str, Any]]


class ExtensionError(ValueError):
    """An extension of the schema is invalid."""


@dataclass(slots=True)
class _Excluded:
    types: set[str] = field(default_factory=set)
    actions: set[tuple[str, Action]] = field(default_factory=set)
    outputs: set[FieldKey] = field(default_factory=set)
    inputs: set[FieldKey] = field(default_factory=set)
    filters: set[FieldKey] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class FieldAccess:
    """Access settings of a field that are not from `resolvers_config`.

    Whether it is closed or open to all, the scopes that it needs instead of the generated action, and its guard.
    """

    closed: bool = False
    unless_named: bool = False
    """Whether the field is open if the project's code configures it in any way."""
    until_declared: bool = False
    """Whether the field is closed until the project configures `auth`, `policies` or a resolver for it."""
    is_open: bool = False
    scopes: tuple[str, ...] | None = None
    guard: FieldGuard | None = None


class Extension:
    """Extends the GraphQL schema. Use it in `register`."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._excluded = _Excluded()
        self._used: list[Use] = []
        self.access: dict[FieldKey, FieldAccess] = {}
        """By type and field name. Fields that the schema does not have are ignored."""

    def shadow_crud(self, uid: str) -> "ShadowCrud":
        """Return the switches of a content type or component. Raises ExtensionError for an unknown UID."""
        known = {**self._registry.content_types, **self._registry.components}
        if uid not in known:
            raise ExtensionError(f"unknown content type {uid}{did_you_mean(uid, known)}")
        return ShadowCrud(known[uid], self._excluded)

    def use(self, extending: Use) -> "Extension":
        """Extend the schema with a mapping, or with a function that returns one.

        The keys are `types`, `type_defs`, `plugins`, `resolvers` and `resolvers_config`. Octavo calls the function with
        the library (`strawberry`) and the generated schema, as far as it takes them. Raises ExtensionError for other
        values.
        """
        if not isinstance(extending, Mapping) and not callable(extending):
            raise ExtensionError(f"use() takes a mapping or a function, not {type(extending).__name__}")
        self._used.append(extending)
        return self

    @property
    def used(self) -> tuple[Use, ...]:
        """The arguments of `use`, in order."""
        return tuple(self._used)

    @property
    def is_extended(self) -> bool:
        """Whether any field has code or access settings."""
        return bool(self._used or self.access)

    @property
    def is_empty(self) -> bool:
        """Whether the generated schema is not customized."""
        return not self.is_extended and self._excluded == _Excluded()

    def exclusions(self) -> Exclusions:
        """Return what to exclude from the generated schema."""
        excluded = self._excluded
        return Exclusions(
            types=frozenset(excluded.types),
            actions=frozenset(excluded.actions),
            outputs=frozenset(excluded.outputs),
            inputs=frozenset(excluded.inputs),
            filters=frozenset(excluded.filters),
        )


class ShadowCrud:
    """Switches of one content type. Methods that turn something off return the object itself, so you can chain them."""

    def __init__(self, definition: Definition, excluded: _Excluded) -> None:
        self._definition = definition
        self._uid = definition.uid
        self._excluded = excluded

    def disable(self) -> "ShadowCrud":
        """Remove the content type, and all relations to it, from the schema."""
        self._excluded.types.add(self._uid)
        return self

    def disable_queries(self) -> "ShadowCrud":
        """Remove the queries. The type stays available through relations."""
        return self.disable_actions(QUERIES)

    def disable_mutations(self) -> "ShadowCrud":
        """Remove the mutations."""
        return self.disable_actions(MUTATIONS)

    def disable_action(self, action: str) -> "ShadowCrud":
        """Remove an action: `find`, `findOne`, `create`, `update`, `delete` or `createLocalization`.

        Raises ExtensionError for other names.
        """
        self._excluded.actions.add((self._uid, _action(action)))
        return self

    def disable_actions(self, actions: Iterable[str]) -> "ShadowCrud":
        """Remove several actions. Raises ExtensionError for unknown names."""
        for action in [actions] if isinstance(actions, str) else actions:
            self.disable_action(action)
        return self

    def field(self, name: str) -> "ShadowField":
        """Return the switches of an attribute. Raises ExtensionError for an unknown one."""
        attributes = self._definition.attributes
        if name not in attributes:
            raise ExtensionError(f"{self._uid} has no attribute {name}{did_you_mean(name, attributes)}")
        return ShadowField((self._uid, name), self._excluded)

    def is_enabled(self) -> bool:
        """Return whether the content type is part of the schema."""
        return self._uid not in self._excluded.types

    def is_disabled(self) -> bool:
        """Return whether the content type was removed."""
        return not self.is_enabled()

    def are_queries_enabled(self) -> bool:
        """Return whether there is at least one query."""
        return any(self.is_action_enabled(action) for action in QUERIES)

    def are_queries_disabled(self) -> bool:
        """Return whether there are no queries."""
        return not self.are_queries_enabled()

    def are_mutations_enabled(self) -> bool:
        """Return whether there is at least one mutation."""
        return any(self.is_action_enabled(action) for action in MUTATIONS)

    def are_mutations_disabled(self) -> bool:
        """Return whether there are no mutations."""
        return not self.are_mutations_enabled()

    def is_action_enabled(self, action: str) -> bool:
        """Return whether an action exists. Raises ExtensionError for unknown names."""
        return (self._uid, _action(action)) not in self._excluded.actions

    def is_action_disabled(self, action: str) -> bool:
        """Return whether an action was removed. Raises ExtensionError for unknown names."""
        return not self.is_action_enabled(action)


class ShadowField:
    """Switches of one attribute. You can chain them."""

    def __init__(self, key: FieldKey, excluded: _Excluded) -> None:
        self._key = key
        self._excluded = excluded

    def disable(self) -> "ShadowField":
        """Remove the attribute from output, input and filters."""
        return self.disable_output().disable_input().disable_filters()

    def disable_output(self) -> "ShadowField":
        """Remove the attribute from output types."""
        self._excluded.outputs.add(self._key)
        return self

    def disable_input(self) -> "ShadowField":
        """Remove the attribute from input types."""
        self._excluded.inputs.add(self._key)
        return self

    def disable_filters(self) -> "ShadowField":
        """Remove the attribute from filters."""
        self._excluded.filters.add(self._key)
        return self

    def is_enabled(self) -> bool:
        """Return whether the attribute is part of the output or the input."""
        return self.has_output_enabled() or self.has_input_enabled()

    def is_disabled(self) -> bool:
        """Return whether the attribute is part of neither."""
        return not self.is_enabled()

    def has_output_enabled(self) -> bool:
        """Return whether the attribute is part of output types."""
        return self._key not in self._excluded.outputs

    def has_input_enabled(self) -> bool:
        """Return whether the attribute is part of input types."""
        return self._key not in self._excluded.inputs

    def has_filters_enabled(self) -> bool:
        """Return whether you can filter by the attribute."""
        return self._key not in self._excluded.filters


@dataclass(frozen=True, slots=True)
class Extending:
    """A project's customization of the schema: its extension, its code, the app, and the function runner."""

    extension: Extension
    code: ProjectCode
    app: Any
    runner: Runner


def _action(word: str) -> Action:
    action_name: Action | None = next((action for action in ACTIONS if action == word), None)
    if action_name is None:
        raise ExtensionError(f"unknown action {word!r}; the actions are {', '.join(ACTIONS)}")
    return action_name
