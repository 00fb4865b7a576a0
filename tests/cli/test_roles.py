"""`octavo roles`: create, list and delete, on each database."""

from tests.cli.conftest import Call, answered, refused, said

DEFAULT = [
    {"id": 1, "name": "Authenticated", "type": "authenticated", "users": 0},
    {"id": 2, "name": "Public", "type": "public", "users": 0},
]


def test_roles(call: Call) -> None:
    assert answered(call("roles", "list", "--json")) == DEFAULT
    assert said(call("roles", "create", "Night Editor", "--description", "late")) == [
        "Created the role Night Editor. Add permissions with `octavo permissions grant`."
    ]
    said(call("users", "create", "ann", "ann@example.org", "--password", "ann-secret", "--role", "night_editor"))
    assert [line.split() for line in said(call("roles", "list"))] == [
        ["id", "type", "name", "users"],
        ["1", "authenticated", "Authenticated", "0"],
        ["2", "public", "Public", "0"],
        ["3", "night_editor", "Night", "Editor", "1"],
    ]
    assert said(call("roles", "delete", "Night Editor")) == ["Deleted the role Night Editor."]
    assert answered(call("roles", "list", "--json")) == [DEFAULT[0], {**DEFAULT[1], "users": 1}]
    assert refused(call("roles", "delete", "public")) == "Cannot delete public role"
    assert refused(call("roles", "delete", "editor")) == "Unknown role 'editor'; the roles are authenticated, public"
    assert said(call("roles", "create", "QA"))[0].startswith("Created the role QA.")
