"""SMTP: the addresses and encryption of servers, and the mailer that sends messages to one."""

import ssl
from dataclasses import field
from typing import Final, Literal

from octavo.core.mail.mailers import NO_SENDER, MailProblem, Message, Sender
from octavo.core.values import dataclass

Security = Literal["none", "opportunistic", "starttls", "tls"]

_VERSIONS: Final = {
    "TLSv1": ssl.TLSVersion.TLSv1,
    "TLSv1.1": ssl.TLSVersion.TLSv1_1,
    "TLSv1.2": ssl.TLSVersion.TLSv1_2,
    "TLSv1.3": ssl.TLSVersion.TLSv1_3,
}

_START_TLS: Final[dict[Security, bool | None]] = {
    "none": False,
    "opportunistic": None,
    "starttls": True,
    "tls": False,
}

WELL_KNOWN: Final = {
    "gmail": ("smtp.gmail.com", 465),
    "googlemail": ("smtp.gmail.com", 465),
    "outlook365": ("smtp.office365.com", 587),
    "hotmail": ("smtp-mail.outlook.com", 587),
    "outlook": ("smtp-mail.outlook.com", 587),
    "yahoo": ("smtp.mail.yahoo.com", 465),
    "icloud": ("smtp.mail.me.com", 587),
    "zoho": ("smtp.zoho.com", 465),
    "fastmail": ("smtp.fastmail.com", 465),
    "sendgrid": ("smtp.sendgrid.net", 587),
    "mailgun": ("smtp.mailgun.org", 465),
    "mailjet": ("in.mailjet.com", 587),
    "postmark": ("smtp.postmarkapp.com", 2525),
    "sendinblue": ("smtp-relay.brevo.com", 587),
    "brevo": ("smtp-relay.brevo.com", 587),
    "mandrill": ("smtp.mandrillapp.com", 587),
    "mailtrap": ("live.smtp.mailtrap.io", 587),
}
"""Host and port of well-known services by name; those with port 465 use TLS from the start."""


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """The TLS options for an SMTP server, as in nodemailer's `tls`. `ca` is PEM."""

    verified: bool = True
    ca: str | None = None
    ciphers: str | None = None
    oldest: str = "TLSv1.2"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """An SMTP server. `name` is the host name in EHLO. Timeouts are in seconds."""

    host: str
    port: int = 587
    security: Security = "starttls"
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout: float = 30.0
    name: str | None = None
    tls: ssl.SSLContext | None = None


def tls_context(options: TlsOptions) -> ssl.SSLContext | None:
    """Return the SSL context for non-default options, or None. Raises ValueError, which names the option."""
    if options == TlsOptions():
        return None
    context = ssl.create_default_context()
    if not options.verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.minimum_version = _VERSIONS[options.oldest]
    try:
        if options.ca:
            context.load_verify_locations(cadata=options.ca)
    except (ssl.SSLError, ValueError) as error:
        raise ValueError("tls.ca: expected a certificate as PEM") from error
    try:
        if options.ciphers:
            context.set_ciphers(options.ciphers)
    except ssl.SSLError as error:
        raise ValueError("tls.ciphers: expected a cipher list in OpenSSL's syntax") from error
    return context


@dataclass(frozen=True, slots=True)
class SmtpMailer:
    """Sends messages to an SMTP server. The SMTP client is imported when a message is sent."""

    server: SmtpServer
    sender: Sender = NO_SENDER

    async def send(self, message: Message) -> None:
        """Send a message. Raises MailProblem."""
        import aiosmtplib

        from octavo.core.mail.mime import to_mime

        server = self.server
        try:
            await aiosmtplib.send(
                to_mime(message, self.sender),
                hostname=server.host,
                port=server.port,
                use_tls=server.security == "tls",
                start_tls=_START_TLS[server.security],
                username=server.user,
                password=server.password,
                timeout=server.timeout,
                local_hostname=server.name,
                tls_context=server.tls,
            )
        except (aiosmtplib.SMTPException, OSError) as error:
            raise MailProblem(f"{server.host}:{server.port} did not accept the message: {error}") from error
