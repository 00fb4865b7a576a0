"""REST endpoints of accounts, `/auth`. `accounts.users.accounts` implements them."""

from typing import Any

import orjson

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.accounts import Accounts
from octavo.api.http.body import read_body
from octavo.api.http.query_string import parse_form, read_params
from octavo.api.http.request import Request
from octavo.api.http.response import HTML, Response
from octavo.api.rest.sessions import SessionAnswers
from octavo.core.markup import escape


class AccountEndpoints:
    """`/auth`"""

    def __init__(self, accounts: Accounts, answers: SessionAnswers) -> None:
        self._accounts = accounts
        self._answers = answers

    async def login(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/local"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.login(body, request.client))

    async def register(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/local/register"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.register(body, actor, request.client))

    async def change_password(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/change-password"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.change_password(body, actor, request.client))

    async def forgot_password(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/forgot-password: the response does not reveal whether the user exists."""
        body = await _read(request)
        await self._accounts.forgot_password(body, request.client)
        return Response(200, b'{"ok":true}')

    async def reset_password(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/reset-password"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.reset_password(body, request.client))

    async def confirm_email(self, request: Request, actor: Actor) -> Response:
        """GET /api/auth/email-confirmation: redirects to the project's URL."""
        _, target = await self._accounts.confirm_email(read_params(request), request.client)
        link = escape(target)
        body = f'Redirecting to <a href="{link}">{link}</a>.'.encode("utf-8", "replace")
        return Response(302, body, HTML, ((b"location", escape_address(target)),))

    async def send_email_confirmation(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/send-email-confirmation"""
        body = await _read(request)
        email = await self._accounts.send_email_confirmation(body, request.client)
        return Response(200, orjson.dumps({"email": email, "sent": True}))


async def _read(request: Request) -> Any:
    return (await read_body(request, parse_form)).value


def escape_address(address: str) -> bytes:
    """Escape a stored URL for a header."""
    return "".join(sign if 0x20 < ord(sign) < 0x7F else _escaped(sign) for sign in address).encode()


def _escaped(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "replace"))
