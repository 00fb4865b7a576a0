"""Validate providers: unknown names and missing options of upload, email and the CDNs to purge.

If the provider comes from a v4 configuration, this does not prevent the start: operations that need it fail, and the
reason is logged.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from octavo.settings.files.caching import Caching
from octavo.settings.files.plugin_email import EMAIL_PROVIDERS, EmailConfig, EmailProviderOptions
from octavo.settings.files.plugin_upload import UPLOAD_PROVIDERS, UploadConfig, UploadProviderOptions
from octavo.settings.model import Settings

Wrong = tuple[tuple[str, ...], str]
"""The path in the settings, and what was expected."""

_UPLOAD: Final = ("plugins", "upload", "config")
_EMAIL: Final = ("plugins", "email", "config")
_V4_FILE: Final = re.compile(r"\.(?:[cm]?[jt]s|json)\b")


def check_providers(settings: Settings) -> Iterator[Wrong]:
    """Yield the problems that prevent the start."""
    if not upload_is_from_v4(settings):
        yield from storage_problems(settings)
    if not mail_is_from_v4(settings):
        yield from mail_problems(settings)


def storage_problems(settings: Settings) -> list[Wrong]:
    """Return the reasons why files cannot be uploaded."""
    upload = settings.plugins.upload.config
    if upload.storage is None:
        return [((*_UPLOAD, "provider"), f"expected one of {', '.join(UPLOAD_PROVIDERS)}")]
    return [
        ((*_UPLOAD, "provider_options", *option), expected) for option, expected in _missing_storage_options(upload)
    ]


def mail_problems(settings: Settings) -> list[Wrong]:
    """Return the reasons why email cannot be sent."""
    email = settings.plugins.email.config
    if email.provider and email.way is None:
        return [((*_EMAIL, "provider"), f"expected one of {', '.join(EMAIL_PROVIDERS)}")]
    return [((*_EMAIL, "provider_options", option), expected) for option, expected in _missing_mail_options(email)]


def upload_is_from_v4(settings: Settings) -> bool:
    """Return whether a v4 configuration sets the upload provider."""
    return _V4_FILE.search(settings.sources.get((*_UPLOAD, "provider"), "")) is not None


def mail_is_from_v4(settings: Settings) -> bool:
    """Return whether a v4 configuration sets the email provider."""
    return _V4_FILE.search(settings.sources.get((*_EMAIL, "provider"), "")) is not None


def _missing_storage_options(upload: UploadConfig) -> Iterator[Wrong]:
    options = upload.provider_options
    if upload.storage == "aws-s3" and not options.s3_options.params.bucket:
        yield ("s3_options", "params", "bucket"), "expected the name of the bucket for uploaded files"
    if upload.storage == "cloudinary":
        for name in ("cloud_name", "api_key", "api_secret"):
            if not getattr(options, name):
                yield (name,), "expected the value from Cloudinary's console"
    if upload.storage == "azure-storage":
        yield from _missing_azure_options(options)
    if upload.storage == "google-cloud-storage":
        if not options.bucket_name:
            yield ("bucket_name",), "expected the name of the bucket for uploaded files"
        if not options.public_files and options.service_account is None:
            yield ("service_account",), "expected a service account: its key signs URLs"


def _missing_azure_options(options: UploadProviderOptions) -> Iterator[Wrong]:
    if not options.account:
        yield ("account",), "expected the name of the account"
    if not options.container_name:
        yield ("container_name",), "expected the name of the container for uploaded files"
    if options.auth_type == "default" and not (options.account_key or options.sas_token):
        yield ("account_key",), "expected the key of the account, or sasToken"


def _missing_mail_options(email: EmailConfig) -> Iterator[tuple[str, str]]:
    options: EmailProviderOptions = email.provider_options
    if email.way == "nodemailer" and not (options.host or options.service):
        yield "host", "expected the mail server"
    if email.way == "amazon-ses":
        for name in ("key", "secret"):
            if not getattr(options, name):
                yield name, "expected an access key and its secret"
    if email.way == "mailgun":
        if not (options.key or options.api_key):
            yield "key", "expected the API key"
        if not options.domain:
            yield "domain", "expected the sending domain"
    if email.way == "sendgrid" and not options.api_key:
        yield "api_key", "expected the API key"


CacheProblem = tuple[str, str]
"""The path below `caching.purge.caches`, and the message."""

KINDS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "purge": (frozenset({"url"}), frozenset({"token", "method", "header"})),
    "fastly": (frozenset({"service", "token"}), frozenset({"url"})),
    "cloudflare": (frozenset({"zone", "token"}), frozenset({"url"})),
}
"""The required and the optional keys of each kind."""

_FORMS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "token": (re.compile(r"[!-~]{1,4096}"), "a token of printable characters"),
    "service": (re.compile(r"[A-Za-z0-9_-]{1,64}"), "the id of a service"),
    "zone": (re.compile(r"[A-Za-z0-9_-]{1,64}"), "the id of a zone"),
    "method": (re.compile(r"[A-Z]{1,16}"), "a method such as PURGE"),
    "header": (re.compile(r"[A-Za-z0-9-]{1,64}"), "the name of a header"),
}


def cache_problems(caching: Caching) -> Iterator[CacheProblem]:
    """Yield everything that prevents the start. Values are not included, because some are secrets."""
    for name, given in caching.purge.caches.items():
        if given.get("kind") not in KINDS:
            yield f"{name}.kind", f"expected one of {', '.join(KINDS)}"
            continue
        needed, possible = KINDS[given["kind"]]
        for key in sorted(given.keys() - needed - possible - {"kind"}):
            yield f"{name}.{key}", f"unknown key; expected {', '.join(sorted(needed | possible | {'kind'}))}"
        for key in sorted(needed - given.keys()):
            yield f"{name}.{key}", f"missing; {given['kind']} requires it"
        for key in sorted(given.keys() & (needed | possible)):
            problem = _problem(key, given[key])
            if problem is not None:
                yield f"{name}.{key}", problem


def _problem(key: str, value: Any) -> str | None:
    if key == "url":
        return None if isinstance(value, str) and _is_address(value) else "expected a URL such as https://host/path"
    pattern, expected = _FORMS[key]  # digits in environment variables are parsed as numbers
    text = str(value) if type(value) is int else value
    return None if isinstance(text, str) and pattern.fullmatch(text) else f"expected {expected}"


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and has_port and "@" not in parts.netloc
