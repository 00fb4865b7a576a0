"""`plugins.toml`, `[upload]`: files and their storage. The options have the names of v4's providers."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from octavo.core.values import dataclass
from octavo.settings import values
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import DURATION, FLAG, SIZE, WHOLE_NUMBER, lenient

UPLOAD_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "local": ("local", "@strapi/provider-upload-local", "strapi-provider-upload-local"),
    "aws-s3": (
        "aws-s3",
        "@strapi/provider-upload-aws-s3",
        "strapi-provider-upload-aws-s3",
        "strapi-provider-cloudflare-r2",
    ),
    "cloudinary": ("cloudinary", "@strapi/provider-upload-cloudinary", "strapi-provider-upload-cloudinary"),
    "azure-storage": ("azure-storage", "strapi-provider-upload-azure-storage"),
    "google-cloud-storage": (
        "google-cloud-storage",
        "@strapi-community/strapi-provider-upload-google-cloud-storage",
        "strapi-provider-upload-google-cloud-storage",
    ),
}
"""The supported storages, by the provider names in v4's configurations and in the rows of files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Credentials:
    """Credentials for S3. Without them, the library uses its usual sources: environment, profiles, the machine's
    role."""

    access_key_id: str | None = setting(None, "Access key.", variable="AWS_ACCESS_KEY_ID", secret=True)
    secret_access_key: str | None = setting(None, "Secret access key.", variable="AWS_ACCESS_SECRET", secret=True)
    session_token: str | None = setting(None, "Token of a temporary key.", variable="AWS_SESSION_TOKEN", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Params:
    """The bucket."""

    bucket: str = setting("", "Name of the bucket.", name="Bucket", variable="AWS_BUCKET")
    acl: str | None = setting(
        None,
        "Access to files: `private` returns signed URLs; if empty, the bucket decides.",
        name="ACL",
        variable="AWS_ACL",
    )
    signed_url_expires: int = setting(
        900,
        "How long a signed URL is valid.",
        kind=DURATION,
        bounds=(10, 7 * 86400),
        default_doc="15m",
        variable="AWS_SIGNED_URL_EXPIRES",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Service:
    """S3, or a compatible service."""

    credentials: S3Credentials = table(S3Credentials, "Credentials.")
    region: str | None = setting(None, "Region of the bucket.", variable="AWS_REGION")
    endpoint: str | None = setting(None, "URL of a service other than Amazon's.")
    force_path_style: bool = setting(
        False, "Use the bucket name in the path of URLs instead of the host.", kind=lenient(FLAG)
    )
    params: S3Params = table(S3Params, "The bucket.")


_S3_KEYS: Final = {
    "accessKeyId": "credentials.accessKeyId",
    "secretAccessKey": "credentials.secretAccessKey",
    "sessionToken": "credentials.sessionToken",
    "s3ForcePathStyle": "forcePathStyle",
}
_FLAT_KEYS: Final = {
    **{name: f"s3Options.{name}" for name in ("credentials", "region", "endpoint", "forcePathStyle", "params")},
    **{name: f"s3Options.{place}" for name, place in _S3_KEYS.items()},
    "cloudflarePublicAccessUrl": "baseUrl",
}
"""The format of older v4 configurations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadProviderOptions:
    """Options of the storage. Each storage has its own keys."""

    base_url: str = setting(
        "",
        "`aws-s3`, `google-cloud-storage`: public URL of the files, for example of a CDN; by default the bucket's.",
        variable="CDN_URL",
    )
    root_path: str = setting("", "`aws-s3`: folder of the bucket for all files.", variable="CDN_ROOT_PATH")
    s3_options: S3Service = table(S3Service, "The service.", name="s3Options", older=_S3_KEYS)
    cloud_name: str = setting("", "`cloudinary`: the cloud.", name="cloud_name", variable="CLOUDINARY_NAME")
    api_key: str = setting("", "`cloudinary`: the key.", name="api_key", variable="CLOUDINARY_KEY", secret=True)
    api_secret: str = setting(
        "", "`cloudinary`: its secret.", name="api_secret", variable="CLOUDINARY_SECRET", secret=True
    )
    upload_prefix: str = setting(
        "https://api.cloudinary.com", "`cloudinary`: URL of the service.", name="upload_prefix"
    )
    account: str = setting("", "`azure-storage`: the account.", variable="STORAGE_ACCOUNT")
    account_key: str | None = setting(
        None, "`azure-storage`: key of the account.", variable="STORAGE_ACCOUNT_KEY", secret=True
    )
    sas_token: str | None = setting(
        None,
        "`azure-storage`: shared access signature, instead of the key.",
        variable="STORAGE_ACCOUNT_SAS_TOKEN",
        secret=True,
    )
    auth_type: Literal["default", "msi"] = setting(
        "default",
        "`azure-storage`: key or signature, or `msi` for the machine's identity.",
        variable="STORAGE_AUTH_TYPE",
    )
    client_id: str | None = setting(None, "`azure-storage`: the machine's identity to use.")
    container_name: str = setting("", "`azure-storage`: the container.", variable="STORAGE_CONTAINER_NAME")
    default_path: str = setting("", "`azure-storage`: folder for all files.")
    service_base_url: str | None = setting(
        None,
        "`azure-storage`: URL of the service, if it is not the account's at Azure.",
        name="serviceBaseURL",
        variable="STORAGE_URL",
    )
    cdn_base_url: str | None = setting(
        None,
        "`azure-storage`: public URL instead of the service's.",
        name="cdnBaseURL",
        variable="STORAGE_CDN_URL",
    )
    default_cache_control: str | None = setting(
        None, "`azure-storage`: `Cache-Control` of the files.", variable="STORAGE_CACHE_CONTROL"
    )
    remove_cn: bool = setting(
        False, "`azure-storage`: omit the container from URLs.", name="removeCN", kind=lenient(FLAG)
    )
    bucket_name: str = setting("", "`google-cloud-storage`: the bucket.", variable="GCS_BUCKET_NAME")
    service_account: str | None = setting(
        None,
        "`google-cloud-storage`: JSON of a service account; by default the machine's.",
        kind=values.optional(values.JSON_OBJECT),
        variable="GCS_SERVICE_ACCOUNT",
        secret=True,
    )
    base_path: str = setting(
        "", "`google-cloud-storage`: folder of the bucket for all files.", variable="GCS_BASE_PATH"
    )
    public_files: bool = setting(
        True,
        "`google-cloud-storage`: files are public; otherwise responses have signed URLs.",
        kind=lenient(FLAG),
        variable="GCS_PUBLIC_FILES",
    )
    uniform: bool = setting(
        False,
        "`google-cloud-storage`: access is set for the bucket, not for each file.",
        kind=lenient(FLAG),
        variable="GCS_UNIFORM",
    )
    gzip: Literal["auto", "true", "false"] = setting(
        "auto", "`google-cloud-storage`: store files compressed; `auto` for text files."
    )
    cache_max_age: int = setting(
        3600,
        "`google-cloud-storage`: seconds that browsers can cache a file.",
        kind=lenient(WHOLE_NUMBER),
        bounds=AT_LEAST_ZERO,
    )
    expires: int = setting(
        900_000,
        "`google-cloud-storage`: milliseconds that a signed URL is valid.",
        kind=lenient(WHOLE_NUMBER),
        bounds=(10_000, 7 * 86_400_000),
    )
    skip_check_bucket: bool = setting(
        False, "Accepted for v4 without effect: Octavo does not check the bucket before each upload."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadActionOptions:
    """Additional options of `aws-s3` and `cloudinary`, under the names of the service's API."""

    upload: Mapping[str, Any] = setting({}, "Options of each upload.")
    upload_stream: Mapping[str, Any] = setting({}, "Options of each upload, as v4 names them; these take precedence.")
    delete: Mapping[str, Any] = setting({}, "Options of each deletion.")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadConfig:
    """Files."""

    provider: str = setting(
        "local",
        "Storage of files: `local` (in `public/uploads`), `aws-s3`, `cloudinary`, `azure-storage`, "
        "`google-cloud-storage`, or the name of v4's package.",
    )
    provider_options: UploadProviderOptions = table(UploadProviderOptions, "Options of the storage.", older=_FLAT_KEYS)
    action_options: UploadActionOptions = table(UploadActionOptions, "Additional options of each call.")
    size_limit: int = setting(
        200 * 1024**2, "Maximum size of a file.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="200 MB"
    )
    breakpoints: Mapping[str, int] = setting(
        {"large": 1000, "medium": 750, "small": 500}, "Image formats: name and maximum width or height."
    )
    keep_metadata: bool = setting(
        False, "Keep metadata of cameras and programs in images and videos, such as the location."
    )
    private_files: bool = setting(
        False,
        "Let administrators make single files private: their URLs need a signature, which expires. Only for the "
        "storages `local` and `aws-s3`; requires `images.secret`.",
    )
    private_urls: Literal["everyone", "permitted"] = setting(
        "everyone",
        "Callers who get signed URLs of private files: everyone who can read an entry with the file, or only roles and "
        "API tokens with the permission `plugin::upload.content-api.readPrivate`.",
    )

    @property
    def storage(self) -> str | None:
        """Return the storage for the provider's name, or None if it is unknown."""
        return next((storage for storage, names in UPLOAD_PROVIDERS.items() if self.provider in names), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The upload plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: UploadConfig = table(UploadConfig, older={"providerOptions.sizeLimit": "sizeLimit"})
