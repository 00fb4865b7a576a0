"""Requests for an available UID."""

import pytest

from octavo.accounts.administrators.audit import read_audit
from tests.api.admin.newsroom import STORY, Newsroom

pytestmark = pytest.mark.anyio


async def test_requests_for_a_uid_are_not_in_the_audit_log(newsroom: Newsroom) -> None:
    await newsroom.make("story.story", {"title": "One", "code": "x"})
    database = newsroom.office.club.database
    before = await read_audit(database)
    for name in ("generate", "check-availability"):
        body = {"contentTypeUID": STORY, "field": "code", "data": {"code": "x"}, "value": "x"}
        answer = await newsroom.ask("POST", f"/content-manager/uid/{name}", body)
        assert answer.status == 200, answer.body
    assert await read_audit(database) == before
