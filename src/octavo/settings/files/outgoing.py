"""`server.toml`, the table `http`: what the project's code asks of other machines (`app.http`)."""

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, setting
from octavo.settings.values import DURATION, SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingHttp:
    """How the project's code asks other machines, with `app.http`."""

    private_hosts: tuple[str, ...] = setting(
        (),
        "Private hosts (`name` or `name:port`) that project code can call, also over plain HTTP. All other private "
        "networks, and this machine, are refused.",
    )
    timeout: int = setting(
        10,
        "Timeout of a request that sets none.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="10s",
    )
    largest_answer: int = setting(
        10 * 1024**2, "Maximum size of a response.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="10 MB"
    )
