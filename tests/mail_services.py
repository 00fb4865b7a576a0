"""A local server with the HTTP APIs of mail services, as documented. Each authenticates the caller."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes, policy
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.http_services import Answer, Asked, serving

SES_KEY, SES_SECRET, REGION = "AKIAEXAMPLE", "ses-secret", "eu-west-1"
MAILGUN_KEY, DOMAIN = "mailgun-secret", "mg.example.org"
SENDGRID_KEY = "SG.sendgrid-secret"


@dataclass
class MailServices:
    """Messages that each service has accepted."""

    address: str = ""
    taken: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, asked: Asked) -> Answer:
        if asked.path == f"/v3/{DOMAIN}/messages":
            return self._mailgun(asked)
        if asked.path == "/v3/mail/send":
            return self._sendgrid(asked)
        return self._ses(asked) if asked.path == "/" else Answer(404, b"not found")

    def _ses(self, asked: Asked) -> Answer:
        form = asked.form
        if asked.headers.get("authorization") != _signature(asked):
            return Answer(403, b"<Error><Message>The signature does not match.\nmore</Message></Error>")
        mime = message_from_bytes(base64.b64decode(form["RawMessage.Data"]), policy=policy.default)
        named = {name: form[name] for name in ("Action", "Source", "Destinations.member.1")}
        files = [(part.get_filename(), part.get_content().encode()) for part in mime.iter_attachments()]
        reported = {name: str(mime[name]) for name in ("From", "Subject", "Reply-To")}
        self.taken.append({**named, **reported, **({"attachments": files} if files else {})})
        return Answer(200, b"<SendRawEmailResponse/>")

    def _mailgun(self, asked: Asked) -> Answer:
        known = base64.b64encode(f"api:{MAILGUN_KEY}".encode()).decode()
        if asked.headers.get("authorization") != f"Basic {known}":
            return Answer(401, b"Forbidden")
        if "multipart" in asked.headers["content-type"]:
            parts = asked.parts.items()
            self.taken.append({name: file if file[0] else file[1].decode() for name, file in parts})
        else:
            self.taken.append(dict(asked.form))
        return Answer(200, b'{"id": "<1@mg>", "message": "Queued. Thank you."}')

    def _sendgrid(self, asked: Asked) -> Answer:
        if asked.headers.get("authorization") != f"Bearer {SENDGRID_KEY}":
            said = {"errors": [{"message": "The provided authorization grant is invalid", "field": None}]}
            return Answer(401, json.dumps(said).encode())
        self.taken.append(json.loads(asked.body))
        return Answer(202)


def _signature(asked: Asked) -> str:
    """Return the header that Amazon's own library writes for the same request at the same time."""
    named = ("content-type", "host", "x-amz-date", "x-amz-security-token")
    headers = {name: asked.headers[name] for name in named if name in asked.headers}
    request = AWSRequest("POST", f"http://{asked.headers['host']}/", headers, asked.body)
    request.context["timestamp"] = asked.headers["x-amz-date"]
    datetime.strptime(asked.headers["x-amz-date"], "%Y%m%dT%H%M%S%z")
    signer = SigV4Auth(Credentials(SES_KEY, SES_SECRET), "ses", REGION)
    signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    signed = ";".join(sorted(headers))
    return f"AWS4-HMAC-SHA256 Credential={signer.scope(request)}, SignedHeaders={signed}, Signature={signature}"


@contextmanager
def mail_services() -> Iterator[MailServices]:
    """Serve all mail services at one URL."""
    services = MailServices()
    with serving(services.answer) as services.address:
        yield services
