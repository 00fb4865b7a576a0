"""Media library endpoints for its settings and its view configuration."""

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.project import ImageSettings, ImageSettingsAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.library_settings import LibrarySettings
from octavo.schema.content_types import UPLOAD

_SETTINGS = (f"{UPLOAD}.settings.read",)
_VIEW = (f"{UPLOAD}.configure-view",)


class LibrarySettingsEndpoints:
    """`/upload/settings` and `/upload/configuration`"""

    operations = (
        AdminOperation(
            "GET",
            "/upload/settings",
            "settings",
            "Show image processing settings",
            _SETTINGS,
            answers=ImageSettingsAnswer,
        ),
        AdminOperation(
            "PUT",
            "/upload/settings",
            "save_settings",
            "Update image processing settings",
            _SETTINGS,
            takes=ImageSettings,
        ),
        AdminOperation("GET", "/upload/configuration", "view", "Show the view settings of file lists"),
        AdminOperation("PUT", "/upload/configuration", "save_view", "Update the view settings of file lists", _VIEW),
    )

    def __init__(self, settings: LibrarySettings) -> None:
        self._settings = settings

    async def settings(self, request: Request, actor: Actor) -> Response:
        """GET /upload/settings"""
        return data_answer(await self._settings.settings())

    async def save_settings(self, request: Request, actor: Actor) -> Response:
        """PUT /upload/settings"""
        return data_answer(await self._settings.save_settings(await request.json()))

    async def view(self, request: Request, actor: Actor) -> Response:
        """GET /upload/configuration"""
        return data_answer(await self._settings.view())

    async def save_view(self, request: Request, actor: Actor) -> Response:
        """PUT /upload/configuration"""
        return data_answer(await self._settings.save_view(await request.json()))
