"""Monitoring: audit log, deliveries, background work, system status. Times are ISO 8601."""

from typing import NotRequired, TypedDict

from octavo.api.admin.schemas.content import Pagination


class AuditEntry(TypedDict):
    """An action of an administrator."""

    at: str | None
    administrator: int
    email: str | None
    door: str
    action: str
    uid: str | None
    entry: int | None
    request: str | None
    client: str | None
    userAgent: str | None
    details: object


class AuditPage(TypedDict):
    """A page of the audit log."""

    results: list[AuditEntry]
    pagination: Pagination
    actions: list[str]


class AuditAnswer(TypedDict):
    """A page of the audit log, and the actions to filter by."""

    data: AuditPage


class LiveSettings(TypedDict):
    """The log level of all processes, and the message of maintenance mode. None: as in the settings, or off."""

    logLevel: str | None
    maintenance: str | None


class LiveSettingsAnswer(TypedDict):
    """The log level and maintenance mode."""

    data: LiveSettings


class ChangedLiveSettings(TypedDict):
    """New values; null resets one."""

    logLevel: NotRequired[str | None]
    maintenance: NotRequired[str | None]


class Maintenance(TypedDict):
    """The message of maintenance mode; null if it is off."""

    message: str | None


class MaintenanceAnswer(TypedDict):
    """Whether the service is read-only."""

    data: Maintenance


class DeliveryRecord(TypedDict):
    """A webhook message, and the result of its last delivery."""

    id: str
    event: str
    url: str
    body: str
    attempts: int
    delivered: bool
    status: int | None
    answer: str
    error: str | None
    milliseconds: int
    createdAt: str
    sentAt: str


class Deliveries(TypedDict):
    """The latest messages of a webhook, the number of consecutive failures, and why it was disabled."""

    results: list[DeliveryRecord]
    failures: int
    disabledBecause: str | None
    isSigned: bool


class DeliveriesAnswer(TypedDict):
    """The latest messages of a webhook."""

    data: Deliveries


class ClockTask(TypedDict):
    """A scheduled task."""

    name: str
    rule: str
    zone: str
    lastAt: str
    nextAt: str | None


class WaitingWork(TypedDict):
    """A queued job or message."""

    id: int
    kind: str
    what: str
    dueAt: str
    attempts: int
    error: str | None


class FailedWork(TypedDict):
    """A job or message that was given up."""

    id: int
    kind: str
    what: str
    diedAt: str
    attempts: int
    error: str


class Work(TypedDict):
    """Background work."""

    tasks: list[ClockTask]
    waiting: list[WaitingWork]
    givenUp: list[FailedWork]


class WorkAnswer(TypedDict):
    """Background work."""

    data: Work


class SystemDatabase(TypedDict):
    """The database: its size in bytes, and its response time."""

    kind: str
    version: str
    size: int
    milliseconds: float


class SystemSlowRequest(TypedDict):
    """A slow request."""

    at: str
    method: str
    path: str
    status: int
    milliseconds: int


class SystemLogLine(TypedDict):
    """A warning or an error in the log."""

    at: str
    level: str
    logger: str
    text: str
    place: str | None


class SystemPlugin(TypedDict):
    """An enabled plugin."""

    name: str
    displayName: str
    description: NotRequired[str]


class System(TypedDict):
    """The system status. `slowRequests` and `log` are those of the responding process, one of `workers`."""

    version: str
    reference: str
    environment: str
    python: str
    startedAt: str
    process: int
    workers: int
    memory: int
    database: SystemDatabase
    storage: str
    waiting: int
    givenUp: int
    plugins: list[SystemPlugin]
    slowRequests: list[SystemSlowRequest]
    log: list[SystemLogLine]


class SystemAnswer(TypedDict):
    """The system status."""

    data: System
