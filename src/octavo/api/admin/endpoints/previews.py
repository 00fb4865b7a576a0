"""Endpoints for previews: a one-time code for the admin pages, and the token that the front end gets for it."""

from typing import Final

from octavo.access.authentication.sign_in_limits import SignInLimits
from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators.sign_in import AdminSignIn
from octavo.api.admin.answers import data_answer
from octavo.api.admin.endpoints.entries import read_id
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import PreviewCodeAnswer, PreviewCodeForm, PreviewTokenAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.preview_codes import LIFESPAN, PreviewCodes
from octavo.core.clock import format_timestamp
from octavo.core.errors import ForbiddenError, Problem, ValidationError
from octavo.core.forms import REQUIRED, Record, Text, check

_CODES: Final = "/octavo/preview-codes/:uid/:id"
_TOKENS: Final = "/octavo/preview-tokens"
_FORM: Final = Record({"code": Text(REQUIRED)}, closed=True)
_INVALID: Final = "The preview code is invalid, has expired or was used before. Open the preview again to get a new one"


class PreviewEndpoints:
    """`/octavo/preview-codes/:uid/:id` requires the permission to read the entry, `/octavo/preview-tokens` a code.

    Both change no content, so the audit log does not list them.
    """

    operations = (
        AdminOperation("POST", _CODES, "issue", "Create a preview code", answer=PreviewCodeAnswer, safe=True),
        AdminOperation(
            "POST",
            _TOKENS,
            "exchange",
            "Exchange a preview code for a token",
            public=True,
            body=PreviewCodeForm,
            answer=PreviewTokenAnswer,
            safe=True,
        ),
    )

    def __init__(self, codes: PreviewCodes, administrators: AdminSignIn, limits: SignInLimits) -> None:
        self._codes = codes
        self._administrators = administrators
        self._limits = limits

    async def issue(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/preview-codes/:uid/:id: for sessions of Octavo, which a preview token ends with."""
        session = (await self._administrators.signed_in(request.header("authorization"))).session
        if not session:
            raise ForbiddenError("Previews with a code require a sign-in to Octavo, not a token of Strapi")
        code = await self._codes.issue(request.path_values["uid"], read_id(request), actor, session)
        return data_answer({"code": code, "expiresIn": LIFESPAN})

    async def exchange(self, request: Request, _: Actor) -> Response:
        """POST /octavo/preview-tokens: only failures count toward the rate limit."""
        body = await request.json()
        check(_FORM, body)
        grant = await self._codes.exchange(body["code"])
        if grant is None:
            await self._limits.check_address("preview-code", request.client)
            raise ValidationError.from_problems([Problem(("code",), _INVALID)])
        expires_at = format_timestamp(int(grant.expires_at * 1000))
        return data_answer({"token": grant.token, "expiresAt": expires_at, "type": grant.uid, "id": grant.entry_id})
