"""Commands that write call the project's hooks, on each database."""

from pathlib import Path

from tests.cli.conftest import Call, refused, said

CODE = """
from octavo import ApplicationError

def register(app):
    @app.on("before_create", ["plugin::users-permissions.user", "admin::*", "plugin::users-permissions.role"])
    async def refuse(event):
        data = event.params.data
        if "bad" in str(data.get("name") or data.get("username") or data.get("firstname")):
            raise ApplicationError(f"no {event.uid} by {event.actor.kind}, {event.source}")

    @app.on("after_create", "plugin::users-permissions.user")
    async def make(event):
        await app.entries("api::place.place").create({"name": event.result["username"]})
"""


def test_writes_of_commands_call_hooks(call: Call, project: Path) -> None:
    (project / "src/index.py").write_text(CODE)
    user = ("ann@example.org", "--password-stdin")
    made = call("users", "create", "bad", *user, input="ann-secret")
    assert refused(made) == "no plugin::users-permissions.user by system, admin"
    said(call("users", "create", "ann", *user, input="ann-secret"))
    assert refused(call("roles", "create", "bad role")) == "no plugin::users-permissions.role by system, admin"
    assert refused(call("tokens", "create", "bad token")) == "no admin::api-token by system, admin"
    made = call(
        "admin", "create-user", "b@example.org", "--firstname", "bad", "--password-stdin", input="secret-Word1\n"
    )
    assert refused(made) == "no admin::user by system, admin"


def test_invalid_code_stops_commands(call: Call, project: Path) -> None:
    (project / "src/index.py").write_text("def register(app):\n    app.on('before_creat', 'api::*', print)\n")
    assert "unknown event 'before_creat'; did you mean before_create" in refused(call("roles", "create", "x"))
    assert said(call("roles", "list"))
