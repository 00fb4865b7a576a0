"""Parse request bodies to Write: the `data` of an entry, and its files."""

from collections.abc import Mapping

from octavo.api.http.body import Body, read_body
from octavo.api.http.json_text import parse_json
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.content.controllers.write_policy import Write
from octavo.content.media.form_files import check_fields
from octavo.core.errors import BadRequestError, ValidationError
from octavo.core.threads import compute

MISSING = 'Missing "data" payload in the request body'


async def read_write(request: Request) -> Write:
    """Parse the body of a POST or PUT of an entry. Raises ValidationError without `data`."""
    body = await read_body(request, parse_form)
    data = body.value.get("data") if isinstance(body.value, Mapping) else None
    if body.is_form_data:
        return await _read_form(body, data, request.options.body.json_depth)
    if not isinstance(data, dict | list):
        raise ValidationError(MISSING)
    return Write(data, size=body.size)


async def read_localization(request: Request) -> Write:
    """Parse the body of a new localization: unwrapped JSON, or a form with `data` and files."""
    body = await read_body(request, parse_form)
    if body.is_form_data and isinstance(body.value, Mapping) and "data" in body.value:
        return await _read_form(body, body.value["data"], request.options.body.json_depth)
    return Write(body.value, size=body.size)


async def _read_form(body: Body, data: object, depth: int) -> Write:
    if not isinstance(data, str):
        raise ValidationError(MISSING)
    if not data.lstrip().startswith(("{", "[")):
        raise BadRequestError("The form field data must be a JSON object")
    check_fields(file.field for file in body.files)
    value = await compute(lambda: parse_json(data.encode(), depth), len(data))
    return Write(value, tuple((file.field, file) for file in body.files), size=body.size)
