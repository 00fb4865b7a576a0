"""The settings pages of tokens, webhooks, locales, email and operations."""

from tests.pages.desk import ADA, Desk

SETTINGS = "/admin/settings"


def test_a_token_is_shown_once(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/api-tokens/create")
    desk.fill("Name", "front")
    desk.click("Save")
    desk.see("It is shown only once")
    secret = desk.value("Your token")
    assert len(secret) > 100
    desk.click("I have copied it")
    desk.see("Last used: Never")
    assert secret not in str(desk.do("document.documentElement.outerHTML"))
    desk.click("Regenerate")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.see("It is shown only once")
    assert desk.value("Your token") != secret
    desk.click("I have copied it")
    desk.open(f"{SETTINGS}/api-tokens")
    desk.see("front", "Read-only")


def test_a_webhook_is_created_tested_and_disabled(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/webhooks/create")
    desk.fill("Name", "build")
    desk.fill("URL", "https://nowhere.invalid/hook")
    desk.click("Entries")
    desk.click("Add header")
    desk.fill("Name of header 1", "X-Key")
    desk.fill("Value of header 1", "abc")
    desk.click("Save")
    desk.see("Deliveries", "Requests are signed")
    desk.click("Send test request")
    desk.see("Response: 500", "trigger-test")
    found = desk.ask("GET", "/admin/webhooks")["data"][0]
    assert (found["headers"], len(found["events"])) == ({"X-Key": "abc"}, 6)
    desk.open(f"{SETTINGS}/webhooks")
    desk.click_at("[role=switch]")
    desk.see("build disabled")


def test_a_locale_is_added_and_deleted_with_a_confirmation(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/internationalization")
    desk.click("Add locale")
    desk.fill("Locale", "Spanish (es)")
    desk.click_at("[role=option]")
    desk.click("Save")
    desk.see("Spanish (es)")
    desk.click("Actions for Spanish (es)")
    desk.click("Delete")
    desk.see("All entries in Spanish (es) will be deleted")
    assert desk.until(
        "document.querySelector('[role=dialog] footer button:last-child')?.disabled", "a button that is off"
    )
    desk.fill("Type es to confirm", "es")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.gone("Spanish (es)")


def test_a_project_shows_its_own_logo(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/application-infos")
    desk.see("Strapi compatibility", "Community")
    desk.give("[data-logo=menuLogo]", "ours.png")
    desk.see("ours.png", "64 × 48")
    desk.give("[data-logo=authLogo]", "door.png")
    desk.see("door.png")
    kept = desk.ask("GET", "/admin/init", token="")["data"]
    assert desk.do("document.querySelector('nav .brand img').getAttribute('src')") == kept["menuLogo"]
    desk.click("Remove")
    desk.gone("ours.png")
    assert desk.do("document.querySelector('nav .brand').innerText.trim()") == "Octavo"
    desk.page.send("Network.clearBrowserCookies")
    desk.open("/admin/auth/login")
    desk.see("Welcome back")
    assert desk.do("document.querySelector('.brand img').getAttribute('src')") == kept["authLogo"]
    desk.log_in(ADA)


def test_disabled_features_explain_how_to_enable_them(desk: Desk) -> None:
    desk.open(f"{SETTINGS}/transfer-tokens")
    desk.see("Data transfer is disabled", "TRANSFER_TOKEN_SALT")
    assert desk.do("!document.querySelector('a[href$=\"transfer-tokens/create\"]')")
