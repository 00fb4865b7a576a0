"""Compiled reads: text that depends only on the shape, and types with too many columns for one function call."""

import json

import pytest

from octavo.access.authorization.permissions import EVERYTHING
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.api.http.query_string import parse_query_string
from octavo.database.connection import LARGEST_ANSWER, Database
from octavo.database.synchronize import synchronize
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import Planned, plan_read
from octavo.query.request import ReadRequest
from octavo.query.sql.dialects.mysql import MySQLDialect
from octavo.query.sql.read.select import compile_read
from octavo.schema.definition_values import Reader
from octavo.schema.loader import builtin_registry
from octavo.schema.parse import parse_content_type
from octavo.schema.registry import Registry
from tests.dialects import DIALECTS
from tests.models.bookshop import BOOK
from tests.models.content import ContentWriter

WIDE = "api::wide.wide"


def planned(registry: Registry, query: str, uid: str = BOOK) -> Planned:
    asked = read_query(parse_query_string(query), PageLimits())
    content_type = registry.content_types[uid]
    sanitized = QuerySanitizer(registry, EVERYTHING).sanitize(asked, content_type)
    return plan_read(ReadRequest(content_type=content_type, query=sanitized), registry)


SAME_SHAPE = [
    ("filters[title]=a", "filters[title]=b"),
    ("pagination[page]=2", "pagination[page]=3&pagination[pageSize]=7"),
    ("filters[id][$in]=1&filters[id][$in]=2", "filters[id][$in]=8&filters[id][$in]=9"),
    ("sort=title", "sort=title:asc"),
    ("populate=author", "populate[author]=true"),
    ("filters[author][name][$contains]=a&_q=x", "filters[author][name][$contains]=%25&_q=y"),
]


@pytest.mark.parametrize("one, other", SAME_SHAPE)
def test_values_are_no_part_of_the_text(registry: Registry, one: str, other: str) -> None:
    first, second = planned(registry, one), planned(registry, other)
    assert (first.plan, hash(first.plan)) == (second.plan, hash(second.plan))


OTHER_SHAPE = [
    ("filters[title]=a", "filters[slug]=a"),
    ("filters[id][$in]=1", "filters[id][$in][0]=1&filters[id][$in][1]=2"),
    ("sort=title", "sort=title:desc"),
    ("", "pagination[withCount]=false"),
    ("pagination[page]=1", "pagination[page]=2"),
    ("_q=x", "_q=1"),
]


@pytest.mark.parametrize("one, other", OTHER_SHAPE)
@pytest.mark.parametrize("name", DIALECTS)
def test_another_shape_is_another_text(registry: Registry, name: str, one: str, other: str) -> None:
    texts = {
        compile_read(planned(registry, query).plan, registry, DIALECTS[name], LARGEST_ANSWER) for query in (one, other)
    }
    assert len(texts) == 2


@pytest.mark.parametrize("name", DIALECTS)
def test_callers_texts_are_never_in_the_statement(registry: Registry, name: str) -> None:
    filters = "filters[title]=EVIL'&filters[author][name][$in]=EVIL'&_q=EVIL'"
    query = f"{filters}&locale=EVIL'&populate[genres][filters][name]=EVIL'"
    found = planned(registry, query)
    assert "EVIL" not in compile_read(found.plan, registry, DIALECTS[name], LARGEST_ANSWER)
    assert found.values.count("EVIL'") == 5


@pytest.mark.parametrize("version, tables, conditions", [("8.0.36", 1, 1), ("10.11.6-MariaDB", 0, 2)])
def test_materialized_matches_need_support_by_the_database(
    registry: Registry, version: str, tables: int, conditions: int
) -> None:
    dialect = MySQLDialect()
    dialect.adapt(version, 2**24)
    plan = planned(registry, "filters[title][$containsi]=a&sort=slug").plan
    text = compile_read(plan, registry, dialect, LARGEST_ANSWER)
    assert (text.count("WITH "), text.count(" LIKE ")) == (tables, conditions)


@pytest.mark.anyio
async def test_types_may_be_wider_than_a_function_call(database: Database) -> None:
    attributes = {f"attribute{number}": {"type": "string"} for number in range(240)}
    wide = parse_content_type(
        WIDE, {"info": {}, "collectionName": "wides", "attributes": attributes}, Reader("wide", [])
    )
    registry = Registry([*builtin_registry().content_types.values(), wide], ())
    await synchronize(database, registry)
    writer = ContentWriter(database, registry, database.dialect)
    await writer.add(WIDE, **{name: name.upper() for name in attributes})
    found = planned(registry, "", WIDE)
    text = compile_read(found.plan, registry, database.dialect, LARGEST_ANSWER)
    row = await database.fetch_row(text, found.values)
    assert row is not None
    [entry] = json.loads(row[0])
    assert {name: entry["attributes"][name] for name in attributes} == {name: name.upper() for name in attributes}


@pytest.mark.parametrize("name, apart", [("sqlite", 0), ("postgresql", 4)])
def test_a_planner_that_joins_conditions_gets_a_limited_number(registry: Registry, name: str, apart: int) -> None:
    """`IS TRUE` keeps the other conditions from becoming joins, which take time to plan."""
    for kind, wanted in (("$and", apart), ("$or", 0)):
        for count, times in ((16, 0), (20, wanted)):
            query = "&".join(f"filters[{kind}][{number}][genres][name]=x" for number in range(count))
            text = compile_read(planned(registry, query).plan, registry, DIALECTS[name], LARGEST_ANSWER)
            conditions = text.count("IN (SELECT")
            assert conditions >= count
            assert text.count(" IS TRUE") == times * conditions // count


def _tree(path: str, depth: int) -> list[str]:
    if not depth:
        return [f"filters{path}[genres][name]=x"]
    return [leaf for number in (0, 1) for leaf in _tree(f"{path}[$and][{number}]", depth - 1)]


NESTED = {
    "tree": ("&".join(_tree("", 3)), 8, {"postgresql": 0, "mysql": 5}),
    "deep tree": ("&".join(_tree("", 5)), 32, {"postgresql": 16, "mysql": 29}),
    "chain": ("filters" + "[author][books]" * 4 + "[title]=x", 8, {"postgresql": 0, "mysql": 2}),
    "alternatives": ("&".join(f"filters[$or][{n}][author][books][title]=x" for n in range(4)), 8, {"mysql": 0}),
}


@pytest.mark.parametrize("shape", NESTED)
@pytest.mark.parametrize("name", DIALECTS)
def test_joined_conditions_are_counted_at_any_depth(registry: Registry, name: str, shape: str) -> None:
    """A separate condition starts another subselect, so a chain is divided."""
    query, count, apart = NESTED[shape]
    text = compile_read(planned(registry, query).plan, registry, DIALECTS[name], LARGEST_ANSWER)
    repeated, rest = divmod(text.count("IN (SELECT"), count)
    assert (repeated > 0, rest) == (True, 0)
    assert text.count(" IS TRUE") == repeated * apart.get(name, 0)
