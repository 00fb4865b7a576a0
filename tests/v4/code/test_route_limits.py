"""The middleware `plugin::users-permissions.rateLimit` of a v4 project: on a route, around all requests, with options.

The limits, headers and bodies are those of v4 4.26.2.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authentication.route_limits import RouteLimitOptions, RouteLimits
from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.process import Process, build
from octavo.project import CodeProblem
from octavo.project.named_handlers import UsedReader
from octavo.sdk.rate_limit import rate_limit_function
from octavo.settings import load_settings
from octavo.v4.code import Code
from octavo.v4.code.allowances import allow
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import SECRETS
from tests.models.v4_project import TEXT, read_project, write_project

pytestmark = pytest.mark.anyio

NAME = "plugin::users-permissions.rateLimit"
TOO_MANY = {
    "data": None,
    "error": {
        "status": 429,
        "name": "RateLimitError",
        "message": "Too many requests, please try again later.",
        "details": {},
    },
}
ROUTER = "createCoreRouter('api::note.note', { config: { %s } })"
PLUGINS = "module.exports = { 'users-permissions': { config: { ratelimit: %s } } };"
Open = Callable[..., Awaitable[Process]]


@asynccontextmanager
async def serving(folder: Path, files: dict[str, str | None]) -> AsyncIterator[Process]:
    write_project(folder, {"note": {"title": TEXT}}, files)
    (folder / ".tmp").mkdir()
    (folder / ".tmp/data.db").touch()
    octavo = build(load_settings(folder, SECRETS, mode="production"))
    await octavo.asgi.start()
    try:
        await grant(octavo.database, "public", [f"api::note.note.{do}" for do in ("find", "findOne", "create")])
        yield octavo
    finally:
        await octavo.asgi.stop()


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def serve(router: str = "", **files: str) -> Process:
            places = {f"config/{name}.js": text for name, text in files.items()}
            routes = {"src/api/note/routes/note.js": ROUTER % router} if router else {}
            return await stack.enter_async_context(serving(tmp_path, {**places, **routes}))

        yield serve


async def ask(octavo: Process, target: str = "/api/notes", body: Any = None) -> Answer:
    if body is None:
        return await call(octavo.asgi, "GET", target)
    sent = json.dumps(body).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(sent)))]
    return await call(octavo.asgi, "POST", target, headers, [sent])


def limits(answer: Answer) -> tuple[str | None, ...]:
    return tuple(answer.headers.get(f"x-ratelimit-{name}") for name in ("limit", "remaining"))


async def test_a_route_allows_ten_requests_in_a_minute(serve: Open) -> None:
    octavo = await serve(f"find: {{ middlewares: ['{NAME}'] }}")
    answers = [await ask(octavo, f"/api/NOTES?x={number}") for number in range(11)]
    assert [answer.status for answer in answers] == [200] * 10 + [429]
    assert [limits(answer) for answer in (answers[0], answers[9], answers[10])] == [
        ("10", "9"),
        ("10", "0"),
        ("10", "0"),
    ]
    assert int(answers[10].headers["x-ratelimit-reset"]) > 0
    assert answers[10].json == TOO_MANY
    assert (await ask(octavo, "/api/notes/")).status == 429, "other spellings of a path count together"
    assert limits(await ask(octavo, "/api/notes/1")) == (None, None)


async def test_requests_without_access_are_not_counted(serve: Open) -> None:
    octavo = await serve(f"update: {{ middlewares: ['{NAME}'] }}")
    answers = [await call(octavo.asgi, "PUT", "/api/notes/1") for _ in range(12)]
    assert {answer.status for answer in answers} == {403}


async def test_the_config_of_a_route_and_the_email_of_a_body(serve: Open) -> None:
    octavo = await serve(
        f"create: {{ middlewares: [{{ name: '{NAME}', config: {{ max: 2, interval: {{ min: 3 }} }} }}] }}"
    )
    bodies = [{"email": email, "data": {"title": "x"}} for email in ("a@b.c", "A@b.c", "a@b.c", "d@b.c")]
    assert [(await ask(octavo, body=body)).status for body in bodies] == [200, 200, 429, 200]


async def test_the_settings_of_the_plugin_apply(serve: Open) -> None:
    octavo = await serve(f"find: {{ middlewares: ['{NAME}'] }}", plugins=PLUGINS % "{ max: 1 }")
    assert [(await ask(octavo)).status for _ in range(2)] == [200, 429]


async def test_a_limit_that_is_off(serve: Open) -> None:
    octavo = await serve(f"find: {{ middlewares: ['{NAME}'] }}", plugins=PLUGINS % "{ enabled: false, max: 1 }")
    answers = [await ask(octavo) for _ in range(3)]
    assert [answer.status for answer in answers] == [200] * 3
    assert limits(answers[0]) == (None, None)


async def test_around_all_requests(serve: Open) -> None:
    listed = f"module.exports = ['strapi::body', {{ name: '{NAME}', config: {{ max: 2 }} }}];"
    octavo = await serve(middlewares=listed)
    assert [(await ask(octavo)).status for _ in range(3)] == [200, 200, 429]
    assert [(await ask(octavo, "/api/nowhere")).status for _ in range(3)] == [404, 404, 429]


def read(folder: Path, item: str) -> Code:
    files: dict[str, str | None] = {"src/api/note/routes/note.js": ROUTER % f"find: {{ middlewares: [{item}] }}"}
    return read_project(folder, {"note": {"title": TEXT}}, files)


@pytest.mark.parametrize(
    "config, said",
    [
        ("{ max: 3, skip: (ctx) => true }", "its config is computed"),
        ("{ max: compute() }", "its config is computed"),
        (
            "{ max: 'many', prefixKey: 'x' }",
            "limits requests with `max`, `prefixKey`, which Octavo does not support; limit them in your proxy, then "
            "allow this name",
        ),
    ],
)
def test_other_options_close_the_route(tmp_path: Path, config: str, said: str) -> None:
    route = read(tmp_path, f"{{ name: '{NAME}', config: {config} }}").routes[0]
    assert [(guard.name, guard.says) for guard in route.guards] == [(NAME, said)]


def test_the_name_may_still_be_allowed(tmp_path: Path) -> None:
    code = read(tmp_path, f"'{NAME}'")
    assert allow(code, [NAME]).routes == code.routes
    assert code.routes[0].middlewares == ((NAME, {}),)


def test_the_name_may_be_a_constant(tmp_path: Path) -> None:
    router = f"""const {{ createCoreRouter }} = require('@strapi/strapi').factories;
