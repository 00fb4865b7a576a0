"""`plugins.toml`, `[email]`: sending mail. The options have the names of v4's providers."""

from collections.abc import Mapping
from typing import Final, Literal

from octavo.core.values import dataclass
from octavo.settings import values
from octavo.settings.keys import setting, table
from octavo.settings.values import FLAG, WHOLE_NUMBER, lenient, optional

EMAIL_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    name: (name, f"@strapi/provider-email-{name}", f"strapi-provider-email-{name}")
    for name in ("nodemailer", "sendmail", "amazon-ses", "mailgun", "sendgrid")
}
"""The supported transports, by the provider names in v4's configurations."""

_NUMBER: Final = lenient(optional(WHOLE_NUMBER))
_FLAG: Final = lenient(FLAG)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailTls:
    """Encryption of the connection to a mail server."""

    reject_unauthorized: bool = setting(True, "Require a valid certificate of the server.", kind=_FLAG)
    ca: str | None = setting(None, "Additional trusted certificate, as PEM.")
    ciphers: str | None = setting(None, "Ciphers, in OpenSSL's format.")
    min_version: Literal["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] = setting("TLSv1.2", "Minimum TLS version.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailProviderOptions:
    """Options of the mail transport. Each transport has its own keys."""

    host: str | None = setting(None, "Mail server; without one, development writes email to `.octavo/mail`.")
    port: int | None = setting(
        None, "Port of the mail server.", kind=_NUMBER, bounds=(1, 65535), default_doc="`587`; 465 with `secure`"
    )
    security: Literal["auto", "none", "opportunistic", "starttls", "tls"] = setting(
        "auto",
        "Encryption of the connection to the mail server. `auto`: by `secure`, `requireTLS` and `ignoreTLS`, "
        "otherwise `starttls`, or `opportunistic` (if the server offers it) if `provider` is `nodemailer`.",
    )
    user: str | None = setting(None, "User of the mail server.", variable="SMTP_USERNAME")
    password: str | None = setting(None, "Password of that user.", variable="SMTP_PASSWORD", secret=True)
    auth_type: Literal["login", "plain"] = setting(
        "login", "Authentication method.", name="authType", aliases={"LOGIN": "login", "PLAIN": "plain"}
    )
    service: str | None = setting(None, "A well-known mail server instead of `host` and `port`, such as `Gmail`.")
    secure: bool = setting(False, "Encrypt from the first byte.", kind=_FLAG)
    require_tls: bool = setting(False, "Require encryption.", name="requireTLS", kind=_FLAG)
    ignore_tls: bool = setting(False, "Never encrypt.", name="ignoreTLS", kind=_FLAG)
    tls: EmailTls = table(EmailTls, "Encryption of the connection to a mail server.")
    name: str | None = setting(None, "Host name in the greeting to the mail server.")
    connection_timeout: int | None = setting(None, "Timeout of the connection, in milliseconds.", kind=_NUMBER)
    greeting_timeout: int | None = setting(
        None, "Timeout of the greeting; the longest of the three applies.", kind=_NUMBER
    )
    socket_timeout: int | None = setting(None, "Timeout of the socket; the longest of the three applies.", kind=_NUMBER)
    pool: bool = setting(False, "Accepted for v4 without effect: each message has its own connection.", kind=_FLAG)
    max_connections: int | None = setting(None, "Accepted for v4 without effect.", kind=_NUMBER)
    max_messages: int | None = setting(None, "Accepted for v4 without effect.", kind=_NUMBER)
    path: str | None = setting(None, "`sendmail`: path of the program.")
    smtp_host: str | None = setting(None, "`sendmail`: mail server to use instead of the program.")
    smtp_port: int | None = setting(None, "`sendmail`: port of the mail server.", kind=_NUMBER, default_doc="25")
    dev_host: str | None = setting(None, "`sendmail`: mail server in development, used first.")
    dev_port: int | None = setting(None, "`sendmail`: port of the mail server in development.", kind=_NUMBER)
    silent: bool = setting(False, "Accepted for v4 without effect.", kind=_FLAG)
    key: str | None = setting(
        None, "`amazon-ses`: the access key. `mailgun`: the API key.", secret=True, variable="AWS_SES_KEY"
    )
    secret: str | None = setting(
        None, "`amazon-ses`: the secret of the access key.", secret=True, variable="AWS_SES_SECRET"
    )
    session_token: str | None = setting(None, "`amazon-ses`: token of a temporary key.", secret=True)
    amazon: str | None = setting(None, "`amazon-ses`: URL of the service, if it is not the region's.")
    region: str | None = setting(None, "`amazon-ses`: the region.", default_doc="us-east-1")
    domain: str | None = setting(None, "`mailgun`: sending domain.", variable="MAILGUN_DOMAIN")
    url: str | None = setting(None, "`mailgun`, `sendgrid`: URL of the service.", default_doc="the provider's own")
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
"""The format of v4's configurations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSettings:
    """Defaults of messages."""

    default_from: str = setting("no-reply@localhost", "Default sender: `a@b.org`, or `A <a@b.org>`.")
    default_reply_to: str = setting("", "Default reply address.", kind=values.JOINED_TEXTS)
    test_address: str | None = setting(None, "Accepted for v4 without effect.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailConfig:
    """Mail to users."""

    provider: str | None = setting(
        None,
        "Email provider: `nodemailer` (SMTP), `sendmail`, `amazon-ses`, `mailgun`, `sendgrid`, or the name of v4's "
        "package. If empty, SMTP is used if `host` is set.",
    )
    provider_options: EmailProviderOptions = table(EmailProviderOptions, "Options of the provider.", older=_OLDER)
    settings: EmailSettings = table(EmailSettings, "Sender addresses.")

    @property
    def way(self) -> str | None:
        """Return the transport for the provider's name, or None if it is unknown or not set."""
        name = (self.provider or "").lower()
        return next((way for way, names in EMAIL_PROVIDERS.items() if name in names), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """The email plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: EmailConfig = table(EmailConfig)
