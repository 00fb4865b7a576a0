"""`octavo audit`: the actions of administrators, on each database."""

import json
import re

from tests.cli.conftest import Call, answered, said


def test_an_empty_audit_log(call: Call) -> None:
    assert answered(call("audit", "--json")) == []
    asked = ("--by", "ann@example.org", "--type", "api::a.a", "--entry", "1", "--limit", "5")
    assert answered(call("audit", *asked, "--json")) == []
    assert said(call("audit")) == ["No audit records yet."]


def test_changes_by_commands(call: Call) -> None:
    said(call("permissions", "grant", "public", "api::story.story.find"))
    said(call("permissions", "revoke", "public", "api::story.story.find"))
    said(call("tokens", "create", "reader"))
    said(call("admin", "create-user", "ann@example.org", "--password-stdin", input="Right-4711\n"))
    said(call("secrets", "rotate", "jwt"))
    lines = [json.loads(line) for line in said(call("audit", "--export"))]
    shown = [(one["door"], one["action"], one["uid"], one["email"], one["administrator"]) for one in lines]
    permission = "plugin::users-permissions.permission"
    assert shown[:3] == [
        ("command", "create", permission, None, 0),
        ("command", "delete", permission, None, 0),
        ("command", "create", "admin::api-token", None, 0),
    ]
    assert ("command", "create", "admin::user", None, 0) in shown
    assert shown[-1] == ("command", "secret rotated: jwt", None, None, 0)
    assert lines[0]["details"]["action"] == lines[1]["details"]["action"] == "api::story.story.find"
    assert re.fullmatch(r"octavo permissions grant by .+ on .+", lines[0]["userAgent"])
    assert [json.loads(line) for line in said(call("audit", "--export", "--after", str(lines[0]["id"])))] == lines[1:]
    assert "Right-4711" not in json.dumps(lines)
    assert "octavo permissions grant by" in call("audit").stdout
    shown_as_json = answered(call("audit", "--json"))
    assert [{"id": line["id"], **one} for line, one in zip(reversed(lines), shown_as_json, strict=True)] == lines[::-1]


def test_the_audit_log_distinguishes_announced_from_rotated_secrets(call: Call) -> None:
    said(call("tokens", "create", "reader"))
    said(call("secrets", "rotate", "jwt", "--next"))
    said(call("secrets", "rotate", "jwt"))
    said(call("secrets", "rotate", "jwt", "--show"))
    actions = [one["action"] for one in answered(call("audit", "--json"))]
    assert actions == ["secret rotated: jwt", "secret announced: jwt", "create"]


def test_an_export_has_no_filters(call: Call) -> None:
    assert call("audit", "--export", "--by", "ann@example.org").exit_code == 2
