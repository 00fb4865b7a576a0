"""A process whose tables were changed by another node, as in a rolling update of the definitions."""

import pytest

from tests.api.admin.conftest import Office
from tests.models.club import FULL

pytestmark = pytest.mark.anyio

UNAVAILABLE = (503, "ServiceUnavailableError")


async def test_a_process_with_outdated_columns_reports_them_and_changes_nothing(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    ask, database = office.club.ask, office.club.database
    body = {"data": {"title": "Tides"}}
    assert (await ask("POST", "/api/notes", body, FULL)).status == 200
    await database.execute_script("ALTER TABLE notes RENAME COLUMN title TO heading")
    answers = [
        await ask("GET", "/api/notes", token=FULL),
        await ask("GET", "/api/notes/1", token=FULL),
        await ask("POST", "/api/notes", body, FULL),
        await ask("PUT", "/api/notes/1", body, FULL),
        await ask("POST", "/graphql", {"query": "{ notes { data { attributes { title } } } }"}, FULL),
    ]
    assert [(answer.status, answer.json["error"]["name"]) for answer in answers] == [UNAVAILABLE] * 5
    assert answers[0].headers["retry-after"]
    assert "the tables changed since this process started" in caplog.text
    assert await database.fetch_value("SELECT count(*) FROM notes") == 1
    await database.execute_script("ALTER TABLE notes RENAME COLUMN heading TO title")
    assert (await ask("POST", "/api/notes", body, FULL)).status == 200
