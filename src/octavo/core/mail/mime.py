"""Convert messages to MIME. Importing this module is slow, so import it when a message is sent."""

import html
import re
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, getaddresses, make_msgid
from typing import Final

from octavo.core.mail.mailers import MailProblem, Message, Sender

_BREAK: Final = re.compile(r"(?i)<br\s*/?>|</p>|</div>|</h\d>|</li>|</tr>")
_HIDDEN: Final = re.compile(r"(?is)<(head|style|script)\b[^>]*>.*?</\1>")
_TAG: Final = re.compile(r"<[^<>]*>")


def to_mime(message: Message, default: Sender) -> EmailMessage:
    """Return the message as MIME, with text and HTML. Raises MailProblem for an invalid header or address."""
    mime = EmailMessage(policy=SMTP)
    try:
        sender = Address(message.sender_name, addr_spec=message.sender) if message.sender else _named(message, default)
        mime["From"] = sender
        mime["To"] = Address(addr_spec=message.to)
        mime["Subject"] = message.subject
        if message.reply_to or default.reply_to:
            mime["Reply-To"] = _addresses(message.reply_to or default.reply_to)
    except (ValueError, IndexError, MessageError) as error:  # a line break, or an incomplete address
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
    """Parse a list of addresses. Raises ValueError or another exception if they are invalid."""
    return tuple(Address(name, addr_spec=address) for name, address in getaddresses([text]))


def to_text(markup: str) -> str:
    """Convert HTML to plain text.

    >>> to_text("<p>One &amp; <b>two</b></p><p>three</p>")
    'One & two\\nthree\\n'
    """
    text = _TAG.sub("", _BREAK.sub("\n", _HIDDEN.sub("", markup)))
    lines = (" ".join(line.split()) for line in html.unescape(text).split("\n"))
    return "".join(f"{line}\n" for line in lines if line)
