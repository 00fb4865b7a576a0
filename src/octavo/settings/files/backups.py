"""`database.toml`, the table `backups`: copies by the clock."""

from typing import Literal

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import DURATION, SIZE, TIME_ZONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """How many copies are kept."""

    last: int = setting(1, "Number of newest backups to retain.", bounds=AT_LEAST_ONE)
    daily: int = setting(7, "Number of days of which the newest backup is retained.", bounds=AT_LEAST_ZERO)
    weekly: int = setting(4, "Number of weeks of which the newest backup is retained.", bounds=AT_LEAST_ZERO)
    monthly: int = setting(0, "Number of months of which the newest backup is retained.", bounds=AT_LEAST_ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Where copies are sent: a bucket of S3, or of a service that speaks its protocol."""

    name: str = setting("", "Name of the bucket; without one, backups stay in the folder.")
    prefix: str = setting("", "Prefix of the keys of backups, such as `operations/backups/magazine`.")
    only: bool = setting(False, "Retain only the newest backup in the folder; the bucket has all of them.")
    region: str | None = setting(None, "Region of the bucket.")
    endpoint: str | None = setting(None, "URL of a service other than Amazon's.")
    force_path_style: bool = setting(False, "Use the bucket name in the path of URLs instead of the host.")
    access_key_id: str | None = setting(
        None, "Access key. Without one, the library uses the environment, profiles or the machine's role.", secret=True
    )
    secret_access_key: str | None = setting(None, "Secret access key.", secret=True)
    session_token: str | None = setting(None, "Token of a temporary key.", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backups:
    """Copies of the database by the clock."""

    schedule: str | None = setting(
        None,
        'Schedule of backups, as a cron expression such as `"0 3 * * *"`; without one, there are no automatic backups.',
    )
    time_zone: str = setting("UTC", "Time zone of the schedule, such as `Europe/Berlin`.", kind=TIME_ZONE)
    folder: str = setting("backups", "Folder of backups, relative to the project; preferably on another disk.")
    uploads: bool = setting(False, "Back up the folder of uploaded files as well.")
    verify: Literal["restored", "read"] = setting(
        "restored",
        "Verification of a backup: restore it to a scratch database and count rows, or read it completely and "
        "count rows.",
    )
    leave_free: int = setting(
        1024**3, "Minimum free space on the disk of the backups.", kind=SIZE, bounds=AT_LEAST_ZERO, default_doc="1 GB"
    )
    timeout: int = setting(
        6 * 3600, "Maximum duration of a backup.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="6h"
    )
    keep: Keep = table(Keep, "Retention of backups; a backup stays while any of these rules retains it.")
    bucket: Bucket = table(Bucket, "Bucket to which verified backups are uploaded.")
