"""Documents that differ only in literals share a template, which reproduces each of them."""

import gc
import itertools
import tracemalloc
from typing import Any

import pytest
from graphql import (
    FloatValueNode,
    GraphQLSchema,
    IntValueNode,
    Node,
    StringValueNode,
    VariableNode,
    Visitor,
    parse,
    print_ast,
    validate,
    visit,
)

from octavo.api.graphql.document.literals import (
    _LITERAL,
    MOST_CHARACTERS,
    MOST_LITERALS,
    Literals,
    Templates,
    split_literals,
)
from octavo.api.graphql.schema.builder import build_schema
from octavo.core.cache import CacheBudget
from tests.models.bookshop import bookshop_registry

PLAIN = "{ book(id: %s) { data { id } } }"
TEXTS = '{ books(filters: { title: { contains: %s } }, sort: "title") { data { id } } }'
NUMBERS = "{ books(filters: { or: [{ pages: { gt: %s } }, { weight: { lt: %s } }] }) { data { id } } }"


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(bookshop_registry())


@pytest.fixture
def templates(schema: GraphQLSchema) -> Templates:
    return Templates(schema, CacheBudget(10_000_000).cache("templates"), lambda parent, name: False)


def learned(templates: Templates, *texts: str) -> None:
    for text in texts:
        split = split_literals(text)
        if split is not None:
            templates.learn(split)


def found(templates: Templates, text: str) -> Literals | None:
    split = split_literals(text)
    return None if split is None else templates.find(split)


class _Filling(Visitor):
    """Replaces a template's variables with literals."""

    def __init__(self, literals: Literals) -> None:
        super().__init__()
        self._written = literals.written

    def enter_variable(self, node: VariableNode, *_: Any) -> Node | None:
        if not node.name.value.startswith(" "):
            return None
        kind, text = self._written[int(node.name.value)]
        if kind == "s":
            return StringValueNode(value=text[1:-1])
        return IntValueNode(value=text) if kind == "i" else FloatValueNode(value=text)


def filled(literals: Literals) -> str:
    """Return a template's text with the document's literals inserted."""
    operations = (*literals.template.document.operations, *literals.template.document.fragments.values())
    return "\n\n".join(print_ast(visit(one, _Filling(literals))) for one in operations)


SAME: list[tuple[str, list[Any]]] = [
    (PLAIN, ["1", "2", "30", "-4", "0", "123456789012345678"]),
    (PLAIN, ['"1"', '"x"', '""', '"\u00fc\U0001f600"', '"#5"', '"a, b { c"', '"$v"', '"1.5"']),
    (TEXTS, ['"sea"', '"5"', '"it\'s"', '"/* */"', '"  "']),
    (TEXTS + ' # 5 "x"', ['"sea"', '"moon"', '"lake"']),
    ("# first 7\n" + TEXTS, ['"sea"', '"moon"', '"lake"']),
    ('query A($n: Int = 5) { a: book(id: "%s") { data { id } } b: books(pagination: {limit: $n}) '
     "{ data { id } } }", ["1", "2", "3"]),
    ('{ books(locale: "%s", pagination: { limit: 5 }) { ...F } } fragment F on BookEntityResponseCollection '
     "{ data { attributes { genres(sort: \"name\") { data { id } } } } }", ["en", "fr", "de-AT"]),
    ('mutation { createBook(data: { title: "%s", pages: 5, chapters: [{ title: "one", pages: 1 }, { title: "two" }], '
     'extras: [{ __typename: "ComponentShopQuote", text: "q" }], extra: { a: [1, "x"] } }) { data { id } } }',
     ["Sea", "Moon", "Lake"]),
    ('{ books(filters: { title: { in: ["q""x", "%s"] }, id: { in: [1-2 3,-4] } }) { data { id } } }', ["a", "b", "c"]),
    ('{ books(filters: { title: { eq: """%s""" }, pages: { gt: 5 } }) { data { id } } }', ["a 5", "a 5", "a 5"]),
    ('{ books(filters: { title: { eq: "\\u0041%s" }, pages: { gt: 5 } }) { data { id } } }', ["", "", ""]),
]  # fmt: skip


@pytest.mark.parametrize("text, literals", SAME, ids=[str(number) for number in range(len(SAME))])
def test_a_template_is_the_document_of_its_texts(
    schema: GraphQLSchema, templates: Templates, text: str, literals: list[str]
) -> None:
    texts = [text % literal for literal in literals]
    assert not any(validate(schema, parse(one)) for one in texts)
    learned(templates, *texts[:2])
    same = [found(templates, one) for one in texts]
    assert all(one is not None for one in same)
    assert len({one.template for one in same if one is not None}) == 1
    for one, given in zip(same, texts, strict=True):
        assert one is not None
        assert filled(one) == print_ast(parse(given))


