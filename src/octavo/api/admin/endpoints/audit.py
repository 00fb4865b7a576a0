"""The audit log, for super admins."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from octavo.access.authorization.actor import Actor, check_super_admin
from octavo.accounts.administrators.audit_list import AuditFilter, AuditList, entry_json
from octavo.api.admin.answers import NO_STORE, data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.monitoring import AuditAnswer
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import ValidationError
from octavo.query.params import pagination, read_panel_page
from octavo.schema.scalar_types import LARGEST_ID

_TEXTS: Final = ("email", "action", "door", "uid")
_KNOWN: Final = {*_TEXTS, "entry", "since", "until", "page", "pageSize"}


class AuditEndpoints:
    """`/octavo/audit`"""

    operations = (
        AdminOperation("GET", "/octavo/audit", "find", "List audit records", answer=AuditAnswer),
        AdminOperation("GET", "/octavo/audit/export", "export", "Export audit records as JSON lines"),
    )

    def __init__(self, audit: AuditList) -> None:
        self._audit = audit

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/audit: by `email`, `action`, `door`, `uid`, `entry`, `since`, `until`; `page`, `pageSize`."""
        check_super_admin(actor)
        params = read_params(request)
        page = read_panel_page(params, 25)
        entries, total = await self._audit.find(_read_filter(params), page)
        results = [entry_json(entry) for entry in entries]
        body = {"results": results, "pagination": pagination(page, total), "actions": await self._audit.actions()}
        return data_answer(body)

    async def export(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/audit/export: up to 10,000 records or 8 MB as JSON lines, oldest first, after the id `after`."""
        check_super_admin(actor)
        params = read_params(request)
        unknown = sorted(params.keys() - {"after"})
        if unknown:
            raise ValidationError(f"Unknown parameter {unknown[0]}; expected after")
        lines = await self._audit.export(_id("after", "a record", params.get("after")) or 0)
        return Response(200, lines, "application/x-ndjson", headers=NO_STORE)


def _read_filter(params: Mapping[str, Any]) -> AuditFilter:
    unknown = sorted(params.keys() - _KNOWN)
    if unknown:
        raise ValidationError(f"Unknown parameter {unknown[0]}; expected {', '.join(sorted(_KNOWN))}")
    email, action, door, uid = (_text(name, params.get(name)) for name in _TEXTS)
    since, until = (_moment(name, params.get(name)) for name in ("since", "until"))
    return AuditFilter(
        email=email and email.lower(),
        action=action,
        door=door,
        uid=uid,
        entry=_id("entry", "an entry", params.get("entry")),
        since=since,
        until=until,
    )


def _text(name: str, given: Any) -> str | None:
    if given is not None and not isinstance(given, str):
        raise ValidationError(f"{name} must be a string")
    return given


def _id(name: str, what: str, given: Any) -> int | None:
    if given is None:
        return None
    if not (isinstance(given, str) and given.isascii() and given.isdecimal() and len(given) <= len(str(LARGEST_ID))):
        raise ValidationError(f"{name} must be the id of {what}")
    return int(given)


def _moment(name: str, given: Any) -> int | None:
    """Parse a date or an ISO 8601 time, in UTC by default, to milliseconds since 1970."""
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except (TypeError, ValueError):
        raise ValidationError(f"{name} must be a date, or a time such as 2024-05-01T12:00:00Z") from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
