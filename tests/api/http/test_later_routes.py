"""Routes that are declared at their first use."""

import asyncio
from collections.abc import Callable

import pytest

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import HttpOptions
from octavo.api.http.router import Later, Router
from tests.api.http.asgi import answer_path_values, call

pytestmark = pytest.mark.anyio


class DeferredRoutes:
    """A router with deferred routes below two segments, and how often they were loaded."""

    def __init__(self, *before: str) -> None:
        self.loaded = 0
        self.router = Router()
        for template in before:
            self.router.add("GET", template, answer_path_values)
        self.router.add_later(Later(frozenset(("admin", "upload")), self._load))

    def _load(self) -> Callable[[], None]:
        self.loaded += 1
        return self._declare

    def _declare(self) -> None:
        self.router.add("GET", "/admin/roles/:id", answer_path_values)
        self.router.add("POST", "/Upload", answer_path_values)


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/admin/roles/7", 200),
        ("HEAD", "/admin/roles/7", 200),
        ("GET", "/ADMIN/roles/x/", 200),
        ("POST", "/upload?x=1", 200),
        ("PUT", "/upload", 405),
        ("GET", "/admin/", 404),
    ],
)
async def test_the_first_request_declares_deferred_routes(method: str, path: str, status: int) -> None:
    deferred = DeferredRoutes("/api/articles/:id")
    application = HttpApplication(deferred.router, HttpOptions())
    for _ in range(2):
        assert (await call(application, method, path)).status == status
        assert deferred.loaded == 1


@pytest.mark.parametrize("path", ["/api/articles/1", "/", "/administer/roles/7", "/uploads/a.png", "*", "//admin/x"])
async def test_other_requests_do_not_declare_them(path: str) -> None:
    deferred = DeferredRoutes("/api/articles/:id")
    await call(HttpApplication(deferred.router, HttpOptions()), "GET", path)
    assert deferred.loaded == 0


async def test_options_lists_the_methods_of_deferred_routes() -> None:
    answer = await call(HttpApplication(DeferredRoutes().router, HttpOptions()), "OPTIONS", "/upload")
    assert (answer.status, answer.headers["allow"]) == (200, "HEAD, GET, POST")


async def test_simultaneous_requests_wait_for_the_same_declaration() -> None:
    deferred = DeferredRoutes()
    application = HttpApplication(deferred.router, HttpOptions())
    answers = await asyncio.gather(*(call(application, "GET", "/admin/roles/7") for _ in range(5)))
    assert [answer.status for answer in answers] == [200] * 5
    assert len(deferred.router.declared()) == len(deferred.router.routes())


@pytest.mark.parametrize("template", ["/upload/files", "/:anything", "/Admin"])
def test_with_other_routes_below_the_same_segments_they_are_declared_immediately(template: str) -> None:
    """Matching a path depends on all of them."""
    assert DeferredRoutes(template).loaded == 1
    deferred = DeferredRoutes("/api/articles")
    assert deferred.loaded == 0
    deferred.router.add("GET", template, answer_path_values)
    assert deferred.loaded == 1


def test_listing_all_routes_declares_them() -> None:
    deferred = DeferredRoutes("/api/articles")
    assert [route.template for route in deferred.router.declared()] == ["/api/articles"]
    assert [route.template for route in deferred.router.routes()] == ["/api/articles", "/admin/roles/:id", "/Upload"]


async def test_a_failed_declaration_is_retried_by_the_next_request() -> None:
    router, tries = Router(), []

    def load() -> Callable[[], None]:
        tries.append(1)
        if len(tries) == 1:
            raise ImportError("the installation is being replaced")
        return lambda: router.add("GET", "/admin/x", answer_path_values)

    router.add_later(Later(frozenset(("admin",)), load))
    application = HttpApplication(router, HttpOptions())
    assert [(await call(application, "GET", "/admin/x")).status for _ in range(2)] == [500, 200]
