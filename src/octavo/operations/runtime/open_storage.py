"""Open the configured storage of uploaded files."""

import atexit
import logging
import os
import shutil
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import Any, Final

from octavo.api.http.form_data import IN_MEMORY
from octavo.content.media.private_files import private_key
from octavo.content.media.storage.base import ClosedStorage, Storage, StorageProblem
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.storage.objects import AzureOptions, AzureStorage, GoogleOptions, GoogleStorage
from octavo.content.media.storage.s3 import S3Options, S3Storage
from octavo.settings import Settings, SettingsError, SettingsProblem
from octavo.settings.files.plugin_upload import UPLOAD_PROVIDERS, UploadConfig
from octavo.settings.provider_checks import storage_problems, upload_is_from_v4

logger = logging.getLogger(__name__)


def open_storage(settings: Settings) -> Storage:
    """Return the configured storage of uploaded files. Raises SettingsError for invalid settings.

    An unsupported provider in v4's configuration does not stop the start, but uploads are rejected.
    """
    config = settings.plugins.upload.config
    problems = [f"{place[-1]}: {expected}" for place, expected in storage_problems(settings)]
    if config.storage is None or problems:
        return _closed(settings, "; ".join(problems))
    if config.storage not in _WITH_ACTION_OPTIONS and any((_upload_options(config), config.action_options.delete)):
        logger.warning("upload.config.actionOptions has no effect with the storage %s", config.storage)
    if config.private_files and config.storage not in _WITH_PRIVATE_FILES:
        logger.warning("upload.config.privateFiles has no effect with the storage %s", config.storage)
    try:
        return _OPENERS[config.storage](settings)
    except StorageProblem as error:
        if upload_is_from_v4(settings):
            return _closed(settings, str(error))
        raise SettingsError([SettingsProblem("config/plugins.toml", "upload.config.provider", str(error))]) from error


def _closed(settings: Settings, why: str) -> Storage:
    provider = settings.plugins.upload.config.provider
    reason = f"cannot upload files with the provider {provider!r}: {why}"
    logger.warning("%s. Existing files stay available at their URLs.", reason)
    return ClosedStorage(provider, _workspace(settings), reason)


def _workspace(settings: Settings) -> Path:
    """Return the folder of files before upload: in the project, or a temporary one if the project is read-only."""
    folder = settings.project / ".octavo"
    is_writable = os.access(folder if folder.is_dir() else settings.project, os.W_OK)
    if is_writable:
        return folder / "uploads"
    try:
        return _temporary_folder()
    except OSError:  # uploads fail, and the start warns of it
        return folder / "uploads"


@cache
def _temporary_folder() -> Path:
    folder, maker = Path(mkdtemp(prefix="octavo-uploads-")), os.getpid()

    def remove() -> None:
        if os.getpid() == maker:  # forked workers also use the folder
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def warn_unwritable(storage: Storage) -> None:
    """Log a warning for each folder that uploads need and that cannot be written."""
    try:
        with TemporaryFile():
            pass
    except OSError as error:
        text = "Uploads of more than %d kB fail: no folder for temporary files is writable (%s). Set TMPDIR to one."
        logger.warning(text, IN_MEMORY // 1024, error)
    folder = storage.workspace.folder
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        logger.warning("Uploads fail: %s cannot be written", folder)


def _open_local(settings: Settings) -> Storage:
    folder = settings.project / settings.server.public_folder / "uploads"
    key = _private_key(settings) if _hides_files(settings) else None
    return LocalStorage(folder, providers=_providers(settings), private_key=key)


def _hides_files(settings: Settings) -> bool:
    """Return whether single files can be private."""
    is_wanted, secret = settings.plugins.upload.config.private_files, settings.api.images.secret
    if is_wanted and secret is None:
        logger.warning("`upload.config.privateFiles` has no effect: set `images.secret`, which signs the URLs of files")
    return is_wanted and secret is not None


def _private_key(settings: Settings) -> str | None:
    """Return what makes the place of private files secret; None without a secret."""
    secret = settings.api.images.secret
    return None if secret is None else private_key(secret)


def _open_s3(settings: Settings) -> Storage:
    config = settings.plugins.upload.config
    given, service = config.provider_options, config.provider_options.s3_options
    return S3Storage(
        S3Options(
            bucket=service.params.bucket,
            folder=_workspace(settings),
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
            providers=_providers(settings),
            put=_upload_options(config),
            delete=config.action_options.delete,
            private_key=_private_key(settings),
            hides_files=_hides_files(settings),
        )
    )


def _open_cloudinary(settings: Settings) -> Storage:
    from octavo.content.media.storage.cloudinary import CloudinaryOptions, CloudinaryStorage  # loads the HTTP client

    config = settings.plugins.upload.config
    given = config.provider_options
    return CloudinaryStorage(
        CloudinaryOptions(
            folder=_workspace(settings),
            cloud=given.cloud_name,
            key=given.api_key,
            secret=given.api_secret,
            service=given.upload_prefix,
            providers=_providers(settings),
            upload=_upload_options(config),
            delete=config.action_options.delete,
        )
    )


def _open_azure(settings: Settings) -> Storage:
    given = settings.plugins.upload.config.provider_options
    has_key = given.auth_type == "default"
    return AzureStorage(
        AzureOptions(
            folder=_workspace(settings),
            account=given.account,
            container=given.container_name,
            account_key=given.account_key if has_key else None,
            sas_token=given.sas_token if has_key else None,
            client_id=given.client_id,
            service_url=given.service_base_url,
            cdn_url=given.cdn_base_url,
            default_path=given.default_path,
            cache_control=given.default_cache_control,
            remove_container=given.remove_cn,
            providers=_providers(settings),
        )
    )


def _open_google(settings: Settings) -> Storage:
    given = settings.plugins.upload.config.provider_options
    return GoogleStorage(
        GoogleOptions(
            folder=_workspace(settings),
            bucket=given.bucket_name,
            service_account=given.service_account,
            base_url=given.base_url,
            base_path=given.base_path,
            public=given.public_files,
            uniform=given.uniform,
            gzip=given.gzip,
            cache_seconds=given.cache_max_age,
            signed_seconds=given.expires / 1000,
            providers=_providers(settings),
        )
    )


_OPENERS: Final[Mapping[str, Callable[[Settings], Storage]]] = {
    "local": _open_local,
    "aws-s3": _open_s3,
    "cloudinary": _open_cloudinary,
    "azure-storage": _open_azure,
    "google-cloud-storage": _open_google,
}
_WITH_ACTION_OPTIONS: Final = {"aws-s3", "cloudinary"}
_WITH_PRIVATE_FILES: Final = {"local", "aws-s3"}


def _upload_options(config: UploadConfig) -> dict[str, Any]:
    """Return the upload options. v4 uploads streams, so `uploadStream` takes precedence over `upload`."""
    return {**config.action_options.upload, **config.action_options.upload_stream}


def _providers(settings: Settings) -> Collection[str]:
    """Return the provider names accepted in rows of files: the configured one, used for new files, and its aliases."""
    config = settings.plugins.upload.config
    return dict.fromkeys((config.provider, *UPLOAD_PROVIDERS[config.storage or "local"]))
