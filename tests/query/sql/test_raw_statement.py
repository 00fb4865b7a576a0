"""Statements with named values, in the SQL of each database."""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import octavo
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from tests.dialects import DIALECTS

RUNNING = {"octavo.__main__", "octavo.asgi"}
"""Modules that run code when imported."""

UPDATE = RawStatement("UPDATE t SET used = {now:instant}, kept = {name} WHERE {t.made_at:milliseconds} < {now}")


@pytest.mark.parametrize(
    "dialect, text",
    [
        (SQLITE, "UPDATE t SET used = ?1, kept = ?2 WHERE t.made_at < ?1"),
        (
            POSTGRESQL,
            "UPDATE t SET used = (timestamp 'epoch' + $1::int8 / 1000 * interval '1 second' +"
            " $1::int8 % 1000 * interval '1 millisecond'), kept = $2"
            " WHERE (extract(epoch from t.made_at) * 1000)::int8 < $1",
        ),
    ],
)
def test_values_are_numbered_in_order(dialect: Dialect, text: str) -> None:
    assert UPDATE.bind(dialect, name="a", now=5) == (text, (5, "a"))


def test_a_statement_may_have_no_values() -> None:
    assert RawStatement("SELECT 1").bind(SQLITE) == ("SELECT 1", ())


@pytest.mark.parametrize("values", [{}, {"now": 1}, {"now": 1, "name": "a", "other": 2}])
def test_every_name_needs_one_value(values: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="expected values for now, name; got"):
        UPDATE.bind(SQLITE, **values)


def test_another_name_is_no_value() -> None:
    with pytest.raises(KeyError):
        UPDATE.bind(SQLITE, now=1, nmae="a")


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="milisecond"):
        RawStatement("SELECT {made_at:milisecond}").bind(SQLITE)


def test_escaped_sql_is_not_changed() -> None:
    piece = """concat('{"id":', t.id, '}')"""
    text, values = RawStatement(f"SELECT {escape_braces(piece)} WHERE id = {{id}}").bind(POSTGRESQL, id=1)
    assert (text, values) == (f"SELECT {piece} WHERE id = $1", (1,))


def own_statements() -> Iterator[tuple[str, RawStatement]]:
    """Yield all statements in constants of modules, including nested ones."""
    for module in pkgutil.walk_packages(octavo.__path__, "octavo."):
        if module.name in RUNNING:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for statement in value if isinstance(value, tuple) else (value,):
                if isinstance(statement, RawStatement):
                    yield f"{module.name}.{name}", statement


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_every_statement_can_be_rendered(dialect: Dialect) -> None:
    texts = [(place, statement.render(dialect)[0]) for place, statement in own_statements()]
    assert len(texts) > 30
    assert [place for place, text in texts if "{" in text or "}" in text] == []
