"""Duplicates: the form shows the links that the copy gets, names those that stay with the original, and saves both."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.pages.articles import FORM, LIST, leave, make, stored
from tests.pages.desk import Desk
from tests.pages.test_relations import linked, new_tag

AUTHORS = "/content-manager/collection-types/api::author.author"
LEFT_OUT = "Not copied. The original keeps its entries."


@pytest.fixture(autouse=True)
def leaves_without_asking(desk: Desk) -> Iterator[None]:
    yield
    leave(desk)


def titles(desk: Desk, uid: str, entry: int, field: str) -> list[str]:
    """Return the titles of a relation's entries, as stored, in order."""
    answer = desk.ask("GET", f"/content-manager/relations/{uid}/{entry}/{field}?pageSize=100")
    if "data" in answer:
        return [answer["data"]["name"]]
    return [row.get("name", row.get("title")) for row in reversed(answer["results"])]


def newest(desk: Desk, path: str) -> dict[str, Any]:
    found: dict[str, Any] = desk.ask("GET", f"{path}?sort=id:DESC&pageSize=1")["results"][0]
    return found


def copy_id(desk: Desk, path: str) -> int:
    """Wait until a copy is saved; return its id."""
    desk.until(f"/{path.rpartition('/')[2]}\\/\\d+(\\?|$)/.test(location.href)", "the saved copy")
    return int(newest(desk, path)["id"])


def test_a_duplicate_shows_and_keeps_the_links_of_its_original(desk: Desk) -> None:
    tags = [new_tag(desk, f"Copied {index}") for index in range(3)]
    author = desk.ask("POST", AUTHORS, {"name": "Copied author", "slug": "copied-author"})["id"]
    quotes = [{"__component": "blocks.quote", "text": text} for text in ("one", "two")]
    original = make(desk, "To be copied", tags=tags, author=author, blocks=quotes)
    desk.open(f"{FORM}/create/clone/{original}")
    desk.see("Copied author", "Copied 2")
    assert linked(desk) == ["Copied 0", "Copied 1", "Copied 2"]
    assert linked(desk, "author") == ["Copied author"]
    desk.fill("Slug", "the-copy")
    desk.click_at("[aria-label='Remove Copied 1']")
    desk.click_at("[data-path='blocks.0'] [aria-haspopup=menu]")
    desk.click("Remove")
    desk.click("Save")
    copy = copy_id(desk, LIST)
    assert copy != original
    assert titles(desk, "api::article.article", copy, "tags") == ["Copied 0", "Copied 2"]
    assert titles(desk, "api::article.article", copy, "author") == ["Copied author"]
    assert [block["text"] for block in stored(desk, copy)["blocks"]] == ["two"]
    assert titles(desk, "api::article.article", original, "tags") == ["Copied 0", "Copied 1", "Copied 2"]
    assert titles(desk, "api::article.article", original, "author") == ["Copied author"]
    assert [block["text"] for block in stored(desk, original)["blocks"]] == ["one", "two"]


def test_links_that_only_one_entry_can_have_stay_with_the_original(desk: Desk) -> None:
    articles = [make(desk, title) for title in ("Hers alone", "Hers as well", "Of nobody")]
    author = desk.ask("POST", AUTHORS, {"name": "First author", "slug": "first-author", "articles": articles[:2]})["id"]
    desk.open(f"/admin{AUTHORS}/create/clone/{author}")
    desk.see("Articles", LEFT_OUT)
    assert linked(desk, "articles") == []
    desk.fill("Name", "Second author")
    desk.fill("Slug", "second-author")
    desk.click("Save")
    copy = copy_id(desk, AUTHORS)
    desk.gone(LEFT_OUT)
    assert titles(desk, "api::author.author", copy, "articles") == []
    assert titles(desk, "api::author.author", author, "articles") == ["Hers alone", "Hers as well"]
    desk.open(f"/admin{AUTHORS}/create/clone/{author}")
    desk.fill("Name", "Third author")
    desk.fill("Slug", "third-author")
    desk.choose("Articles: search entries", "Of nobody", typed="Of nob")
    desk.click("Save")
    copy = copy_id(desk, AUTHORS)
    assert titles(desk, "api::author.author", copy, "articles") == ["Of nobody"]
    assert titles(desk, "api::author.author", author, "articles") == ["Hers alone", "Hers as well"]
