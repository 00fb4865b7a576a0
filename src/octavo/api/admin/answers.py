"""Response bodies of the admin API. They must not be cached."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import orjson

from octavo.accounts.administrators.accounts import AdministratorAccount
from octavo.accounts.administrators.rows import Administrator, AdminRole
from octavo.api.http.response import Headers, Response, render_json
from octavo.query.ast import Page
from octavo.query.params import pagination

NO_STORE: Final = ((b"cache-control", b"no-store"),)


def data_answer(data: Any, headers: Headers = (), status: int = 200) -> Response:
    """Return a response with `{"data": ...}`."""
    return render_json(status, {"data": data}, (*headers, *NO_STORE))


def plain_answer(body: Mapping[str, Any] | list[Any], status: int = 200) -> Response:
    """Return a response with an unwrapped body, such as `{"results": ..., "pagination": ...}`."""
    return render_json(status, body, NO_STORE)


def page_answer(results: bytes, page: Page, total: int) -> Response:
    """Return a response with `{"results": [...], "pagination": {...}}` from a JSON array."""
    meta = orjson.dumps(pagination(page, total))
    return Response(200, b'{"results":%b,"pagination":%b}' % (results, meta), headers=NO_STORE)


def instant(moment: datetime | None) -> str | None:
    """Format an instant as v4 does: `2026-11-22T21:00:00.000Z`."""
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def no_content() -> Response:
    """Return an empty response, status 204."""
    return Response(204, content_type="", headers=NO_STORE)


def serialize_administrator(administrator: Administrator) -> dict[str, Any]:
    """Return the public fields of an administrator."""
    return {
        "id": administrator.id,
        "firstname": administrator.firstname,
        "lastname": administrator.lastname,
        "username": administrator.username,
        "email": administrator.email,
        "isActive": administrator.active,
        "blocked": administrator.blocked,
        "preferedLanguage": administrator.language,
        "createdAt": instant(administrator.created_at),
        "updatedAt": instant(administrator.updated_at),
    }


def serialize_role(role: AdminRole) -> dict[str, Any]:
    """Return a role, as nested in administrators."""
    return {"id": role.id, "name": role.name, "description": role.description, "code": role.code}


def serialize_administrator_with_roles(account: AdministratorAccount) -> dict[str, Any]:
    """Return an administrator with their roles, and with the invitation token if they were just invited."""
    serialized = {
        **serialize_administrator(account.administrator),
        "roles": [serialize_role(role) for role in account.roles],
    }
    return serialized if account.invitation is None else {**serialized, "registrationToken": account.invitation}
