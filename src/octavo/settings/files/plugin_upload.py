"""`plugins.toml`, `[upload]`: files and where they are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from octavo.settings.keys import AT_LEAST_ONE, setting, table
from octavo.settings.values import DURATION, SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Credentials:
    """Who asks S3. Without them the library looks in its own places: environment, profiles, the machine's role."""

    access_key_id: str | None = setting(None, "Access key.", variable="AWS_ACCESS_KEY_ID", secret=True)
    secret_access_key: str | None = setting(None, "Its secret.", variable="AWS_ACCESS_SECRET", secret=True)
    session_token: str | None = setting(None, "Token of a temporary key.", variable="AWS_SESSION_TOKEN", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Params:
    """The bucket."""

    bucket: str = setting("", "Name of the bucket.", name="Bucket", variable="AWS_BUCKET")
    acl: str | None = setting(
        None,
        "Who may fetch the files: `private` makes answers hold signed addresses; none leaves it to the bucket.",
        name="ACL",
        variable="AWS_ACL",
    )
    signed_url_expires: int = setting(
        900,
        "How long a signed address is valid.",
        kind=DURATION,
        bounds=(10, 7 * 86400),
        default_doc="15m",
        variable="AWS_SIGNED_URL_EXPIRES",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Service:
    """S3, or a service that speaks its protocol."""

    credentials: S3Credentials = table(S3Credentials, "Who asks.")
    region: str | None = setting(None, "Region of the bucket.", variable="AWS_REGION")
    endpoint: str | None = setting(None, "Address of a service other than Amazon's.")
    force_path_style: bool = setting(False, "Name the bucket in the path of addresses and not in the host.")
    params: S3Params = table(S3Params, "The bucket.")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadProviderOptions:
    """The storage `aws-s3`."""

    base_url: str = setting(
        "", "Public address in front of the files, of a CDN say, in place of the bucket's.", variable="CDN_URL"
    )
    root_path: str = setting("", "Folder of the bucket that holds all files.", variable="CDN_ROOT_PATH")
    s3_options: S3Service = table(S3Service, "The service.", name="s3Options")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadConfig:
    """Files."""

    provider: Literal["local", "aws-s3"] = setting(
        "local",
        "Where files are kept: in `public/uploads`, or in a bucket of S3.",
        aliases={"@strapi/provider-upload-local": "local", "@strapi/provider-upload-aws-s3": "aws-s3"},
    )
    provider_options: UploadProviderOptions = table(UploadProviderOptions, "The storage `aws-s3`.")
    size_limit: int = setting(200 * 1024**2, "Largest file.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="200 MB")
    breakpoints: Mapping[str, int] = setting(
        {"large": 1000, "medium": 750, "small": 500}, "Formats made of an image: name and greatest width or height."
    )
    keep_metadata: bool = setting(
        False, "Keep what cameras and programs note in images, such as the place where they were taken."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The upload plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: UploadConfig = table(UploadConfig)
