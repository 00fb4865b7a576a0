"""Origins in development: pages on this machine are allowed, and the log shows refused origins with the setting."""

from pathlib import Path

import pytest

from octavo.api.http.options import CorsMode, CorsOptions, HttpOptions
from octavo.operations.runtime.options import http_options
from octavo.operations.transfer.scaffold import make_project
from octavo.settings import load_settings
from tests.api.http.asgi import answer_path_values, app_with, ask
from tests.cli.projects import make_project as make_v4_project

FRONT = "http://localhost:3000"
FAR = "https://www.example.org"
LOGGER = "octavo.api.http.cors"
ADD = "to `{}` in the table [cors] of config/middlewares.toml"
ALLOWED = "access-control-allow-origin"


def cors(**options: object) -> HttpOptions:
    return HttpOptions(cors=CorsOptions(**options))  # type: ignore[arg-type]


DEVELOPED = cors(local=True, logs_refusals=True)


class Page:
    """Sends requests as a browser does for a page of another origin."""

    def __init__(self, options: HttpOptions) -> None:
        self._application = app_with(answer_path_values, "GET", options)

    def asks(self, origin: str, *, headers: str = "", preflight: bool = True) -> str | None:
        """Return the allowed origin in the response."""
        sent = [("Origin", origin), ("Host", "127.0.0.1:1337")]
        if preflight:
            sent += [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", headers)]
        return ask(self._application, "OPTIONS" if preflight else "GET", "/here", sent).headers.get(ALLOWED)


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == LOGGER]


@pytest.mark.parametrize("origin", [FRONT, "http://127.0.0.1:5173", "https://localhost", "http://[::1]:4321"])
def test_allows_pages_on_this_machine(origin: str) -> None:
    page = Page(DEVELOPED)
    assert page.asks(origin) == page.asks(origin, preflight=False) == origin
    assert Page(cors()).asks(origin) is None


@pytest.mark.parametrize(
    "origin", [FAR, "null", "http://localhost.evil.example", "http://evil.example/localhost", f"{FRONT}/", "localhost"]
)
def test_allows_no_other_origins(origin: str) -> None:
    assert Page(DEVELOPED).asks(origin) is None


def test_logs_a_refused_origin_and_the_setting_once(caplog: pytest.LogCaptureFixture) -> None:
    page = Page(DEVELOPED)
    for preflight in (True, False, True):
        assert page.asks(FAR, preflight=preflight) is None
    assert page.asks("http://127.0.0.1:1337") == "http://127.0.0.1:1337"
    assert logged(caplog) == [f"CORS: browsers block responses for the origin '{FAR}'; add it {ADD.format('origins')}"]


def test_logs_refused_headers(caplog: pytest.LogCaptureFixture) -> None:
    page = Page(DEVELOPED)
    for _ in range(2):
        assert page.asks(FRONT, headers="content-type, X-Preview,authorization") == FRONT
    reported = f"CORS: the origin '{FRONT}' cannot send the header 'x-preview'; add it {ADD.format('headers')}"
    assert logged(caplog) == [reported]


def test_own_pages_and_disabled_origins_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert Page(cors(logs_refusals=True)).asks("http://127.0.0.1:1337") is None
    assert Page(cors()).asks(FAR) is None
    assert Page(cors(mode=CorsMode.REFLECT, logs_refusals=True)).asks(FAR) == FAR
    assert logged(caplog) == []


def test_remembers_a_bounded_number_of_origins(caplog: pytest.LogCaptureFixture) -> None:
    page = Page(DEVELOPED)
    for number in (*range(100), 0, 100, 0):
        page.asks(f"https://{number}.example/" + "x" * 1_000)
    assert len(logged(caplog)) == 102
    assert max(map(len, logged(caplog))) < 400


def test_new_projects_allow_local_pages_while_they_are_developed(tmp_path: Path) -> None:
    make_project(tmp_path / "new", blank=True)
    assert "# [cors]" in (tmp_path / "new/config/middlewares.toml").read_text("utf-8")
    make_v4_project(tmp_path / "v4")
    (tmp_path / "v4/config").mkdir()
    (tmp_path / "v4/config/api.toml").write_text('[compat]\nprofile = "v4"\ncors = "exact"\n', "utf-8")
    for name, mode, is_allowed in (
        ("new", "development", True),
        ("new", "production", False),
        ("v4", "development", False),
    ):
        options = http_options(load_settings(tmp_path / name, {}, mode=mode))  # type: ignore[arg-type]
        assert (name, mode, Page(options).asks(FRONT)) == (name, mode, FRONT if is_allowed else None)


def test_the_commented_settings_are_valid(tmp_path: Path) -> None:
    make_project(tmp_path / "new", blank=True)
    file = tmp_path / "new/config/middlewares.toml"
    before, _, commented = file.read_text("utf-8").partition("# [cors]")
    file.write_text(before + "[cors]" + commented.replace("\n# ", "\n"), "utf-8")
    options = http_options(load_settings(tmp_path / "new", {}, mode="production"))
    assert Page(options).asks(FAR) == FAR
