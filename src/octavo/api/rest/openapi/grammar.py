"""Query parameters by content type: filters, sort, pagination, fields, populate.

Nested ones are objects in brackets, as the JavaScript library `qs` writes them: `filters[author][name][$eqi]=ann`.
OpenAPI's `deepObject` defines only one level of this; clients nest further.
"""

import re
from collections.abc import Iterable
from typing import Final

from octavo.api.rest.openapi.components import KINDS, Components, Json, base_name, default_text
from octavo.api.rest.operations import Grammar, Parameter, RestOperation
from octavo.query.operators import OPERATORS, Operand, Operator, Test
from octavo.query.params import PageLimits
from octavo.schema.attributes import AnyAttribute, DynamicZone, Scalar, components_of
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.json_values import SCALAR_JSON, attributes_in_responses, is_in_responses, populatable_attributes
from octavo.schema.json_values import Json as Kind
from octavo.schema.registry import Registry

_TEXT_TESTS: Final = frozenset({Test.CONTAINS, Test.STARTS_WITH, Test.ENDS_WITH})
_ORDERED: Final = frozenset({Test.LESS, Test.LESS_OR_EQUAL, Test.GREATER, Test.GREATER_OR_EQUAL, Test.BETWEEN})
_TRUE: Final[Json] = {"type": "boolean", "description": "Only `true`"}
"""Without `const`: generators of Python clients write code for it that does not run."""
_UNORDERED: Final = frozenset({Kind.BOOLEAN, Kind.ANY, Kind.BLOCKS})
_FILTER_NAMES: Final = {
    Kind.TEXT: "TextFilter",
    Kind.INTEGER: "IntegerFilter",
    Kind.NUMBER: "NumberFilter",
    Kind.DIGITS: "BigIntegerFilter",
    Kind.BOOLEAN: "BooleanFilter",
    Kind.DATE: "DateFilter",
    Kind.TIME: "TimeFilter",
    Kind.INSTANT: "DateTimeFilter",
    Kind.BLOCKS: "JsonFilter",
    Kind.ANY: "JsonFilter",
}


