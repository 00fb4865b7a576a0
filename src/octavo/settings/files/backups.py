"""`database.toml`, the table `backups`: copies by the clock."""

from typing import Literal

from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import DURATION, SIZE, TIME_ZONE
from octavo.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """How many copies are kept."""

    last: int = setting(1, "The newest ones.", bounds=AT_LEAST_ONE)
    daily: int = setting(7, "The newest one of each of so many days.", bounds=AT_LEAST_ZERO)
    weekly: int = setting(4, "The newest one of each of so many weeks.", bounds=AT_LEAST_ZERO)
    monthly: int = setting(0, "The newest one of each of so many months.", bounds=AT_LEAST_ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Where copies are sent: a bucket of S3, or of a service that speaks its protocol."""

    name: str = setting("", "Name of the bucket; without one, copies stay in the folder alone.")
    prefix: str = setting("", "What the keys of copies begin with, such as `copies/magazine`.")
    only: bool = setting(False, "Have the newest copy alone in the folder; all that are kept are in the bucket.")
    region: str | None = setting(None, "Region of the bucket.")
    endpoint: str | None = setting(None, "Address of a service other than Amazon's.")
    force_path_style: bool = setting(False, "Name the bucket in the path of addresses and not in the host.")
    access_key_id: str | None = setting(
        None, "Access key. Without one the library looks in its own places: environment, profiles, role.", secret=True
    )
    secret_access_key: str | None = setting(None, "Its secret.", secret=True)
    session_token: str | None = setting(None, "Token of a temporary key.", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backups:
    """Copies of the database by the clock."""

    schedule: str | None = setting(
        None, 'When a copy is made, as a cron expression such as `"0 3 * * *"`; without one, none is by itself.'
    )
    time_zone: str = setting("UTC", "Time zone of the schedule, as in `Europe/Berlin`.", kind=TIME_ZONE)
    folder: str = setting("backups", "Where copies lie; relative to the project, better on another disk.")
    uploads: bool = setting(False, "Copy the folder of uploaded files as well.")
    verify: Literal["restored", "read"] = setting(
        "restored",
        "How a copy is verified: put into a scratch database and counted there, or read to its end and counted.",
    )
    leave_free: int = setting(
        1024**3, "What has to stay free on the disk of the copies.", kind=SIZE, bounds=AT_LEAST_ZERO, default_doc="1 GB"
    )
    timeout: int = setting(
        6 * 3600, "How long making one may take.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="6h"
    )
    keep: Keep = table(Keep, "How many copies are kept; what any of these keeps stays.")
    bucket: Bucket = table(Bucket, "Where copies are sent once they are verified.")
