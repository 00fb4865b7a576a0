"""Endpoints to send emails, and to test the email settings."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authorization.actor import Actor, check
from octavo.api.admin.answers import plain_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.project import MailConfigAnswer, MailRecipient
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import ApplicationError, ValidationError
from octavo.core.mail.mailers import Mailer, MailProblem, Message
from octavo.core.markup import escape
from octavo.core.values import dataclass
from octavo.schema.content_types import EMAIL

MOST_RECIPIENTS: Final = 50
_SETTINGS: Final = (f"{EMAIL}.settings.read",)
_TEXTS: Final = ("from", "replyTo", "subject", "text", "html")


@dataclass(frozen=True, slots=True)
class MailFacts:
    """The visible email settings, without credentials."""

    provider: str
    default_from: str
    default_reply_to: str = ""
    test_address: str | None = None


class MailEndpoints:
    """`/email`"""

    operations = (
        AdminOperation("POST", "/email/", "send", "Send a mail"),
        AdminOperation("POST", "/email/test", "test", "Send a test email", _SETTINGS, body=MailRecipient),
        AdminOperation(
            "GET", "/email/settings", "settings", "Show the email settings", _SETTINGS, answer=MailConfigAnswer
        ),
    )

    def __init__(self, mailer: Mailer, facts: MailFacts, *, for_everybody: bool) -> None:
        self._for_everybody = for_everybody
        self._mailer = mailer
        self._facts = facts

    async def settings(self, request: Request, actor: Actor) -> Response:
        """GET /email/settings"""
        facts = self._facts
        said = {
            "defaultFrom": facts.default_from,
            "defaultReplyTo": facts.default_reply_to,
            "testAddress": facts.test_address,
        }
        kept = {name: value for name, value in said.items() if value}
        return plain_answer({"config": {"provider": facts.provider, "settings": kept}})

    async def send(self, request: Request, actor: Actor) -> Response:
        """POST /email"""
        if not self._for_everybody:
            check(actor, *_SETTINGS)
        body = await request.json()
        given = body if isinstance(body, Mapping) else {}
        sender, reply_to, subject, text, html = (_text(given, name) for name in _TEXTS)
        for recipient in _recipients(given):
            await self._send(Message(recipient, subject, html or _as_html(text), sender, reply_to=reply_to, text=text))
        return plain_answer({})

    async def test(self, request: Request, actor: Actor) -> Response:
        """POST /email/test"""
        body = await request.json()
        text = "This is a test email from your project."
        for recipient in _recipients(body if isinstance(body, Mapping) else {}):
            await self._send(Message(recipient, "Test of your email settings", _as_html(text), text=text))
        return plain_answer({})

    async def _send(self, message: Message) -> None:
        try:
            await self._mailer.send(message)
        except MailProblem as problem:
            raise ApplicationError(f"The email could not be sent: {problem}") from None


def _recipients(given: Mapping[str, Any]) -> list[str]:
    to = given.get("to")
    if not to:
        raise ApplicationError("No recipient(s) are given")
    addresses = to if isinstance(to, list) else [to]
    if not all(isinstance(one, str) and one for one in addresses):
        raise ValidationError("to must be an email address or a list of email addresses")
    if len(addresses) > MOST_RECIPIENTS:
        raise ValidationError(f"An email can have at most {MOST_RECIPIENTS} recipients")
    return addresses


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    raise ValidationError(f"{name} must be a string")


def _as_html(text: str) -> str:
    return f"<p>{escape(text)}</p>"
