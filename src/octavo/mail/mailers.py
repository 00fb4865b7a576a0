"""Mail: messages, and the ways they leave: over SMTP; into a folder while a project is worked on; or not at all.

Raises `MailProblem` when a message cannot be handed over.
"""

import asyncio
import html
import logging
import re
import time
import uuid
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from pathlib import Path
from typing import Final, Literal, Protocol

import aiosmtplib

logger = logging.getLogger(__name__)

Security = Literal["none", "starttls", "tls"]

_BREAK: Final = re.compile(r"(?i)<br\s*/?>|</p>|</div>|</h\d>|</li>|</tr>")
_HIDDEN: Final = re.compile(r"(?is)<(head|style|script)\b[^>]*>.*?</\1>")
_TAG: Final = re.compile(r"<[^<>]*>")


class MailProblem(Exception):
    """A message could not be sent."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to one person. `sender` and `reply_to` may be left to the mailer."""

    to: str
    subject: str
    html: str
    sender: str = ""
    sender_name: str = ""
    reply_to: str = ""


class Mailer(Protocol):
    """A way for messages to leave."""

    async def send(self, message: Message) -> None:
        """Hand a message over. Raises MailProblem."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Whom messages come from that name nobody."""

    address: str = "no-reply@localhost"
    reply_to: str = ""


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Where messages are handed over."""

    host: str
    port: int = 587
    security: Security = "starttls"
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class SmtpMailer:
    """Hands messages to a mail server."""

    server: SmtpServer
    sender: Sender = Sender()

    async def send(self, message: Message) -> None:
        server = self.server
        try:
            await aiosmtplib.send(
                to_mime(message, self.sender),
                hostname=server.host,
                port=server.port,
                use_tls=server.security == "tls",
                start_tls=server.security == "starttls",
                username=server.user,
                password=server.password,
                timeout=server.timeout,
            )
        except (aiosmtplib.SMTPException, OSError) as error:
            raise MailProblem(f"{server.host}:{server.port} did not take the message: {error}") from error


@dataclass(frozen=True, slots=True)
class FolderMailer:
    """Puts messages into a folder, for development; the log tells where."""

    folder: Path
    sender: Sender = Sender()

    async def send(self, message: Message) -> None:
        content = to_mime(message, self.sender).as_bytes()
        path = self.folder / f"{time.time_ns()}-{uuid.uuid4().hex[:8]}.eml"
        try:
            await asyncio.to_thread(_write, path, content)
        except OSError as error:
            raise MailProblem(f"{path} cannot be written: {error}") from error
        logger.info("Mail to %s, %r, is in %s", message.to, message.subject, path)


@dataclass(frozen=True, slots=True)
class NoMailer:
    """Says that there is no way."""

    async def send(self, message: Message) -> None:
        raise MailProblem("No mail server is configured (plugins.toml, email.config.providerOptions)")


def _write(path: Path, content: bytes) -> None:
    """Whoever looks into the folder sees whole messages only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.rename(path)


def to_mime(message: Message, default: Sender) -> EmailMessage:
    """The message as it travels: as text and as HTML. Raises MailProblem for what cannot be a header or an address."""
    mime = EmailMessage(policy=SMTP)
    address = message.sender or default.address
    try:
        mime["From"] = Address(message.sender_name, addr_spec=address)
        mime["To"] = Address(addr_spec=message.to)
        mime["Subject"] = message.subject
        if message.reply_to or default.reply_to:
            mime["Reply-To"] = Address(addr_spec=message.reply_to or default.reply_to)
    except (ValueError, IndexError, MessageError) as error:  # a line break, half an address: told in three ways
        raise MailProblem(f"A header cannot be written: {error}") from error
    mime["Date"] = formatdate()
    mime["Message-ID"] = make_msgid(domain=address.rpartition("@")[2] or None)
    mime.set_content(to_text(message.html))
    mime.add_alternative(message.html, subtype="html")
    return mime


def to_text(markup: str) -> str:
    """HTML as plain text.

    >>> to_text("<p>One &amp; <b>two</b></p><p>three</p>")
    'One & two\\nthree\\n'
    """
    text = _TAG.sub("", _BREAK.sub("\n", _HIDDEN.sub("", markup)))
    lines = (" ".join(line.split()) for line in html.unescape(text).split("\n"))
    return "".join(f"{line}\n" for line in lines if line)
