"""Mail: messages, and what a way for them to leave is. Here are a folder, for development, and no way at all; the
modules beside this one have the others.

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
from email.utils import formatdate, getaddresses, make_msgid
from pathlib import Path
from typing import Final, Protocol

logger = logging.getLogger(__name__)

_BREAK: Final = re.compile(r"(?i)<br\s*/?>|</p>|</div>|</h\d>|</li>|</tr>")
_HIDDEN: Final = re.compile(r"(?is)<(head|style|script)\b[^>]*>.*?</\1>")
_TAG: Final = re.compile(r"<[^<>]*>")


class MailProblem(Exception):
    """A message could not be sent."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a message: its name, what it holds, its media type (`text/csv; charset=utf-8`)."""

    name: str
    content: bytes = field(repr=False)
    kind: str = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Message:
    """One message to one person. `sender` and `reply_to` may be left to the mailer; `text` is made of the HTML."""

    to: str
    subject: str
    html: str
    sender: str = ""
    sender_name: str = ""
    reply_to: str = ""
    text: str = ""
    attachments: tuple[Attachment, ...] = ()


class Mailer(Protocol):
    """A way for messages to leave."""

    async def send(self, message: Message) -> None:
        """Hand a message over. Raises MailProblem."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Whom messages come from that name nobody, and where their answers go: addresses, `a@b.org` or `A <a@b.org>`."""

    address: str = "no-reply@localhost"
    reply_to: str = ""


NOBODY: Final = Sender()


@dataclass(frozen=True, slots=True)
class FolderMailer:
    """Puts messages into a folder, for development; the log tells where."""

    folder: Path
    sender: Sender = NOBODY

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

    reason: str = "No way to send mail is configured (plugins.toml, email.config)"

    async def send(self, message: Message) -> None:
        raise MailProblem(self.reason)


def _write(path: Path, content: bytes) -> None:
    """Whoever looks into the folder sees whole messages only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.rename(path)


def to_mime(message: Message, default: Sender) -> EmailMessage:
    """The message as it travels: as text and as HTML. Raises MailProblem for what cannot be a header or an address."""
    mime = EmailMessage(policy=SMTP)
    try:
        sender = Address(message.sender_name, addr_spec=message.sender) if message.sender else _named(message, default)
        mime["From"] = sender
        mime["To"] = Address(addr_spec=message.to)
        mime["Subject"] = message.subject
        if message.reply_to or default.reply_to:
            mime["Reply-To"] = _addresses(message.reply_to or default.reply_to)
    except (ValueError, IndexError, MessageError) as error:  # a line break, half an address: told in three ways
        raise MailProblem(f"A header cannot be written: {error}") from error
    mime["Date"] = formatdate()
    mime["Message-ID"] = make_msgid(domain=sender.domain or None)
    mime.set_content(message.text or to_text(message.html))
    mime.add_alternative(message.html, subtype="html")
    for file in message.attachments:
        kind, *parameters = file.kind.split("; ")
        main, _, sub = kind.partition("/")
        named = dict(one.split("=", 1) for one in parameters)
        mime.add_attachment(file.content, maintype=main, subtype=sub, filename=file.name, params=named)
    return mime


def _named(message: Message, default: Sender) -> Address:
    (sender,) = _addresses(default.address)
    return Address(message.sender_name or sender.display_name, addr_spec=sender.addr_spec)


def _addresses(text: str) -> tuple[Address, ...]:
    """Raises ValueError and its kin for what are no addresses."""
    return tuple(Address(name, addr_spec=address) for name, address in getaddresses([text]))


def to_text(markup: str) -> str:
    """HTML as plain text.

    >>> to_text("<p>One &amp; <b>two</b></p><p>three</p>")
    'One & two\\nthree\\n'
    """
    text = _TAG.sub("", _BREAK.sub("\n", _HIDDEN.sub("", markup)))
    lines = (" ".join(line.split()) for line in html.unescape(text).split("\n"))
    return "".join(f"{line}\n" for line in lines if line)
