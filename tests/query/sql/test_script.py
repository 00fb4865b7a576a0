"""Scripts split into statements, each with its line."""

import pytest

from octavo.query.sql.script import InvalidScript, statements_of
from tests.dialects import DIALECTS

EVERYWHERE = """\
-- a comment; of one line
CREATE TABLE a (x text DEFAULT ';'); /* one;
of two */
INSERT INTO a VALUES ('it''s; fine'), ("a;b"); ;
commit"""
TRIGGER = """\
CREATE TRIGGER t AFTER INSERT ON a BEGIN
  SELECT CASE WHEN 1 THEN 2 END; UPDATE a SET x = 1;
END;
SELECT [a;b], `c;d` FROM a"""
FUNCTIONS = """\
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $b$ BEGIN; RETURN 1; END $b$;
/* a /* ; */ ; */
CREATE RULE r AS ON INSERT TO a DO (SELECT 1; SELECT 2);
SELECT $1, E'a\\';b', $$x;'$$;
CREATE FUNCTION g() RETURNS int BEGIN ATOMIC SELECT CASE 1 WHEN 1 THEN 2 END; END;
SELECT 1"""


def cut(script: str, dialect: str) -> list[tuple[int, str]]:
    return [(each.line, each.first_word) for each in statements_of(script, DIALECTS[dialect].script)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_statements_end_at_semicolons_that_are_neither_quoted_nor_in_comments(dialect: str) -> None:
    assert cut(EVERYWHERE, dialect) == [(2, "CREATE"), (4, "INSERT"), (5, "COMMIT")]
    assert cut(" \n -- nothing", dialect) == []


def test_nested_statements_are_one_statement() -> None:
    assert cut(TRIGGER, "sqlite") == [(1, "CREATE"), (4, "SELECT")]
    assert cut(FUNCTIONS, "postgresql") == [(1, "CREATE"), (3, "CREATE"), (4, "SELECT"), (5, "CREATE"), (6, "SELECT")]


@pytest.mark.parametrize("dialect, script", [
    ("sqlite", "SELECT 1;\nSELECT 'a"), ("postgresql", 'SELECT 1;\nSELECT "a'), ("sqlite", "\nSELECT 1 /* b"),
    ("postgresql", "\nSELECT 1 /* b /* */"), ("postgresql", "\nSELECT $a$ b $b$"),
])  # fmt: skip
def test_unterminated_quotes_are_refused_with_their_line(dialect: str, script: str) -> None:
    with pytest.raises(InvalidScript) as caught:
        cut(script, dialect)
    assert caught.value.line == 2
