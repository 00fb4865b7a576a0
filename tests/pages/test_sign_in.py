"""Signing in and out, and what every page has: languages, themes, a session that ends and continues."""

import pytest

from tests.pages.desk import ADA, Desk, Person


def test_a_wrong_and_a_correct_password(desk: Desk) -> None:
    desk.page.send("Network.clearBrowserCookies")
    desk.open("/admin/auth/login")
    desk.fill("Email", ADA.email)
    desk.fill("Password", "wrong")
    desk.click("Sign in")
    desk.see("Invalid credentials")
    desk.fill("Password", ADA.password)
    desk.click("Sign in")
    desk.see("Next steps")


@pytest.mark.parametrize("wanted", ["https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example"])
def test_a_login_never_redirects_to_another_site(desk: Desk, wanted: str) -> None:
    desk.open(f"/admin/auth/login?redirectTo={wanted}")
    desk.see("Next steps")
    assert desk.page.do("location.pathname") == "/admin/"


def test_a_reload_keeps_the_session(desk: Desk) -> None:
    desk.open("/admin")
    desk.see("Next steps")


def test_no_token_is_stored_where_scripts_can_read_it(desk: Desk) -> None:
    kept = desk.page.do("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert desk.token()[:20] not in kept
    assert "eyJ" not in kept


def test_unknown_urls_show_a_message(desk: Desk) -> None:
    desk.open("/admin/nothing/here")
    desk.see("Page not found")
    desk.click("Go to the home page")
    desk.see("Next steps")


def test_themes_and_languages_are_stored(desk: Desk) -> None:
    desk.open("/admin")
    desk.click("account and theme", exact=False)
    desk.click("Dark")
    assert desk.do("document.documentElement.dataset.theme") == "dark"
    desk.open("/admin")
    desk.see("Next steps")
    assert desk.do("document.documentElement.dataset.theme") == "dark"
    desk.page.do("(localStorage.clear(), 0)")


def test_an_expired_session_is_renewed_in_a_dialog(desk: Desk) -> None:
    somebody = Person("somebody@example.org", "Passw0rd-before")
    [editor] = [role for role in desk.ask("GET", "/admin/roles")["data"] if role["code"] == "strapi-editor"]
    number = desk.hire(somebody, editor["id"])
    desk.log_in(somebody)
    desk.click("Article")
    desk.see("Drawing the edge")
    desk.ask("PUT", f"/admin/users/{number}", {"password": "Passw0rd-after"})
    desk.fill("Search in Article", "loaf")
    desk.see("Your session has ended")
    desk.fill("Password", somebody.password)
    desk.click("Sign in")
    desk.see("Invalid credentials")
    desk.fill("Password", "Passw0rd-after")
    desk.click("Sign in")
    desk.gone("Your session has ended")
    desk.gone("Drawing the edge")
    desk.see("A loaf that waits")
    assert desk.value("Search in Article") == "loaf"


def test_a_click_for_a_new_tab_is_left_to_the_browser(desk: Desk) -> None:
    desk.open("/admin/me")
    desk.see("Profile")
    click = "new MouseEvent('click', {bubbles: true, cancelable: true, ctrlKey: true})"
    left = f"""((link, click) => {{
      addEventListener('click', (event) => event.preventDefault(), {{capture: true, once: true}});
      link.dispatchEvent(click);
      return location.pathname;
    }})(document.querySelector('#sidebar a[href$="/plugins/upload"]'), {click})"""
    assert desk.do(left) == "/admin/me"
    desk.settle()
    assert desk.do("location.pathname") == "/admin/me"