class QueryParameters:
    """Builds the parameters of operations."""

    def __init__(self, registry: Registry, components: Components, limits: PageLimits) -> None:
        self._registry = registry
        self._components = components
        self._limits = limits

    def of(self, operation: RestOperation) -> list[Json]:
        """Return the query parameters of an operation."""
        own = [_own(parameter) for parameter in operation.parameters]
        definition = self._registry.content_types.get(operation.uid)
        if definition is None or operation.query is Grammar.NOTHING:
            return own
        return [*own, *self._grammar(operation.query, definition)]

    def _grammar(self, grammar: Grammar, definition: ContentType) -> list[Json]:
        is_list = grammar in (Grammar.LIST, Grammar.PLAIN_LIST)
        parameters: list[Json] = []
        if grammar is not Grammar.PLAIN_COUNT:
            parameters += [self._fields(definition), self._populate(definition)]
        if is_list or grammar is Grammar.PLAIN_COUNT:
            parameters.append(_deep("filters", "Filters by attribute and operator", self.filters(definition)))
        if is_list:
            parameters += [
                self._sort(definition),
                _parameter("_q", "A search term in text attributes", {"type": "string"}),
            ]
        if grammar is Grammar.LIST:
            parameters.append(_deep("pagination", "The page, by number or by offset", self._pagination()))
        if grammar is Grammar.PLAIN_LIST:
            parameters += [_parameter(name, "", {"type": "integer"}) for name in ("start", "limit")]
        if grammar in (Grammar.LIST, Grammar.SINGLE):
            parameters += self._states(definition)
        return parameters

    def _states(self, definition: ContentType) -> Iterable[Json]:
        if definition.draft_and_publish:
            state = {"type": "string", "enum": ["live", "preview"], "default": "live"}
            yield _parameter("publicationState", "`preview` includes drafts", state)
        if definition.localized:
            yield _parameter("locale", "A locale, or `all`; defaults to the default locale", {"type": "string"})

    def _fields(self, definition: Definition) -> Json:
        return _listed("fields", "The attributes to return; defaults to all", _several(_named(definition)))

    def _sort(self, definition: Definition) -> Json:
        description = "The attributes to sort by, each followed by `:asc` or `:desc`"
        return _listed("sort", description, _several(self._sorted(definition)))

    def _sorted(self, definition: Definition) -> Json:
        name = f"{base_name(definition)}Sort"
        return self._components.refer((definition.uid, "sort"), name, lambda: self._order(definition))

    def _order(self, definition: Definition) -> Json:
        """Return the schema of sort: own attributes, and those of direct relations. Longer paths are accepted, too."""
        names = [*_names(definition)]
        names += [f"{name}.{below}" for name, target in self._reached(definition) for below in _names(target)]
        return {"type": "string", "pattern": f"^({'|'.join(map(re.escape, names))})(:(asc|desc))?$"}

    def _populate(self, definition: Definition) -> Json:
        everything = {"const": "*", "description": "Everything, one level deep"}
        names = [re.escape(item.name) for item in populatable_attributes(definition, self._registry)]
        path = {"type": "string", "pattern": f"^({'|'.join(names)})([.][^.,]+){{0,19}}$"}
        listed = {**_several(path), "description": "Names, or paths of names separated by dots"}
        choices = [everything, listed, self._below_populate(definition)] if names else [everything]
        return _deep("populate", "The relations, files, components and dynamic zones to return", {"anyOf": choices})

    def _below_populate(self, definition: Definition) -> Json:
        name = f"{base_name(definition)}Populate"
        return self._components.refer((definition.uid, "populate"), name, lambda: self._populated(definition))

    def _populated(self, definition: Definition) -> Json:
        """Return the schema of populate: for each attribute that can be populated, `true` or nested parameters."""
        return _object({item.name: self._nested(item) for item in populatable_attributes(definition, self._registry)})

    def _nested(self, attribute: AnyAttribute) -> Json:
        if isinstance(attribute, DynamicZone):
            branches = {uid: self._below(self._registry.components[uid]) for uid in attribute.components}
            return {"anyOf": [_TRUE, _object({"on": _object(branches)})]}
        target = self._target(attribute)
        return _TRUE if target is None else self._below(target)

    def _below(self, definition: Definition) -> Json:
        def make() -> Json:
            asked = {
                "fields": _several(_named(definition)),
                "filters": self.filters(definition),
                "sort": _several(self._sorted(definition)),
                "start": {"type": "integer"},
                "limit": {"type": "integer"},
                "populate": self._below_populate(definition),
            }
            return {"anyOf": [_TRUE, _object(asked)]}

        return self._components.refer((definition.uid, "below"), f"{base_name(definition)}PopulateOptions", make)

    def filters(self, definition: Definition) -> Json:
        """Return the schema of filters: attributes with operators, and `$and`, `$or`, `$not`."""
        name = f"{base_name(definition)}Filters"
        return self._components.refer((definition.uid, "filters"), name, lambda: self._filters(definition))

    def _filters(self, definition: Definition) -> Json:
        again = self.filters(definition)
        operators: dict[str, Json] = {
            "$and": _several(again),
            "$or": _several(again),
            "$not": again,
            "id": self._compared(Kind.INTEGER),
        }
        for item in attributes_in_responses(definition):
            operators[item.name] = self._compared(SCALAR_JSON[item.type].shown)
        for name, target in self._reached(definition):
            operators[name] = self.filters(target)
        return _object(operators)

    def _reached(self, definition: Definition) -> Iterable[tuple[str, Definition]]:
        """Yield the attributes that filters and sort can nest into."""
        for name, attribute in definition.attributes.items():
            if isinstance(attribute, Scalar | DynamicZone) or not is_in_responses(attribute):
                continue
            target = self._target(attribute)
            if target is not None:
                yield name, target

    def _target(self, attribute: AnyAttribute) -> Definition | None:
        if isinstance(attribute, Scalar | DynamicZone):
            return None
        below = components_of(attribute)
        return self._registry.components[below[0]] if below else self._registry.target(attribute)

    def _compared(self, kind: Kind) -> Json:
        name = _FILTER_NAMES[kind]
        return self._components.refer(name, name, lambda: _comparison(kind))

    def _pagination(self) -> Json:
        return self._components.refer("PaginationQuery", "PaginationQuery", lambda: _pagination(self._limits))


