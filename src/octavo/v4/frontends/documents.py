"""GraphQL documents of a front end: complete them with fragments of other files, and give values to variables."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from graphql import (
    DefinitionNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    ListTypeNode,
    ListValueNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    TypeNode,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    parse,
    print_ast,
    visit,
)

from octavo.api.graphql.schema.names import plural_field, single_field
from octavo.schema.content_types import ContentType
from octavo.v4.frontends.requests import Api, Need, NotReadable, RequestForm

_MOST_TOKENS: Final = 10_000
_MOST_SEARCHED: Final = 4_000
_MOST_DEFINITIONS: Final = 500
_START: Final = re.compile(
    r"\s*(?:#[^\n]*\n\s*)*(?:query\b[^{]*\{|\{\s*\w+|fragment\s+\w+\s+on\s+\w+|mutation\b[^{]*\{)"
)
_OPERATION: Final = re.compile(r"\b(?:query|fragment|mutation)\b[^{`]*\{")
_PAGES: Final[Mapping[str, Any]] = {"page": 1, "pageSize": 10, "limit": 10, "start": 0}


def is_document(text: str) -> bool:
    """Return whether a text begins like a GraphQL document."""
    return "{" in text and _START.match(text) is not None


def may_be_document(source: str) -> bool:
    """Return whether the source of a text is a document, or begins with a substitution and contains an operation."""
    return is_document(source) or (
        source.lstrip().startswith("${") and _OPERATION.search(source, 0, _MOST_SEARCHED) is not None
    )


def parse_document(text: str) -> DocumentNode:
    """Parse a document. Raises NotReadable."""
    try:
        return parse(text, no_location=True, max_tokens=_MOST_TOKENS)
    except (GraphQLError, RecursionError) as error:
        raise NotReadable(f"the GraphQL document is invalid: {str(error).splitlines()[0]}") from None


def fragments_in(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    """Return the fragments of a document by name."""
    return {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}


def forms_of(
    document: DocumentNode, fragments: Mapping[str, FragmentDefinitionNode], api: Api, place: str
) -> Iterator[RequestForm]:
    """Yield a request for each query of a document. Raises NotReadable for an unknown fragment."""
    known = {**fragments, **fragments_in(document)}
    for operation in document.definitions:
        if isinstance(operation, OperationDefinitionNode):
            method = "QUERY" if operation.operation is OperationType.QUERY else "MUTATION"
            needed = _needed([operation], known)
            text = "\n\n".join(map(print_ast, (operation, *needed)))
            variables = tuple(_variables(operation, api)) if method == "QUERY" else ()
            yield RequestForm("POST", (api.graphql,), document=text, variables=variables, place=place)


def _needed(
    definitions: Iterable[DefinitionNode], known: Mapping[str, FragmentDefinitionNode]
) -> list[FragmentDefinitionNode]:
    """Return the fragments that definitions spread, also through other fragments."""
    fragments: dict[str, FragmentDefinitionNode] = {}
    waiting: list[DefinitionNode] = list(definitions)
    while waiting and len(fragments) < _MOST_DEFINITIONS:
        spreads = _Spreads()
        visit(waiting.pop(), spreads)
        for name in spreads.names:
            if name not in known:
                raise NotReadable(f"the GraphQL fragment {name} is unknown")
            if name not in fragments:
                fragments[name] = known[name]
                waiting.append(known[name])
    return list(fragments.values())


class _Spreads(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        self.names.append(node.name.value)


def _variables(operation: OperationDefinitionNode, api: Api) -> Iterator[tuple[str, Any, bool]]:
    uses = dict(_uses(operation, api))
    for definition in operation.variable_definitions or ():
        if definition.default_value is None:
            name = definition.variable.name.value
            yield name, _fitting(definition, uses.get(name)), isinstance(definition.type, NonNullTypeNode)


def _fitting(definition: VariableDefinitionNode, value: Any) -> Any:
    """Return a value in the form of the variable's type."""
    kind: TypeNode = definition.type.type if isinstance(definition.type, NonNullTypeNode) else definition.type
    if isinstance(kind, ListTypeNode):
        return None
    name = kind.name.value if isinstance(kind, NamedTypeNode) else ""
    if name == "PublicationState":
        return "LIVE"
    if name.endswith("FiltersInput"):
        return {} if value is None else None
    if name == "PaginationArg":
        return {}
    return value


def _uses(operation: OperationDefinitionNode, api: Api) -> Iterator[tuple[str, Any]]:
    """Yield the variables in the arguments of root fields, each with its value."""
    types = _root_fields(api)
    for field in operation.selection_set.selections:
        if not isinstance(field, FieldNode) or (content_type := types.get(field.name.value)) is None:
            continue
        for argument in field.arguments or ():
            yield from _in_value(argument.value, [argument.name.value], content_type, api)


def _root_fields(api: Api) -> dict[str, ContentType]:
    types = [one for one in api.registry.content_types.values() if one.is_api]
    return {name: one for one in types for name in (single_field(one), plural_field(one))}


def _in_value(node: ValueNode, path: list[str], content_type: ContentType, api: Api) -> Iterator[tuple[str, Any]]:
    match node:
        case VariableNode():
            yield node.name.value, _value_at(path, content_type, api)
        case ObjectValueNode():
            for field in node.fields:
                yield from _in_value(field.value, [*path, field.name.value], content_type, api)
        case ListValueNode():
            for item in node.values:
                yield from _in_value(item, path, content_type, api)


def _value_at(path: list[str], content_type: ContentType, api: Api) -> Any:
    match path:
        case ["id"] | ["documentId"]:
            return Need(content_type.uid, "id")
        case ["locale"] if content_type.localized:
            return Need(content_type.uid, "locale")
        case ["pagination", name]:
            return _PAGES.get(name)
        case ["filters", *names, operator]:
            if operator in ("null", "notNull"):
                return True
            attributes = [name for name in names if name not in ("and", "or", "not")]
            return api.need(content_type, attributes)
    return None
