"""Selection sets are compiled to answers: the fields of an entry as one value."""

from pathlib import Path
from typing import Any

import pytest
from graphql import FragmentDefinitionNode, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode, parse

from octavo.access.authorization.permissions import permission_set
from octavo.access.authorization.strictness import Strictness
from octavo.api.graphql.document.collect_fields import Selections
from octavo.api.graphql.execution.argument_parser import ListLimits
from octavo.api.graphql.execution.cost import Cost
from octavo.api.graphql.execution.error_format import UnlistedComponent, render
from octavo.api.graphql.execution.error_sentinels import ErrorSentinels
from octavo.api.graphql.execution.selection_compiler import SelectionCompiler, SelectionContext
from octavo.api.graphql.schema.builder import build_schema
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import EntryReader
from octavo.core.errors import ForbiddenError, OctavoError, PaginationError, ValidationError
from octavo.database.sqlite import SqliteDatabase
from octavo.query.answer import Answer, Fixed, Kinds, Nested, Object, Value
from octavo.query.ast import And, At, Compare, Page, PublicationState, Query, Sort
from octavo.query.operators import OPERATORS
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK, GENRE

READER = permission_set([f"{uid}.find" for uid in (BOOK, AUTHOR, GENRE)])
TEN, LIVE = Page(start=0, limit=10, number=1), PublicationState.LIVE
ID, NULL, SENTINEL = Value(None), Fixed("null"), Fixed("\r\t\rnull")


@pytest.fixture(scope="module")
def schema(registry: Registry) -> GraphQLSchema:
    return build_schema(registry)


def context_of(schema: GraphQLSchema, registry: Registry, text: str, most: int, **how: Any) -> SelectionContext:
    """Return the context of a document's operation, without queries to its database."""
    fragments = {item.name.value: item for item in parse(text).definitions if isinstance(item, FragmentDefinitionNode)}
    return SelectionContext(
        selections=Selections(schema, fragments, {}),
        reads=ContentReads(registry, EntryReader(SqliteDatabase(Path("unopened.db")), registry), Strictness()),
        ability=READER,
        limits=ListLimits(),
        cost=Cost(most),
        sentinels=ErrorSentinels(),
        **how,
    )


def compile_entity(
    schema: GraphQLSchema, registry: Registry, text: str, most: int = 10_000, **how: Any
) -> tuple[Answer, list[dict[str, Any]]]:
    """Return the compiled selection set of a book, and the errors that its results may contain."""
    context = context_of(schema, registry, text, most, **how)
    operation, entity = parse(text).definitions[0], schema.type_map["BookEntity"]
    assert isinstance(operation, OperationDefinitionNode)
    assert isinstance(entity, GraphQLObjectType)
    return SelectionCompiler(context=context).entity(entity, [operation.selection_set]), context.sentinels.errors


def entity(**attributes: Answer) -> Object:
    return Object((("attributes", Object(tuple(attributes.items()))),))


def names(**members: Answer) -> Object:
    return Object(tuple(members.items()))


NAMED_X = And(items=(At(attribute="name", filter=And(items=(Compare(operator=OPERATORS["$eq"], values=("x",)),))),))
LANGUAGE = Value("language", (("de-AT", "de_AT"), ("Ελληνικά", "Ellinika")))

WITHOUT_ERRORS: list[tuple[str, Answer]] = [
    ("{ id __typename }", Object((("id", ID), ("__typename", Fixed('"BookEntity"'))))),
    ("{ attributes { pages p: pages } }", entity(pages=Value("pages"), p=Value("pages"))),
    ("{ attributes { language pin } }", entity(language=LANGUAGE, pin=NULL)),
    (
        "{ attributes { ...parts pages } } fragment parts on Book { pages title @skip(if: true) isbn }",
        entity(pages=Value("pages"), isbn=Value("isbn")),
    ),
    (
        "{ attributes { author { __typename data { id } } } }",
        entity(
            author=names(
                __typename=Fixed('"AuthorEntityResponse"'), data=Nested("author", Query(page=TEN), names(id=ID))
            )
        ),
    ),
    (
        """{ attributes { genres(filters: {name: {eq: "x"}}, pagination: {limit: 3}, sort: "name:desc") {
            data { id } } } }""",
        entity(
            genres=names(
                data=Nested(
                    "genres",
                    Query(
                        filters=NAMED_X,
                        sort=(Sort(names=("name",), descending=True),),
                        page=Page(start=0, limit=3, number=1),
                        publication_state=LIVE,
                    ),
                    names(id=ID),
                )
            )
        ),
    ),
    (
        "{ attributes { details { weight } chapters(pagination: {limit: 2}) { id title } } }",
        entity(
            details=Nested("details", Query(page=TEN), names(weight=Value("weight"))),
            chapters=Nested(
                "chapters", Query(page=Page(start=0, limit=2, number=1)), names(id=ID, title=Value("title"))
            ),
        ),
    ),
    (  # a component does not show that a relation is not readable
        "{ attributes { details { vault { __typename data { id } } } } }",
        entity(
            details=Nested(
                "details", Query(page=TEN), names(vault=names(__typename=Fixed('"VaultEntityResponse"'), data=NULL))
            )
        ),
    ),
]


