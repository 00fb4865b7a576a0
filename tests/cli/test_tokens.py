"""`octavo tokens`: shown once, listed without their secret, revoked."""

from pathlib import Path

from tests.cli.conftest import Call, answered, refused, said


def test_create_list_revoke(call: Call) -> None:
    heading, blank, token = said(call("tokens", "create", "shop"))
    assert (heading, blank) == ("API token shop (read-only). It is not shown again:", "")
    assert len(token) == 256
    arguments = ("tokens", "create", "desk", "--type", "custom", "--allow", "api::story.*.find*", "--days", "2")
    made = answered(call(*arguments, "--description", "For the desk", "--json"))
    assert made.keys() == {"name", "type", "token"}
    shop, desk = answered(call("tokens", "list", "--json"))
    assert (shop["name"], shop["type"], shop["permissions"], shop["expires_at"]) == ("shop", "read-only", [], None)
    assert (desk["description"], desk["type"]) == ("For the desk", "custom")
    assert desk["permissions"] == ["api::story.story.find", "api::story.story.findOne"]
    assert desk["expires_at"] > desk["created_at"]
    assert said(call("tokens", "revoke", "shop")) == ["Revoked the API token shop."]
    header, *rows = said(call("tokens", "list"))
    assert header.split()[:4] == ["id", "name", "type", "permissions"]
    assert [row.split()[0] for row in rows] == ["2", "api::story.story.findOne"]


def test_refuses(call: Call) -> None:
    assert refused(call("tokens", "revoke", "shop")) == "No API token is named 'shop'"
    for given in (("--type", "custom"), ("--allow", "api::story.story.find")):
        result = call("tokens", "create", "shop", *given)
        assert (result.exit_code, "requires --allow" in result.output) == (2, True)
    assert call("tokens", "create", "shop", "--type", "every").exit_code == 2


def test_needs_the_salt(call: Call, project: Path) -> None:
    (project / ".env").write_text("JWT_SECRET=x\n", "utf-8")
    message = "API_TOKEN_SALT is not set; octavo secrets new --missing adds it to .env"
    assert refused(call("tokens", "create", "shop")) == message
