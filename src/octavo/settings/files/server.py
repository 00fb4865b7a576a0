"""`server.toml`: where and how the service listens."""

from collections.abc import Mapping
from typing import Any

from octavo.settings.files.jobs import Jobs
from octavo.settings.files.log import Log
from octavo.settings.files.metrics import Metrics
from octavo.settings.files.outgoing import OutgoingHttp
from octavo.settings.files.traces import Traces
from octavo.settings.files.webhooks import Webhooks
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import DURATION, HOSTS, NETWORKS, SIZE
from octavo.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where and how the service listens."""

    host: str = setting("127.0.0.1", "Address to listen on.", variable="HOST")
    port: int = setting(1337, "Port to listen on.", variable="PORT", bounds=(0, 65535))
    workers: int = setting(1, "Worker processes of `octavo start`.", bounds=AT_LEAST_ONE)
    url: str = setting("", "Public address of the service, for links it makes.", variable="PUBLIC_URL")
    caches: int = setting(
        64 * 1024**2,
        "What each worker keeps of requests that it has seen (statements, GraphQL documents), in bytes of memory; what "
        "was used last stays. On the signal `USR1` a process tells in its log what each cache holds and how often it "
        "was of use.",
        kind=SIZE,
        bounds=(1024**2, None),
        default_doc="64 MB",
    )
    trusted_proxies: tuple[str, ...] = setting(
        (), "Addresses or networks whose forwarded headers are believed.", kind=NETWORKS
    )
    allowed_hosts: tuple[str, ...] = setting(
        (),
        "Hosts that requests may name, beside that of `url` and loopback: names, addresses, `*.example.com` for a "
        "domain and all below it, `*` for any. Others are answered 400, but for `/_health` and `/_ready`.",
        kind=HOSTS,
        default_doc="under `safe` the host of `url`, or without it addresses and names without a dot; under `v4` any",
    )
    public_folder: str = setting("public", "Folder whose files are served, with `uploads` in it.")
    background: bool = setting(
        True,
        "Work in the background too, in each worker: deliver webhooks and what else follows changes, run jobs. Where "
        "it is off, other processes on the database have to do it.",
    )
    code_timeout: int = setting(
        20,
        "Longest time that the project's policies, middlewares and controllers may take together for a request; what "
        "core actions do for them does not count.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="20s",
    )
    hook_timeout: int = setting(
        5,
        "Time that a lifecycle hook of the project's code may take: its transaction waits for it.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="5s",
    )
    follow_definitions: bool = setting(
        False,
        "Let all processes on the database read the project again, within a second, when one of them has changed its "
        "definitions. They must share its files.",
    )
    http: OutgoingHttp = table(OutgoingHttp)
    custom: Mapping[str, Any] = setting({}, "Settings of the project's own, for its code (`app.custom`): any table.")
    shutdown: int = setting(
        30, "Time given to requests under way at a stop.", kind=DURATION, bounds=AT_LEAST_ZERO, default_doc="30s"
    )
    drain: int = setting(
        0,
        "How long a service that is told to end still takes requests while `/_ready` says that it will not: the time "
        "that whoever sends them needs to notice.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="0s",
    )
    webhooks: Webhooks = table(Webhooks)
    jobs: Jobs = table(Jobs)
    log: Log = table(Log)
    metrics: Metrics = table(Metrics)
    traces: Traces = table(Traces)
