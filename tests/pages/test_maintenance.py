"""In maintenance mode, editors can read and sign in, and a save shows the operator's message and loses nothing."""

from collections.abc import Iterator

import pytest

from tests.pages.articles import LIST, leave, make, open_form, stored
from tests.pages.desk import Desk

MESSAGE = "Back at 6 pm"


@pytest.fixture
def article(desk: Desk) -> Iterator[int]:
    """Create an article before the maintenance."""
    made = make(desk, "Before maintenance")
    yield made
    desk.ask("DELETE", f"{LIST}/{made}")


@pytest.fixture
def in_maintenance(desk: Desk, article: int) -> Iterator[None]:
    """Turn on maintenance mode after the article was created."""
    desk.ask("PUT", "/octavo/live-settings", {"maintenance": MESSAGE})
    yield
    desk.ask("PUT", "/octavo/live-settings", {"maintenance": None})


def test_a_save_shows_the_message_and_loses_nothing(desk: Desk, in_maintenance: None, article: int) -> None:
    open_form(desk, article)
    desk.fill("Title", "Written meanwhile")
    desk.click("Save")
    desk.page.wait_for(f"document.body.innerText.split({MESSAGE!r}).length > 2")  # the banner, and the refused save
    assert stored(desk, article)["title"] == "Before maintenance"
    refused = [text for text in desk.complaints() if "/content-manager/collection-types/" not in text]
    assert refused == []
    desk.ask("PUT", "/octavo/live-settings", {"maintenance": None})
    desk.click("Save")
    desk.see("Saved")
    assert stored(desk, article)["title"] == "Written meanwhile"
    leave(desk)


def test_a_banner_shows_the_message_before_a_save(desk: Desk, in_maintenance: None, article: int) -> None:
    open_form(desk, article)
    desk.see("Read-only during maintenance", MESSAGE)
    assert desk.barriers() == []
    desk.ask("PUT", "/octavo/live-settings", {"maintenance": None})
    desk.do("document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
    desk.gone(MESSAGE)
    leave(desk)
