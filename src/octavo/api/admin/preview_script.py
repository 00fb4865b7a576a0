"""The script that connects a front end with the preview pane, and its types: `/octavo-preview.js`."""

from functools import cached_property
from importlib.resources import files
from typing import Final

from octavo.api.http.request import Request
from octavo.api.http.response import TEXT, Response

_TYPES: Final = {"octavo-preview.js": "text/javascript; charset=utf-8", "octavo-preview.d.ts": TEXT}
_HEADERS: Final = ((b"cache-control", b"max-age=3600"), (b"cross-origin-resource-policy", b"cross-origin"))
"""Front ends of other origins load the script. Requests for modules also need their origin in `middlewares.cors`."""


class PreviewScript:
    """Serves the script and its types, unless a route has the path."""

    async def respond(self, request: Request) -> Response | None:
        """Return a file for a GET or HEAD request, or None for other paths."""
        name = request.raw_path.removeprefix("/")
        content = self._contents.get(name)
        return None if content is None else Response(200, content, _TYPES[name], _HEADERS)

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        folder = files("octavo.api.admin") / "preview"
        return {name: (folder / name).read_bytes() for name in _TYPES}
