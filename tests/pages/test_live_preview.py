"""Live preview: a front end on another origin shows unsaved changes, to its editor only, and opens fields on click."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser import Page
from tests.cli.processes import Server, serving
from tests.http_services import serving as serving_site
from tests.pages.articles import leave, make, open_form
from tests.pages.desk import ADA, Desk
from tests.pages.live_site import LiveSite
from tests.pages.sample import FIRST, magazine

FRAME = "document.querySelector('iframe')"
BUTTON = "document.querySelector('.page > header button[aria-pressed]')"
LIVE = "Shows unsaved changes"


@pytest.fixture(scope="module")
def site() -> Iterator[LiveSite]:
    site = LiveSite()
    with serving_site(site.answer) as site.url:
        yield site


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, site: LiveSite) -> Iterator[Server]:
    """Serve the sample project with a preview of articles that starts with a code."""
    project = magazine(tmp_path_factory.mktemp("live"))
    article, event = (f"{site.url}/{page}?slug={{slug}}&code={{code}}" for page in ("preview", "talk.html"))
    (project / "config/admin.toml").write_text(
        f'[preview]\n"api::article.article" = "{article}"\n"api::event.event" = "{event}"\n', encoding="utf-8"
    )
    with serving("develop", project, "--seed", **FIRST) as server:
        site.octavo = f"http://127.0.0.1:{server.port}"
        yield server


@pytest.fixture(scope="module")
def desk(service: Server, page: Page, site: LiveSite) -> Desk:
    desk = Desk(page, f"http://127.0.0.1:{service.port}")
    desk.others = (site.url, site.url.replace("127.0.0.1", "localhost"))
    desk.log_in(ADA)
    return desk


def wait_for(desk: Desk, condition: Callable[[], Any]) -> Any:
    """Wait for something in this process while the browser continues."""
    while not (found := condition()):
        desk.do("new Promise((done) => setTimeout(done, 20)).then(() => 0)")
    return found


def report_of(desk: Desk, site: LiveSite, title: str) -> dict[str, Any]:
    """Return the last report of the page in the frame with this title."""
    found = wait_for(desk, lambda: [one for one in site.reports if one.get("title") == title])
    return dict(found[-1])


def open_preview(desk: Desk, site: LiveSite, title: str) -> int:
    """Create an article and open its form with the preview."""
    article = make(desk, title)
    open_form(desk, article)
    if desk.until(f"{BUTTON}?.ariaPressed", "the button") == "false":
        desk.click("Preview")
    desk.see(LIVE)
    report_of(desk, site, title)
    return article


def test_the_front_end_shows_each_change_before_it_is_saved(desk: Desk, site: LiveSite) -> None:
    article = open_preview(desk, site, "Live one")
    started = next(one for one in site.requests if one.path == "/preview")
    assert len(started.query["code"]) == 43
    assert "referer" not in started.headers
    loads = len(site.requests)
    desk.fill("Title", "Live two")
    shown = report_of(desk, site, "Live two")
    assert (shown["change"]["type"], shown["change"]["id"]) == ("api::article.article", article)
    assert shown["applied"]["attributes"]["title"] == "Live two"
    assert shown["applied"]["attributes"]["slug"] == "live-one"
    assert len(site.requests) == loads, "a change loads nothing"
    assert desk.ask("GET", f"/content-manager/collection-types/api::article.article/{article}")["title"] == "Live one"
    assert desk.barriers() == []
    desk.click("Save")
    report_of(desk, site, "Live two")
    wait_for(desk, lambda: len(site.requests) > loads)
    assert [one.path for one in site.requests[loads:]] == ["/articles/live-one"], (
        "the page reloads itself, without code"
    )
    desk.see(LIVE)
    desk.fill("Title", "Live three")
    report_of(desk, site, "Live three")
    leave(desk)


def test_a_click_in_the_front_end_opens_the_field(desk: Desk, site: LiveSite) -> None:
    open_preview(desk, site, "Clickable")
    desk.do("document.activeElement.blur()")
    place = desk.do(f"(({{left, top}}) => [left, top])({FRAME}.getBoundingClientRect())")
    for kind in ("mousePressed", "mouseReleased"):
        spot = {"x": place[0] + 60, "y": place[1] + 20, "button": "left", "clickCount": 1}
        desk.page.send("Input.dispatchMouseEvent", type=kind, **spot)
    desk.until("document.activeElement.value === 'Clickable'", "the title's field")
    leave(desk)


def test_a_click_on_a_field_of_another_entry_opens_it_there(desk: Desk, site: LiveSite) -> None:
    open_preview(desk, site, "With an author")
    click = "parent.postMessage({{octavo: 1, type: 'edit', place: {}}}, '*'), 0"
    in_frame(desk, click.format("{type: 'api::author.author', id: 1, field: 'bio'}"))
    desk.until("document.querySelector('[role=dialog]')?.contains(document.activeElement)", "the author's panel")
    desk.until("document.activeElement.id.endsWith('field.bio')", "its field")
    desk.press("Escape")
    desk.until("!document.querySelector('[role=dialog]')", "the article alone")
    in_frame(desk, click.format("{type: 'api::about.about', id: 1, field: 'intro'}"))
    desk.see("Open “About”?")
    assert desk.barriers() == []
    desk.click("Open entry")
    desk.until("location.pathname.endsWith('api::about.about')", "the page of a single type")
    desk.until("document.activeElement.id === 'field.intro'", "its field")
    leave(desk)


def test_messages_of_other_windows_are_ignored(desk: Desk, site: LiveSite) -> None:
    open_preview(desk, site, "Guarded")
    desk.do("document.activeElement.blur()")
    desk.do("(window.postMessage({octavo: 1, type: 'edit', place: {field: 'title'}}, '*'), 0)")
    desk.do("new Promise((done) => { addEventListener('message', () => setTimeout(done, 100)); postMessage(0, '*'); })")
    assert desk.do("document.activeElement === document.body")
    leave(desk)


def test_a_preview_without_a_code_is_loaded_again_after_a_save(desk: Desk, site: LiveSite) -> None:
    open_preview(desk, site, "Without a code")
    desk.page.send("Network.setBlockedURLs", urls=["*/preview-codes/*"])
    desk.click("Reload")
    desk.until(f"!{FRAME}", "the error")
    assert LIVE not in desk.text()
    desk.page.send("Network.setBlockedURLs", urls=[])
    desk.fill("Title", "With a code")
    desk.click("Save")
    desk.see(LIVE)
    report_of(desk, site, "With a code")
    assert site.refused == [], "no code is used again"
    leave(desk)


def test_another_site_can_neither_read_nor_change_the_preview(desk: Desk, site: LiveSite) -> None:
    """It frames the front end, and sends the messages of the admin pages."""
    leave(desk)
    site.reports.clear()
    desk.page.send("Page.navigate", url=f"{site.url.replace('127.0.0.1', 'localhost')}/forger/1")
    desk.until("Boolean(document.readyState === 'complete' && window.forge)", "the other site")
    heard = desk.do("window.forge()")
    [answered] = wait_for(desk, lambda: [one for one in site.reports if "forged" in one])
    assert (answered["forged"], heard) == ("Untouched", "[]")
    assert [one for one in site.reports if "change" in one] == []


def test_a_reload_and_a_new_tab_get_their_own_codes(desk: Desk, site: LiveSite) -> None:
    open_preview(desk, site, "Two codes")
    before = [one.query["code"] for one in site.requests if one.path == "/preview"]
    desk.click("Reload")
    wait_for(desk, lambda: len([one for one in site.requests if one.path == "/preview"]) > len(before))
    desk.see(LIVE)
    codes = [one.query["code"] for one in site.requests if one.path == "/preview"]
    assert len(set(codes)) == len(codes)
    assert site.refused == []
    leave(desk)


def in_frame(desk: Desk, script: str) -> Any:
    """Return the value of an expression in the frame; None while it has no document."""
    frames = desk.page.send("Page.getFrameTree")["frameTree"].get("childFrames", [])
    if not frames:
        return None
    world = desk.page.send("Page.createIsolatedWorld", frameId=frames[-1]["frame"]["id"])["executionContextId"]
    found = desk.page.send("Runtime.evaluate", expression=script, contextId=world, returnByValue=True)
    return found["result"].get("value")


def test_the_page_of_the_guide_works(desk: Desk) -> None:
    event = desk.ask("GET", "/content-manager/collection-types/api::event.event/1")
    desk.open("/admin/content-manager/collection-types/api::event.event/1")
    if desk.until(f"{BUTTON}?.ariaPressed", "the button") == "false":
        desk.click("Preview")
    desk.see(LIVE)
    title = "document.querySelector('h1')?.textContent"
    wait_for(desk, lambda: in_frame(desk, title) == event["title"])
    assert "code" not in in_frame(desk, "location.search")
    desk.fill("Title", "Renamed")
    wait_for(desk, lambda: in_frame(desk, title) == "Renamed")
    desk.click("Save")
    desk.see("Saved")
    desk.fill("Summary", "In a few words")
    wait_for(desk, lambda: in_frame(desk, "document.querySelector('p')?.textContent") == "In a few words")
    assert in_frame(desk, title) == "Renamed"
    leave(desk)
