"""Invalid documents and variables get the errors of v4; valid documents are parsed once."""

import tracemalloc
from typing import Any

import pytest
from graphql import GraphQLError, get_introspection_query, parse

from octavo.api.graphql.document.documents import (
    NO_NAME,
    NO_SUBSCRIPTIONS,
    PARSE_FAILED,
    VALIDATION_FAILED,
    Document,
    Documents,
    RefusedDocument,
    size_of_document,
)
from octavo.api.graphql.document.variables import RefusedVariables, read_variables
from octavo.api.graphql.options import Limits
from tests.api.graphql.asking import documents_of
from tests.api.graphql.recordings import recorded_documents, schema_of


@pytest.fixture(scope="module")
def documents() -> Documents:
    return documents_of(schema_of("kinds"), Limits())


def described(errors: list[GraphQLError], code: str) -> list[dict[str, Any]]:
    return [{"message": error.message, "locations": places(error), "code": code} for error in errors]


def places(error: GraphQLError) -> list[dict[str, int]]:
    return [{"line": place.line, "column": place.column} for place in error.locations or ()]


def refusals(documents: Documents, text: str, variables: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the errors in the response."""
    try:
        document = documents.read(text)
    except RefusedDocument as refused:
        return described(refused.errors, refused.code)
    try:
        operation = document.operations[0] if len(document.operations) > 1 else document.operation()
        read_variables(schema_of("kinds"), operation, variables)
    except GraphQLError as error:
        return described([error], "INTERNAL_SERVER_ERROR")
    except RefusedVariables as refused:
        return described(refused.errors, "BAD_USER_INPUT")
    return []


def test_documents_and_variables_are_refused_as_recorded(documents: Documents) -> None:
    recorded = recorded_documents()
    assert len(recorded) > 1000
    differing = []
    for item in recorded:
        found = refusals(documents, item["document"], item["variables"])
        kept = [{key: error[key] for key in wanted} for error, wanted in zip(found, item["errors"], strict=False)]
        if len(found) != len(item["errors"]) or kept != item["errors"]:
            differing.append((item, found))
    assert differing == []


def test_documents_are_cached_by_their_text(documents: Documents) -> None:
    text = "{plains{data{id}}}"
    assert documents.known(text) is None
    kept = documents.keep(documents.read(text))
    assert documents.known(text) is kept


TEXTS = {
    "fields": "{" + " ".join(["a"] * 3000) + "}",
    "levels": "{a" * 90 + "}" * 90,
    "lists": "{a(x:[" + "1," * 3000 + "])}",
    "aliases": "{" + " ".join(f"a{number}:b" for number in range(1500)) + "}",
    "objects": "{a(x:{" + " ".join(f"k{number}:1" for number in range(2000)) + "})}",
    "directives": "{a " + "@b " * 2000 + "}",
    "spreads": "{" + "...f " * 2000 + "}",
    "variables": "query(" + "".join(f"$a{number}:Int" for number in range(1000)) + "){a}",
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_memory_of_a_document_is_counted(name: str) -> None:
    text = TEXTS[name]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    document = parse(text)
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert document.definitions
    assert 0.3 * size_of_document(text) < taken <= size_of_document(text)


TWO = "query A{plains{data{id}}} query B{drafts{data{id}}}"


def test_operations_are_found_by_name(documents: Documents) -> None:
    document = documents.read(TWO)
    assert document.operation("B") is document.operations[1]


@pytest.mark.parametrize(
    "text, name, message",
    [
        (TWO, None, NO_NAME),
        (TWO, "C", 'Unknown operation named "C".'),
        ("{plains{data{id}}}", "", 'Unknown operation named "".'),
        ("subscription{plains{data{id}}}", None, NO_SUBSCRIPTIONS),
    ],
)
def test_an_operation_must_be_found(documents: Documents, text: str, name: str | None, message: str) -> None:
    document: Document = documents.read(text)
    with pytest.raises(GraphQLError) as caught:
        document.operation(name)
    assert caught.value.message == message


def test_introspection_can_be_switched_off() -> None:
    documents = documents_of(schema_of("kinds"), Limits(introspection=False))
    with pytest.raises(RefusedDocument) as caught:
        documents.read("{__schema{types{name}} __typename}")
    assert [error.message for error in caught.value.errors] == [
        "GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. "
        "To enable introspection, pass introspection: true to ApolloServer in production"
    ]
    assert caught.value.code == VALIDATION_FAILED


def chain(count: int) -> str:
    links = " ".join(f"fragment F{number} on Query{{...F{number + 1}}}" for number in range(count))
    return f"{{...F0}} {links} fragment F{count} on Query{{plains{{data{{id}}}}}}"


def bomb(count: int) -> str:
    halves = " ".join(f"fragment F{number + 1} on PlainEntity{{...F{number} ...F{number}}}" for number in range(count))
    return f"{{plains{{data{{...F{count}}}}}}} {halves} fragment F0 on PlainEntity{{id}}"


HOSTILE = {
    "deep fields": ("{a" * 10_000, PARSE_FAILED, "Syntax Error: Nested more than 100 times."),
    "deep lists": ("{plains(sort:" + "[" * 10_000, PARSE_FAILED, "Syntax Error: Nested more than 100 times."),
    "many tokens": (
        "{" + "id " * 100_000 + "}",
        PARSE_FAILED,
        "Syntax Error: Document contains more than 15000 tokens. Parsing aborted.",
    ),
    "a field again and again": (
        "{" + "plains{data{id}}" * 1_000 + "}",
        VALIDATION_FAILED,
        "The document selects the same fields too often",
    ),
    "a field within itself": (
        "{" + ("plains{" + "data{id}" * 20 + "}") * 20 + "}",
        VALIDATION_FAILED,
        "The document selects the same fields too often",
    ),
    "aliases": (
        "{plains{data{" + " ".join(f"a{number}:id" for number in range(501)) + "}}}",
        VALIDATION_FAILED,
        "The document has more than 500 aliases",
    ),
    "root fields": (
        "{" + " ".join(f"a{number}:__typename" for number in range(201)) + "}",
        VALIDATION_FAILED,
        "The operation has more than 200 root fields",
    ),
    "operations": (
        " ".join(f"query Q{number}{{plains{{data{{id}}}}}}" for number in range(101)),
        VALIDATION_FAILED,
        "The document has more than 100 operations",
    ),
    "fragments": (
        "{plains{data{id}}} " + " ".join(f"fragment F{number} on Query{{__typename}}" for number in range(501)),
        VALIDATION_FAILED,
        "The document has more than 500 fragments",
    ),
    "variables": (
        "query(" + " ".join(f"$v{number}:Int" for number in range(501)) + "){plains{data{id}}}",
        VALIDATION_FAILED,
        "The document has more than 500 variables",
    ),
    "directives": (
        "{plains{data{id " + "@skip(if:false)" * 501 + "}}}",
        VALIDATION_FAILED,
        "The document has more than 500 directives",
    ),
    "fragments in a chain": (chain(450), VALIDATION_FAILED, "Fragments are nested more than 100 times"),
    "an unused chain": (
        chain(450).replace("{...F0}", "{plains{data{id}}}"),
        VALIDATION_FAILED,
        "Fragments are nested more than 100 times",
    ),
    "fragments that double": (bomb(30), VALIDATION_FAILED, "The document selects more than 5000 fields"),
    "fragments that nest": (
        "{plains{data{...F0}}} "
        + " ".join(f"fragment F{number} on X{{a{{b{{...F{number + 1}}}}}}}" for number in range(60))
        + " fragment F60 on X{id}",
        VALIDATION_FAILED,
        "The operation is nested more than 100 times",
    ),
    "introspection again and again": (
        "{" + " ".join(f"a{number}:__schema{{types{{fields{{name}}}}}}" for number in range(13)) + "}",
        VALIDATION_FAILED,
        "The document queries too much of the schema",
    ),
    "introspection in circles": (
        "{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}",
        VALIDATION_FAILED,
        "Maximum introspection depth exceeded",
    ),
    "a circle": (
        "{...A} fragment A on Query{...B} fragment B on Query{...A}",
        VALIDATION_FAILED,
        'Cannot spread fragment "A" within itself via "B".',
    ),
    "a fragment in itself": (
        "{...A} fragment A on Query{plains{data{id}} ...A}",
        VALIDATION_FAILED,
        'Cannot spread fragment "A" within itself.',
    ),
    "a missing fragment": ("{...A}", VALIDATION_FAILED, 'Unknown fragment "A".'),
}


@pytest.mark.parametrize("text, code, message", HOSTILE.values(), ids=HOSTILE)
def test_hostile_documents_are_refused(documents: Documents, text: str, code: str, message: str) -> None:
    with pytest.raises(RefusedDocument) as caught:
        documents.read(text)
    assert (caught.value.code, caught.value.errors[0].message) == (code, message)


FRIENDLY = {
    "introspection": get_introspection_query(input_value_deprecation=True, schema_description=True),
    "brackets in text": '{plains(sort:"' + "[" * 1_000 + '"){data{id}}}',
    "brackets in a block": '{plains(sort:"""' + "[" * 1_000 + '"""){data{id}}}',
    "brackets in a comment": "#" + "[" * 1_000 + "\n{plains{data{id}}}",
    "words in text": '{plains(sort:"' + "a " * 20_000 + '"){data{id}}}',
    "words in a comment": "#" + "a " * 20_000 + "\n{plains{data{id}}}",
    "spaces and commas": "{plains{data{id" + " ,\n\ufeff" * 20_000 + "}}}",
    "a wide selection": "{plains{data{" + " ".join(f"a{number}:id" for number in range(400)) + "}}}",
    "fragments of components": (
        "{holders{data{attributes{zone{"
        + "".join(f"...on {name}{{id __typename}}" for name in ("ComponentBasicPart", "ComponentV2Hero3D"))
        + "}}}}}"
    ),
}


@pytest.mark.parametrize("text", FRIENDLY.values(), ids=FRIENDLY)
def test_large_but_honest_documents_are_read(documents: Documents, text: str) -> None:
    assert documents.read(text).text == text
