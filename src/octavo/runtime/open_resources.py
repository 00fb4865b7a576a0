"""Opens what a service keeps its things in, as the settings name it: database, storage of files, mail, counts.

Knows no door, so that commands which need the database alone are quick to start.
"""

from functools import partial

from octavo.authentication.redis_rate_limits import RedisCounts, RedisMissing
from octavo.database import open_database
from octavo.database.connection import Database
from octavo.mail.mailers import FolderMailer, Mailer, NoMailer, Sender, SmtpMailer, SmtpServer
from octavo.media.library import MediaLibrary, MediaOptions
from octavo.media.storage.base import Storage
from octavo.media.storage.local import LocalStorage
from octavo.media.storage.s3 import S3Missing, S3Options, S3Storage
from octavo.runtime.database_ssl import ssl_of
from octavo.settings import Settings, SettingsError, SettingsProblem


def open_project_database(settings: Settings) -> Database:
    """The database that the settings name, not yet connected."""
    options = settings.database
    open_limited = partial(
        open_database,
        statement_timeout=options.statement_timeout / 1000,
        largest_answer=settings.api.largest_answer,
    )
    if options.client == "sqlite":
        return open_limited(f"sqlite:///{settings.database_file}")
    parameters = {
        "host": options.host,
        "port": options.port,
        "user": options.user,
        "password": options.password,
        "database": options.name,
        "ssl": ssl_of(options, settings.project),
    }
    return open_limited(
        parameters=parameters,
        schema=options.schema,
        pool_minimum=options.pool.min,
        pool_maximum=options.pool.max,
        pool_patience=options.pool.patience / 1000,
    )


def has_database(settings: Settings) -> bool:
    """Whether there is a database to look into; opening makes a file of SQLite."""
    return settings.database.client != "sqlite" or settings.database_file.is_file()


def open_storage(settings: Settings) -> Storage:
    """Where the settings have uploaded files kept. Raises SettingsError when the library for it is missing."""
    if settings.plugins.upload.config.provider == "local":
        return LocalStorage(settings.project / settings.server.public_folder / "uploads")
    try:
        return S3Storage(_s3_options(settings))
    except S3Missing as error:
        raise _wrong_plugin("upload.config.provider", error) from error


def _s3_options(settings: Settings) -> S3Options:
    given = settings.plugins.upload.config.provider_options
    service = given.s3_options
    return S3Options(
        bucket=service.params.bucket,
        folder=settings.project / ".octavo" / "uploads",
        region=service.region,
        endpoint=service.endpoint,
        path_style=service.force_path_style,
        access_key_id=service.credentials.access_key_id,
        secret_access_key=service.credentials.secret_access_key,
        session_token=service.credentials.session_token,
        acl=service.params.acl,
        root_path=given.root_path,
        base_url=given.base_url,
        signed_seconds=service.params.signed_url_expires,
    )


def open_media(settings: Settings, database: Database, storage: Storage) -> MediaLibrary:
    """What stores uploaded files, as the settings have it."""
    upload = settings.plugins.upload.config
    check_images = settings.api.compat.image_types == "checked"
    media = MediaOptions(upload.size_limit, upload.breakpoints, upload.keep_metadata, check_images)
    return MediaLibrary(database, storage, media)


def open_mailer(settings: Settings) -> Mailer:
    """Over SMTP where a server is set; else into a folder, but not in production, where nobody would look."""
    email = settings.plugins.email.config
    options, sender = email.provider_options, Sender(email.settings.default_from, email.settings.default_reply_to)
    if options.host is not None:
        server = SmtpServer(options.host, options.port, options.security, options.user, options.password)
        return SmtpMailer(server, sender)
    return NoMailer() if settings.mode == "production" else FolderMailer(settings.project / ".octavo" / "mail", sender)


def open_counts(settings: Settings) -> RedisCounts | None:
    """Redis, if attempts are counted there. Raises SettingsError."""
    given = settings.plugins.users_permissions.config.ratelimit
    if given.store != "redis":
        return None
    try:
        return RedisCounts(given.url or "")
    except RedisMissing as error:
        raise _wrong_plugin("users-permissions.config.ratelimit.url", error) from error


def _wrong_plugin(key: str, error: Exception) -> SettingsError:
    return SettingsError([SettingsProblem("config/plugins.toml", key, str(error))])
