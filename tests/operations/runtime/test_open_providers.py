"""Storage and mail providers from the settings, in the format of v4's configuration."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from octavo.content.media.storage.base import Storage
from octavo.core.errors import ServiceUnavailable
from octavo.core.mail.folder import FolderMailer
from octavo.core.mail.http_mailers import MailgunMailer, SendgridMailer, SesMailer
from octavo.core.mail.mailers import Mailer, MailProblem, Message, NoMailer, Sender
from octavo.core.mail.sendmail import SendmailMailer
from octavo.core.mail.smtp import SmtpMailer, SmtpServer
from octavo.operations.runtime.open_mailer import open_mailer
from octavo.operations.runtime.open_storage import _temporary_folder, open_storage, warn_unwritable
from octavo.settings import Settings, SettingsError, load_settings
from tests.azure_server import KEY

pytestmark = pytest.mark.anyio

BUCKET = {"Bucket": "b", "ACL": "private"}
S3 = {"accessKeyId": "id", "secretAccessKey": "s3-secret", "region": "eu-west-1", "params": BUCKET}
AZURE = {"account": "shop", "accountKey": KEY, "containerName": "files", "defaultPath": "assets", "removeCN": "true"}
CLOUDINARY = {"cloud_name": "shop", "api_key": "1", "api_secret": "cloudinary-secret"}


def toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f'"{name}" = {toml(item)}' for name, item in value.items()) + "}"
    return json.dumps(value)


def load(folder: Path, plugin: str, mode: str = "development", **config: Any) -> Settings:
    (folder / "config").mkdir()
    lines = [f"{name} = {toml(value)}" for name, value in config.items()]
    (folder / "config/plugins.toml").write_text("\n".join([f"[{plugin}.config]", *lines]))
    return load_settings(folder, {"OCTAVO_ENV": mode}, require_secrets=False)


def from_v4(settings: Settings, plugin: str) -> Settings:
    """Return the same settings as if they came from a v4 configuration."""
    object.__setattr__(settings, "sources", {("plugins", plugin, "config", "provider"): "config/plugins.js"})
    return settings


@pytest.mark.parametrize(
    "provider, options, url",
    [
        ("local", {"sizeLimit": 1000}, "/uploads/a_1.png"),
        ("aws-s3", S3, "https://b.s3.eu-west-1.amazonaws.com/a_1.png"),
        ("aws-s3", {"s3Options": S3, "baseUrl": "https://cdn", "rootPath": "x"}, "https://cdn/x/a_1.png"),
        (
            "@strapi/provider-upload-aws-s3",
            {"s3Options": {"credentials": {"accessKeyId": "id", "secretAccessKey": "s"}, "params": {"Bucket": "b"}}},
            "https://b.s3.us-east-1.amazonaws.com/a_1.png",
        ),
        (
            "strapi-provider-cloudflare-r2",
            {**S3, "endpoint": "a.r2.cloudflarestorage.com", "cloudflarePublicAccessUrl": "https://pub.r2.dev"},
            "https://pub.r2.dev/a_1.png",
        ),
        ("strapi-provider-upload-azure-storage", AZURE, "https://shop.blob.core.windows.net/assets/a_1.png"),
        ("cloudinary", CLOUDINARY, None),
    ],
)
def test_storages(tmp_path: Path, provider: str, options: dict[str, Any], url: str | None) -> None:
    settings = load(tmp_path, "upload", provider=provider, providerOptions=options)
    storage: Any = open_storage(settings)
    assert (storage.provider, provider in storage.providers, len(storage.providers) >= 2) == (provider, True, True)
    assert url is None or storage.url_of("a_1.png") == url
    assert storage.signs == ("ACL" in json.dumps(options))
    assert "secret" not in repr(settings.plugins)
    if "sizeLimit" in options:
        assert settings.plugins.upload.config.size_limit == 1000


@pytest.mark.parametrize(
    "config, message",
    [
        ({"provider": "strapi-provider-upload-xyz"}, "upload.config.provider: expected one of local, aws-s3"),
        ({"provider": "aws-s3"}, "upload.config.providerOptions.s3Options.params.Bucket: expected the name"),
        ({"provider": "cloudinary", "providerOptions": {"cloud_name": "x"}}, "providerOptions.api_secret: expected"),
        ({"provider": "azure-storage"}, "upload.config.providerOptions.accountKey: expected"),
        ({"provider": "google-cloud-storage", "providerOptions": {"publicFiles": False}}, ".serviceAccount: expected"),
        ({"providerOptions": {"secretKey": "x"}}, "upload.config.providerOptions.secretKey: unknown key"),
    ],
)
def test_settings_that_stop_the_start(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as error:
        load(tmp_path, "upload", **config)
    assert message in str(error.value)


def test_actions_that_the_service_does_not_know(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    reported = {"uploadStream": {"CacheControl": "x", "Body": "y"}}
    settings = load(tmp_path, "upload", provider="aws-s3", providerOptions=S3, actionOptions=reported)
    with pytest.raises(SettingsError, match="actionOptions: 'Body' is not a parameter of PutObject of S3"):
        open_storage(settings)
    storage = open_storage(from_v4(settings, "upload"))
    with pytest.raises(ServiceUnavailable):
        storage.prefix_of("")
    assert "'Body'" in caplog.text


def test_an_unknown_provider_of_v4(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = load(tmp_path, "upload")
    object.__setattr__(settings.plugins.upload.config, "provider", "strapi-provider-upload-xyz")
    storage: Storage = open_storage(from_v4(settings, "upload"))
    assert "'strapi-provider-upload-xyz': provider: expected one of local, aws-s3, cloudinary" in caplog.text
    assert "stay available" in caplog.text
    assert storage.name_of("https://xyz.example.org/a.png") is None
    storage.remove([])
    with pytest.raises(ServiceUnavailable):
        storage.remove(["a"])  # repeated when the storage is opened again
    with pytest.raises(ServiceUnavailable, match="Files cannot be uploaded"):
        storage.write(tmp_path / "x", "a", "text/plain")


SMTP = {"host": "smtp.example.org", "auth": {"user": "u", "pass": "smtp-secret"}}


@pytest.mark.parametrize(
    "config, expected",
    [
        ({}, (587, "opportunistic")),
        ({"port": "465", "secure": True}, (465, "tls")),
        ({"secure": True}, (465, "tls")),
        ({"requireTLS": True, "pool": True, "maxConnections": 5}, (587, "starttls")),
        ({"port": 1025, "ignoreTLS": True}, (1025, "none")),
        ({"security": "starttls"}, (587, "starttls")),
    ],
)
def test_nodemailer(tmp_path: Path, config: dict[str, Any], expected: tuple[int, str]) -> None:
    sender = {"defaultFrom": "Club <club@example.org>", "defaultReplyTo": ["a@b.org", "c@d.org"]}
    settings = load(tmp_path, "email", provider="nodemailer", providerOptions={**SMTP, **config}, settings=sender)
    mailer = open_mailer(settings)
    server = SmtpServer("smtp.example.org", *expected, "u", "smtp-secret")  # type: ignore[arg-type]
    assert mailer == SmtpMailer(server, Sender("Club <club@example.org>", "a@b.org, c@d.org"))
    assert "smtp-secret" not in repr(mailer)
    assert "smtp-secret" not in repr(settings)


def test_more_of_nodemailer(tmp_path: Path) -> None:
    tls = {"rejectUnauthorized": False, "ciphers": "HIGH", "minVersion": "TLSv1.3"}
    options = {"service": "Gmail", "tls": tls, "name": "shop", "socketTimeout": 5000}
    mailer = open_mailer(load(tmp_path, "email", provider="@strapi/provider-email-nodemailer", providerOptions=options))
    assert isinstance(mailer, SmtpMailer)
    server = mailer.server
    assert (server.host, server.port, server.security, server.timeout) == ("smtp.gmail.com", 465, "tls", 5.0)
    assert server.tls is not None
    assert not server.tls.check_hostname


@pytest.mark.parametrize(
    "provider, options, kind",
    [
        (None, {}, FolderMailer),
        ("sendmail", {}, SendmailMailer),
        ("sendmail", {"smtpHost": "relay", "silent": True, "rejectUnauthorized": False}, SmtpMailer),
        ("sendmail", {"devHost": "localhost", "devPort": 1025}, SmtpMailer),
        ("amazon-ses", {"key": "k", "secret": "s", "amazon": "https://email.eu-west-1.amazonaws.com"}, SesMailer),
        ("amazon-ses", {"credentials": {"accessKeyId": "k", "secretAccessKey": "s"}, "region": "eu-west-1"}, SesMailer),
        ("mailgun", {"key": "k", "domain": "d", "url": "https://api.eu.mailgun.net"}, MailgunMailer),
        ("@strapi/provider-email-sendgrid", {"apiKey": "k"}, SendgridMailer),
    ],
)
def test_mail_providers(tmp_path: Path, provider: str | None, options: dict[str, Any], kind: type[Mailer]) -> None:
    named = {"provider": provider} if provider else {}
    assert isinstance(open_mailer(load(tmp_path, "email", **named, providerOptions=options)), kind)


@pytest.mark.parametrize(
    "config, message",
    [
        ({"provider": "postmark"}, "email.config.provider: expected one of nodemailer, sendmail, amazon-ses, mailgun"),
        ({"provider": "nodemailer"}, "email.config.providerOptions.host: expected the mail server"),
        (
            {"provider": "mailgun", "providerOptions": {"key": "k"}},
            "providerOptions.domain: expected the sending domain",
        ),
        ({"providerOptions": {"host": "h", "auth": {"type": "OAuth2"}}}, "auth.type: expected one of"),
    ],
)
async def test_mail_that_cannot_be_sent(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as error:
        load(tmp_path, "email", **config)
    assert message in str(error.value)


@pytest.mark.parametrize("options", [{"tls": {"ca": "x"}}, {"tls": {"ciphers": "none such"}}, {"service": "Nobody"}])
async def test_options_that_mean_nothing(tmp_path: Path, options: dict[str, Any]) -> None:
    settings = load(tmp_path, "email", "production", provider="nodemailer", providerOptions={"host": "h", **options})
    with pytest.raises(SettingsError, match="expected"):
        open_mailer(settings)
    mailer = open_mailer(from_v4(settings, "email"))
    with pytest.raises(MailProblem, match="cannot send email with the provider 'nodemailer'"):
        await mailer.send(Message("a@b.org", "s", "h"))


async def test_development_writes_mails_to_a_folder(tmp_path: Path) -> None:
    options = {"host": "h", "tls": {"ca": "x"}}
    settings = from_v4(load(tmp_path, "email", provider="nodemailer", providerOptions=options), "email")
    assert isinstance(open_mailer(settings), FolderMailer)


async def test_production_has_no_default_mailer(tmp_path: Path) -> None:
    assert open_mailer(load(tmp_path, "email", "production")) == NoMailer()


@contextmanager
def read_only_folder(folder: Path) -> Iterator[None]:
    """Make the folder read-only for this process. Root runs as another user meanwhile."""
    is_root = os.getuid() == 0
    folder.chmod(0o555)
    if is_root:
        os.setreuid(65534, 0)
    try:
        yield
    finally:
        if is_root:
            os.setreuid(0, 0)
        folder.chmod(0o755)


def test_temporary_files_are_in_a_writable_folder(tmp_path: Path) -> None:
    settings = load(tmp_path, "upload", provider="aws-s3", providerOptions=S3)
    assert open_storage(settings).workspace.folder == tmp_path / ".octavo/uploads"
    with read_only_folder(tmp_path):
        workspace = open_storage(settings).workspace
        path = workspace.temporary()
        path.write_bytes(b"on its way")
        assert open_storage(settings).workspace.folder == workspace.folder
    assert tmp_path not in path.parents
    assert path.parent.stat().st_mode & 0o077 == 0
    path.unlink()


def test_warns_of_folders_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = load(tmp_path, "upload", provider="aws-s3", providerOptions=S3)
    warn_unwritable(open_storage(settings))
    assert caplog.messages == []
    monkeypatch.setattr(tempfile, "tempdir", "/proc/nowhere")
    _temporary_folder.cache_clear()
    with read_only_folder(tmp_path):
        warn_unwritable(open_storage(settings))
    first, second = caplog.messages
    assert first.startswith("Uploads of more than 256 kB fail: no folder for temporary files is writable (")
    assert second == f"Uploads fail: {tmp_path / '.octavo/uploads'} cannot be written"
