"""Parse request bodies by content type: JSON, forms, forms with files, or text. Others count as no body."""

from collections.abc import Callable
from dataclasses import field
from typing import Any

from octavo.api.http.form_data import UploadedFile, read_form_data
from octavo.api.http.request import Request, decode_text
from octavo.core.threads import compute
from octavo.core.values import dataclass

FORM = "application/x-www-form-urlencoded"
FORM_DATA = "multipart/form-data"
_JSON_TYPES = frozenset(
    ("application/json", "application/vnd.api+json", "application/json-patch+json", "application/csp-report")
)

FormParser = Callable[[str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request: its value, its size in bytes, and the uploaded files."""

    value: Any
    files: tuple[UploadedFile, ...] = ()
    is_form_data: bool = False
    size: int = field(default=0, compare=False)


async def read_body(request: Request, parse_form: FormParser) -> Body:
    """Return the body of a POST, PUT or PATCH request. `parse_form` parses URL-encoded forms."""
    if request.overlay is not None and request.overlay.body is not None:
        body: Body = request.overlay.body
        return body
    content_type = request.content_type
    if content_type in _JSON_TYPES:
        return Body(await request.json(), size=len(await request.body()))
    if content_type == FORM_DATA:
        form = await read_form_data(request)
        size = sum(len(value) for _, value in form.fields)
        return Body(form.values(), form.files, is_form_data=True, size=size)
    if content_type == FORM:
        text = await _read_text(request, request.options.body.form)
        return Body(await compute(lambda: parse_form(text), len(text)), size=len(text))
    if content_type.startswith("text/"):
        text = await _read_text(request, request.options.body.text)
        return Body(text, size=len(text))
    return Body({})


async def _read_text(request: Request, limit: int) -> str:
    return decode_text(await request.body(limit), "body")
