"""The REST routes of accounts: `/auth`. Everything they do is in `users.accounts`."""

import html
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from octavo.authentication.authenticator import Authenticator
from octavo.authorization.actions import ACCOUNTS
from octavo.authorization.actor import Actor
from octavo.http.body import read_body
from octavo.http.request import Request
from octavo.http.response import HTML, Response
from octavo.http.router import Router
from octavo.rest.query_string import parse_form, read_params
from octavo.rest.sessions import SessionAnswers
from octavo.users.accounts import Accounts


class AccountEndpoints:
    """`/auth`"""

    def __init__(self, accounts: Accounts, authenticator: Authenticator, answers: SessionAnswers) -> None:
        self._accounts = accounts
        self._answers = answers
        self._authenticator = authenticator

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        posts: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "local": self.login,
            "local/register": self.register,
            "change-password": self.change_password,
            "forgot-password": self.forgot_password,
            "reset-password": self.reset_password,
            "send-email-confirmation": self.send_email_confirmation,
        }
        for path, handler in posts.items():
            router.add("POST", f"{prefix}/auth/{path}", handler)
        router.add("GET", f"{prefix}/auth/email-confirmation", self.confirm_email)

    async def login(self, request: Request) -> Response:
        """POST /api/auth/local"""
        _, body = await self._enter(request, "callback")
        return await self._answers.render(request, await self._accounts.login(body, request.client))

    async def register(self, request: Request) -> Response:
        """POST /api/auth/local/register"""
        actor, body = await self._enter(request, "register")
        return await self._answers.render(request, await self._accounts.register(body, actor, request.client))

    async def change_password(self, request: Request) -> Response:
        """POST /api/auth/change-password"""
        actor, body = await self._enter(request, "changePassword")
        return await self._answers.render(request, await self._accounts.change_password(body, actor, request.client))

    async def forgot_password(self, request: Request) -> Response:
        """POST /api/auth/forgot-password: the same answer whether or not there is such a user."""
        _, body = await self._enter(request, "forgotPassword")
        await self._accounts.forgot_password(body, request.client)
        return Response(200, b'{"ok":true}')

    async def reset_password(self, request: Request) -> Response:
        """POST /api/auth/reset-password"""
        _, body = await self._enter(request, "resetPassword")
        return await self._answers.render(request, await self._accounts.reset_password(body, request.client))

    async def confirm_email(self, request: Request) -> Response:
        """GET /api/auth/email-confirmation: on to the address that the project names."""
        await self._actor(request, "emailConfirmation")
        _, target = await self._accounts.confirm_email(read_params(request), request.client)
        link = html.escape(target)
        body = f'Redirecting to <a href="{link}">{link}</a>.'.encode("utf-8", "replace")
        return Response(302, body, HTML, ((b"location", escape_address(target)),))

    async def send_email_confirmation(self, request: Request) -> Response:
        """POST /api/auth/send-email-confirmation"""
        _, body = await self._enter(request, "sendEmailConfirmation")
        email = await self._accounts.send_email_confirmation(body, request.client)
        return Response(200, orjson.dumps({"email": email, "sent": True}))

    async def _enter(self, request: Request, action: str) -> tuple[Actor, Any]:
        actor = await self._actor(request, action)
        return actor, (await read_body(request, parse_form)).value

    async def _actor(self, request: Request, action: str) -> Actor:
        return await self._authenticator.admit(request.header("authorization"), f"{ACCOUNTS}.{action}")


def escape_address(address: str) -> bytes:
    """An address that was stored, as a header; what cannot stand in one is escaped."""
    return "".join(sign if 0x20 < ord(sign) < 0x7F else _escaped(sign) for sign in address).encode()


def _escaped(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "replace"))
