"""The evening: files, administrators, tokens, webhooks, locales, roles, and signing out."""

from tests.pages.day.steps import Day, save, say_yes, told
from tests.pages.desk import ADA, Desk

ADMINISTRATION = Day()
LIBRARY = "/admin/plugins/upload"
SETTINGS = "/admin/settings"


@ADMINISTRATION.step("create a folder in the library")
def _(desk: Desk) -> None:
    desk.open(LIBRARY)
    desk.see("canal.jpg")
    desk.click("New folder")
    desk.fill("Name", "Harbours")
    save(desk)
    desk.see("Harbours")


@ADMINISTRATION.step("upload into the folder")
def _(desk: Desk) -> None:
    desk.click_at("button[title='Harbours']")
    desk.see("No files yet")
    desk.give("input[type=file][multiple]", "quay.png")
    desk.see("quay.png", "Upload complete", seconds=60)


@ADMINISTRATION.step("add an alternative text to a file")
def _(desk: Desk) -> None:
    desk.click_at("button[title='quay.png']")
    desk.see("Used in")
    desk.fill("Alternative text", "A quay in the rain")
    save(desk)
    [kept] = desk.ask("GET", "/upload/files?filters[name][$eq]=quay.png")["results"]
    assert kept["alternativeText"] == "A quay in the rain"


@ADMINISTRATION.step("see where a file is used")
def _(desk: Desk) -> None:
    desk.open(LIBRARY)
    desk.click_at("button[title='ferry.jpg']")
    desk.see("Used in", "Article")


@ADMINISTRATION.step("find a file")
def _(desk: Desk) -> None:
    desk.open(LIBRARY)
    desk.fill("Search files", "no such file")
    desk.see("No results")
    desk.fill("Search files", "island")
    desk.see("island.jpg")
    desk.gone("canal.jpg")


@ADMINISTRATION.step("delete a file")
def _(desk: Desk) -> None:
    desk.open(f"{LIBRARY}?_q=quay")
    desk.click("Select quay.png")
    desk.click("Delete")
    say_yes(desk)
    desk.see("1 item deleted")


@ADMINISTRATION.step("invite an administrator")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/users")
    desk.see(ADA.email)
    desk.click("Invite user")
    desk.fill("Email", "mara@example.org")
    desk.fill("First name", "Mara")
    desk.click("Editors can manage", exact=False)
    desk.click("Create link")
    desk.see("mara@example.org was invited")
    assert "registrationToken=" in desk.value("Invitation link")
    desk.click("I have copied it")
    desk.see("Inactive")


@ADMINISTRATION.step("find an administrator")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/users?_q=mara")
    desk.see("mara@example.org", "Editor")
    desk.gone(ADA.email)


@ADMINISTRATION.step("create an API token")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/api-tokens")
    desk.click("Create API token")
    desk.fill("Name", "Front end")
    desk.click("Save")
    desk.see("Your token", "It is shown only once")
    [made] = desk.ask("GET", "/admin/api-tokens")["data"]
    assert (made["name"], made["type"]) == ("Front end", "read-only")


@ADMINISTRATION.step("create a webhook")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/webhooks")
    desk.see("No webhooks yet")
    desk.click("Create webhook")
    desk.fill("Name", "Builder of the site")
    desk.fill("URL", "https://example.org/hook")
    desk.click_at("main tbody input[type=checkbox], main fieldset input[type=checkbox]")
    desk.click("Save")
    desk.see("Saved")
    [made] = desk.ask("GET", "/admin/webhooks")["data"]
    assert made["name"] == "Builder of the site"
    assert made["events"]


@ADMINISTRATION.step("see the locales")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/internationalization")
    desk.see("German (de)", "French (fr)", "Default", "Add locale")


@ADMINISTRATION.step("create a role with permissions for some fields")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/roles")
    desk.see("Super Admin", "Editor", "Author")
    desk.click("Create role")
    desk.fill("Name", "Proofreaders")
    desk.click("Article", exact=False, within=".rights")
    for field in ("Title", "Excerpt"):
        desk.click(f"Update: {field}")
    desk.click("Update: conditions: Always")
    desk.click("Is creator")
    desk.see("Only if: Is creator")
    desk.click("Save")
    told(desk, "Saved")
    [role] = [one for one in desk.ask("GET", "/admin/roles")["data"] if one["name"] == "Proofreaders"]
    [right] = desk.ask("GET", f"/admin/roles/{role['id']}/permissions")["data"]
    assert right["action"] == "plugin::content-manager.explorer.update"
    assert (right["properties"]["fields"], right["conditions"]) == (["title", "excerpt"], ["admin::is-creator"])


@ADMINISTRATION.step("see waiting and failed jobs")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/jobs")
    desk.see("Waiting", "No failed jobs")


@ADMINISTRATION.step("see the audit log")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/audit")
    desk.see("Actions of administrators and API clients", ADA.email)


@ADMINISTRATION.step("see the state of the service")
def _(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/system")
    desk.see("Running since", "Response time", "Slow requests")


@ADMINISTRATION.step("change one's own name")
def _(desk: Desk) -> None:
    desk.open("/admin/me")
    desk.fill("Last name", "Lovelace")
    desk.click("Save")
    desk.see("Saved", "ada Lovelace")


@ADMINISTRATION.step("sign out")
def _(desk: Desk) -> None:
    desk.click("account and theme", exact=False)
    desk.click("Sign out")
    desk.see("Welcome back")
