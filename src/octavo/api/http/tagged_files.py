"""Cache tags of uploaded files, so that CDNs and reverse proxies drop the copies of files that become private."""

from collections.abc import Callable

from octavo.api.http.image_files import UPLOADS
from octavo.api.http.request import Request
from octavo.api.http.response import Headers, Response
from octavo.api.http.static import Files, safe_segments


class TaggedFiles:
    """Files with tags. `headers` returns the headers for the name of an uploaded file."""

    def __init__(self, files: Files, headers: Callable[[str], Headers]) -> None:
        self._files = files
        self._headers = headers

    async def respond(self, request: Request) -> Response | None:
        """Return the file; responses that shared caches can store are tagged with the uploaded file's name."""
        response = await self._files.respond(request)
        segments = safe_segments(request.raw_path[len(UPLOADS) :]) if request.raw_path.startswith(UPLOADS) else None
        if response is not None and segments and not _is_private(response):
            response.headers = (*response.headers, *self._headers("/".join(segments)))
        return response


def _is_private(response: Response) -> bool:
    return any(name == b"cache-control" and value.startswith(b"private") for name, value in response.headers)
