"""Lists of entries: search, sort, pagination, and bulk changes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from tests.pages.desk import ADA, Desk, Person

LIST = "/content-manager/collection-types/api::article.article"
ARTICLES = f"/admin{LIST}"
HEADS = "[...document.querySelectorAll('thead th')].map((one) => one.innerText.trim())"
TAGS = "/admin/content-manager/collection-types/api::tag.tag"


def test_the_url_contains_the_state_of_a_list(desk: Desk) -> None:
    total = desk.ask("GET", "/content-manager/collection-types/api::article.article")["pagination"]["total"]
    desk.open(f"{ARTICLES}?pageSize=2")
    desk.see(f"{total} in total")
    desk.click("Next page")
    desk.until("location.search.includes('page=2')", "the second page in the address")
    desk.open(f"{ARTICLES}?pageSize=2&page=2&sort=title:DESC")
    desk.until("document.querySelector('th[aria-sort=descending]')", "a column in descending order")
    desk.until("document.querySelectorAll('tbody tr').length === 2", "two rows")
    desk.fill("Search in Article", "no such words")
    desk.see("No results")
    desk.until("location.search.includes('_q=no+such+words')", "the search in the address")
    desk.page.do("history.back()")
    desk.until("document.querySelectorAll('tbody tr').length === 2", "the list before")


def test_pages_are_reached_by_their_numbers(desk: Desk) -> None:
    numbers = "[...document.querySelectorAll('.numbers > *')].map((one) => one.innerText).join(' ')"
    total = desk.ask("GET", LIST)["pagination"]["total"]
    desk.open(f"{ARTICLES}?pageSize=1&sort=id:ASC")
    desk.until(f"{numbers} === '1 2 3 4 … {total}'", "the first pages and the last one")
    assert desk.barriers() == []
    desk.click(f"Page {total}")
    desk.until(f"{numbers} === '1 … {total - 3} {total - 2} {total - 1} {total}'", "the last pages")
    desk.open(f"{ARTICLES}?pageSize=1&page=12&sort=id:ASC")
    desk.until(f"{numbers} === '1 … 11 12 13 … {total}'", "the pages around")
    assert desk.do("document.querySelector('.numbers [aria-current=page]').innerText") == "12"
    desk.click("Page 11")
    desk.until("location.search.includes('page=11')", "another page")
    desk.open(f"{ARTICLES}?pageSize=10")
    desk.until(f"{numbers} === '1 2 3'", "all of a few pages")


def test_entries_are_published_and_unpublished_in_bulk(desk: Desk) -> None:
    asked = "/content-manager/collection-types/api::article.article?sort=id:ASC&pageSize=2"
    before = [one["publishedAt"] for one in desk.ask("GET", asked)["results"]]
    desk.open(f"{ARTICLES}?sort=id:ASC&pageSize=2")
    desk.see("in total")
    desk.click_at("thead input")
    desk.see("2 entries selected")
    desk.click("Unpublish")
    desk.see("Unpublish 2 entries?")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.see("2 entries unpublished")
    desk.until("document.querySelectorAll('tbody .warn').length === 2", "two drafts")
    desk.click("Undo")
    desk.see("2 entries published")
    desk.until("document.querySelectorAll('tbody .good').length === 2", "two published entries")
    assert [one["publishedAt"] for one in desk.ask("GET", asked)["results"]] == before, (
        "with their first publication dates"
    )


def test_incomplete_drafts_are_named_and_the_rest_is_published(desk: Desk) -> None:
    rest = {"format": "note", "featured": False}
    full = [desk.ask("POST", LIST, {"title": f"Whole {n}", "slug": f"whole-{n}", **rest})["id"] for n in range(2)]
    half = desk.ask("POST", LIST, {"title": "Whole but for its slug", **rest})["id"]
    desk.ask("PUT", f"{LIST}/{half}", {"slug": None})
    named = "filters[$and][0][title][$startsWith]=Whole&sort=id:ASC"
    desk.open(f"{ARTICLES}?{named}")
    desk.see("3 in total")
    desk.click_at("thead input")
    desk.click("Publish")
    desk.see("1 entry is incomplete", "It stays a draft until you fix these values.", "Slug is required.")
    link = desk.do("(([a]) => [a.firstChild.data, a.getAttribute('href')])(__look.all('[role=dialog] li a'))")
    assert link == ["Whole but for its slug", f"{ARTICLES}/{half}"]
    assert desk.barriers() == []
    desk.click("Publish the other 2 entries")
    desk.see("2 entries published", "1 entry selected")
    published = desk.ask("GET", f"{LIST}?{named}")["results"]
    assert [one["publishedAt"] is not None for one in published] == [True, True, False]
    desk.click("Publish")
    desk.see("1 entry is incomplete", "Fix these values to publish.")
    desk.click("Close", within="[role=dialog] footer")
    desk.gone("1 entry is incomplete")
    desk.ask("POST", f"{LIST}/actions/bulkDelete", {"ids": [*full, half]})


def test_a_field_is_edited_in_several_entries(desk: Desk) -> None:
    rest = {"format": "note", "featured": False}
    made = [desk.ask("POST", LIST, {"title": f"Batch {n}", "slug": f"batch-{n}", **rest})["id"] for n in range(3)]
    named = "filters[$and][0][title][$startsWith]=Batch&sort=id:ASC"
    desk.open(f"{ARTICLES}?{named}")
    desk.see("3 in total")
    desk.click_at("thead input")
    desk.click("Edit")
    desk.see("Edit 3 entries", "Each entry is checked and saved separately.")
    desk.click("Update 3 entries")
    desk.see("Choose a field first")
    desk.choose("Field", "Author", "author")
    desk.choose("Value", "Oskar Lindqvist", "osk")
    assert desk.barriers() == []
    desk.ask("PUT", f"{LIST}/{made[1]}", {"readingMinutes": 9})
    desk.click("Update 3 entries")
    desk.see("2 entries updated", "1 entry was not updated", "Batch 1")
    assert desk.barriers() == []
    desk.click("Close", within="[role=dialog] footer")
    desk.see("1 entry selected")
    authors = "[...document.querySelectorAll('tbody tr')].map((one) => one.innerText.includes('Oskar')).join()"
    desk.until(f"{authors} === 'true,false,true'", "the author of two articles")
    desk.click("Edit")
    desk.choose("Field", "Reading minutes", "reading")
    desk.fill("Value", "many")
    desk.click("Update 1 entry")
    desk.see("Enter a valid value for this field.")
    desk.fill("Value", "12")
    desk.click("Update 1 entry")
    desk.see("1 entry updated")
    assert desk.ask("GET", f"{LIST}/{made[1]}")["readingMinutes"] == 12
    desk.ask("POST", f"{LIST}/actions/bulkDelete", {"ids": made})


def test_filters_are_added_changed_and_removed(desk: Desk) -> None:
    desk.open(ARTICLES)
    desk.see("in total")
    desk.click("Filter")
    desk.choose("Field", "Title", "title")
    desk.fill("Value", "e")
    desk.click("Apply")
    desk.until("decodeURIComponent(location.search).includes('filters[$and][0][title][$containsi]=e')", "the filter")
    desk.click('Title contains "e"')
    desk.until("document.querySelector('#filter-operator')", "the condition to change")
    desk.page.do(
        "(() => { const found = document.querySelector('#filter-operator'); found.value = '$null'; "
        "found.selectedIndex = [...found.options].findIndex((one) => one.text === 'is empty'); "
        "found.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    desk.click("Apply")
    desk.see("Title is empty", "No results")
    desk.click("Remove: Title is empty")
    desk.gone("Title is empty")


def test_dates_are_filtered_by_relative_periods(desk: Desk) -> None:
    desk.open(ARTICLES)
    desk.see("in total")
    desk.click("Filter")
    desk.choose("Field", "Issue date", "issue")
    desk.pick("Operator", "is in the period")
    desk.pick("Value", "Last 7 days")
    assert desk.barriers() == []
    desk.click("Apply")
    desk.see("Issue date: Last 7 days")
    desk.until("decodeURIComponent(location.search).includes('[issueDate][$within]=last7Days')", "its name")
    desk.click("Issue date: Last 7 days")
    desk.pick("Operator", "is less than")
    desk.until("document.querySelector('#filter-value').value === ''", "no date that is a period")
    desk.click("Cancel")
    desk.open(f"{ARTICLES}?filters[$and][0][updatedAt][$within]=yesteryear")
    desk.see("Custom filter (1 condition)")


def test_entries_match_any_condition_or_groups(desk: Desk) -> None:
    shown = "[...document.querySelectorAll('tbody tr')].map((one) => one.innerText.match(/Grouped (.)/)?.[1]).join('')"
    address = "decodeURIComponent(location.search).replaceAll('+', ' ')"
    values: tuple[dict[str, object], ...]
    values = ({"readingMinutes": 3}, {"readingMinutes": 5, "featured": True}, {"readingMinutes": 5}, {"featured": True})
    made = [
        desk.ask("POST", LIST, {"title": f"Grouped {n}", "slug": f"grouped-{n}", "format": "note"} | one)["id"]
        for n, one in enumerate(values)
    ]
    desk.open(f"{ARTICLES}?sort=id:ASC&filters[$and][0][title][$startsWith]=Grouped")
    desk.until(f"{shown} === '0123'", "all of them")
    desk.click("Filter")
    desk.choose("Field", "Reading minutes", "reading")
    desk.fill("Value", "3")
    desk.click("Add OR condition")
    desk.until("document.activeElement?.id === 'filter2-field'", "the second condition")
    desk.click("Apply")
    desk.see("Choose a field first")
    desk.click_at("#filter2-field")
    desk.page.send("Input.insertText", text="featured")
    desk.click_at("[role=option]")
    desk.until("document.querySelector('#filter2-value')", "the value of the second condition")
    desk.do(
        "((found) => { found.selectedIndex = [...found.options].findIndex((one) => one.text === 'Yes'); "
        "return found.dispatchEvent(new Event('change', {bubbles: true})); })(document.querySelector('#filter2-value'))"
    )
    assert desk.barriers() == []
    desk.click("Apply")
    desk.see("Reading minutes is 3 or Featured is Yes")
    desk.until(f"{shown} === '013'", "a group in which one condition is enough")
    group = "filters[$and][1][$or][0][readingMinutes][$eq]=3&filters[$and][1][$or][1][featured][$eq]=true"
    assert group in desk.do(address)
    desk.pick("Match", "Match any")
    desk.until(f"{address}.includes('filters[$or][1][$and][1][featured][$eq]=true')", "the reverse")
    desk.see("Reading minutes is 3 and Featured is Yes")
    desk.until(f"{shown} === '0123'", "one item is enough")
    desk.click("Reading minutes is 3 and Featured is Yes")
    desk.click("Remove condition 1")
    desk.click("Apply")
    desk.see("Featured is Yes")
    desk.gone("Reading minutes is 3")
    desk.pick("Status", "Draft")
    desk.until(f"{address}.includes('filters[$and][0][publishedAt][$null]=true&filters[$or][0]')", "the status beside")
    nested = "filters[$or][0][$not][readingMinutes][$eq]=5&filters[$or][1][$and][0][featured][$eq]=true"
    named = "filters[$and][0][title][$startsWith]=Grouped"
    desk.open(f"{ARTICLES}?sort=id:ASC&{nested}&{named}")
    desk.see("Custom filter (2 conditions)", 'Title starts with (case-sensitive) "Grouped"')
    desk.until(f"{shown} === '013'", "entries of the custom filter")
    desk.pick("Status", "Draft")
    desk.until(f"{address}.includes('filters[$and][2][$or][0][$not][readingMinutes][$eq]=5')", "the custom filter")
    desk.until(f"{shown} === '013'", "the same entries, which are drafts")
    desk.click("Remove: Custom filter (2 conditions)")
    desk.until(f"{shown} === '0123'", "all of them again")
    desk.ask("POST", f"{LIST}/actions/bulkDelete", {"ids": made})


@pytest.fixture
def early(desk: Desk) -> Iterator[None]:
    """Set a time zone in which it is past six in the morning, so that no test runs over midnight."""
    offset = 6 - datetime.now(UTC).hour
    east = offset if offset >= -12 else offset + 24
    desk.page.send("Emulation.setTimezoneOverride", timezoneId=f"Etc/GMT{-east:+d}")
    yield
    desk.page.send("Emulation.setTimezoneOverride", timezoneId="")


@pytest.mark.usefixtures("early")
def test_relative_periods_use_the_browsers_time_zone(desk: Desk) -> None:
    hour, *days = desk.do(
        "[new Date().getHours(), ...[1, 0, -6, -7, -29, -30].map((more) => { const now = new Date(); return new Date("
        "now.getFullYear(), now.getMonth(), now.getDate() + more).toLocaleDateString('sv') })]"
    )
    assert hour in (6, 7)
    rest = {"format": "note", "featured": False}
    made = [
        desk.ask("POST", LIST, {"title": f"Dated {n}", "slug": f"dated-{n}", "issueDate": day, **rest})["id"]
        for n, day in enumerate(days)
    ]
    month = "".join(str(n) for n, day in enumerate(days) if day[:7] == days[1][:7])
    shown = "[...document.querySelectorAll('tbody tr')].map((one) => one.innerText.match(/Dated (.)/)?.[1]).join('')"
    named = f"{ARTICLES}?sort=id:ASC&filters[$and][0][title][$startsWith]=Dated&filters[$and][1]"
    for condition, found in (
        ("[issueDate][$within]=today", "1"),
        ("[issueDate][$within]=last7Days", "12"),
        ("[issueDate][$within]=last30Days", "1234"),
        ("[issueDate][$within]=thisMonth", month),
        ("[createdAt][$within]=today", "012345"),
    ):
        desk.open(named + condition)
        desk.until(f"{shown} === '{found}'", f"entries of {condition}")
    desk.ask("POST", f"{LIST}/actions/bulkDelete", {"ids": made})


def test_a_status_filter_beside_the_search(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:ASC")
    desk.see("in total")
    desk.pick("Status", "Draft")
    desk.until(
        "decodeURIComponent(location.search).includes('filters[$and][0][publishedAt][$null]=true')", "the filter"
    )
    desk.until("!document.querySelector('tbody .good') && document.querySelector('tbody .warn')", "drafts only")
    assert not desk.do("document.querySelector('.chips')"), "the control shows the status, without a chip"
    desk.pick("Status", "Published")
    desk.until("!document.querySelector('tbody .warn') && document.querySelector('tbody .good')", "published entries")
    desk.pick("Status", "All statuses")
    desk.until("!location.search.includes('filters')", "no filter")
    desk.open(f"{TAGS}?sort=id:ASC")
    desk.see("in total")
    assert not desk.do("document.querySelector('#list-status')"), "tags have no drafts"


def test_related_entries_are_chosen_by_their_titles(desk: Desk) -> None:
    desk.open(ARTICLES)
    desk.see("in total")
    desk.click("Filter")
    desk.choose("Field", "Author", "author")
    desk.choose("Value", "Oskar Lindqvist", "osk")
    assert desk.barriers() == []
    desk.click("Apply")
    desk.see('Author is "Oskar Lindqvist"')
    [oskar] = desk.ask("GET", "/content-manager/collection-types/api::author.author?_q=Oskar")["results"]
    assert f"filters[$and][0][author][id][$eq]={oskar['id']}" in desk.do("decodeURIComponent(location.search)")
    there = desk.ask("GET", f"{LIST}?filters[author][id][$eq]={oskar['id']}")["pagination"]["total"]
    desk.see(f"{there} in total")
    desk.open(f"{ARTICLES}?filters[$and][0][author][id][$eq]={oskar['id']}&filters[$and][1][tags][id][$eq]=1")
    [tag] = desk.ask("GET", "/content-manager/collection-types/api::tag.tag?filters[id][$eq]=1")["results"]
    desk.see('Author is "Oskar Lindqvist"', f'Tags includes "{tag["name"]}"')
    desk.click('Author is "Oskar Lindqvist"')
    desk.until("document.querySelector('#filter-value')?.value === 'Oskar Lindqvist'", "the entry to change")


def test_own_entries_are_found_by_one_filter(desk: Desk) -> None:
    made = desk.ask("POST", LIST, {"title": "By Ada", "slug": "by-ada", "format": "note", "featured": False})
    desk.open(ARTICLES)
    desk.see("in total")
    desk.click("Filter")
    desk.choose("Field", "Created by", "created by")
    desk.choose("Value", "me")
    desk.click("Apply")
    desk.see('Created by is "me"', "By Ada")
    desk.ask("DELETE", f"{LIST}/{made['id']}")


WIDTHS = "[...document.querySelectorAll('thead [role=separator]')].map((one) => Number(one.ariaValueNow))"


def handle(name: str) -> str:
    return f"document.querySelector('[role=separator][aria-label=\"Resize {name}\"]')"


def test_column_widths_are_stored(desk: Desk) -> None:
    desk.size(1440)
    desk.open(f"{ARTICLES}?sort=id:ASC")
    desk.until(f"{WIDTHS}.length === 4 && {WIDTHS}[1] > 280", "the title, as wide as there is room")
    cover, title, author, _ = first = desk.do(WIDTHS)
    assert not desk.do("document.querySelector('.scroll.more')")
    desk.do(f"{handle('Author')}.focus()")
    desk.press("ArrowRight")
    desk.press("ArrowRight", shift=True)
    desk.until(f"{WIDTHS}[2] === {author + 80}", "a wider column")
    assert desk.do(WIDTHS)[:2] == [cover, title]
    desk.until("document.querySelector('.scroll.more')", "a table that scrolls instead of narrower columns")
    assert desk.barriers() == []
    x, y = desk.do(f"((box) => [box.x + box.width / 2, box.y + 9])({handle('Title')}.getBoundingClientRect())")
    held = {"button": "left", "buttons": 1}
    desk.page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    desk.page.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, clickCount=1, **held)
    desk.page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x - 30, y=y, **held)
    desk.page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x - 100, y=y, **held)
    desk.page.send("Input.dispatchMouseEvent", type="mouseReleased", x=x - 100, y=y, button="left", clickCount=1)
    desk.until(f"{WIDTHS}[1] === {title - 100}", "a narrower title")
    desk.open(f"{ARTICLES}?sort=id:ASC")
    desk.until(f"{WIDTHS}.slice(0, 3).join() === '{cover},{title - 100},{author + 80}'", "the widths, remembered")
    desk.do(f"{handle('Author')}.focus()")
    desk.press("Enter")
    desk.until(f"{WIDTHS}[2] === {author}", "the first width")
    desk.click("Columns")
    desk.click("Reset to default")
    desk.click("Close")
    desk.until(f"{WIDTHS}.join() === '{','.join(map(str, first))}'", "all first widths")


def test_columns_and_views_are_stored(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:DESC&_q=the")
    desk.see("in total")
    desk.click("Columns")
    desk.click("Slug", within="[role=dialog]")
    desk.do("__look.all('[role=dialog] [aria-label^=\"Move Updated\"]')[0].focus()")
    desk.press("ArrowUp")
    desk.click("Close")
    desk.click("Saved views")
    desk.click("Save this view")
    desk.fill("Name", "Newest with the")
    desk.click("Save")
    desk.open(ARTICLES)
    desk.see("in total")
    desk.until(f"{HEADS}.join() === 'Select all,Cover,Title,Status,Updated,Author,Slug,Actions'", "columns in order")
    desk.click("Saved views")
    desk.click("Newest with the")
    desk.until("location.search.includes('_q=the') && location.search.includes('sort=id')", "the view")


def test_views_are_shared_with_roles_and_copied(desk: Desk) -> None:
    role = desk.ask("POST", "/admin/roles", {"name": "Viewers", "description": ""})["data"]
    right = {"action": "plugin::content-manager.explorer.read", "subject": "api::article.article"}
    granted = {"permissions": [{**right, "properties": {"fields": ["title"]}, "conditions": []}]}
    desk.ask("PUT", f"/admin/roles/{role['id']}/permissions", granted)
    viewer = Person("vera@example.org", "Passw0rd-of-Vera")
    desk.hire(viewer, role["id"])
    desk.open(f"{ARTICLES}?sort=title:DESC")
    desk.see("in total")
    desk.click("Saved views")
    desk.click("Save this view")
    desk.fill("Name", "Backwards")
    desk.pick("Visible to", "Selected roles")
    desk.click("Save")
    desk.see("Choose a role")
    desk.click("Viewers", within="[role=dialog]")
    assert desk.barriers() == []
    desk.click("Save")
    desk.see("Backwards shared")
    desk.click("Saved views: Backwards")
    desk.see("Edit Backwards", "Delete Backwards")
    desk.press("Escape")
    desk.log_in(viewer)
    desk.open(ARTICLES)
    desk.see("in total")
    desk.click("Saved views")
    desk.click("Backwards (by ada)")
    desk.until("location.search.includes('sort=title%3ADESC')", "the view")
    desk.until("document.querySelector('[aria-label^=\"Saved views\"] svg circle')", "the icon of shared views")
    desk.click("Saved views: Backwards")
    desk.see("Copy Backwards to my views")
    assert "Delete Backwards" not in desk.text()
    assert desk.barriers() == []
    desk.click("Copy Backwards to my views")
    desk.see("Backwards copied to your views")
    desk.click("Saved views: Backwards")
    desk.see("Delete Backwards")
    desk.press("Escape")
    desk.log_in(ADA)
    desk.open(f"{ARTICLES}?sort=title:DESC")
    desk.see("Backwards")
    desk.click("Saved views: Backwards")
    desk.click("Delete Backwards")
    desk.see("This deletes it for all users.")
    desk.click("Delete", within="[role=alertdialog], [role=dialog]")
    desk.gone("Backwards")


def test_the_list_is_configured_for_everybody(desk: Desk) -> None:
    desk.open(f"{ARTICLES}/configurations/list")
    desk.see("Configure the list: Article", "Entries per page")
    desk.fill("Label for title", "Headline")
    desk.do("__look.all('[aria-label^=\"Move Title\"]')[0].focus()")
    desk.press("ArrowUp")
    assert desk.do("document.querySelector('.page > header').contains(__look.button('Save', true))")
    desk.click("Save")
    desk.see("Saved")
    told = desk.ask("GET", "/content-manager/content-types/api::article.article/configuration")["data"]["contentType"]
    assert told["metadatas"]["title"]["list"]["label"] == "Headline"
    assert told["layouts"]["list"].index("title") == 0
    desk.click("Back to the list")
    desk.see("Headline")


def test_the_home_page_shows_recent_changes(desk: Desk) -> None:
    desk.open("/admin/")
    desk.see("Recently updated", "My drafts", "Scheduled")
    desk.until("document.querySelectorAll('main li a[href*=\"collection-types\"]').length > 0", "entries to go on with")


def test_lists_and_the_home_page_show_schedules(desk: Desk) -> None:
    path = "/octavo/schedules/api::article.article"
    desk.ask("PUT", f"{path}/1", {"unpublishAt": "2999-02-01T06:00:00.000Z"})
    desk.open(f"{ARTICLES}?sort=id:ASC")
    desk.see("Unpublishes Feb 1, 2999")
    desk.open("/admin/")
    desk.see("Unpublishes Feb 1, 2999")
    desk.ask("PUT", f"{path}/1", {"unpublishAt": None})


@pytest.mark.parametrize("width", [1024, 390])
def test_row_actions_stay_visible(desk: Desk, width: int) -> None:
    desk.size(width)
    desk.open(f"{ARTICLES}?sort=id:ASC")
    desk.see("in total")
    box = "document.querySelector('{}')?.getBoundingClientRect()"
    inside = f"((box) => box && box.left >= 0 && box.right <= innerWidth)({box})"
    desk.until(inside.format("tbody td.end button"), "the actions of the first row")
    if width > 600:
        desk.until(inside.format("tbody tr:first-child .good"), "its state")
    desk.until("document.querySelector('.scroll.more')", "that there is more beside")
    desk.page.do("document.querySelector('.scroll').scrollTo({left: 10000, behavior: 'instant'})")
    desk.until("document.querySelector('.frame.before .scroll:not(.more)')", "that the end is reached")
    desk.click_at("tbody td.end button")
    desk.see("Duplicate")
    desk.press("Escape")


def test_titles_and_states_are_pinned_if_there_is_room(desk: Desk) -> None:
    pinned = "[...document.querySelectorAll('tbody tr:first-child > *')].map((one) => getComputedStyle(one).position)"
    edges = "[...document.querySelectorAll('tbody tr:first-child > *')].map((one) => one.getBoundingClientRect())"
    for width in (1024, 390):
        desk.size(width)
        desk.open(f"{ARTICLES}?sort=id:ASC")
        desk.see("in total")
        heads = desk.do(HEADS)
        status = heads.index("Status")
        assert heads[status - 1] in ("Title", "Headline"), "beside the title"
        expected = [status - 1, status, len(heads) - 1] if width == 1024 else [len(heads) - 1]
        desk.until("document.querySelector('.scroll.more')", "that there is more beside")
        assert [at for at, one in enumerate(desk.do(pinned)) if one == "sticky"] == expected
        boxes = f"{edges}.map((one) => [one.left, one.right])"
        assert all(one[1] <= other[0] + 1 for one, other in pairwise(desk.do(boxes)[:4])), "nothing is covered at first"
    desk.size(1024)
    desk.page.do("document.querySelector('.scroll').scrollTo({left: 10000, behavior: 'instant'})")
    desk.until("document.querySelector('.frame.before .scroll:not(.more)')", "that the end is reached")
    start = "document.querySelector('.scroll').getBoundingClientRect().left"
    assert desk.do(f"Math.abs({edges}[{status - 1}].left - {start}) < 2"), "the title is visible"


def test_rows_have_one_height(desk: Desk) -> None:
    path = "/octavo/schedules/api::article.article"
    times = {"publishAt": "2999-01-01T06:00:00.000Z", "unpublishAt": "2999-02-01T06:00:00.000Z"}
    draft = desk.ask("POST", LIST, {"title": "A long title " * 9, "slug": "long", "format": "note", "featured": False})
    desk.ask("PUT", f"{path}/{draft['id']}", times)
    desk.open(f"{ARTICLES}?sort=id:DESC")
    desk.see("Publishes Jan 1, 2999")
    assert desk.do("[...new Set([...document.querySelectorAll('tbody tr')].map((one) => one.offsetHeight))]") == [48]
    desk.ask("DELETE", f"{LIST}/{draft['id']}")


def test_nothing_moves_when_a_dialog_opens(desk: Desk) -> None:
    desk.size(1400, 500)
    desk.open(ARTICLES)
    desk.see("in total")
    room = """((fixed) => {
      fixed.style.cssText = 'position: fixed; inset: 0';
      document.body.append(fixed);
      const widths = [fixed, document.querySelector('main')].map((one) => one.getBoundingClientRect().width);
      fixed.remove();
      return widths;
    })(document.createElement('div'))"""
    before = desk.do(room)
    assert desk.do("document.documentElement.scrollHeight > innerHeight"), "the page has a scroll bar"
    desk.click("Columns")
    desk.see("Close")
    assert desk.do(room) == before
    desk.press("Escape")


def test_lists_offer_readable_fields(desk: Desk) -> None:
    editor = Person("edith@example.org", "Passw0rd-of-Edith")
    role = desk.ask("POST", "/admin/roles", {"name": "Readers", "description": ""})["data"]
    right = {
        "action": "plugin::content-manager.explorer.read",
        "subject": "api::article.article",
        "properties": {"fields": ["title"]},
        "conditions": [],
    }
    desk.ask("PUT", f"/admin/roles/{role['id']}/permissions", {"permissions": [right]})
    invited = {"email": editor.email, "firstname": "Edith", "roles": [role["id"]]}
    made = desk.ask("POST", "/admin/users", invited)["data"]
    desk.ask("PUT", f"/admin/users/{made['id']}", {"password": editor.password, "isActive": True})
    desk.log_in(editor)
    desk.open(ARTICLES)
    desk.see("in total")
    heads = "[...document.querySelectorAll('thead th')].map((one) => one.innerText.trim())"
    assert len(desk.do(heads)) == 4, "the id, the title, the state, and the actions"
    assert not desk.do("document.querySelector('tbody input, a[href*=create]')")
    desk.click_at("tbody .icon-button")
    desk.see("Open", "Copy API URL")
    assert "Delete" not in desk.text()
    desk.press("Escape")
