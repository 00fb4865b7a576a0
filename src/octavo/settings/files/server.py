"""`server.toml`: where and how the service listens."""

from collections.abc import Mapping
from typing import Any

from octavo.core.values import dataclass
from octavo.settings.files.jobs import Jobs
from octavo.settings.files.log import Log
from octavo.settings.files.metrics import Metrics
from octavo.settings.files.outgoing import OutgoingHttp
from octavo.settings.files.traces import Traces
from octavo.settings.files.webhooks import Webhooks
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import DURATION, HOSTS, NETWORKS, SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where and how the service listens."""

    host: str = setting("127.0.0.1", "Address to listen on.", variable="HOST")
    port: int = setting(1337, "Port to listen on.", variable="PORT", bounds=(0, 65535))
    workers: int = setting(1, "Worker processes of `octavo start`.", bounds=AT_LEAST_ONE)
    url: str = setting("", "Public URL of the service, used in links.", variable="PUBLIC_URL")
    caches: int = setting(
        64 * 1024**2,
        "Memory for the caches of each worker (statements, GraphQL documents, responses). The signal `USR1` logs "
        "the contents and hit rates of all caches.",
        kind=SIZE,
        bounds=(1024**2, None),
        default_doc="64 MB",
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), "Addresses or networks of proxies whose forwarded headers Octavo trusts.", kind=NETWORKS
    )
    allowed_hosts: tuple[str, ...] = setting(
        (),
        "Allowed `Host` headers, besides the host of `url` and loopback: names, addresses, `*.example.com` for a "
        "domain and its subdomains, `*` for any. Other hosts receive 400, except for `/_health` and `/_ready`.",
        kind=HOSTS,
        default_doc="under `safe` the host of `url`, or without it addresses and names without a dot; under `v4` any",
    )
    public_folder: str = setting("public", "Folder of public files, with `uploads` in it.")
    background: bool = setting(
        True,
        "Run background work in each worker: webhooks, hooks after commits, jobs. If it is off, other processes on "
        "the database must do this work.",
    )
    code_timeout: int = setting(
        20,
        "Maximum time of the project's policies, middlewares and controllers for one request, without core actions.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="20s",
    )
    hook_timeout: int = setting(
        5,
        "Maximum time of a lifecycle hook; its transaction waits for it.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="5s",
    )
    follow_definitions: bool = setting(
        False,
        "Reload all processes on the database within a second after one of them has changed definitions. They must "
        "share the project's files.",
    )
    http: OutgoingHttp = table(OutgoingHttp)
    custom: Mapping[str, Any] = setting({}, "Custom settings for project code (`app.custom`): any table.")
    shutdown: int = setting(
        30, "Time for running requests at a stop.", kind=DURATION, bounds=AT_LEAST_ZERO, default_doc="30s"
    )
    drain: int = setting(
        0,
        "How long a stopping service still accepts requests while `/_ready` returns 503, so that balancers notice.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="0s",
    )
    webhooks: Webhooks = table(Webhooks)
    jobs: Jobs = table(Jobs)
    log: Log = table(Log)
    metrics: Metrics = table(Metrics)
    traces: Traces = table(Traces)
