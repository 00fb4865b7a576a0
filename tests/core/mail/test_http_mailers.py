"""Mail through the HTTP APIs of services that authenticate the caller."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from octavo.core.mail.aws_signature import AwsKey
from octavo.core.mail.http_mailers import MailgunMailer, SendgridMailer, SesMailer
from octavo.core.mail.mailers import Attachment, Mailer, MailProblem, Message, Sender
from tests.mail_services import (
    DOMAIN,
    MAILGUN_KEY,
    REGION,
    SENDGRID_KEY,
    SES_KEY,
    SES_SECRET,
    MailServices,
    mail_services,
)

pytestmark = pytest.mark.anyio

MESSAGE = Message("ann@example.org", "Grüße", "<p>Hello <b>Ann</b></p>")
SENDER = Sender("The Club <club@example.org>", "help@example.org, Bob <bob@example.org>")


@pytest.fixture(scope="module")
def running() -> Iterator[MailServices]:
    with mail_services() as services:
        yield services


@pytest.fixture
def services(running: MailServices) -> MailServices:
    running.taken.clear()
    return running


async def test_amazon_ses(services: MailServices) -> None:
    await SesMailer(AwsKey(SES_KEY, SES_SECRET), REGION, services.address, SENDER).send(MESSAGE)
    assert services.taken == [
        {
            "Action": "SendRawEmail",
            "Source": "club@example.org",
            "Destinations.member.1": "ann@example.org",
            "From": "The Club <club@example.org>",
            "Subject": "Grüße",
            "Reply-To": "help@example.org, Bob <bob@example.org>",
        }
    ]


async def test_mailgun(services: MailServices) -> None:
    await MailgunMailer(DOMAIN, MAILGUN_KEY, service=f"{services.address}/", sender=SENDER).send(MESSAGE)
    assert services.taken == [
        {
            "from": "The Club <club@example.org>",
            "to": "ann@example.org",
            "subject": "Grüße",
            "h:Reply-To": "help@example.org, Bob <bob@example.org>",
            "text": "Hello Ann\n",
            "html": "<p>Hello <b>Ann</b></p>",
        }
    ]


async def test_sendgrid(services: MailServices) -> None:
    await SendgridMailer(SENDGRID_KEY, services.address, SENDER).send(MESSAGE)
    assert services.taken == [
        {
            "personalizations": [{"to": [{"email": "ann@example.org"}]}],
            "from": {"email": "club@example.org", "name": "The Club"},
            "reply_to_list": [{"email": "help@example.org"}, {"email": "bob@example.org", "name": "Bob"}],
            "subject": "Grüße",
            "content": [
                {"type": "text/plain", "value": "Hello Ann\n"},
                {"type": "text/html", "value": "<p>Hello <b>Ann</b></p>"},
            ],
        }
    ]


@pytest.mark.parametrize("address", [None, "http://127.0.0.1:1"])
async def test_errors_contain_the_reason_and_no_secret(services: MailServices, address: str | None) -> None:
    service, wrong = address or services.address, "wrong-secret\n"
    mailers: dict[str, Mailer] = {
        "403 The signature does not match.": SesMailer(AwsKey(SES_KEY, wrong), REGION, service, SENDER),
        "401 Forbidden": MailgunMailer(DOMAIN, wrong, service=service, sender=SENDER),
        "401 The provided authorization grant is invalid": SendgridMailer(wrong.strip(), service, SENDER),
        "rejected the message": SendgridMailer(wrong, service, SENDER),
    }
    for expected, mailer in mailers.items():
        with pytest.raises(MailProblem, match="rejected the message" if address else expected) as problem:
            await mailer.send(MESSAGE)
        assert "wrong-secret" not in f"{problem.value} {mailer!r}"
        assert problem.value.__cause__ is None
    assert services.taken == []


async def test_headers_cannot_be_injected(services: MailServices) -> None:
    with pytest.raises(MailProblem, match="A header cannot be written"):
        await SendgridMailer(SENDGRID_KEY, services.address, SENDER).send(Message("a@b.org\r\nBcc: c@d.org", "s", "h"))
    assert services.taken == []


async def test_attachments_go_along(services: MailServices) -> None:
    message = replace(MESSAGE, attachments=(Attachment("prices ß.csv", b"a;1", "text/csv"),))
    await SendgridMailer(SENDGRID_KEY, services.address, SENDER).send(message)
    await MailgunMailer(DOMAIN, MAILGUN_KEY, service=services.address, sender=SENDER).send(message)
    await SesMailer(AwsKey(SES_KEY, SES_SECRET), REGION, services.address, SENDER).send(message)
    sendgrid, mailgun, ses = services.taken
    reported = {"filename": "prices ß.csv", "type": "text/csv", "content": "YTsx", "disposition": "attachment"}
    assert sendgrid["attachments"] == [reported]
    assert (mailgun["attachment"], mailgun["to"]) == (("prices ß.csv", b"a;1"), "ann@example.org")
    assert ses["attachments"] == [("prices ß.csv", b"a;1")]
