"""Guards of an action over REST also protect the action's root fields in GraphQL."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from octavo.api.rest.feed.endpoint import plainly_found
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.project.rest.shop import Shop, open_shop

pytestmark = pytest.mark.anyio

SAFE = {"config/api.toml": '[compat]\nprofile = "safe"\n'}
V4 = {"config/api.toml": '[compat]\nprofile = "v4"\n'}
GUARDS = {
    "policies/noted.py": """
        async def policy(context, config):
            request = context.request
            context.app.cache.set("seen", {
                "door": context.door,
                "args": {**context.args},
                "params": {**context.params},
                "query": {**request.query},
                "body": await request.json(),
                "asked": [request.method, request.path, request.route, request.action],
                "actor": context.actor.kind,
            }, 60)
            return request.header("x-key") == "sesame"
    """,
    "policies/own.py": """
        async def policy(context, config):
            request = context.request
            if request.method == "GET":
                request.query["filters"] = {"$and": [request.query.get("filters", {}), {"id": {"$in": [2, 3]}}]}
            else:
                (await request.json())["data"]["text"] = "set by a policy"
            return True
    """,
    "policies/wider.py": """
        def policy(context):
            context.request.query["populate"] = "*"
            return True
    """,
    "middlewares/passing.py": """
        async def middleware(request, next, config):
            return await next()
    """,
    "api/genre/routes/genre.py": """
        from octavo import CoreRouter

        noted = {"policies": ["global::noted"]}
        names = ["find", "findOne", "create", "update", "delete"]
        router = CoreRouter(config={name: noted for name in names})
    """,
    "api/note/routes/note.py": """
        from octavo import CoreRouter

        router = CoreRouter(config={
            "find": {"policies": ["global::own"]},
            "update": {"policies": ["global::own"]},
            "findOne": {"policies": ["global::wider"]},
            "delete": {"middlewares": ["global::passing"]},
            "create": {"auth": {"scope": ["api::note.note.find", "api::vault.vault.find"]}},
        })
    """,
    "api/author/controllers/author.py": """
        from octavo import Controller

        class Author(Controller):
            async def find(self, request):
                return await super().find(request)
    """,
    "api/imprint/services/imprint.py": """
        from octavo import Service

        class Imprint(Service):
            async def create_or_update(self, data, query=None):
                return await super().create_or_update(data, query)
    """,
    "api/book/services/book.py": """
        from octavo import Service

        class Book(Service):
            async def delete(self, entry_id, query=None):
                return None
    """,
    "api/front-page/routes/front-page.py": """
        from octavo import CoreRouter

        router = CoreRouter(config={
            name: {"policies": ["global::noted"]} for name in ("find", "update", "create_localization")
        })
    """,
    "api/vault/routes/vault.py": """
        from octavo import CoreRouter, Route

        router = CoreRouter(except_=["update", "delete", "create"])
        routes = [
            Route("PUT", "/vaults/:id", "vault.update", policies=["global::noted"]),
            Route("DELETE", "/vaults/:id", lambda request: "kept", auth=["api::vault.vault.delete"]),
            Route("DELETE", "/open-vaults/:id", "vault.delete"),
        ]
    """,
    "extensions/users-permissions/routes/more.py": """
        from octavo import Route

        routes = [
            Route("POST", "/auth/forgot-password", "auth.forgotPassword", policies=["global::noted"]),
            Route("POST", "/auth/local/register", lambda request: "no", auth=False),
            Route("GET", "/users/me", "user.me", policies=["global::noted"]),
        ]
    """,
    "extensions/upload/routes/more.py": """
        from octavo import Route

        routes = [
            Route("DELETE", "/upload/files/:id", "content-api.destroy", policies=["global::noted"]),
            Route("POST", "/upload", "content-api.upload", policies=["global::noted"]),
        ]
    """,
}
CLOSED = "Closed: the code that guards this route is not running"


@pytest.fixture(scope="module")
async def shop(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with open_shop(tmp_path_factory.mktemp("shop"), {**GUARDS, **SAFE}) as opened:
        yield opened


async def graphql(shop: Shop, query: str, *, key: str | None = None, full: bool = True, **variables: Any) -> Any:
    body = {"query": query, "variables": variables}
    headers = {"x_key": key} if key else {}
    return (await shop.ask("POST", "/graphql", body, full=full, **headers)).json


def seen(shop: Shop) -> Any:
    """Return the policy's arguments since the last call."""
    cache = shop.octavo.site.extending.app.cache
    found = cache.get("seen")
    cache.delete("seen")
    return found


