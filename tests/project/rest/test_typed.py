"""The public names in `octavo` are typed: a strict type checker accepts correct code, and finds errors."""

import subprocess
import sys
from pathlib import Path

import pytest

import octavo
from octavo import sdk

CODE = """
from octavo import Answer, Controller, CoreRouter, NotFoundError, PolicyContext, Request, Response, Route, Service


class TalkController(Controller):
    async def find(self, request: Request) -> Answer:
        request.query.setdefault("populate", ["speaker"])
        answer = await super().find(request)
        answer["meta"]["more"] = 1
        return answer

    async def by_slug(self, request: Request) -> Answer:
        found = await self.entries.find_first(filters={"slug": request.params["slug"]})
        if found is None:
            raise NotFoundError("No such talk")
        return await self.entry(found, request)

    async def text(self, request: Request) -> Answer:
        user = await request.user()
        return Response.text(user["username"] if user else request.actor.kind, status=201)


class TalkService(Service):
    async def upcoming(self) -> int:
        return await self.entries.count()


async def policy(context: PolicyContext) -> bool:
    return context.door == "rest" and await context.user() is not None


router = CoreRouter(except_=["delete"], config={"find": {"auth": False}})
routes = [Route("GET", "/talks/by-slug/:slug", "talk.by_slug", auth=False, policies=[policy])]
"""


def check(folder: Path, code: str) -> str:
    (folder / "talk.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(folder / "talk.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout


def test_a_strict_type_checker_agrees(tmp_path: Path) -> None:
    wrong = "\nreveal_type(Nothing)\nasync def f(r: Request) -> None: r.querry\n"
    said = check(tmp_path, CODE + wrong)
    problems = [line for line in said.splitlines() if ": error:" in line]
    assert len(problems) == 2, said
    assert '"Nothing" is not defined' in problems[0]
    assert '"Request" has no attribute "querry"' in problems[1]


def test_every_name_is_there() -> None:
    assert [name for name in sdk.__all__ if getattr(octavo, name) is not getattr(sdk, name)] == []
    with pytest.raises(AttributeError, match="octavo has no 'Nothing'"):
        octavo.Nothing  # type: ignore[attr-defined]  # noqa: B018
