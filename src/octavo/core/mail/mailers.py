"""Mail: messages, and what a way for them to leave is. Here is no way at all; the modules beside this one have others.

Raises `MailProblem` when a message cannot be handed over.
"""

from dataclasses import field
from typing import Final, Protocol

from octavo.core.values import dataclass


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
class NoMailer:
    """Says that there is no way."""

    reason: str = "No way to send mail is configured (plugins.toml, email.config)"

    async def send(self, message: Message) -> None:
        raise MailProblem(self.reason)
