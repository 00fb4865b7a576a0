"""GraphQL documents, parsed and validated once per text."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    OperationType,
    parse,
)
from graphql.validation import specified_rules

from octavo.api.graphql.document.coercers import VariableCoercers
from octavo.api.graphql.document.error_messages import worded
from octavo.api.graphql.document.introspection_rule import NoIntrospection
from octavo.api.graphql.document.limits import (
    MOST_ERRORS,
    check_depth,
    check_nesting,
    check_size,
    check_tokens,
    count_tokens,
    fragments_of,
    operations_of,
)
from octavo.api.graphql.document.validation import validate_document
from octavo.api.graphql.options import Limits
from octavo.api.graphql.tracing import PARSING, VALIDATION, Trace, stage
from octavo.core.cache import Cache
from octavo.core.values import dataclass

PARSE_FAILED: Final = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED: Final = "GRAPHQL_VALIDATION_FAILED"
NO_NAME: Final = "Must provide operation name if query contains multiple operations."
NO_SUBSCRIPTIONS: Final = "Schema is not configured for subscriptions."


class RefusedDocument(Exception):
    """A document that is rejected: its errors, and their common code."""

    def __init__(self, errors: list[GraphQLError], code: str) -> None:
        super().__init__(errors[0].message)
        self.errors = errors
        self.code = code


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Document:
    """A valid document, and its memory use in bytes."""

    text: str
    operations: tuple[OperationDefinitionNode, ...]
    fragments: Mapping[str, FragmentDefinitionNode]
    size: int
    only: OperationDefinitionNode | None = None
    """The operation of a document that has no other, unless it is a subscription."""
    coercers: dict[int, VariableCoercers] = field(default_factory=dict)
    """The coercers of the variables of each operation used so far, by the operation's `id()`."""

    def operation(self, name: str | None = None) -> OperationDefinitionNode:
        """Return the operation to run.

        Raises GraphQLError for an unknown name, or several operations without a name.
        """
        if name is None:
            if len(self.operations) > 1:
                raise GraphQLError(NO_NAME)
            operation = self.operations[0]
        else:
            for operation in self.operations:
                if operation.name and operation.name.value == name:
                    break
            else:
                raise GraphQLError(f'Unknown operation named "{name}".')
        if operation.operation is OperationType.SUBSCRIPTION:
            raise GraphQLError(NO_SUBSCRIPTIONS, operation)
        return operation


TOKEN_BYTES: Final = 580
"""Maximum memory of a token of a parsed document in bytes. Measured; a test checks it."""


def size_of_document(text: str) -> int:
    """Return the memory use of a text's document in bytes."""
    return sys.getsizeof(text) + TOKEN_BYTES * count_tokens(text)


class Documents:
    """Parses and validates documents for a schema, and caches valid ones."""

    def __init__(self, schema: GraphQLSchema, limits: Limits, cache: Cache[str, Document]) -> None:
        self._schema = schema
        self._limits = limits
        self._known = cache
        self.known: Callable[[str], Document | None] = cache.get
        """Returns the cached document of a text, or None."""
        self._rules = [*specified_rules, *([] if limits.introspection else [NoIntrospection])]

    def keep(self, document: Document) -> Document:
        """Cache a document."""
        return self._known.put(document.text, document, document.size)

    def read(self, text: str, trace: Trace | None = None) -> Document:
        """Parse and validate a text. Thread-safe. Raises RefusedDocument."""
        with stage(trace, PARSING):
            document = self._parse(text)
        with stage(trace, VALIDATION):
            self._validate(text, document)
        operations = tuple(operations_of(document))
        only = None
        if len(operations) == 1 and operations[0].operation is not OperationType.SUBSCRIPTION:
            only = operations[0]
        return Document(text, operations, fragments_of(document), size_of_document(text), only)

    def _parse(self, text: str) -> DocumentNode:
        try:
            check_nesting(text, self._limits.nesting)
            check_tokens(text, self._limits.tokens)
            return parse(text, max_tokens=self._limits.tokens)
        except GraphQLSyntaxError as error:
            raise RefusedDocument([worded(error)], PARSE_FAILED) from None

    def _validate(self, text: str, document: DocumentNode) -> None:
        errors = check_size(document, self._limits)
        if not errors:
            errors = check_depth(document, self._limits.depth)
            found = validate_document(self._schema, text, document, self._rules, MOST_ERRORS)
            errors += [worded(error) for error in found]
        if errors:
            raise RefusedDocument(errors, VALIDATION_FAILED)
