"""Landmarks while menus are open over a page, and the focus after they close."""

import pytest

from tests.pages.articles import FORM
from tests.pages.desk import Desk


@pytest.mark.parametrize("button", ["main tbody button[aria-haspopup=menu]", "nav button[aria-haspopup=menu]"])
def test_menus_belong_to_the_main_part_of_the_page(desk: Desk, button: str) -> None:
    desk.open(FORM)
    desk.see("in total")
    desk.click_at(button)
    desk.until("document.querySelector('main [role=menu]')", "an open menu")
    desk.settle()
    assert desk.barriers() == []
    desk.press("Escape")
    desk.until(f"document.activeElement.matches('{button}')", "its button")