def remarks(shop: Shop) -> list[str]:
    site = shop.octavo.site
    return [] if site.guards is None else [*site.guards.remarks(site.graphql)]


def refused(answer: Any) -> list[str]:
    return [error["message"] for error in answer["errors"]]


FIELDS = (
    ("query { genres { data { id } } }", "api::genre.genre.find"),
    ("query { genre(id: 1) { data { id } } }", "api::genre.genre.findOne"),
    ('mutation { createGenre(data: {name: "x"}) { data { id } } }', "api::genre.genre.create"),
    ('mutation { updateGenre(id: 1, data: {name: "x"}) { data { id } } }', "api::genre.genre.update"),
    ("mutation { deleteGenre(id: 9) { data { id } } }", "api::genre.genre.delete"),
    ("query { frontPage { data { id } } }", "api::front-page.front-page.find"),
    ("mutation { updateFrontPage(data: {}) { data { id } } }", "api::front-page.front-page.update"),
    ('mutation { updateVault(id: 1, data: {code: "x"}) { data { id } } }', "api::vault.vault.update"),
    ('mutation { forgotPassword(email: "a@example.org") { ok } }', "plugin::users-permissions.auth.forgotPassword"),
    ("mutation { removeFile(id: 77) { data { id } } }", "plugin::upload.content-api.destroy"),
    ("mutation { deleteUploadFile(id: 77) { data { id } } }", "plugin::upload.content-api.destroy"),
    ('mutation { updateUploadFile(id: 1, data: {name: "x"}) { data { id } } }', "plugin::upload.content-api.upload"),
    ('mutation { updateFileInfo(id: 1, info: {name: "x"}) { data { id } } }', "plugin::upload.content-api.upload"),
)


@pytest.mark.parametrize("query, action", FIELDS, ids=[action for _, action in FIELDS])
async def test_policies_of_rest_run_before_fields(shop: Shop, query: str, action: str) -> None:
    seen(shop)
    assert refused(await graphql(shop, query)) == ["Policy Failed"]
    noted = seen(shop)
    assert (noted["door"], noted["asked"][3], noted["actor"]) == ("graphql", action, "api-token")
    assert "errors" not in await graphql(shop, query, key="sesame") or action.startswith("plugin::")


FILTERS = '{and: [{name: {contains: "e"}}, {not: {id: {in: [7]}}}], books: {title: {eqi: "x"}}}'
FILTERED = {
    "$and": [{"name": {"$contains": "e"}}, {"$not": {"id": {"$in": ["7"]}}}],
    "books": {"title": {"$eqi": "x"}},
}
FORMS: tuple[tuple[str, dict[str, Any], dict[str, Any], Any, str], ...] = (
    (
        f'query {{ genres(filters: {FILTERS}, sort: ["name:desc"], pagination: {{limit: 3}}) {{ data {{ id }} }} }}',
        {},
        {"filters": FILTERED, "sort": ["name:desc"], "pagination": {"limit": 3}, "publicationState": "live"},
        {},
        "GET /api/genres",
    ),
    ("query { genre(id: 7) { data { id } } }", {"id": "7"}, {}, {}, "GET /api/genres/7"),
    (
        'mutation { updateGenre(id: 7, data: {name: "x", books: [1]}) { data { id } } }',
        {"id": "7"},
        {},
        {"data": {"name": "x", "books": ["1"]}},
        "PUT /api/genres/7",
    ),
    ("mutation { deleteGenre(id: 7) { data { id } } }", {"id": "7"}, {}, {}, "DELETE /api/genres/7"),
    (
        'mutation { updateFrontPage(locale: "fr", data: {headline: "x"}) { data { id } } }',
        {},
        {"locale": "fr"},
        {"data": {"headline": "x"}},
        "PUT /api/front-page",
    ),
    (
        'mutation { createFrontPageLocalization(id: 1, locale: "fr", data: {headline: "x"}) { data { id } } }',
        {},
        {"id": "1"},
        {"locale": "fr", "headline": "x"},
        "POST /api/front-page/localizations",
    ),
    (
        'mutation { forgotPassword(email: "a@example.org") { ok } }',
        {},
        {},
        {"email": "a@example.org"},
        "POST /api/auth/forgot-password",
    ),
    (
        'mutation { updateFileInfo(id: 3, info: {name: "x"}) { data { id } } }',
        {},
        {"id": "3"},
        {"fileInfo": {"name": "x"}},
        "POST /api/upload",
    ),
    ("mutation { removeFile(id: 3) { data { id } } }", {"id": "3"}, {}, {}, "DELETE /api/upload/files/3"),
)


