"""The document's description of a project's own routes and of disabled ones."""

from pathlib import Path
from typing import Any

import openapi_spec_validator

from octavo.api.rest.openapi.document import make_document
from octavo.operations.runtime.options import described_api
from octavo.operations.runtime.process import build
from octavo.settings import load_settings
from tests.models.bookshop import SECRETS
from tests.models.v4_project import TEXT, write_project
from tests.project.rest.shop import write_code

CODE = {
    "api/book/controllers/book.py": '''
        from octavo import Controller

        class BookController(Controller):
            async def first(self, request):
                """The first book.

                There is always one.
                """
                return {}
    ''',
    "api/book/routes/book.py": """
        from octavo import CoreRouter

        router = CoreRouter(except_=["delete"], prefix="/old", config={"find": {"auth": False}})
    """,
    "api/book/routes/more.py": """
        from octavo import Route

        def inline(request):
            return []

        routes = [
            Route("GET", "/books/first/:word", "book.first"),
            Route("GET", "/inline", inline, auth=False),
            Route("GET", "/all-books", "book.find"),
        ]
    """,
}
OWN = """module.exports = { routes: [
  { method: 'GET', path: '/notes/open', handler: 'note.find', config: { auth: false } },
  { method: 'GET', path: '/notes/closed', handler: 'note.find', config: { policies: ['is-owner'] } },
  { method: 'GET', path: '/notes/old', handler: 'note.old' },
] };"""


def paths_of(project: Path) -> Any:
    (project / ".tmp").mkdir()
    (project / ".tmp/data.db").touch()
    settings = load_settings(project, SECRETS, require_secrets=False)
    site = build(settings).site
    document = make_document(described_api(settings, site.registry, site.router))
    openapi_spec_validator.validate(document)
    return document["paths"]


def test_routes_of_a_projects_python(tmp_path: Path) -> None:
    paths = paths_of(write_code(tmp_path, CODE))
    first = paths["/api/books/first/{word}"]["get"]
    assert (first["operationId"], first["summary"]) == ("bookFirst", "The first book")
    assert [one["name"] for one in first["parameters"]] == ["word"]
    assert "default" in first["responses"], "responses of project code are unknown"
    inline = paths["/api/inline"]["get"]
    assert (inline["operationId"], inline["security"]) == ("getInline", [])
    assert paths["/api/all-books"]["get"]["responses"]["200"] == paths["/api/old/books"]["get"]["responses"]["200"]
    assert paths["/api/old/books"]["get"]["security"] == []
    assert "delete" not in paths["/api/old/books/{id}"]


def test_routes_of_a_v4_project(tmp_path: Path) -> None:
    files = {
        "src/api/note/routes/01-own.js": OWN,
        "src/api/note/controllers/note.js": "createCoreController('api::note.note', () => ({ async old(ctx) {} }))",
    }
    paths = paths_of(write_project(tmp_path, {"note": {"title": TEXT}}, files))
    assert paths["/api/notes/open"]["get"]["security"] == []
    assert "/api/notes/closed" not in paths, "disabled operations are left out"
    assert set(paths["/api/notes/old"]["get"]["responses"]) >= {"200", "default"}
