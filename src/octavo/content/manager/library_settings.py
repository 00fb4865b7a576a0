"""Settings and list view of the media library, stored in v4's rows of the core store."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.content.core_store import CoreStore
from octavo.content.writer import EntryWriter
from octavo.core.forms import REQUIRED, Flag, Number, Record, Text, check

_SETTINGS: Final = "settings"
_VIEW: Final = "view_configuration"
_DEFAULTS: Final = {"sizeOptimization": False, "responsiveDimensions": True, "autoOrientation": False}
_DEFAULT_VIEW: Final = {"pageSize": 10, "sort": "createdAt:DESC"}
_SORTS: Final = ("createdAt:DESC", "createdAt:ASC", "name:ASC", "name:DESC", "updatedAt:DESC", "updatedAt:ASC")
_SETTINGS_FORM: Final = Record(
    {"sizeOptimization": Flag(REQUIRED), "responsiveDimensions": Flag(REQUIRED), "autoOrientation": Flag(nullable=True)}
)
_VIEW_FORM: Final = Record({"pageSize": Number(REQUIRED), "sort": Text(one_of=_SORTS)})


class LibrarySettings:
    """Reads and saves both. Raises ValidationError."""

    def __init__(self, writer: EntryWriter) -> None:
        self._store = CoreStore(writer, "plugin", "upload")

    async def settings(self) -> Mapping[str, Any]:
        """Return the settings for images."""
        return _known(await self._store.get(_SETTINGS), _DEFAULTS)

    async def save_settings(self, body: Any) -> Mapping[str, Any]:
        """Save the settings for images."""
        return await self._save(_SETTINGS, _SETTINGS_FORM, body)

    async def view(self) -> Mapping[str, Any]:
        """Return the page size and the order of files."""
        return _known(await self._store.get(_VIEW), _DEFAULT_VIEW)

    async def save_view(self, body: Any) -> Mapping[str, Any]:
        """Save the page size and the order of files."""
        return await self._save(_VIEW, _VIEW_FORM, body)

    async def _save(self, key: str, form: Record, body: Any) -> Mapping[str, Any]:
        check(form, body)
        kept = {name: body[name] for name in form.members if name in body}
        await self._store.set(key, kept)
        return kept


def _known(found: Any, default: Mapping[str, Any]) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else default
