"""Send email over the HTTP APIs of Amazon SES, Mailgun and SendGrid.

The services confirm quickly that they accept a message, and deliver it later. Their error messages are included in
MailProblem, the message itself is not. Importing this module imports the HTTP client, so import it only when needed.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import httpx2

from octavo.core.mail.aws_signature import AwsKey, signed_headers
from octavo.core.mail.mailers import NO_SENDER, Attachment, MailProblem, Message, Sender
from octavo.core.mail.mime import to_mime
from octavo.core.values import dataclass

_TIMES: Final = httpx2.Timeout(30, connect=10)
_XML_MESSAGE: Final = re.compile(r"<Message>(.*?)</Message>", re.DOTALL)
_REGION: Final = re.compile(r"email(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?")


@dataclass(frozen=True, slots=True)
class SesMailer:
    """Amazon SES. `service` is the URL of its API."""

    key: AwsKey
    region: str = "us-east-1"
    service: str = ""
    sender: Sender = NO_SENDER

    async def send(self, message: Message) -> None:
        mime = to_mime(message, self.sender)
        service = self.service or f"https://email.{self.region}.amazonaws.com"
        host = urlsplit(service).netloc
        named = _REGION.fullmatch(host)
        form = {
            "Action": "SendRawEmail",
            "Version": "2010-12-01",
            "Source": _address(mime, "From").addr_spec,
            "Destinations.member.1": _address(mime, "To").addr_spec,
            "RawMessage.Data": base64.b64encode(mime.as_bytes()).decode(),
        }
        body = urlencode(form, quote_via=quote).encode()
        region = named[1] if named else self.region
        headers = signed_headers(self.key, region, host, body, datetime.now(UTC))
        await _post(f"{service.rstrip('/')}/", content=body, headers=headers)


@dataclass(frozen=True, slots=True)
class MailgunMailer:
    """Mailgun. `service` is the URL of its API, which depends on the region."""

    domain: str
    key: str = field(repr=False)
    user: str = "api"
    service: str = "https://api.mailgun.net"
    sender: Sender = NO_SENDER

    async def send(self, message: Message) -> None:
        mime = to_mime(message, self.sender)
        headers = {name.lower(): str(mime[name]) for name in ("From", "To", "Subject")}
        replies = {"h:Reply-To": str(mime["Reply-To"])} if mime["Reply-To"] else {}
        url = f"{self.service.rstrip('/')}/v3/{quote(self.domain, safe='')}/messages"
        data = {**headers, **replies, "text": _content(mime, "plain"), "html": message.html}
        files = [("attachment", (file.name, file.content, file.kind)) for file in message.attachments]
        await _post(url, data=data, files=files or None, auth=(self.user, self.key))


@dataclass(frozen=True, slots=True)
class SendgridMailer:
    """SendGrid. `service` is the URL of its API."""

    key: str = field(repr=False)
    service: str = "https://api.sendgrid.com"
    sender: Sender = NO_SENDER

    async def send(self, message: Message) -> None:
        mime = to_mime(message, self.sender)
        replies = [_contact(address) for address in mime["Reply-To"].addresses] if mime["Reply-To"] else []
        payload = {
            "personalizations": [{"to": [_contact(_address(mime, "To"))]}],
            "from": _contact(_address(mime, "From")),
            "subject": str(mime["Subject"]),
            "content": [
                {"type": "text/plain", "value": _content(mime, "plain") or " "},
                {"type": "text/html", "value": message.html},
            ],
            **({"reply_to_list": replies} if replies else {}),
            **({"attachments": [_attached(file) for file in message.attachments]} if message.attachments else {}),
        }
        url = f"{self.service.rstrip('/')}/v3/mail/send"
        await _post(url, json=payload, headers={"authorization": f"Bearer {self.key}"})


async def _post(url: str, **request: Any) -> None:
    """Send a message to a service. Raises MailProblem."""
    host = urlsplit(url).netloc
    try:
        async with httpx2.AsyncClient(timeout=_TIMES) as client:
            response = await client.post(url, **request)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:  # a key may be invalid in a header
        raise MailProblem(f"{host} rejected the message: {type(error).__name__}") from None
    if not response.is_success:
        raise MailProblem(f"{host} rejected the message: {response.status_code} {_error_text(response)}".rstrip())


def _error_text(response: httpx2.Response) -> str:
    """Return a service's error message, on one line."""
    try:
        answer = response.json()
    except ValueError:
        message = _XML_MESSAGE.search(response.text)
        text = message[1] if message else response.text
    else:
        errors = answer.get("errors") if isinstance(answer, Mapping) else None
        first = errors[0] if isinstance(errors, list) and errors else answer
        text = str(first.get("message", "")) if isinstance(first, Mapping) else ""
    return text.strip().partition("\n")[0][:200]


def _address(mime: EmailMessage, header: str) -> Address:
    address: Address = mime[header].addresses[0]
    return address


def _contact(address: Address) -> dict[str, str]:
    name = {"name": address.display_name} if address.display_name else {}
    return {"email": address.addr_spec, **name}


def _attached(file: Attachment) -> dict[str, str]:
    content = base64.b64encode(file.content).decode()
    return {"filename": file.name, "type": file.kind, "content": content, "disposition": "attachment"}


def _content(mime: EmailMessage, kind: str) -> str:
    part = mime.get_body((kind,))
    return "" if part is None else str(part.get_content())