@pytest.mark.parametrize("text", [PLAIN % '"1" "x"', PLAIN % "05", PLAIN % "5x", PLAIN % '"""x"', "{", PLAIN % '"x'])
def test_documents_with_syntax_errors_have_no_template(templates: Templates, text: str) -> None:
    learned(templates, PLAIN % "1", PLAIN % "2", PLAIN % '"1"', PLAIN % '"2"')
    assert found(templates, text) is None
    learned(templates, text, text)  # as if it were valid
    assert found(templates, text) is None


INVALID: list[tuple[str, list[str], list[str]]] = [
    ("{ books(pagination: { limit: %s }) { data { id } } }", ["1", "2"], ["2147483648", "1.5", '"1"', "-9999999999"]),
    (NUMBERS, ["1, 2", "3, 4"], ["1.5, 2", '"1", 2']),
    ("{ books(filters: { releaseDate: { gt: %s } }) { data { id } } }", ['"2024-01-01"', '"2024-01-02"'], ['"x"', "5"]),
    ("{ books(locale: %s) { data { id } } }", ['"en"', '"fr"'], ["5"]),
    ("{ books(filters: { title: { eq: %s } }) { data { id } } }", ['"en"', '"fr"'], ["5", "1.5"]),
    ("mutation { createBook(data: { language: %s }) { data { id } } }", ["en", "en"], ['"en"']),
]


@pytest.mark.parametrize("text, valid, invalid", INVALID)
def test_an_invalid_literal_has_no_template(
    schema: GraphQLSchema, templates: Templates, text: str, valid: list[str], invalid: list[str]
) -> None:
    def written(values: str) -> str:
        return text % (tuple(values.split(", ")) if text.count("%s") > 1 else values)

    learned(templates, *map(written, valid))
    for values in invalid:
        assert validate(schema, parse(written(values)))
        assert found(templates, written(values)) is None


@pytest.mark.parametrize(
    "text",
    [
        "{ a: book(id: %s) { data { id } } a: book(id: %s) { data { id } } }",
        "{ ...F ...G } fragment F on Query { a: book(id: %s) { __typename } } "
        "fragment G on Query { a: book(id: %s) { __typename } }",
    ],
)
def test_arguments_that_must_be_equal_stay_in_the_document(templates: Templates, text: str) -> None:
    learned(templates, text % (1, 1), text % (2, 2), text % (3, 3))
    assert found(templates, text % (4, 5)) is None


OTHERS = [
    "{ __type(name: %s) { name } }",
    'mutation { login(input: { identifier: %s, password: "x" }) { jwt } }',
    "{ book(id: %s) @include(if: true) { data { id } } me { id } }",
]


@pytest.mark.parametrize("text", OTHERS)
def test_root_fields_of_others_have_no_template(templates: Templates, text: str) -> None:
    learned(templates, *(text % f'"{name}"' for name in "abc"))
    assert found(templates, text % '"d"') is None


def test_fields_with_code_have_no_template(schema: GraphQLSchema) -> None:
    for coded in (("Query", "book"), ("BookEntity", "id"), ("Genre", "name")):
        cache = CacheBudget(10_000_000).cache("templates")
        templates = Templates(schema, cache, lambda *field: field == coded)  # noqa: B023
        learned(templates, *(PLAIN % number for number in range(3)))
        assert (found(templates, PLAIN % 4) is None) == (coded != ("Genre", "name"))


def test_literals_outside_of_arguments_stay_in_the_document(templates: Templates) -> None:
    text = "query ($n: Int = %s) { books(pagination: { limit: $n, start: %s }) { data { id } } }"
    learned(templates, *(text % (5, start) for start in range(3)))
    assert found(templates, text % (5, 9)) is not None
    assert found(templates, text % (6, 9)) is None


def test_large_texts_are_not_split() -> None:
    assert split_literals("{ a }") is None
    assert split_literals(PLAIN % 1 + " " * MOST_CHARACTERS) is None
    assert split_literals(f"{{ a(b: [{'1 ' * (MOST_LITERALS + 1)}]) }}") is None


@pytest.mark.parametrize("part", ['"\\', '"""\\', "#", '#"'])
def test_texts_without_an_end_are_read_once(part: str) -> None:
    matches = list(_LITERAL.finditer(part * (MOST_CHARACTERS // len(part))))
    assert len(matches) == 1
    assert len(matches[0][0]) >= MOST_CHARACTERS - 4


@pytest.mark.parametrize("count", [1, 40])
def test_the_memory_of_a_template_is_counted(schema: GraphQLSchema, count: int) -> None:
    names = itertools.count()
    fields = " ".join(
        f'f{next(names)}: books(filters: {{title: {{eq: "%s"}}}}) {{ data {{ id }} }}' for _ in range(count)
    )
    cache = CacheBudget(10_000_000).cache("templates")
    templates = Templates(schema, cache, lambda parent, name: False)
    splits = [split_literals(f"{{ {fields % ((word,) * count)} }}") for word in ("sea", "moon")]
    learned(templates, TEXTS % '"sea"', TEXTS % '"moon"')  # builds the lazy parts of the schema
    gc.collect()
    size = cache.report().size
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for split in splits:
        assert split is not None
        templates.learn(split)
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    counted = cache.report().size - size
    assert 0.3 * counted < taken <= counted
