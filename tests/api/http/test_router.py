"""Methods and paths are matched to routes."""

import pytest

from octavo.api.http.router import DuplicateRoute, Router
from tests.api.http.asgi import answer_path_values

ROUTES = (
    ("GET", "/"),
    ("GET", "/api/articles"),
    ("POST", "/api/articles"),
    ("GET", "/api/articles/:id"),
    ("PUT", "/api/articles/:id"),
    ("DELETE", "/api/articles/:key"),
    ("POST", "/api/articles/:id/localizations"),
    ("GET", "/api/users/me"),
    ("GET", "/api/users/:id"),
    ("PUT", "/api/users/:id"),
    ("GET", "/api/:kind/:id/:part"),
    ("GET", "/api/Archive/:year/latest"),
)


def router() -> Router:
    built = Router()
    for method, template in ROUTES:
        built.add(method, template, answer_path_values)
    return built


FOUND = [
    ("GET", "/", "/", {}),
    ("GET", "/api/articles", "/api/articles", {}),
    ("GET", "/api/articles/", "/api/articles", {}),
    ("GET", "/API/Articles", "/api/articles", {}),
    ("POST", "/api/ARTICLES/", "/api/articles", {}),
    ("GET", "/api/articles/1", "/api/articles/:id", {"id": "1"}),
    ("GET", "/API/articles/1", "/api/articles/:id", {"id": "1"}),
    ("GET", "/api/articles/1/", "/api/articles/:id", {"id": "1"}),
    ("GET", "/api/articles/aB", "/api/articles/:id", {"id": "aB"}),
    ("GET", "/api/articles/a%20b%2Fc", "/api/articles/:id", {"id": "a b/c"}),
    ("GET", "/api/articles/%C3%A9", "/api/articles/:id", {"id": "é"}),
    ("GET", "/api/articles/%ff", "/api/articles/:id", {"id": "%ff"}),
    ("GET", "/api/articles/%zz", "/api/articles/:id", {"id": "%zz"}),
    ("DELETE", "/api/articles/7", "/api/articles/:key", {"key": "7"}),
    ("POST", "/api/articles/7/Localizations", "/api/articles/:id/localizations", {"id": "7"}),
    ("GET", "/api/users/me", "/api/users/me", {}),
    ("GET", "/api/users/ME", "/api/users/me", {}),
    ("PUT", "/api/users/me", "/api/users/:id", {"id": "me"}),
    ("GET", "/api/x/y/z", "/api/:kind/:id/:part", {"kind": "x", "id": "y", "part": "z"}),
    ("GET", "/api/archive/2020/latest", "/api/Archive/:year/latest", {"year": "2020"}),
]


@pytest.mark.parametrize("method, path, template, values", FOUND)
def test_paths_are_matched(method: str, path: str, template: str, values: dict[str, str]) -> None:
    found = router().find(method, path)
    assert found is not None
    assert (found[0].template, dict(found[1])) == (template, values)


@pytest.mark.parametrize(
    "method, path",
    [
        ("POST", "/"),
        ("GET", "/api"),
        ("GET", "/api/article"),
        ("PATCH", "/api/articles"),
        ("POST", "/api/articles/1"),
        ("GET", "/api/articles//"),
        ("GET", "/api/articles//1"),
        ("GET", "//api/articles"),
        ("GET", "/api/a/b/c/d"),
        ("GET", "/api/%61rticles"),
        ("GET", ""),
    ],
)
def test_other_paths_are_not_found(method: str, path: str) -> None:
    assert router().find(method, path) is None


@pytest.mark.parametrize(
    "path, methods",
    [
        ("/api/articles", {"GET", "POST"}),
        ("/api/articles/1", {"GET", "PUT", "DELETE"}),
        ("/api/users/me", {"GET", "PUT"}),
        ("/nope", set()),
    ],
)
def test_the_methods_of_a_path_are_known(path: str, methods: set[str]) -> None:
    assert router().methods(path) == methods


def test_routes_are_listed_as_declared() -> None:
    assert [(route.method, route.template) for route in router().routes()] == list(ROUTES)


@pytest.mark.parametrize("template", ["/api/articles", "api/ARTICLES/", "/api/users/:name"])
def test_a_route_declared_twice_is_an_error(template: str) -> None:
    built = router()
    with pytest.raises(DuplicateRoute, match="is declared twice"):
        built.add("get", template, answer_path_values)