@pytest.mark.parametrize("text, params, query, body, address", FORMS, ids=[one[-1] for one in FORMS])
async def test_a_policy_sees_arguments_as_a_request_of_rest(
    shop: Shop, text: str, params: dict[str, Any], query: dict[str, Any], body: Any, address: str
) -> None:
    seen(shop)
    await graphql(shop, text)
    noted = seen(shop)
    assert (noted["params"], noted["query"], noted["body"]) == (params, query, body)
    assert noted["args"] == {**query, **params}
    assert " ".join(noted["asked"][:2]) == address


async def test_each_alias_and_each_operation_of_a_batch_is_checked(shop: Shop) -> None:
    answer = await graphql(shop, "{ a: genre(id: 1) { data { id } } b: genre(id: 2) { data { id } } tag: __typename }")
    assert answer["data"] == {"a": None, "b": None, "tag": "Query"}
    assert refused(answer) == ["Policy Failed"] * 2
    both = [{"query": "{ genre(id: 1) { data { id } } }"}, {"query": "{ notes { data { id } } }"}]
    first, second = (await shop.ask("POST", "/graphql", both, full=True)).json
    assert (first["data"]["genre"], len(second["data"]["notes"]["data"])) == (None, 2)


async def test_cached_operations_are_authorized_again(shop: Shop) -> None:
    query = "query seen { genres(pagination: {limit: 1}) { data { id } } }"
    for key, count in (("sesame", 1), ("sesame", 1), (None, None), ("sesame", 1)):
        found = (await graphql(shop, query, key=key))["data"]["genres"]
        assert (found and len(found["data"])) == count


async def test_changes_by_a_policy_apply_to_the_field(shop: Shop) -> None:
    found = await graphql(shop, "{ notes(filters: {id: {in: [1, 2]}}) { data { id } meta { pagination { total } } } }")
    assert found["data"]["notes"] == {"data": [{"id": "2"}], "meta": {"pagination": {"total": 1}}}
    assert [one["id"] for one in (await shop.get("/api/notes", FULL_TOKEN)).json["data"]] == [2, 3]
    changed = await graphql(shop, 'mutation { updateNote(id: 2, data: {text: "x"}) { data { attributes { text } } } }')
    assert changed["data"]["updateNote"]["data"]["attributes"] == {"text": "set by a policy"}


