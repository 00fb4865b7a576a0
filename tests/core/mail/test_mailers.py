"""Mail: composed messages, and messages that a real mail server receives."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from octavo.core.mail.folder import FolderMailer
from octavo.core.mail.mailers import MailProblem, Message, NoMailer, Sender
from octavo.core.mail.mime import to_mime, to_text
from octavo.core.mail.smtp import SmtpMailer, SmtpServer

pytestmark = pytest.mark.anyio

MESSAGE = Message("ann@example.org", "Grüße", "<p>Hello <b>Ann</b></p>\n<p>Bye</p>", sender_name="Club")
SENDER = Sender("club@example.org", "help@example.org")


class Inbox:
    """Messages that the server received."""

    def __init__(self) -> None:
        self.envelopes: list[Any] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - named by aiosmtpd
        self.envelopes.append(envelope)
        return "250 OK"


@dataclass(frozen=True)
class MailServer:
    """A real mail server in this process."""

    inbox: Inbox
    server: asyncio.Server

    def reach(self, password: str | None = None) -> SmtpServer:
        port = self.server.sockets[0].getsockname()[1]
        return SmtpServer("127.0.0.1", port, "none", "club" if password else None, password)


@pytest.fixture
async def mail_server(anyio_backend: str) -> AsyncIterator[MailServer]:
    def check(server: Any, session: Any, envelope: Any, mechanism: str, login: LoginPassword) -> AuthResult:
        return AuthResult(success=login.password == b"smtp-secret", handled=False)

    inbox = Inbox()
    loop = asyncio.get_running_loop()

    def protocol() -> SMTP:
        return SMTP(inbox, authenticator=check, auth_require_tls=False, loop=loop)

    server = await loop.create_server(protocol, "127.0.0.1", 0)
    yield MailServer(inbox, server)
    server.close()


def parts(mime: EmailMessage) -> dict[str, Any]:
    text, markup = mime.get_body(("plain",)), mime.get_body(("html",))
    assert text is not None
    assert markup is not None
    headers = {name: mime[name] for name in ("From", "To", "Subject", "Reply-To")}
    contents = {"text": text.get_content(), "html": markup.get_content()}
    return headers | {name: content.replace("\r\n", "\n") for name, content in contents.items()}


WRITTEN = {
    "From": "Club <club@example.org>",
    "To": "ann@example.org",
    "Subject": "Grüße",
    "Reply-To": "help@example.org",
    "text": "Hello Ann\nBye\n",
    "html": "<p>Hello <b>Ann</b></p>\n<p>Bye</p>\n",
}


@pytest.mark.parametrize("password", [None, "smtp-secret"])
async def test_smtp(mail_server: MailServer, password: str | None) -> None:
    await SmtpMailer(mail_server.reach(password), SENDER).send(MESSAGE)
    (envelope,) = mail_server.inbox.envelopes
    assert (envelope.mail_from, envelope.rcpt_tos) == ("club@example.org", ["ann@example.org"])
    assert parts(message_from_bytes(envelope.content, policy=policy.default)) == WRITTEN


async def test_smtp_refusals(mail_server: MailServer) -> None:
    server = mail_server.reach("wrong-secret")
    assert "wrong-secret" not in repr(server)
    with pytest.raises(MailProblem, match="did not accept the message"):
        await SmtpMailer(server, SENDER).send(MESSAGE)
    mail_server.server.close()
    with pytest.raises(MailProblem, match="did not accept the message"):
        await SmtpMailer(server, SENDER).send(MESSAGE)
    assert mail_server.inbox.envelopes == []


async def test_a_folder(tmp_path: Path) -> None:
    await FolderMailer(tmp_path / "mail", SENDER).send(MESSAGE)
    (file,) = (tmp_path / "mail").iterdir()
    assert parts(message_from_bytes(file.read_bytes(), policy=policy.default)) == WRITTEN
    (tmp_path / "file").touch()
    with pytest.raises(MailProblem, match="cannot be written"):
        await FolderMailer(tmp_path / "file").send(MESSAGE)


async def test_no_way() -> None:
    with pytest.raises(MailProblem, match="Email is not configured"):
        await NoMailer().send(MESSAGE)


@pytest.mark.parametrize(
    "message",
    [
        Message("ann@example.org\r\nBcc: all@example.org", "s", "h"),
        Message("ann@example.org, bob@example.org", "s", "h"),
        Message("", "s", "h"),
        Message("ann@example.org", "s\r\nBcc: all@example.org", "h"),
        Message("ann@example.org", "s", "h", sender="club\nx@example.org"),
    ],
)
async def test_headers_cannot_be_injected(message: Message) -> None:
    with pytest.raises(MailProblem, match="A header cannot be written"):
        to_mime(message, SENDER)


@pytest.mark.parametrize(
    "markup, text",
    [
        ("", ""),
        ("plain", "plain\n"),
        ("<style>p {}</style><p>a<br>b</p>  <ul><li>c</li><li>d &lt;e&gt;</li></ul>", "a\nb\nc\nd <e>\n"),
        ("<" * 20_000, "<" * 20_000 + "\n"),
        ("<style>" * 2_000, ""),
    ],
)
async def test_text(markup: str, text: str) -> None:
    assert to_text(markup) == text
