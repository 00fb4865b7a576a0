"""A project's translations of the admin pages: the available languages, and their files."""

import json
import logging
from pathlib import Path

import pytest

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import HttpOptions
from octavo.api.http.router import Router
from octavo.operations.runtime.static_files import LANGUAGES_FOLDER, own_languages, static_files
from octavo.settings import Settings
from tests.api.http.asgi import ask

WORDS = {"ui.save": "שמירה"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "he": json.dumps(WORDS),
        "pt-BR": "{}",
        "fa": "{",
        "ur": "[]",
        "ar": '{"ui.save": 1}',
        'x" onload="': "{}",
    }
    (tmp_path / LANGUAGES_FOLDER).mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / LANGUAGES_FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
    return tmp_path


def test_valid_translations_are_languages_and_other_files_are_reported(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert own_languages(project) == ("he", "pt-BR")
    reported = "\n".join(caplog.messages)
    assert "src/admin/languages/fa.json is ignored" in reported
    assert "ur.json is ignored" in reported
    assert "ar.json is ignored: ui.save is not a string" in reported
    assert "its name is not a language" in reported


def test_a_project_without_languages_has_none(tmp_path: Path) -> None:
    assert own_languages(tmp_path) == ()


def test_the_page_lists_languages_and_their_files_are_public(project: Path) -> None:
    app = HttpApplication(Router(), HttpOptions(), static=static_files(Settings(project=project)))
    assert '<html lang="en" data-languages="he pt-BR">' in ask(app, "GET", "/admin").body.decode()
    answer = ask(app, "GET", "/admin/languages/he.json")
    assert json.loads(answer.body) == WORDS
    assert answer.headers["cache-control"] == "no-cache"
    assert ask(app, "GET", "/admin/languages/../../api/secret.json").status == 404
