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


def test_filters_are_made_changed_and_removed(desk: Desk) -> None:
    desk.open(ARTICLES)
    desk.see("in all")
    desk.click("Filter")
    desk.choose("Field", "title", "title")
    desk.fill("Value", "e")
    desk.click("Apply")
    desk.until("decodeURIComponent(location.search).includes('filters[$and][0][title][$containsi]=e')", "the filter")
    desk.click("title contains e")
    desk.until("document.querySelector('#filter-operator')", "the condition to change")
    desk.page.do(
        "(() => { const found = document.querySelector('#filter-operator'); found.value = '$null'; "
        "found.selectedIndex = [...found.options].findIndex((one) => one.text === 'is empty'); "
        "found.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    desk.click("Apply")
    desk.see("title is empty", "Nothing was found")
    desk.click("Remove: title is empty")
    desk.gone("title is empty")
    desk.open(f"{ARTICLES}?filters[$or][0][id][$eq]=1&filters[$or][1][id][$eq]=2")
    desk.see("2 conditions from the address", "2 in all")


def test_the_first_page_tells_what_was_changed(desk: Desk) -> None:
    desk.open("/admin/")
    desk.see("Changed last", "My drafts", "Planned")
    desk.until("document.querySelectorAll('main li a[href*=\"collection-types\"]').length > 0", "entries to go on with")
