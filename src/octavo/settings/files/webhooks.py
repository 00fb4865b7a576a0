"""`server.toml`, the table `webhooks`: how messages to webhooks are sent and kept."""

from collections.abc import Mapping

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting
from octavo.settings.values import DURATION, SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """How messages to webhooks are sent and kept."""

    default_headers: Mapping[str, str] = setting({}, "Headers of each message, in addition to those of its webhook.")
    populate_relations: bool = setting(
        False,
        "Include related entries of changes in the admin pages instead of their number. For `compat.webhookBodies "
        '= "request"`.',
    )
    private_hosts: tuple[str, ...] = setting(
        (),
        "Private hosts (`name` or `name:port`) that can receive webhooks. All other private networks, and this "
        "machine, are refused.",
    )
    timeout: int = setting(15, "Timeout of a delivery.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="15s")
    attempts: int = setting(
        8,
        "Maximum attempts to deliver a message: the first retry follows after 5 to 10 seconds, each further one "
        "after four times as long, at most 6 hours.",
        bounds=(1, 30),
    )
    disable_after: int = setting(
        10, "Disable a webhook after this many failed messages in a row; 0 for never.", bounds=AT_LEAST_ZERO
    )
    poll: int = setting(
        2,
        "How often a process looks for webhooks that other processes have changed; 0 for only at a start.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="2s",
    )
    keep: int = setting(
        14 * 86_400, "How long the delivery log is stored.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="14d"
    )
    keep_size: int = setting(
        64 * 1024**2,
        "Maximum bytes of messages in the delivery log.",
        kind=SIZE,
        bounds=AT_LEAST_ONE,
        default_doc="64 MB",
    )
