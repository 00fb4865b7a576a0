"""`octavo audit`: what administrators have done, on both databases."""

from tests.cli.conftest import Call, answered, said


def test_where_nothing_was_done(call: Call) -> None:
    assert answered(call("audit", "--json")) == []
    asked = ("--by", "ann@example.org", "--type", "api::a.a", "--entry", "1", "--limit", "5")
    assert answered(call("audit", *asked, "--json")) == []
    assert said(call("audit")) == ["No audit records yet."]
