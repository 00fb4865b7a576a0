"""Managing administrators on the pages: invite, find, update, delete; and the own profile."""

from tests.pages.desk import ADA, Desk, Person

EVE = Person("eve@example.org", "Passw0rd-of-Eve")
USERS = "/admin/settings/users"


def test_an_administrator_is_invited_found_changed_and_deleted(desk: Desk) -> None:
    accept(desk, invite(desk))
    find_and_change(desk)
    tell_a_wrong_value(desk)
    remove(desk)


def invite(desk: Desk) -> str:
    """Invite a user and return the invitation's link."""
    desk.open(USERS)
    desk.see(ADA.email, "Super Admin")
    desk.click("Invite user")
    desk.fill("Email", EVE.email)
    desk.fill("First name", "Eve")
    desk.click("Create link")
    desk.see("Choose at least one role")
    desk.click("Editors can manage", exact=False)
    desk.click("Create link")
    desk.see(f"{EVE.email} was invited", "This link is shown only once")
    link = desk.value("Invitation link")
    assert "/admin/auth/register?registrationToken=" in link
    desk.click("I have copied it")
    desk.see(EVE.email, "Inactive")
    return link


def accept(desk: Desk, link: str) -> None:
    token = link.rpartition("=")[2]
    body = {"registrationToken": token, "userInfo": {"firstname": "Eve", "password": EVE.password}}
    assert desk.ask("POST", "/admin/register", body, token="")["data"]["user"]["isActive"]


def find_and_change(desk: Desk) -> None:
    desk.open(f"{USERS}?_q=eve")
    desk.see(EVE.email)
    desk.gone(ADA.email)
    desk.click("Eve")
    desk.fill("First name", "Evelyn")
    desk.click("Authors can manage", exact=False)
    desk.click("Save")
    desk.see("Saved", "Evelyn")
    found = desk.ask("GET", "/admin/users?_q=eve")["data"]["results"][0]
    assert (found["firstname"], sorted(role["name"] for role in found["roles"])) == ("Evelyn", ["Author", "Editor"])


def tell_a_wrong_value(desk: Desk) -> None:
    desk.open(USERS)
    desk.click("Evelyn")
    desk.fill("Email", ADA.email)
    desk.click("Save")
    desk.until("document.querySelector('main [role=alert], main .problem')?.innerText", "a problem")
    desk.click("Settings")
    desk.see("Leave without saving?")
    desk.click("Leave")
    desk.see("Choose a section")


def remove(desk: Desk) -> None:
    desk.open(USERS)
    desk.see(EVE.email)
    desk.click_at("tbody input:not(:disabled)")
    desk.see("1 selected")
    desk.click("Delete")
    desk.see("They can no longer sign in")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.see("Deleted")
    desk.gone(EVE.email)


def test_administrators_change_their_own_profile(desk: Desk) -> None:
    desk.open("/admin/me")
    desk.fill("Last name", "Lovelace")
    desk.click("Save")
    desk.see("Saved", "ada Lovelace")


def test_errors_of_a_form_are_translated(desk: Desk) -> None:
    desk.open("/admin/me")
    desk.fill("Email", "not an address")
    desk.click("Save")
    desk.see("Enter a valid email address.")
    assert desk.do("document.activeElement?.getAttribute('aria-invalid')") == "true"
    described = "document.activeElement.getAttribute('aria-describedby').split(' ')[0]"
    assert desk.do(f"document.getElementById({described})?.innerText") == "Enter a valid email address."
    assert desk.barriers() == []
    desk.fill("Email", "")
    desk.click("Save")
    desk.see("Fill in this field.")
    desk.fill("Email", ADA.email)
    desk.gone("Fill in this field.")


def test_discarding_changes_removes_the_notes_on_invalid_fields(desk: Desk) -> None:
    desk.open("/admin/me")
    desk.fill("Email", "not an address")
    desk.click("Save")
    desk.see("Enter a valid email address.")
    desk.click("Discard")
    desk.gone("Enter a valid email address.")
    assert desk.value("Email") == ADA.email
    assert not desk.do("document.querySelector('[aria-invalid]')?.id ?? null")
