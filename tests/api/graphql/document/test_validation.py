"""Documents have the errors that graphql-core finds, even where rules and nodes are skipped."""

from collections.abc import Iterator

import pytest
from graphql import DocumentNode, GraphQLError, GraphQLSyntaxError, Visitor, parse, validate, visit
from graphql.validation import specified_rules

from octavo.api.graphql.document.limits import MOST_ERRORS
from octavo.api.graphql.document.validation import VISITED, rules_for, validate_document
from tests.api.graphql.recordings import recorded_documents, schema_of

WRONG = (
    "{ nothing { at } all }",
    "{ a: __typename a: __schema { queryType { name } } }",
    "query A { __typename } query A { __typename } { __typename }",
    "fragment Unused on Query { __typename } { __typename }",
    "{ ...Gone ...A } fragment A on Query { ...B } fragment B on Query { ...A } fragment A on Gone { x }",
    "{ ... on Int { x } __schema { ... on Query { __typename } } }",
    "query ($a: Int, $a: Gone, $b: Query) { __type(name: $c) { name } }",
    'query ($a: Int = "x", $b: [String!]! = [null]) { __type(name: $a, name: "x", size: 1) { name } }',
    "query ($name: String) { __type(name: $name) { ...Name } } fragment Name on __Type { fields(x: $gone) { name } }",
    "{ __typename @gone @skip @include(if: 1, if: true) @skip(if: true) } query @skip(if: true) @deprecated { a }",
    "query A($a: Int @gone) { __typename } subscription { a b }",
    "{ __type(name: {a: 1, a: [2]}) { name name: kind } __type { name } }",
    'type Gone @deprecated(reason: 1) { "a name" a: Int @gone } { __typename }',
    f"{{ {' '.join(f'no{number}' for number in range(60))} }}",
    "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
)


def errors_of(found: list[GraphQLError]) -> list[tuple[str, object]]:
    return [(error.message, error.locations) for error in found]


def parsed(texts: list[str]) -> Iterator[tuple[str, DocumentNode]]:
    for text in texts:
        try:
            yield text, parse(text)
        except GraphQLSyntaxError:
            continue


def test_errors_are_those_of_graphql_core() -> None:
    schema, rules = schema_of("kinds"), list(specified_rules)
    texts = [*WRONG, *{item["document"] for item in recorded_documents()}]
    seen = 0
    for text, document in parsed(texts):
        expected = errors_of(validate(schema, document, rules, max_errors=MOST_ERRORS))
        assert errors_of(validate_document(schema, text, document, rules, MOST_ERRORS)) == expected, text
        seen += bool(expected)
    assert seen > 100


@pytest.mark.parametrize(
    "text, left_out",
    [
        (
            "{ a }",
            {"NoUndefinedVariablesRule", "KnownFragmentNamesRule", "KnownDirectivesRule", "KnownArgumentNamesRule"},
        ),
        ("query ($a: Int) { a(b: $a) @skip(if: true) ...B }", set()),
        ("{ a(b: 1) }", {"NoUnusedVariablesRule", "NoUnusedFragmentsRule", "UniqueDirectivesPerLocationRule"}),
    ],
)
def test_rules_without_anything_to_find_are_left_out(text: str, left_out: set[str]) -> None:
    names = {rule.__name__ for rule in rules_for(text, specified_rules)}
    assert not names & left_out
    assert bool(left_out) == (len(names) < len(specified_rules))


def test_names_are_not_visited() -> None:
    kinds: set[str] = set()

    class Kinds(Visitor):
        def enter(self, node: object, *_: object) -> None:
            kinds.add(type(node).__name__)

    visit(parse("query A($a: Int) { b: c(d: $a) @e { ...F } } fragment F on G { h }"), Kinds(), VISITED)
    assert "NameNode" not in kinds
    assert {"FieldNode", "VariableNode", "NamedTypeNode", "DirectiveNode", "FragmentSpreadNode"} <= kinds