const limit = '{NAME}', uid = 'api::note.note';
module.exports = createCoreRouter(uid, {{ config: {{ find: {{ middlewares: [{{ name: limit }}] }} }} }});"""
    listed = f"const limit = '{NAME}';\nmodule.exports = ['strapi::body', {{ name: limit, config: {{ max: 2 }} }}];"
    files: dict[str, str | None] = {"src/api/note/routes/note.js": router, "config/middlewares.js": listed}
    code = read_project(tmp_path, {"note": {"title": TEXT}}, files)
    assert code.routes[0].middlewares == ((NAME, {}),)
    assert code.around == ((NAME, {"max": 2}),)


def test_a_policy_of_this_name_is_unknown(tmp_path: Path) -> None:
    files: dict[str, str | None] = {"src/api/note/routes/note.js": ROUTER % f"find: {{ policies: ['{NAME}'] }}"}
    assert read_project(tmp_path, {"note": {"title": TEXT}}, files).routes[0].guards


def test_an_invalid_config_in_python_is_reported() -> None:
    problems: list[CodeProblem] = []
    known = rate_limit_function(RouteLimits(RouteLimitOptions()))
    listed = [(NAME, {"max": 3, "interval": 60}), (NAME, {"max": "3"}), (NAME, {"size": 1}), (NAME, 3), NAME]
    used = UsedReader(Path(), problems).read(listed, known, "request, next, config", "use")
    assert [one.config for one in used] == [{"max": 3, "interval": 60}, {}]
    assert [str(problem) for problem in problems] == [
        f"use.1: {NAME}: expected max and interval as positive integers, not {{'max': '3'}}",
        f"use.2: {NAME}: expected max and interval as positive integers, not {{'size': 1}}",
        f"use.3: {NAME}: expected max and interval as positive integers, not 3",
    ]


async def test_a_closed_api_has_no_fields_that_are_open(serve: Open) -> None:
    octavo = await serve("find: { policies: ['global::nowhere'] }", middlewares="module.exports = ['global::gate'];")
    answer = await call(octavo.asgi, "POST", "/graphql")
    assert answer.status == 403
    assert octavo.site.guards is None
