"""Maintenance mode refuses only writes: each read has the same status as without it."""

import pytest

from tests.api.admin.newsroom import STORY, Newsroom

pytestmark = pytest.mark.anyio


async def test_reads_have_the_status_that_they_have_without_it(newsroom: Newsroom) -> None:
    club = newsroom.office.club
    made = await newsroom.make("story.story", {"title": "One"})
    values = {"uid": STORY, "model": STORY, "model_uid": STORY, "id": str(made["id"])}
    templates = sorted(
        route.template
        for route in club.octavo.site.router.routes()
        if route.method == "GET" and route.template.startswith(("/octavo", "/admin", "/content-manager", "/upload"))
    )
    paths = ["/".join(values.get(part.removeprefix(":"), part) for part in one.split("/")) for one in templates]
    assert f"/octavo/schedules/{STORY}/{made['id']}" in paths

    async def statuses() -> dict[str, int]:
        return {path: (await newsroom.ask("GET", path)).status for path in paths}

    before = await statuses()
    assert max(before.values()) < 500
    club.database.read_only_message = "Back at 6 pm"
    try:
        assert await statuses() == before
    finally:
        club.database.read_only_message = None
