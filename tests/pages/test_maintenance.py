"""In maintenance mode, editors can read and sign in, and a save shows the operator's message and loses nothing."""

from collections.abc import Iterator

import pytest

from tests.pages.articles import leave, make, open_form, stored
from tests.pages.desk import Desk

MESSAGE = "Back at 6 pm"


@pytest.fixture
def article(desk: Desk) -> int:
    """An article from before the maintenance."""
    return make(desk, "Before maintenance")


@pytest.fixture
def in_maintenance(desk: Desk, article: int) -> Iterator[None]:
    """The service is read-only after the article was made."""
    desk.ask("PUT", "/octavo/live-settings", {"maintenance": MESSAGE})
    yield
    desk.ask("PUT", "/octavo/live-settings", {"maintenance": None})


def test_a_save_shows_the_message_and_loses_nothing(desk: Desk, in_maintenance: None, article: int) -> None:
    open_form(desk, article)
    desk.fill("Title", "Written meanwhile")
    desk.click("Save")
    desk.see(MESSAGE)
    assert stored(desk, article)["title"] == "Before maintenance"
    refused = [text for text in desk.complaints() if "/content-manager/collection-types/" not in text]
    assert refused == []
    desk.ask("PUT", "/octavo/live-settings", {"maintenance": None})
    desk.click("Save")
    desk.see("Saved")
    assert stored(desk, article)["title"] == "Written meanwhile"
    leave(desk)
