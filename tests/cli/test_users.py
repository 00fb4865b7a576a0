"""`octavo users`: create, list, update and delete, on each database."""

import pytest

from tests.cli.conftest import Call, answered, refused, said

ANN = {
    "id": 1,
    "username": "ann",
    "email": "ann@example.org",
    "confirmed": True,
    "blocked": False,
    "role": "authenticated",
}


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variable with a password for commands."""
    monkeypatch.setenv("OCTAVO_USER_PASSWORD", "ann-secret")


def make(call: Call) -> list[str]:
    return said(call("users", "create", "ann", "Ann@example.org"))


def test_create_and_list(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make(call) == ["Created the user ann with the ID 1."]
    assert answered(call("users", "list", "--json")) == [ANN]
    assert [line.split() for line in said(call("users", "list"))] == [
        ["id", "username", "email", "role", "confirmed", "blocked"],
        ["1", "ann", "ann@example.org", "authenticated", "yes", "no"],
    ]
    monkeypatch.delenv("OCTAVO_USER_PASSWORD")
    asked = said(call("users", "create", "ben", "ben@example.org", input="ben-secret\n" * 2))
    assert asked[-1] == "Created the user ben with the ID 2."
    given = call("users", "create", "carl", "c@example.org", "--password", "carl-secret", "--role", "Public", "--json")
    assert given.stderr.startswith("Warning: other users of this machine can see --password")
    made = answered(given)
    assert (made["id"], made["username"], made["role"]["type"]) == (3, "carl", "public")


def test_change_and_delete(call: Call) -> None:
    make(call)
    assert said(call("users", "set-role", "ann", "public")) == ["ann now has the role public."]
    assert said(call("users", "block", "ANN@example.org")) == ["Blocked ANN@example.org."]
    assert answered(call("users", "list", "--json")) == [{**ANN, "blocked": True, "role": "public"}]
    assert said(call("users", "unblock", "ann")) == ["Unblocked ann."]
    changed = call("users", "set-password", "ann", "--password-stdin", input="other-secret\n")
    assert said(changed) == ["Changed the password of ann."]
    assert said(call("users", "delete", "ann")) == ["Deleted the user ann."]
    assert answered(call("users", "list", "--json")) == []


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("create", "ann", "other@example.org"), "This attribute must be unique"),
        (("create", "ben", "ann@example.org"), "Email already taken"),
        (("create", "ben", "bad"), "email must be a valid email"),
        (("create", "ben", "b@example.org", "--password-stdin"), "password must be at least 6 characters"),
        (
            ("create", "ben", "b@example.org", "--role", "no"),
            "Unknown role 'no'; the roles are authenticated, public",
        ),
        (("set-role", "ann", "no"), "Unknown role 'no'; the roles are authenticated, public"),
        (("block", "nobody"), "No user is named 'nobody'"),
        (("delete", "nobody"), "No user is named 'nobody'"),
    ],
)
def test_refusals(call: Call, arguments: tuple[str, ...], message: str) -> None:
    make(call)
    assert refused(call("users", *arguments, input="x\n")) == message
    assert answered(call("users", "list", "--json")) == [ANN]
