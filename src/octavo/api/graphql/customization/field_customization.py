"""Read a project's field customization from `extension.use`, and check it against the schema.

Keys are `<Type>.<field>`. Resolvers are `{"<Type>": {"<field>": function or {"resolve": function}}}`.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final

from graphql import GraphQLAbstractType, GraphQLObjectType, GraphQLSchema, is_abstract_type

from octavo.access.authorization.ability import UPDATE
from octavo.api.graphql.customization.extension import FieldAccess
from octavo.api.graphql.customization.field_guard import FieldGuard
from octavo.api.graphql.schema import names
from octavo.api.graphql.schema.field_metadata import ScheduleField, metadata_of_field, metadata_of_type
from octavo.core.errors import ClosedError
from octavo.core.values import dataclass
from octavo.project import CodeProblem, Function, InvalidCode, ProjectCode, function_at
from octavo.project.functions import place_of
from octavo.project.named_handlers import Used, UsedReader
from octavo.project.naming import did_you_mean

logger = logging.getLogger(__name__)

RESOLVER: Final = "parent, args, context, info"
POLICY: Final = "context, config"
MIDDLEWARE: Final = "next, parent, args, context, info"
RESOLVE_TYPE: Final = "__resolve_type"
CONFIG_KEYS: Final = ("auth", "policies", "middlewares")


@dataclass(frozen=True, slots=True)
class FieldCode:
    """A project's code and settings on one field.

    `is_open`: requests are not authenticated. `scopes`: the actions that the caller needs instead of the generated one.
    `guard` is called before the policies. `is_declared`: the project has set `auth` or `policies`, or a resolver.
    """

    resolve: Function | None = None
    is_open: bool = False
    scopes: tuple[str, ...] | None = None
    policies: tuple[Used, ...] = ()
    middlewares: tuple[Function, ...] = ()
    guard: FieldGuard | None = None
    is_declared: bool = False

    @property
    def overrides_access(self) -> bool:
        """Whether the field defines its own permissions."""
        return self.is_open or self.scopes is not None


_PLAIN: Final = FieldCode()


@dataclass(frozen=True, slots=True)
class Customization:
    """The fields with code, by type and name."""

    fields: Mapping[tuple[str, str], FieldCode] = field(default_factory=dict)

    def of(self, type_name: str, field_name: str) -> FieldCode | None:
        """The code on a field, or None."""
        return self.fields.get((type_name, field_name))

    @property
    def declared(self) -> frozenset[tuple[str, str]]:
        """The fields for which the project has set `auth` or `policies`, or a resolver."""
        return frozenset(key for key, code in self.fields.items() if code.is_declared)


def _refuse(*_: Any) -> bool:
    raise ClosedError


_CLOSED: Final = Used(Function(_refuse, "closed", 0))


def with_access(
    customization: Customization, access: Mapping[tuple[str, str], FieldAccess], schema: GraphQLSchema
) -> Customization:
    """Add access settings to the code of fields that the schema has."""
    fields = dict(customization.fields)
    for key, rule in access.items():
        kind = schema.get_type(key[0])
        named = rule.unless_named and key in fields
        if isinstance(kind, GraphQLObjectType) and key[1] in kind.fields:
            code = fields.get(key, _PLAIN)
            says = named and (code.is_open or code.scopes is not None)
            if not says and (rule.is_open or rule.scopes is not None):
                code = replace(code, is_open=rule.is_open, scopes=rule.scopes)
            is_closed = rule.closed and not named and not (rule.until_declared and code.is_declared)
            if is_closed:
                fields[key] = replace(code, policies=(_CLOSED, *code.policies))
            else:
                fields[key] = replace(code, guard=rule.guard)
    return Customization(fields)


def with_guarded_schedules(customization: Customization, schema: GraphQLSchema) -> Customization:
    """Close the fields of scheduled publishing for types whose update field has code, which schedules would bypass.

    Fields that the project configures itself stay open.
    """
    fields = dict(customization.fields)
    for kind in filter(None, (schema.query_type, schema.mutation_type)):
        for name, defined in kind.fields.items():
            metadata, key = metadata_of_field(defined), (kind.name, name)
            if isinstance(metadata, ScheduleField) and key not in fields:
                update = names.mutation_field(UPDATE, metadata.content_type)
                if ("Mutation", update) in fields:
                    fields[key] = replace(_PLAIN, policies=(_CLOSED,))
                    message = (
                        "Closed: %s.%s, because code guards Mutation.%s; to open it, configure it in resolvers_config"
                    )
                    logger.warning(message, kind.name, name, update)
    return Customization(fields)


class Reader:
    """Reads the keys `resolvers` and `resolvers_config` of several extensions. Problems are collected."""

    def __init__(self, schema: GraphQLSchema, code: ProjectCode) -> None:
        self._schema = schema
        self._code = code
        self._fields: dict[tuple[str, str], FieldCode] = {}
        self.problems: list[CodeProblem] = []

    def read(self, extensions: Iterable[Mapping[str, Any]]) -> Customization:
        """Return the code of all fields. Every field that a project added to Query or Mutation has some."""
        self._adopt_resolvers()
        listed = list(extensions)
        for extension in listed:
            for place, value in self._members("resolvers", extension.get("resolvers") or {}):
                self._read_type(place, value)
        for extension in listed:
            for key, value in self._members("resolvers_config", extension.get("resolvers_config") or {}):
                self._read_config(key, value)
        return Customization(self._fields)

    def _adopt_resolvers(self) -> None:
        """Adopt resolvers of fields defined with a library. Those of Query and Mutation require access settings."""
        for kind in self._schema.type_map.values():
            if not isinstance(kind, GraphQLObjectType) or kind.name.startswith("__"):
                continue
            is_root = kind in (self._schema.query_type, self._schema.mutation_type)
            for name, defined in kind.fields.items():
                if defined.resolve is not None:
                    resolve = _from_library(defined.resolve)
                    function = Function(resolve, f"{kind.name}.{name}", 4)
                    self._fields[kind.name, name] = FieldCode(function, is_declared=True)
                    defined.resolve = None
                elif is_root and metadata_of_field(defined) is None:
                    self._fields[kind.name, name] = _PLAIN

    def _members(self, place: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Mapping):
            yield from ((str(key), member) for key, member in value.items())
        else:
            self._refuse(place, f"expected a mapping, not {type(value).__name__}")

    def _read_type(self, name: str, resolvers: Any) -> None:
        kind = self._schema.get_type(name)
        if kind is not None and is_abstract_type(kind):
            self._read_abstract(kind, resolvers)  # type: ignore[arg-type]
            return
        if not isinstance(kind, GraphQLObjectType):
            self._refuse(f"resolvers: {name}", f"unknown type{did_you_mean(name, self._schema.type_map)}")
            return
        for field_name, given in self._members(f"resolvers: {name}", resolvers):
            key = self._find(f"{name}.{field_name}", "resolvers")
            function = given.get("resolve") if isinstance(given, Mapping) else given
            resolver = self._function(function, f"resolvers: {name}.{field_name}", RESOLVER)
            if key is not None and resolver is not None:
                self._fields[key] = replace(self._fields.get(key, _PLAIN), resolve=resolver, is_declared=True)

    def _read_abstract(self, kind: GraphQLAbstractType, resolvers: Any) -> None:
        for word, given in self._members(f"resolvers: {kind.name}", resolvers):
            if word != RESOLVE_TYPE or metadata_of_type(kind) is not None:
                self._refuse(f"resolvers: {kind.name}.{word}", f"own unions and interfaces take {RESOLVE_TYPE} only")
            elif self._function(given, f"resolvers: {kind.name}.{word}", "value, info, type") is not None:
                kind.resolve_type = given

    def _read_config(self, key: str, config: Any) -> None:
        found = self._find(key, "resolvers_config")
        place = f"resolvers_config: {key}"
        given = dict(self._members(place, config))
        for word in given.keys() - set(CONFIG_KEYS):
            self._refuse(f"{place}.{word}", f"unknown; there are {', '.join(CONFIG_KEYS)}")
        code = _PLAIN if found is None else self._fields.get(found, _PLAIN)
        code = self._with_auth(code, given.get("auth"), place)
        policies = self._used(given.get("policies"), self._code.policies, POLICY, f"{place}.policies")
        used = self._used(given.get("middlewares"), self._code.middlewares, MIDDLEWARE, f"{place}.middlewares")
        middlewares = tuple(item.function for item in used)
        if found is None:
            return
        self._fields[found] = replace(
            code,
            policies=(*code.policies, *policies),
            middlewares=(*code.middlewares, *middlewares),
            is_declared=code.is_declared or given.get("auth") is not None or bool(policies),
        )

    def _with_auth(self, code: FieldCode, auth: Any, place: str) -> FieldCode:
        if auth is None or auth is True:
            return code
        if auth is False:
            return replace(code, is_open=True, scopes=None)
        scopes = auth.get("scope") if isinstance(auth, Mapping) and auth.keys() == {"scope"} else None
        if not isinstance(scopes, list | tuple) or not all(isinstance(item, str) for item in scopes):
            self._refuse(f"{place}.auth", 'expected False or {"scope": ["api::name.name.find"]}')
            return code
        return replace(code, is_open=False, scopes=tuple(scopes))

    def _used(self, given: Any, known: Mapping[str, Function], arguments: str, place: str) -> tuple[Used, ...]:
        return UsedReader(self._code.folder, self.problems).read(given, known, arguments, f"extension.use: {place}")

    def _function(self, value: Any, place: str, arguments: str) -> Function | None:
        where = f"{place} ({place_of(value, self._code.folder)})" if callable(value) else place
        try:
            return function_at(value, where, arguments)
        except InvalidCode as error:
            self.problems.extend(error.problems)
            return None

    def _find(self, key: str, place: str) -> tuple[str, str] | None:
        """Return type and field of a key, or None if the schema does not have them."""
        type_name, _, field_name = key.partition(".")
        kind = self._schema.get_type(type_name)
        if not isinstance(kind, GraphQLObjectType):
            hint = did_you_mean(type_name, self._schema.type_map)
            self._refuse(f"{place}: {key}", f"unknown object type {type_name}{hint}")
        elif field_name not in kind.fields:
            hint = did_you_mean(field_name, kind.fields)
            self._refuse(f"{place}: {key}", f"{type_name} has no field {field_name!r}{hint}")
        else:
            return type_name, field_name
        return None

    def _refuse(self, place: str, message: str) -> None:
        self.problems.append(CodeProblem(f"extension.use: {place}", message))


def _from_library(resolve: Any) -> Any:
    """Adapt a resolver with graphql-core's signature `(source, info, **arguments)` to Octavo's."""
    return lambda parent, args, context, info: resolve(parent, info, **args)
