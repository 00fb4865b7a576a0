"""Open the configured mailer."""

import logging
from collections.abc import Callable, Mapping
from ssl import SSLContext
from typing import Final

from octavo.core.mail.aws_signature import AwsKey
from octavo.core.mail.folder import FolderMailer
from octavo.core.mail.mailers import Mailer, NoMailer, Sender
from octavo.core.mail.sendmail import MISSING, SendmailMailer, find_sendmail
from octavo.core.mail.smtp import WELL_KNOWN, Security, SmtpMailer, SmtpServer, TlsOptions, tls_context
from octavo.settings import Settings, SettingsError, SettingsProblem
from octavo.settings.files.plugin_email import EmailConfig, EmailProviderOptions
from octavo.settings.provider_checks import mail_is_from_v4, mail_problems

logger = logging.getLogger(__name__)


class _Unusable(Exception):
    """An option is invalid. The message is for display."""


def open_mailer(settings: Settings) -> Mailer:
    """Return the mailer of the configured provider.

    Without a provider, use SMTP if a server is configured. Otherwise mail is written to a folder, or not sent in
    production. Raises SettingsError for invalid settings.
    """
    config = settings.plugins.email.config
    problems = [f"{place[-1]}: {expected}" for place, expected in mail_problems(settings)]
    if problems:
        return _closed(settings, "; ".join(problems))
    try:
        if config.way is not None:
            return _OPENERS[config.way](config, _sender(config))
        if config.provider_options.host is not None:
            return _open_smtp(config, _sender(config))
    except _Unusable as error:
        if mail_is_from_v4(settings):
            return _closed(settings, str(error))
        raise SettingsError(
            [SettingsProblem("config/plugins.toml", "email.config.providerOptions", str(error))]
        ) from error
    if settings.mode == "production":
        return NoMailer()
    return _folder(settings)


def _closed(settings: Settings, why: str) -> Mailer:
    """Log that v4's mail provider is not supported. Mail is written to a folder in development, else not sent."""
    config = settings.plugins.email.config
    reason = f"cannot send email with the provider {config.provider!r}: {why}"
    logger.warning("%s", reason)
    return NoMailer(reason) if settings.mode == "production" else _folder(settings)


def _folder(settings: Settings) -> Mailer:
    return FolderMailer(settings.project / ".octavo" / "mail", _sender(settings.plugins.email.config))


def _sender(config: EmailConfig) -> Sender:
    return Sender(config.settings.default_from, config.settings.default_reply_to)


def _open_smtp(config: EmailConfig, sender: Sender) -> Mailer:
    options = config.provider_options
    host, port, security = options.host, options.port, _security(config)
    if options.service is not None:
        known = WELL_KNOWN.get(options.service.lower())
        if known is None:
            raise _Unusable(f"service: expected one of {', '.join(WELL_KNOWN)}; or set host and port")
        host, port = known
        security = "tls" if port == 465 else "starttls"
    times = (options.connection_timeout, options.greeting_timeout, options.socket_timeout)
    given = [time / 1000 for time in times if time]
    server = SmtpServer(
        host or "localhost",
        port or (465 if security == "tls" else 587),
        security,
        options.user,
        options.password,
        max(given, default=30.0),
        options.name,
        _tls(options),
    )
    return SmtpMailer(server, sender)


def _security(config: EmailConfig) -> Security:
    """Return the connection security: as in nodemailer if configured, else encryption."""
    options = config.provider_options
    if options.security != "auto":
        return options.security
    if options.secure:
        return "tls"
    if options.require_tls:
        return "starttls"
    if options.ignore_tls:
        return "none"
    return "opportunistic" if config.way == "nodemailer" else "starttls"


def _tls(options: EmailProviderOptions) -> SSLContext | None:
    given = options.tls
    try:
        return tls_context(TlsOptions(given.reject_unauthorized, given.ca, given.ciphers, given.min_version))
    except ValueError as error:
        raise _Unusable(str(error)) from error


def _open_sendmail(config: EmailConfig, sender: Sender) -> Mailer:
    options = config.provider_options
    host, port = options.smtp_host, options.smtp_port
    if options.dev_port is not None and options.dev_port > 0:
        host, port = options.dev_host or "localhost", options.dev_port
    if host is not None:
        return SmtpMailer(SmtpServer(host, port or 25, "opportunistic", tls=_tls(options)), sender)
    if find_sendmail(options.path) is None:
        logger.warning("%s", MISSING)
    return SendmailMailer(options.path, sender)


def _open_ses(config: EmailConfig, sender: Sender) -> Mailer:
    from octavo.core.mail.http_mailers import SesMailer  # loads the HTTP client

    options = config.provider_options
    key = AwsKey(options.key or "", options.secret or "", options.session_token)
    return SesMailer(key, options.region or "us-east-1", options.amazon or "", sender)


def _open_mailgun(config: EmailConfig, sender: Sender) -> Mailer:
    from octavo.core.mail.http_mailers import MailgunMailer

    options = config.provider_options
    service = options.url or (f"https://{options.host}" if options.host else "https://api.mailgun.net")
    return MailgunMailer(options.domain or "", options.key or options.api_key or "", options.username, service, sender)


def _open_sendgrid(config: EmailConfig, sender: Sender) -> Mailer:
    from octavo.core.mail.http_mailers import SendgridMailer

    options = config.provider_options
    return SendgridMailer(options.api_key or "", options.url or "https://api.sendgrid.com", sender)


_OPENERS: Final[Mapping[str, Callable[[EmailConfig, Sender], Mailer]]] = {
    "nodemailer": _open_smtp,
    "sendmail": _open_sendmail,
    "amazon-ses": _open_ses,
    "mailgun": _open_mailgun,
    "sendgrid": _open_sendgrid,
}
