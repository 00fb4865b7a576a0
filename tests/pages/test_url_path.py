"""The pages below a path of the site, behind a proxy that strips the path from requests, and one that keeps it."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.browser import Page
from tests.cli.processes import free_port, serving
from tests.pages.desk import ADA, Desk
from tests.pages.sample import FIRST, magazine
from tests.pages.test_media import drop
from tests.url_path_proxy import PATH, proxying, variables_of


@pytest.fixture(scope="module", params=["stripped", "kept"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the public URL of the sample project."""
    port, project = free_port(), magazine(tmp_path_factory.mktemp("site"))
    with (
        serving("develop", project, "--seed", **FIRST, **variables_of(port, request.param)) as server,
        proxying(port, server.port, request.param) as url,
    ):
        yield url


def walk(page: Page, base: str) -> None:
    """Sign in, list, open and write entries, add a file and see it, reload: all requests stay below the path."""
    desk = Desk(page, base)
    # The page of the previous service may still send requests.
    page.send("Page.navigate", url="about:blank")
    desk.until("location.href === 'about:blank'", "an empty page")
    page.asked.clear()
    page.wrong.clear()
    desk.log_in(ADA)
    assert desk.do("location.pathname") == f"{PATH}/admin/"
    desk.click("Media library")
    desk.see("New folder")
    drop(desk, "below.png")
    desk.see("below.png", "Upload complete", seconds=60)
    desk.open("/admin/plugins/upload")
    loaded = "[...document.querySelectorAll('.thumbnail img')].filter((one) => one.naturalWidth).length > 1"
    desk.until(loaded, "images")
    desk.open("/admin/content-manager/collection-types/api::article.article")
    desk.see("Oven with a view", "24 in total")
    elsewhere = [one for one in page.asked if one.startswith("http") and not urlsplit(one).path.startswith(f"{PATH}/")]
    assert elsewhere == []
    assert [one for one in page.wrong if "401" not in one] == []


def test_the_pages_work_below_a_path(base: str, page: Page) -> None:
    walk(page, base)
