"""`octavo purge`: options and errors, and the purges of other commands."""

from pathlib import Path

import pytest

from tests.cli.conftest import CACHES, Call, purges, refused, said

HOOKS = """
def register(app):
    @app.on("after_create", "plugin::users-permissions.user")
    async def nothing(event):
        pass
"""
USER = "plugin::users-permissions.user"


@pytest.mark.parametrize("with_code", [False, True])
def test_commands_purge_their_changes(
    call: Call, cached: Path, with_code: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_code:
        (cached / "src/index.py").write_text(HOOKS, "utf-8")
    monkeypatch.setenv("OCTAVO_USER_PASSWORD", "Sesame-12345")
    find, reported = "api::story.story.find", []
    for arguments, tags in (
        (("permissions", "grant", "public", find), ["all"]),
        (("permissions", "grant", "public", find), None),
        (("permissions", "revoke", "public", find), ["all"]),
        (("roles", "create", "Editor"), ["all"]),
        (("roles", "delete", "Editor"), ["all"]),
        (("locales", "add", "fr"), ["all"]),
        (("locales", "set-default", "fr"), ["all"]),
        (("locales", "remove", "en"), ["all"]),
        (("users", "create", "ann", "ann@example.org"), ["any", USER, f"{USER}:1"]),
        (("users", "block", "ann"), ["any", USER, f"{USER}:1"]),
        (("users", "delete", "ann"), ["any", USER, f"{USER}:1"]),
        (("tokens", "create", "one"), None),
    ):
        said(call(*arguments))
        reported += [tags] if tags else []
        assert purges(call) == reported, arguments


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_commands_store_no_purges_without_caches(call: Call) -> None:
    said(call("permissions", "grant", "public", "api::story.story.find"))
    assert purges(call) == []


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_unknown_names_are_refused(call: Call, project: Path) -> None:
    assert "no caches are configured" in refused(call("purge"))
    (project / "config").mkdir(exist_ok=True)
    (project / "config/api.toml").write_text(CACHES, "utf-8")
    for wrong in ("nonsense", "api::nothing.nothing", "api::nothing.nothing:5", "api::story.story:one"):
        assert refused(call("purge", "api::story.story", wrong)).startswith(f"{wrong} is not a content type")
    assert said(call("purge", "api::story.story", "api::story.story:5")) == [
        "Purging front: api::story.story, api::story.story:5"
    ]
    assert said(call("purge")) == ["Purging front: everything"]
    (project / "config/api.toml").write_text("x = ", "utf-8")
    assert "in the settings" in refused(call("purge"))
