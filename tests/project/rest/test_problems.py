"""Errors in routes and controllers stop the start: all at once, with their location."""

from pathlib import Path

import pytest

from octavo.operations.runtime.process import build
from octavo.project import InvalidCode
from octavo.settings import load_settings
from tests.models.bookshop import SECRETS
from tests.project.rest.shop import write_code


def problems(project: Path, files: dict[str, str]) -> list[str]:
    write_code(project, files)
    with pytest.raises(InvalidCode) as caught:
        build(load_settings(project, SECRETS, mode="production"))
    return [str(problem) for problem in caught.value.problems]


def test_files_without_a_usable_definition(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        {
            "api/book/controllers/book.py": "class Book: pass\n",
            "api/book/controllers/two.py": (
                "from octavo import Controller\nclass A(Controller): pass\nclass B(Controller): pass\n"
            ),
            "api/book/routes/empty.py": "x = 1\n",
            "api/book/routes/mapping.py": 'routes = [{"method": "GET"}, {"path": "/x", "verb": 1}, 7]\n',
            "api/book/routes/router.py": "router = 3\n",
            "api/book/routes/text.py": 'routes = "GET /books"\n',
        },
    )
    assert found == [
        "src/api/book/controllers/book.py: expected one controller, found no class that inherits from "
        "octavo.Controller",
        "src/api/book/controllers/two.py: expected one controller, found several: A, B",
        "src/api/book/routes/empty.py: requires `router`, a CoreRouter, or `routes`, a list",
        "src/api/book/routes/mapping.py: routes[0]: lacks path, handler",
        "src/api/book/routes/mapping.py: routes[1]: unknown keys: verb; expected method, path, handler, config, info",
        "src/api/book/routes/mapping.py: routes[2]: expected a Route, not int",
        "src/api/book/routes/router.py: router: expected a CoreRouter, not int",
        "src/api/book/routes/text.py: routes: expected a list, not str",
    ]


def test_routes_that_lead_nowhere(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        {
            "api/book/controllers/book.py": """\
                from octavo import Controller

                class BookController(Controller):
                    async def by_slug(self, request): ...

                    async def find(self, request, more): ...
            """,
            "policies/is-reader.py": "def policy(context): return True\n",
            "api/book/routes/book.py": """\
                from octavo import CoreRouter, Route

                router = CoreRouter(except_=["remove"], config={"find_one": {"policies": ["is-redaer"], "auth": "me"}})
                routes = [
                    Route("GET", "/books/:slug", "book.by_slug"),
                    Route("GET", "/books/by/:slug", "book.by_slog"),
                    Route("GET", "/books/by/:other", "book.by_slug", middlewares=["slow"]),
                    Route("FETCH", "/books", "book.by_slug"),
                    Route("GET", "books/:id(\\\\d+)", "book.by_slug"),
                    Route("GET", "/free", lambda: None, policies=[lambda a, b, c: True]),
                    Route("GET", "/free/:x", "book.by_slug", auth={"scope": "x"}),
                ]
            """,
            "api/none/routes/none.py": "from octavo import CoreRouter\nrouter = CoreRouter()\n",
        },
    )
    place = "src/api/book/routes/book.py"
    assert found == [
        f"{place}: CoreRouter: api::book.book has no action remove",
        f"{place}: CoreRouter.config.findOne: auth: expected False, or a list of actions such as api::talk.talk.find",
        "src/api/none/routes/none.py: CoreRouter: unknown content type api::none.none; did you mean api::note.note?",
        f"{place}:6: GET /books/by/:slug: unknown action api::book.book.bySlog; did you mean api::book.book.bySlug?",
        f"{place}:7: middlewares.0: unknown name slow",
        f"{place}:8: FETCH /books: unknown method 'FETCH'; expected GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS",
        f"{place}:9: GET books/:id(\\d+): a path must consist of names and parameters, such as /talks/by-slug/:slug",
        f"{place}:10: policies.0 ({place}:10 <lambda>): must accept the arguments (context, config)",
        f"{place}:11: GET /free/:x: auth: expected False, or a list of actions such as api::talk.talk.find",
        "src/api/book/controllers/book.py: find: must accept the arguments (request)",
        f"{place}:5: GET /books/:id is also the route of api::book.book.findOne: exclude that action with "
        'CoreRouter(except_=["find_one"]), or choose another path',
    ]


def test_one_address_twice(tmp_path: Path) -> None:
    routes = "from octavo import Route\nroutes = [Route('GET', f'/a/:{name}', 'book.find') for name in 'bc']\n"
    [found] = problems(tmp_path, {"api/book/routes/book.py": routes})
    assert found == "src/api/book/routes/book.py:2: GET /a/:c is also declared in src/api/book/routes/book.py:2"
