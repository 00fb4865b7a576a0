"""The files that a service answers with: the public folder, and the pages of administrators."""

from pathlib import Path
from typing import Final

from octavo.http.single_page import PAGE, SinglePage
from octavo.http.static import Files, FirstOf, StaticFiles, StaticOptions
from octavo.settings import Settings
from octavo.settings.files.middlewares import DEFAULT_POLICY

_PANEL_FOLDERS: Final = ("build", "dist/build")
"""Where v4 puts a panel that it has built, in JavaScript and in TypeScript."""

_PANEL_POLICY: Final = (
    "default-src 'self'; connect-src 'self' https:; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "font-src 'self' https: data:; script-src 'self'; style-src 'self' https: 'unsafe-inline'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'self'; object-src 'none'"
)


def static_files(settings: Settings) -> Files:
    """What is answered where no route is."""
    ages = settings.middlewares.public
    public = StaticFiles(
        {"/": settings.project / settings.server.public_folder},
        StaticOptions(f"max-age={ages.max_age}"),
        {"/uploads": StaticOptions(f"max-age={ages.uploads_max_age}")},
        icons=settings.project,
    )
    folder = panel_folder(settings)
    return public if folder is None else FirstOf((SinglePage(settings.admin.path, folder, _policy(settings)), public))


def panel_folder(settings: Settings) -> Path | None:
    """Where the project's own built panel is; None where it has none, or none is to be served."""
    if settings.admin.panel == "off":
        return None
    return next((found for found in panel_folders(settings.project) if (found / PAGE).is_file()), None)


def panel_folders(project: Path) -> tuple[Path, ...]:
    """Where a built panel may be."""
    return tuple(project / name for name in _PANEL_FOLDERS)


def _policy(settings: Settings) -> str:
    """The project's own policy, which may allow what its panel loads from elsewhere; ours allows no page at all."""
    given = settings.middlewares.security.content_security_policy
    return _PANEL_POLICY if given == DEFAULT_POLICY else given
