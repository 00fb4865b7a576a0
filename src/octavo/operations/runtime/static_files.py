"""Static files: the public folder and the admin panel, with the languages that a project adds to it."""

import json
import logging
import re
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

import octavo.api.admin
from octavo.access.authentication.authenticator import Authenticator
from octavo.api.admin.preview_script import PreviewScript
from octavo.api.http.content_security_policy import V4_PANEL, admin_pages_policy
from octavo.api.http.image_files import ImageFiles, PrivateAccess
from octavo.api.http.private_files import PrivateFiles
from octavo.api.http.request import Request
from octavo.api.http.single_page import ASSETS, PAGE, SinglePage, versioned_assets
from octavo.api.http.static import Files, FirstOf, StaticFiles, StaticOptions
from octavo.api.http.tagged_files import TaggedFiles
from octavo.api.rest.surrogate_keys import SurrogateKeys
from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.storage.base import Storage, hides_files
from octavo.content.media.storage.local import LocalStorage
from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.markup import escape
from octavo.operations.runtime.options import caching_options, image_options, withholds_private_urls
from octavo.settings import Settings
from octavo.settings.files.middlewares import DEFAULT_POLICY

_PANEL_FOLDERS: Final = ("build", "dist/build")
"""Where v4 puts the admin panel that it builds, in JavaScript and in TypeScript."""

_PAGES: Final = Path(octavo.api.admin.__file__).parent / "pages"
"""Octavo's admin panel, built with `make pages`."""

_BASE: Final = '<base href="/admin/" />'
"""The base element of the built page. URLs of its files are relative to it."""

_VERSION: Final = 12
"""Digits of the digest that identifies a build. Files keep their names, so that a change touches only its own files."""

_LANGUAGE: Final = '<html lang="en">'
"""The root element of the built page, to which the path of the public URL and the project's languages are added."""


def static_files(
    settings: Settings,
    images: ImageVariants | None = None,
    storage: Storage | None = None,
    authenticator: Authenticator | None = None,
) -> Files:
    """Return the files served for paths without a route. `authenticator`: for private files."""
    access = None
    if authenticator is not None and withholds_private_urls(settings):
        access = partial(_reads_private_files, authenticator)
    ages = settings.middlewares.public
    public = StaticFiles(
        {"/": settings.project / settings.server.public_folder},
        StaticOptions(f"max-age={ages.max_age}"),
        {"/uploads": StaticOptions(f"max-age={ages.uploads_max_age}", untrusted=True)},
        icons=settings.project,
    )
    uploads = _tagged(settings, FirstOf((*_images(settings, images, access), public)))
    return FirstOf((*_pages(settings), uploads, *_private(settings, storage, access)))


def _tagged(settings: Settings, files: Files) -> Files:
    """Return files with cache tags, if CDNs are purged by tags."""
    options = caching_options(settings).keys
    return files if options is None else TaggedFiles(files, SurrogateKeys(options).of_file)


async def _reads_private_files(authenticator: Authenticator, request: Request) -> bool:
    """Return whether the caller has permission to read private files. Raises UnauthorizedError for invalid tokens."""
    authorization = request.header("authorization")
    return authorization is not None and (await authenticator.authenticate(authorization)).ability.reads_private_files


def _private(settings: Settings, storage: Storage | None, access: PrivateAccess | None) -> tuple[Files, ...]:
    """Return the private files of the storage, if it can have any."""
    secret = settings.api.images.secret
    if storage is not None and hides_files(storage) and secret is not None:
        max_age, is_remote = settings.middlewares.public.uploads_max_age, not isinstance(storage, LocalStorage)
        return (PrivateFiles(storage, secret, max_age, access=access, is_remote=is_remote),)
    return ()


def _images(settings: Settings, images: ImageVariants | None, access: PrivateAccess | None) -> tuple[Files, ...]:
    """Return the transformed images, unless no request can get or be refused any."""
    options = image_options(settings)
    return (ImageFiles(options, images, access=access),) if images is not None or options.refuses else ()


def _pages(settings: Settings) -> tuple[Files, ...]:
    """Return the admin panel: Octavo's with the project's languages, the project's own, or none."""
    if settings.admin.panel == "octavo":
        folder = settings.project / LANGUAGES_FOLDER
        path = f"{settings.admin.path}/languages"
        return (
            StaticFiles({path: folder}, StaticOptions("no-cache", entity_tags=True)),
            own_pages(settings),
            PreviewScript(),
        )
    built = built_panel(settings) if settings.admin.panel == "project" else None
    return () if built is None else (SinglePage(settings.admin.path, built, _policy(settings)),)


def own_pages(settings: Settings) -> SinglePage:
    """Return Octavo's admin panel.

    Its content security policy allows only image and media hosts of the project's policy, and frames of the sites that
    show previews.
    """
    given = settings.middlewares.security.content_security_policy
    policy = admin_pages_policy(given, settings.admin.preview.values())
    root = settings.server.base_path
    root_mark = f' data-root="{escape(root)}"' if root else ""
    path = escape(f"{root}/{settings.admin.path.strip('/')}")
    spoken = " ".join(own_languages(settings.project))
    page = (_PAGES / PAGE).read_text("utf-8").replace(_BASE, f'<base href="{path}/" />')
    page = page.replace(_LANGUAGE, f'<html lang="en"{root_mark} data-languages="{spoken}">')
    version = (_PAGES / "sources.sha256").read_text("utf-8")[:_VERSION]
    page = page.replace(f'"./{ASSETS}/', f'"./{versioned_assets(version)}/')
    return SinglePage(settings.admin.path, _PAGES, policy, page.encode(), version)


def built_panel(settings: Settings) -> Path | None:
    """Return the folder of a built v4 admin panel, or None."""
    return next((panel for panel in panel_folders(settings.project) if (panel / PAGE).is_file()), None)


def panel_folders(project: Path) -> tuple[Path, ...]:
    """Return the folders where a built panel can be."""
    return tuple(project / name for name in _PANEL_FOLDERS)


def _policy(settings: Settings) -> str:
    """Return the policy of the panel's pages: the project's if configured, because Octavo's default allows no pages."""
    given = settings.middlewares.security.content_security_policy
    return V4_PANEL if given == DEFAULT_POLICY else given


logger = logging.getLogger(__name__)

LANGUAGES_FOLDER: Final = PurePosixPath("src/admin/languages")
"""Contains `CODE.json` with texts by key, for codes such as `he` and `pt-BR`."""
_NAME: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\.json")


def own_languages(project: Path) -> tuple[str, ...]:
    """Return the codes of the project's valid languages. Logs why others are invalid."""
    languages = []
    for path in sorted((project / LANGUAGES_FOLDER).glob("*.json")):
        problem = _problem(path)
        if problem is None:
            languages.append(path.stem)
        else:
            logger.warning("%s/%s is ignored: %s", LANGUAGES_FOLDER, path.name, problem)
    return tuple(languages)


def _problem(path: Path) -> str | None:
    if not _NAME.fullmatch(path.name):
        return "its name is not a language code, such as he.json or pt-BR.json"
    try:
        words = json.loads(read_own_file(path, MEGABYTE))
    except (OSError, ValueError) as error:
        return str(error)
    if not isinstance(words, dict):
        return 'it must be an object of strings by key, such as {"ui.save": "..."}'
    wrong = next((key for key, text in words.items() if not isinstance(text, str)), None)
    return None if wrong is None else f"{wrong} is not a string"