@pytest.mark.parametrize("text, expected", WITHOUT_ERRORS)
def test_answers(schema: GraphQLSchema, registry: Registry, text: str, expected: Answer) -> None:
    assert compile_entity(schema, registry, text) == (expected, [])


def test_a_zone_has_a_branch_for_each_component(schema: GraphQLSchema, registry: Registry) -> None:
    quote, chapter = "... on ComponentShopQuote { text }", "... on ComponentShopChapter { title __typename }"
    text = f"{{ attributes {{ extras {{ {quote} {chapter} }} }} }}"
    branches: tuple[tuple[str, Answer], ...] = (
        ("shop.quote", names(text=Value("text"))),
        ("shop.chapter", names(title=Value("title"), __typename=Fixed('"ComponentShopChapter"'))),
        ("shop-odd.banner-2", names()),
    )
    assert compile_entity(schema, registry, text) == (
        entity(extras=Kinds("extras", Query(), branches, SENTINEL)),
        [render(UnlistedComponent("BookExtrasDynamicZone"))],
    )


REFUSED: list[tuple[str, str, OctavoError]] = [
    ("vaults", "vaults { data { id } }", ForbiddenError()),
    (
        "genres",
        "genres(pagination: {limit: 1, page: 1}) { data { id } }",
        PaginationError("Cannot use both page & offset pagination in the same query"),
    ),
]


@pytest.mark.parametrize("key, field, error", REFUSED)
def test_refused_fields_are_null_and_others_are_returned(
    schema: GraphQLSchema, registry: Registry, key: str, field: str, error: OctavoError
) -> None:
    found = compile_entity(schema, registry, f"{{ attributes {{ {field} pages }} }}")
    expected: dict[str, Answer] = {key: SENTINEL, "pages": Value("pages")}
    assert found == (entity(**expected), [render(error)])


def test_deleted_entries_have_no_relations(schema: GraphQLSchema, registry: Registry) -> None:
    text = "{ attributes { author { data { id } } genres { data { id } } details { id } extras { __typename } pages } }"
    assert compile_entity(schema, registry, text, is_gone=True) == (
        entity(
            author=names(data=NULL), genres=names(data=Fixed("[]")), details=NULL, extras=NULL, pages=Value("pages")
        ),
        [],
    )


@pytest.mark.parametrize("most, is_refused", [(122, False), (121, True)])
def test_lists_multiply_the_cost_of_their_fields(
    schema: GraphQLSchema, registry: Registry, most: int, is_refused: bool
) -> None:
    """A book and its attributes count two; ten genres with attributes, twenty; ten books of each genre, a hundred."""
    text = "{ attributes { genres { data { attributes { books { data { id } } } } } } }"
    if is_refused:
        with pytest.raises(ValidationError):
            compile_entity(schema, registry, text, most)
    else:
        compile_entity(schema, registry, text, most)


def test_required_scalars_are_errors_where_they_are_null(schema: GraphQLSchema, registry: Registry) -> None:
    found, errors = compile_entity(schema, registry, "{ attributes { t: title title pages } }")
    members = (("t", Value("title")), ("title", Value("title")), ("pages", Value("pages")))
    assert found == Object((("attributes", Object(members, required=(("title", "\r\t\rnull"),))),))
    assert [error["message"] for error in errors] == ["Cannot return null for non-nullable field Book.title."]