def _comparison(kind: Kind) -> Json:
    """Return the schema of a value (`$eq`), several (`$in`), or operators."""
    value = KINDS[kind] if kind not in (Kind.BLOCKS, Kind.ANY) else {"type": "string"}
    operators = {name: _operand(item, value) for name, item in OPERATORS.items() if _suits(item, kind)}
    return {"anyOf": [value, _several(value), _object(operators)]}


def _suits(operator: Operator, kind: Kind) -> bool:
    """Return whether an operator is useful for a kind of value. Others are accepted and compare text."""
    if operator.test in _TEXT_TESTS or operator.ignores_case:
        return kind in (Kind.TEXT, Kind.ANY, Kind.BLOCKS)
    return not (operator.test in _ORDERED and kind in _UNORDERED)


def _operand(operator: Operator, value: Json) -> Json:
    match operator.operand:
        case Operand.ONE:
            return value
        case Operand.MANY:
            return _several(value)
        case Operand.PAIR:
            return {"type": "array", "items": value, "minItems": 2, "maxItems": 2}
        case Operand.FLAG:
            return {"type": "boolean"}


def _pagination(limits: PageLimits) -> Json:
    size = {"type": "integer", "description": default_text(limits.default_limit)}
    if limits.max_limit is not None:
        size["description"] += f". At most {limits.max_limit}; larger values are reduced to it"
    counted = {"type": "boolean", "description": default_text(limits.with_count)}
    most = {"type": "integer", "minimum": 0, "description": "Totals are counted up to this number"}
    cursor = {"type": "string", "description": "Entries after this cursor; empty for the first page"}
    ways: list[Json] = [
        {"page": {"type": "integer", "description": default_text(1)}, "pageSize": size},
        {"start": {"type": "integer", "description": default_text(0)}, "limit": size},
        {"after": cursor, "limit": size},
    ]
    counts: Json = {"withCount": counted, "maxCount": most}
    return {
        "anyOf": [{"type": "object", "properties": way | counts, "additionalProperties": False} for way in ways],
    }


def _names(definition: Definition) -> Iterable[str]:
    yield "id"
    yield from (item.name for item in attributes_in_responses(definition))


def _named(definition: Definition) -> Json:
    return {"type": "string", "enum": list(_names(definition))}


def _several(item: Json) -> Json:
    return {"type": "array", "items": item, "minItems": 1}


def _object(properties: Json) -> Json:
    """Return the schema of an object with only these properties: others are rejected or have no effect."""
    return {"type": "object", "properties": properties, "minProperties": 1, "additionalProperties": False}


def _own(parameter: Parameter) -> Json:
    made = _parameter(parameter.name, parameter.description, dict(parameter.schema))
    return {**made, "required": True} if parameter.required else made


def _parameter(name: str, description: str, schema: Json) -> Json:
    return {"name": name, "in": "query", **({"description": description} if description else {}), "schema": schema}


def _listed(name: str, description: str, schema: Json) -> Json:
    return {**_parameter(name, description, schema), "style": "form", "explode": True}


def _deep(name: str, description: str, schema: Json) -> Json:
    return {**_parameter(name, description, schema), "style": "deepObject", "explode": True}
