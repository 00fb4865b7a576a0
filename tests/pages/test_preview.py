"""The preview pane: the front end in a frame beside the form, on a site that may be framed."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.browser import Page
from tests.cli.processes import Server, serving
from tests.http_services import Answer, Asked
from tests.http_services import serving as serving_site
from tests.pages.articles import LIST, leave, make, open_form, stored
from tests.pages.desk import ADA, Desk
from tests.pages.sample import FIRST, magazine

FRAME = "document.querySelector('iframe')"
BUTTON = "document.querySelector('.page > header button[aria-pressed]')"


@dataclass
class Site:
    """A front end that records its requests."""

    requests: list[Asked] = field(default_factory=list)
    url: str = ""

    def answer(self, asked: Asked) -> Answer:
        if asked.path.startswith("/articles/"):
            self.requests.append(asked)
        return Answer(body=b"<title>Front end</title><p>The article</p>", headers={"Content-Type": "text/html"})


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    with serving_site(site.answer) as site.url:
        yield site


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[Server]:
    """Serve the sample project with a preview of articles."""
    project = magazine(tmp_path_factory.mktemp("preview"))
    (project / "config/admin.toml").write_text(
        f'[preview]\n"api::article.article" = "{site.url}/articles/{{slug}}?state={{state}}"\n', encoding="utf-8"
    )
    with serving("develop", project, "--seed", **FIRST) as server:
        yield server


@pytest.fixture(scope="module")
def desk(service: Server, page: Page, site: Site) -> Desk:
    """Sign in as Ada, with pages that can frame the front end."""
    desk = Desk(page, f"http://127.0.0.1:{service.port}")
    desk.others = (site.url,)
    desk.log_in(ADA)
    return desk


def wait_for_requests(desk: Desk, site: Site, count: int) -> None:
    """Wait until the frame has loaded this many times."""
    desk.until(f"{FRAME}?.src.startsWith({site.url!r})", "the frame")
    while len(site.requests) < count:
        desk.do("new Promise((done) => setTimeout(done, 20)).then(() => 0)")


def test_the_preview_is_beside_the_form_and_follows_each_save(desk: Desk, site: Site) -> None:
    article = make(desk, "Previewed")
    open_form(desk, article)
    assert not desk.do(FRAME)
    desk.click("Preview")
    wait_for_requests(desk, site, 1)
    [first] = site.requests
    assert (first.path, first.query) == ("/articles/previewed", {"state": "draft"})
    assert "referer" not in first.headers
    desk.fill("Title", "Previewed again")
    desk.see("Save to update the preview")
    assert desk.barriers() == []
    desk.click("Save")
    wait_for_requests(desk, site, 2)
    assert "Save to update the preview" not in desk.text()
    desk.click("Publish")
    wait_for_requests(desk, site, 3)
    assert site.requests[-1].query == {"state": "published"}
    assert stored(desk, article)["publishedAt"]


def test_widths_and_reloads(desk: Desk, site: Site) -> None:
    open_form(desk, make(desk, "In three widths"))
    before = len(site.requests)
    wait_for_requests(desk, site, before)
    desk.click("Phone")
    desk.until(f"{FRAME}.offsetWidth === 390", "the width of a phone")
    desk.click("Full width")
    desk.until(f"{FRAME}.offsetWidth !== 390", "the full width")
    count = len(site.requests)
    desk.click("Reload")
    wait_for_requests(desk, site, count + 1)
    for width in (390, 1024, 1600):
        desk.size(width)
        desk.settle()
        assert not desk.overflows(), width
    desk.size(1400)


def test_the_preview_stays_open_until_it_is_closed(desk: Desk) -> None:
    article = make(desk, "The next one")
    open_form(desk, article)
    desk.until(FRAME, "the preview of another entry")
    desk.click("Close preview")
    desk.until(f"!{FRAME}", "the form alone")
    open_form(desk, article)
    desk.until(BUTTON, "the button")
    assert not desk.do(f"Boolean({FRAME})")


def test_an_entry_without_a_url_has_no_preview(desk: Desk) -> None:
    article = make(desk, "Without a slug")
    desk.ask("PUT", f"{LIST}/{article}", {"slug": None})
    open_form(desk, article)
    desk.see("Information")
    assert not desk.do(f"Boolean({BUTTON})")
    leave(desk)