async def test_a_change_that_a_field_cannot_express_closes_it(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    assert refused(await graphql(shop, "{ note(id: 1) { data { id } } }")) == [CLOSED]
    assert "Closed: Query.note: a policy of GET /notes/:id (src/policies/wider.py: policy)" in caplog.text


async def test_scopes_of_a_route_are_needed_for_the_field(shop: Shop) -> None:
    query = 'mutation { createNote(data: {text: "x"}) { data { id } } }'
    assert refused(await graphql(shop, query, full=False)) == ["Forbidden access"]
    assert "errors" not in await graphql(shop, query)


CLOSED_FIELDS = (
    ("middleware", "mutation { deleteNote(id: 1) { data { id } } }"),
    ("controller", "query { authors { data { id } } }"),
    ("service of a single type", "mutation { updateImprint(data: {}) { data { id } } }"),
    ("service", "mutation { deleteBook(id: 1) { data { id } } }"),
    ("route of the project", "mutation { deleteVault(id: 1) { data { id } } }"),
    (
        "route of the project for a plugin's",
        'mutation { register(input: {username: "a", email: "a@example.org", password: "a secret"}) { jwt } }',
    ),
)


@pytest.mark.parametrize("kind, query", CLOSED_FIELDS, ids=[kind for kind, _ in CLOSED_FIELDS])
async def test_other_code_closes_the_fields(shop: Shop, kind: str, query: str) -> None:
    assert refused(await graphql(shop, query)) == [CLOSED]


async def test_fields_of_other_actions_stay_open(shop: Shop) -> None:
    for query in (
        "{ author(id: 1) { data { id attributes { name } } } }",
        "{ vaults { data { id } } }",
        "{ imprint { data { id } } }",
        'mutation { createVault(data: {code: "x"}) { data { id } } }',
    ):
        assert "errors" not in await graphql(shop, query)


async def test_permissions_come_before_policies(shop: Shop) -> None:
    seen(shop)
    for query in (FIELDS[3][0], "mutation { removeFile(id: 1) { data { id } } }"):
        assert refused(await graphql(shop, query, full=False)) == ["Forbidden access"]
    assert seen(shop) is None


async def test_profile_v4_leaves_fields_open_and_warns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with open_shop(tmp_path, {**GUARDS, **V4}) as shop:
        for _, query in CLOSED_FIELDS[:5]:
            assert "errors" not in await graphql(shop, query)
        assert "errors" not in await graphql(shop, FIELDS[0][0])
        lines = remarks(shop)
    assert [line for line in caplog.messages if "in GraphQL: " in line] == lines[:20]
    assert f"{len(lines) - 20} more actions; run octavo config check" in caplog.messages
    assert all(line.endswith('or set compat.graphqlGuards = "shared" in config/api.toml') for line in lines)
    reported = {line.split(": ")[1]: line for line in lines}
    assert "Mutation.updateGenre" in reported
    assert reported["Mutation.updateGenre"] == (
        "Open in GraphQL: Mutation.updateGenre: api::genre.genre.update is guarded over REST (PUT /genres/:id) by "
        "policy src/policies/noted.py: policy; set `auth` or `policies` of the field in resolvers_config, or give it a "
        'resolver; or set compat.graphqlGuards = "shared" in config/api.toml'
    )
    assert "by src/api/author/controllers/author.py (overrides it)" in reported["Query.authors"]
    assert "by src/api/imprint/services/imprint.py (overrides it)" in reported["Mutation.updateImprint"]
    assert "by middleware src/middlewares/passing.py: middleware;" in reported["Mutation.deleteNote"]
    assert "by scope api::note.note.find" in reported["Mutation.createNote"]
    assert "by the project's route DELETE /api/vaults/:id" in reported["Mutation.deleteVault"]
    assert "by the project's route POST /api/auth/local/register" in reported["Mutation.register"]
    assert len(lines) == 23


DECLARED = {
    "index.py": """
        def register(app):
            extension = app.plugin("graphql").service("extension")
            extension.shadow_crud("api::book.book").disable_mutations()
            extension.use({
                "resolvers": {"Mutation": {"updateImprint": lambda parent: None}},
                "resolvers_config": {
                    "Query.authors": {"auth": True},
                    "Mutation.deleteNote": {"policies": [lambda context: context.args["id"] == "2"]},
                    "Mutation.deleteVault": {"middlewares": ["logged"]},
                },
            })
    """,
    "middlewares/logged.py": """
        async def middleware(next, parent, args, context, info):
            return await next(parent, args, context, info)
    """,
}


async def test_fields_are_open_once_they_are_declared(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with open_shop(tmp_path, {**GUARDS, **SAFE, **DECLARED}) as shop:
        assert "errors" not in await graphql(shop, CLOSED_FIELDS[1][1])
        assert "errors" not in await graphql(shop, CLOSED_FIELDS[2][1])
        assert refused(await graphql(shop, "mutation { deleteNote(id: 1) { data { id } } }")) == ["Policy Failed"]
        assert "errors" not in await graphql(shop, "mutation { deleteNote(id: 2) { data { id } } }")
        assert refused(await graphql(shop, CLOSED_FIELDS[4][1])) == [CLOSED]  # a middleware is no authorization
    reported = [line.split(": ")[1] for line in caplog.messages if line.startswith("Closed in GraphQL: ")]
    assert reported == ["Mutation.deleteVault", "Mutation.register"]


async def test_schedules_follow_the_field_that_updates(tmp_path: Path) -> None:
    plugins = {"config/plugins.toml": "[graphql.config]\nschedules = true\n"}
    replaced = {
        "api/genre/routes/genre.py": """
            from octavo import CoreRouter, Route

            router = CoreRouter(except_=["update"])
            routes = [Route("PUT", "/genres/:id", lambda request: "kept", auth=False)]
        """
    }
    time = 'publishAt: "2100-01-01T00:00:00.000Z"'
    query = f"mutation {{ updateGenreSchedule(id: 1, data: {{{time}}}) {{ publishAt }} }}"
    async with open_shop(tmp_path / "safe", {**SAFE, **plugins, **replaced}) as shop:
        assert refused(await graphql(shop, query)) == [CLOSED]
    async with open_shop(tmp_path / "plain", {**SAFE, **plugins}) as shop:
        assert "errors" not in await graphql(shop, query)


async def test_a_route_elsewhere_guards_no_field(tmp_path: Path) -> None:
    files = {
        "api/genre/routes/genre.py": """
            from octavo import CoreRouter, Route

            router = CoreRouter(prefix="/old", config={"findOne": {"policies": [lambda context: False]}})
            routes = [Route("GET", "/guarded", "genre.find", policies=[lambda context: False])]
        """,
        "extensions/users-permissions/routes/more.py": """
            from octavo import Route

            routes = [Route("POST", "/auth/local", "auth.callback", policies=[lambda context: False])]
        """,
    }
    async with open_shop(tmp_path, {**SAFE, **files}) as shop:
        assert len((await graphql(shop, "{ genres { data { id } } }"))["data"]["genres"]["data"]) > 1
        assert refused(await graphql(shop, "{ genre(id: 1) { data { id } } }")) == ["Policy Failed"]
        login = 'mutation { login(input: {identifier: "ed", password: "secret"}) { jwt } }'
        assert refused(await graphql(shop, login)) == [
            "Policy Failed"
        ]  # GET /auth/:provider/callback does not count as sign-in


async def test_a_project_without_guards_has_a_plain_schema(tmp_path: Path) -> None:
    async with open_shop(tmp_path, {**SAFE, "policies/noted.py": GUARDS["policies/noted.py"]}) as shop:
        assert shop.octavo.site.extending.extension.is_empty
        assert remarks(shop) == []


async def test_the_feed_skips_types_whose_list_needs_other_scopes(tmp_path: Path) -> None:
    scoped = """
        from octavo import CoreRouter

        router = CoreRouter(config={"find": {"auth": {"scope": ["api::%s.%s.find"]}}})
    """
    files = {f"api/{name}/routes/{name}.py": scoped % (asked, asked) for name, asked in
             (("genre", "vault"), ("note", "note"))}  # fmt: skip
    async with open_shop(tmp_path, files) as shop:
        uids = ("api::genre.genre", "api::note.note", "api::author.author")
        assert list(plainly_found(shop.octavo.site.router, uids)) == ["api::note.note", "api::author.author"]


@pytest.mark.parametrize("profile", [SAFE, V4], ids=["safe", "v4"])
async def test_uploads_do_not_update_entries_past_their_guards(tmp_path: Path, profile: dict[str, str]) -> None:
    files = {
        "api/author/routes/author.py": """
            from octavo import CoreRouter

            router = CoreRouter(config={"update": {"policies": [lambda context: False]}})
        """
    }
    body = (
        b'--x\r\nContent-Disposition: form-data; name="ref"\r\n\r\napi::author.author\r\n'
        b'--x\r\nContent-Disposition: form-data; name="refId"\r\n\r\n1\r\n'
        b'--x\r\nContent-Disposition: form-data; name="field"\r\n\r\navatar\r\n'
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n'
    )
    headers = [("Content-Type", "multipart/form-data; boundary=x"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    async with open_shop(tmp_path, {**profile, **files}) as shop:
        sent = await call(shop.octavo.asgi, "POST", "/api/upload", headers, [body])
    if profile is SAFE:
        assert (sent.status, sent.json["error"]["message"]) == (403, CLOSED)
    else:
        assert sent.status == 200
