"""`plugins.toml`, `[email]`: mail and how it leaves. The options have the names that v4's providers gave them."""

from collections.abc import Mapping
from typing import Final, Literal

from octavo.settings import values
from octavo.settings.keys import setting, table
from octavo.settings.values import FLAG, WHOLE_NUMBER, lenient, optional
from octavo.values import dataclass

EMAIL_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    name: (name, f"@strapi/provider-email-{name}", f"strapi-provider-email-{name}")
    for name in ("nodemailer", "sendmail", "amazon-ses", "mailgun", "sendgrid")
}
"""The ways there are, by the names that v4's configurations have for them."""

_NUMBER: Final = lenient(optional(WHOLE_NUMBER))
_FLAG: Final = lenient(FLAG)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailTls:
    """Encryption on the way to a mail server."""

    reject_unauthorized: bool = setting(True, "The server has to prove who it is.", kind=_FLAG)
    ca: str | None = setting(None, "Certificate that is trusted besides the system's, as PEM.")
    ciphers: str | None = setting(None, "Ciphers, in OpenSSL's words.")
    min_version: Literal["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] = setting(
        "TLSv1.2", "Oldest version that is spoken."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailProviderOptions:
    """How mail leaves; each way has keys of its own."""

    host: str | None = setting(None, "Mail server; without one, development puts mail into `.octavo/mail`.")
    port: int | None = setting(
        None, "Port of the mail server.", kind=_NUMBER, bounds=(1, 65535), default_doc="587, or 465 with `secure`"
    )
    security: Literal["auto", "none", "opportunistic", "starttls", "tls"] = setting(
        "auto",
        "Encryption on the way to the mail server. `auto`: as `secure`, `requireTLS` and `ignoreTLS` say; else "
        "`starttls`, or `opportunistic` (where the server offers it) if `provider` says `nodemailer`.",
    )
    user: str | None = setting(None, "User of the mail server.", variable="SMTP_USERNAME")
    password: str | None = setting(None, "Password of that user.", variable="SMTP_PASSWORD", secret=True)
    auth_type: Literal["login", "plain"] = setting(
        "login", "How the mail server is told who asks.", name="authType", aliases={"LOGIN": "login", "PLAIN": "plain"}
    )
    service: str | None = setting(None, "A well-known mail server, in place of `host` and `port`: `Gmail`.")
    secure: bool = setting(False, "Encrypted from the first byte.", kind=_FLAG)
    require_tls: bool = setting(False, "Encrypted, or not at all.", name="requireTLS", kind=_FLAG)
    ignore_tls: bool = setting(False, "Not encrypted, whatever the server offers.", name="ignoreTLS", kind=_FLAG)
    tls: EmailTls = table(EmailTls, "Encryption on the way to a mail server.")
    name: str | None = setting(None, "The name by which the mail server is greeted.")
    connection_timeout: int | None = setting(None, "Milliseconds until the mail server answers.", kind=_NUMBER)
    greeting_timeout: int | None = setting(None, "The same: the longest of the three counts.", kind=_NUMBER)
    socket_timeout: int | None = setting(None, "The same.", kind=_NUMBER)
    pool: bool = setting(False, "Kept for v4: each message has a connection of its own.", kind=_FLAG)
    max_connections: int | None = setting(None, "Kept for v4.", kind=_NUMBER)
    max_messages: int | None = setting(None, "Kept for v4.", kind=_NUMBER)
    path: str | None = setting(None, "`sendmail`: the program, if it is not where it usually is.")
    smtp_host: str | None = setting(None, "`sendmail`: a mail server, in place of the program.")
    smtp_port: int | None = setting(None, "`sendmail`: its port.", kind=_NUMBER, default_doc="25")
    dev_host: str | None = setting(None, "`sendmail`: another one, which comes first.")
    dev_port: int | None = setting(None, "`sendmail`: its port.", kind=_NUMBER)
    silent: bool = setting(False, "Kept for v4.", kind=_FLAG)
    key: str | None = setting(
        None, "`amazon-ses`: the access key. `mailgun`: the API key.", secret=True, variable="AWS_SES_KEY"
    )
    secret: str | None = setting(
        None, "`amazon-ses`: the secret of the access key.", secret=True, variable="AWS_SES_SECRET"
    )
    session_token: str | None = setting(None, "`amazon-ses`: token of a temporary key.", secret=True)
    amazon: str | None = setting(None, "`amazon-ses`: address of the service, if it is not the region's.")
    region: str | None = setting(None, "`amazon-ses`: the region.", default_doc="us-east-1")
    domain: str | None = setting(None, "`mailgun`: the domain that sends.", variable="MAILGUN_DOMAIN")
    url: str | None = setting(None, "`mailgun`, `sendgrid`: address of the service.", default_doc="the provider's own")
    username: str = setting("api", "`mailgun`: the user.")
    api_key: str | None = setting(None, "`sendgrid`, `mailgun`: the API key.", secret=True, variable="SENDGRID_API_KEY")


_OLDER: Final = {
    "auth.user": "user",
    "auth.pass": "password",
    "auth.type": "authType",
    "rejectUnauthorized": "tls.rejectUnauthorized",
    "credentials.accessKeyId": "key",
    "credentials.secretAccessKey": "secret",
    "credentials.sessionToken": "sessionToken",
}
"""How v4's configurations are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSettings:
    """What messages say that say nothing themselves."""

    default_from: str = setting("no-reply@localhost", "Whom messages come from: `a@b.org`, or `A <a@b.org>`.")
    default_reply_to: str = setting("", "Where answers go.", kind=values.JOINED_TEXTS)
    test_address: str | None = setting(None, "Kept for v4.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailConfig:
    """Mail to users."""

    provider: str | None = setting(
        None,
        "How mail leaves: `nodemailer` (a mail server), `sendmail`, `amazon-ses`, `mailgun`, `sendgrid`, or the name "
        "of v4's package; none is a mail server if `host` names one.",
    )
    provider_options: EmailProviderOptions = table(EmailProviderOptions, "How mail leaves.", older=_OLDER)
    settings: EmailSettings = table(EmailSettings, "Senders.")

    @property
    def way(self) -> str | None:
        """The way that the provider's name means; None where it is none that there is, or nothing is said."""
        name = (self.provider or "").lower()
        return next((way for way, names in EMAIL_PROVIDERS.items() if name in names), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """The email plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: EmailConfig = table(EmailConfig)
