"""The layout of statements changes only whitespace."""

from tests.golden.layout import lay_out


def test_a_short_statement_is_one_line() -> None:
    assert lay_out("SELECT a FROM t WHERE x IN (SELECT 1)") == "SELECT a FROM t WHERE x IN (SELECT 1)"


def test_a_long_one_is_broken_at_clauses_and_brackets() -> None:
    long = ", ".join(f"column_{number}" for number in range(9))
    assert lay_out(f"SELECT concat({long}) FROM (SELECT 'a, (b' AS x FROM t WHERE a = 1) t1 WHERE ' FROM ' = x") == (
        "SELECT concat(\n"
        + "".join(f"  column_{number}{',' if number < 8 else ''}\n" for number in range(9))
        + ")\nFROM (SELECT 'a, (b' AS x FROM t WHERE a = 1) t1\nWHERE ' FROM ' = x"
    )
