"""`server.toml`, the table `webhooks`: how messages to webhooks are sent and kept."""

from collections.abc import Mapping

from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting
from octavo.settings.values import DURATION, SIZE
from octavo.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """How messages to webhooks are sent and kept."""

    default_headers: Mapping[str, str] = setting({}, "Headers of each message, beside those of its webhook.")
    populate_relations: bool = setting(
        False,
        "Show the related entries of changes made in the admin pages, instead of their number. For "
        '`compat.webhookBodies = "request"`.',
    )
    private_hosts: tuple[str, ...] = setting(
        (),
        "Hosts (`name` or `name:port`) that may be told although they are no public machines. All others of private "
        "networks, and this machine, are refused.",
    )
    timeout: int = setting(15, "Time for an answer.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="15s")
    attempts: int = setting(
        8,
        "How often a message is sent at most, until an answer is a success: after 5 to 10 seconds, then each time four "
        "times as long, at most 6 hours.",
        bounds=(1, 30),
    )
    disable_after: int = setting(
        10, "Switch a webhook off after so many messages in a row that were given up; 0 is never.", bounds=AT_LEAST_ZERO
    )
    poll: int = setting(
        2,
        "How often a process looks for webhooks that others have changed, such as `octavo webhooks`; 0 is only when it "
        "starts.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="2s",
    )
    keep: int = setting(
        14 * 86_400, "How long the log of deliveries is kept.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="14d"
    )
    keep_size: int = setting(
        64 * 1024**2, "How many bytes of messages the log keeps.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="64 MB"
    )
