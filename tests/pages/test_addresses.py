"""URLs of pages: in the menu, after a reload, and in the browser's history."""

import pytest

from tests.pages.desk import Desk

HERE = "document.querySelector('nav a[aria-current=page]')?.innerText"


@pytest.mark.parametrize(
    "address, name",
    [
        ("/admin/", "Home"),
        ("/admin/content-manager/collection-types/api::tag.tag?page=1", "Tag"),
        ("/admin/content-manager/collection-types/api::article.article/1", "Article"),
        ("/admin/plugins/upload", "Media library"),
    ],
)
def test_the_menu_marks_the_current_page(desk: Desk, address: str, name: str) -> None:
    desk.open(address)
    desk.until(f"{HERE} === {name!r}", f"{name} as the page that is shown")


def test_the_settings_start_with_an_overview(desk: Desk) -> None:
    desk.open("/admin/settings")
    desk.see("Choose a section")


def test_back_and_forward_between_lists_and_entries(desk: Desk) -> None:
    desk.open("/admin/content-manager/collection-types/api::tag.tag?pageSize=10")
    desk.see("in total")
    desk.click_at("tbody th a")
    desk.see("Information")
    desk.page.do("history.back()")
    desk.see("in total")
    assert desk.do("location.search") == "?pageSize=10"
    desk.page.do("history.forward()")
    desk.see("Information")
    desk.click("Author")
    desk.see("in total")
    assert desk.do("location.pathname") == "/admin/content-manager/collection-types/api::author.author"


@pytest.mark.parametrize(
    "address, said",
    [
        ("collection-types/api::article.article/99999", "Entry not found"),
        ("collection-types/api::nothing.nothing/1", "Content type not found"),
        ("single-types/api::article.article", "Content type not found"),
    ],
)
def test_unknown_content_types_and_entries_show_a_message(desk: Desk, address: str, said: str) -> None:
    desk.open(f"/admin/content-manager/{address}")
    desk.see(said)


def test_the_entrys_locale_takes_precedence_over_the_url(desk: Desk) -> None:
    there = "/content-manager/collection-types/api::category.category"
    [german] = desk.ask("GET", f"{there}?locale=de&filters[name][$eq]=Fl%C3%BCsse")["results"]
    desk.open(f"/admin{there}/{german['id']}?plugins[i18n][locale]=en")
    desk.until("document.querySelector('[aria-current=true], .here')?.innerText === 'German (de)'", "its language")
    assert desk.value("Name") == "Flüsse"
