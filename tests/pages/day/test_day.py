"""Days on the pages, on each database, step by step: an editor's, a keyboard user's, and a restricted author's."""

from collections.abc import Iterator

import pytest

from tests.browser import Page
from tests.cli.processes import serving
from tests.cli.projects import database_variables
from tests.pages.day.administration import ADMINISTRATION
from tests.pages.day.building import BUILDING
from tests.pages.day.finding import FINDING
from tests.pages.day.keyboard import KEYBOARD
from tests.pages.day.many import MANY
from tests.pages.day.publishing import PUBLISHING
from tests.pages.day.restricted import RESTRICTED
from tests.pages.day.writing import WRITING
from tests.pages.desk import Desk
from tests.pages.sample import FIRST, magazine
from tests.pages.sections import show_one_form
from tests.postgresql_server import PostgresqlServer

DAYS = {
    "an editor": (FINDING, WRITING, PUBLISHING, MANY, BUILDING, ADMINISTRATION),
    "an author with few rights": (RESTRICTED,),
    "a user without a mouse": (KEYBOARD,),
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Yield environment variables for a new database."""
    if request.param == "sqlite":
        yield {}
        return
    postgresql: PostgresqlServer = request.getfixturevalue("postgresql_server")
    url = postgresql.create_database()
    yield database_variables(url)
    postgresql.drop_database(url)


@pytest.fixture(scope="module")
def desk(variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory, page: Page) -> Iterator[Desk]:
    """Open the sample project on each database, signed out."""
    project = magazine(tmp_path_factory.mktemp("day"))
    with serving("develop", project, "--seed", **FIRST, **variables) as server:
        found = Desk(page, f"http://127.0.0.1:{server.port}")
        # The previous server's pages may still be loading code.
        page.send("Page.navigate", url="about:blank")
        found.until("location.href === 'about:blank'", "an empty page")
        page.asked.clear()
        show_one_form(found)
        yield found


@pytest.mark.parametrize("who", DAYS)
def test_a_day_of(who: str, desk: Desk) -> None:
    assert [wrong for day in DAYS[who] for wrong in day.failures(desk)] == []
