"""The files that a service answers with: the public folder, and the pages of administrators."""

from pathlib import Path
from typing import Final

import octavo.api.admin
from octavo.api.http.single_page import PAGE, SinglePage
from octavo.api.http.static import Files, FirstOf, StaticFiles, StaticOptions
from octavo.core.markup import escape
from octavo.operations.runtime import admin_languages
from octavo.settings import Settings
from octavo.settings.files.middlewares import DEFAULT_POLICY

_PANEL_FOLDERS: Final = ("build", "dist/build")
"""Where v4 puts a panel that it has built, in JavaScript and in TypeScript."""

_PAGES: Final = Path(octavo.api.admin.__file__).parent / "pages"
"""Pages of our own, as `make pages` has built them."""

_BASE: Final = '<base href="/admin/" />'
"""What stands in the built page; addresses of its files are relative to it."""

_LANGUAGE: Final = '<html lang="en">'
"""What stands in the built page; languages of the project are named there."""

_PAGES_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:{images}; media-src 'self' data: blob:{media}; frame-src 'self' blob:; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)

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
        {"/uploads": StaticOptions(f"max-age={ages.uploads_max_age}", untrusted=True)},
        icons=settings.project,
    )
    return FirstOf((*_pages(settings), public))


def _pages(settings: Settings) -> tuple[Files, ...]:
    """The pages of administrators: our own, with the languages that the project has for them, or its panel, or none."""
    if settings.admin.panel == "octavo":
        folder = settings.project / admin_languages.FOLDER
        path = f"{settings.admin.path}/languages"
        return StaticFiles({path: folder}, StaticOptions("no-cache", entity_tags=True)), own_pages(settings)
    built = built_panel(settings) if settings.admin.panel == "project" else None
    return () if built is None else (SinglePage(settings.admin.path, built, _policy(settings)),)


def own_pages(settings: Settings) -> SinglePage:
    """Our own pages. They load nothing from elsewhere, but for the images and films that the project's policy names."""
    given = settings.middlewares.security.content_security_policy
    policy = _PAGES_POLICY.format(images=_hosts(given, "img-src"), media=_hosts(given, "media-src"))
    path = escape("/" + settings.admin.path.strip("/"))
    spoken = " ".join(admin_languages.own_languages(settings.project))
    page = (_PAGES / PAGE).read_text("utf-8").replace(_BASE, f'<base href="{path}/" />')
    page = page.replace(_LANGUAGE, f'<html lang="en" data-languages="{spoken}">')
    return SinglePage(settings.admin.path, _PAGES, policy, page.encode())


def _hosts(policy: str, directive: str) -> str:
    """The hosts that a directive of a policy allows, each after a space.

    >>> _hosts("default-src 'none'; img-src 'self' data: media.example.org https://b.example", "img-src")
    ' media.example.org https://b.example'
    """
    found = (part.split() for part in policy.split(";"))
    sources = next((words[1:] for words in found if words and words[0] == directive), [])
    return "".join(f" {source}" for source in sources if "." in source and "'" not in source)


def built_panel(settings: Settings) -> Path | None:
    """Where the panel of v4 is that the project has built; None where there is none."""
    return next((found for found in panel_folders(settings.project) if (found / PAGE).is_file()), None)


def panel_folders(project: Path) -> tuple[Path, ...]:
    """Where a built panel may be."""
    return tuple(project / name for name in _PANEL_FOLDERS)


def _policy(settings: Settings) -> str:
    """The project's own policy, which may allow what its panel loads from elsewhere; ours allows no page at all."""
    given = settings.middlewares.security.content_security_policy
    return _PANEL_POLICY if given == DEFAULT_POLICY else given
