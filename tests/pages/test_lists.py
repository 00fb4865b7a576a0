"""Lists of entries: found, put in order, turned over, and many changed at once."""

from tests.pages.desk import Desk

ARTICLES = "/admin/content-manager/collection-types/api::article.article"


def test_a_list_is_kept_by_its_address(desk: Desk) -> None:
    total = desk.ask("GET", "/content-manager/collection-types/api::article.article")["pagination"]["total"]
    desk.open(f"{ARTICLES}?pageSize=2")
    desk.see(f"{total} in all")
    desk.click("Next page")
    desk.until("location.search.includes('page=2')", "the second page in the address")
    desk.open(f"{ARTICLES}?pageSize=2&page=2&sort=id:DESC")
    desk.until("document.querySelector('th[aria-sort=descending]')", "a column in descending order")
    desk.until("document.querySelectorAll('tbody tr').length === 2", "two rows")
    desk.fill("Search in Article", "no such words")
    desk.see("Nothing was found")
    desk.until("location.search.includes('_q=no+such+words')", "the search in the address")
    desk.page.do("history.back()")
    desk.until("document.querySelectorAll('tbody tr').length === 2", "the list before")


def test_entries_are_published_and_taken_back_together(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:ASC&pageSize=2")
    desk.see("in all")
    desk.click_at("thead input")
    desk.see("2 entries chosen")
    desk.click("Make a draft")
    desk.see("Make 2 entries drafts?")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.see("2 entries are drafts again")
    desk.until("document.querySelectorAll('tbody .warn').length === 2", "two drafts")
    desk.click("Undo")
    desk.see("2 entries are published")
    desk.until("document.querySelectorAll('tbody .good').length === 2", "two published entries")
