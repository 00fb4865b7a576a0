"""The pages of administrators' roles: permissions by type, field and condition."""

from typing import Any

from tests.pages.desk import Desk, Person

ROLES = "/admin/settings/roles"
ARTICLE = "api::article.article"
CREATE = "plugin::content-manager.explorer.create"


def rights(desk: Desk, role: int) -> dict[tuple[str, str | None], Any]:
    """Return a role's permissions by action and type."""
    found = desk.ask("GET", f"/admin/roles/{role}/permissions")["data"]
    return {(one["action"], one["subject"]): one for one in found}


def tick(desk: Desk, label: str) -> None:
    """Tick the box with this label in a table."""
    box = f"[...document.querySelectorAll('td label')].find((one) => one.innerText.trim() === '{label}')"
    desk.until(f"{box} && ({box}.click(), 1)", label)


def test_a_role_is_created_with_permissions_by_field_and_condition(desk: Desk) -> None:
    desk.open(f"{ROLES}/new")
    desk.fill("Name", "Proofreaders")
    desk.until("document.querySelector('.rights li button')", "the types")
    desk.do("[...document.querySelectorAll('.rights li button')].find((one) => /^Article/.test(one.innerText)).click()")
    tick(desk, "Create: Title")
    tick(desk, "Create: SEO")
    desk.click("Create: conditions: Always")
    desk.click("Is creator")
    desk.see("Only if: Is creator")
    desk.click("Overview of all types")
    row = "[...document.querySelectorAll('.rights tr')].find((one) => one.cells[0].innerText === 'Article')"
    marks = f"[...{row}.cells].map((one) => one.textContent.trim())"
    expected = ["Article", "With limits", *["Not allowed"] * 4]
    desk.until(f"{marks}.join() === '{','.join(expected)}'", "what the role can do with articles")
    assert desk.barriers() == []
    desk.click("Article", within=".rights table")
    desk.see("Only if: Is creator")
    desk.click("Plugins")
    desk.click("Access the media library")
    desk.click("Save")
    desk.see("Saved")
    desk.until("/roles\\/\\d+$/.test(location.pathname)", "the address of the role")
    role = int(str(desk.do("location.pathname")).rpartition("/")[2])
    granted = rights(desk, role)
    made = granted[CREATE, ARTICLE]
    assert {"title", "seo.metaTitle", "seo.shareImage"} <= set(made["properties"]["fields"])
    assert "body" not in made["properties"]["fields"]
    assert made["conditions"] == ["admin::is-creator"]
    assert any(action == "plugin::upload.read" for action, _ in granted)
    desk.open(f"{ROLES}/duplicate/{role}")
    desk.fill("Name", "Copies")
    desk.click("Save")
    desk.see("Saved", "Copies")
    desk.open(ROLES)
    desk.click("Actions for Copies")
    desk.click("Delete")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.gone("Copies")


def test_the_super_admin_role_is_read_only(desk: Desk) -> None:
    desk.open(f"{ROLES}/1")
    desk.see("Super Admins have all permissions. This cannot be changed.")
    assert desk.do("document.querySelectorAll('.action:not(:disabled)').length") == 0
    assert desk.barriers() == []
    desk.size(390, 800)
    assert not desk.overflows()


def test_permissions_of_plugins_have_conditions_too(desk: Desk) -> None:
    desk.open(f"{ROLES}/3")
    desk.click("Plugins")
    desk.click("Configure the view: conditions: Always")
    desk.click("Is creator")
    desk.see("Only if: Is creator")
    desk.press("s", control=True)
    desk.see("Saved")
    assert rights(desk, 3)["plugin::upload.configure-view", None]["conditions"] == ["admin::is-creator"]


def test_errors_are_shown_at_their_permission(desk: Desk) -> None:
    about = ("admin::roles.read", "admin::roles.update")
    own: list[dict[str, Any]] = [
        {"action": action, "subject": None, "properties": {}, "conditions": []} for action in about
    ]
    lead, other = (desk.ask("POST", "/admin/roles", {"name": name})["data"]["id"] for name in ("Leads", "Others"))
    desk.ask("PUT", f"/admin/roles/{lead}/permissions", {"permissions": own})
    person = Person("leads@example.org", "Passw0rd-of-Leads")
    desk.hire(person, lead)
    desk.log_in(person)
    desk.open(f"{ROLES}/{other}")
    desk.click("Plugins")
    desk.click("Access the media library")
    desk.click("Collection types")
    desk.click("Save")
    desk.see(
        "1 permission was rejected", "Access the media library", "You cannot grant permissions that you do not have"
    )
    assert rights(desk, other) == {}
    desk.click("Access the media library")
    desk.gone("You cannot grant permissions")


def test_permissions_have_labels_in_both_languages(desk: Desk) -> None:
    view = "/content-manager/content-types/api::article.article/configuration"
    before = desk.ask("GET", view)["data"]["contentType"]
    looks = {
        name: look | {"list": {key: value for key, value in look["list"].items() if key != "mainField"}}
        for name, look in before["metadatas"].items()
    }
    named = looks["readingMinutes"] | {"edit": looks["readingMinutes"]["edit"] | {"label": "Time to read"}}
    desk.ask("PUT", view, {"metadatas": {**looks, "readingMinutes": named}})
    for language, create, content, access, list_, views in (
        (
            "en",
            "Create: Time to read",
            "Content: Single types",
            "Access the media library",
            "List",
            "Configure the view",
        ),
        (
            "de",
            "Erstellen: Time to read",
            "Inhalte: Einzeltypen",
            "Medienbibliothek aufrufen",
            "Auflisten",
            "Ansicht konfigurieren",
        ),
    ):
        desk.do(f"localStorage.setItem('octavo.language', '{language}')")
        desk.open(f"{ROLES}/2")
        desk.until("document.querySelector('.rights li button')", "the types")
        desk.do(
            "[...document.querySelectorAll('.rights li button')].find((one) => /^Article/.test(one.innerText)).click()"
        )
        desk.see("Time to read", "readingMinutes", "SEO", "metaTitle")
        desk.until(f"document.querySelector('table').innerText.includes('{create.partition(':')[0]}')", create)
        desk.do("document.querySelectorAll('[role=tab]')[2].click()")
        desk.see(content, access, views)
        desk.open("/admin/settings/users-permissions/roles/1")
        desk.until("document.querySelectorAll('details').length > 1", "the APIs")
        desk.do("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        desk.see("Article", "api::article", list_, "findOne · GET /api/articles/:id")
    desk.do("localStorage.setItem('octavo.language', 'en')")
    desk.ask("PUT", view, {"metadatas": looks})
