"""What happens in the service: audit, deliveries, work in the background, the system. Moments are ISO 8601."""

from typing import NotRequired, TypedDict

from octavo.api.admin.schemas.content import Pagination


class AuditEntry(TypedDict):
    """Something that an administrator did."""

    at: str | None
    administrator: int
    email: str | None
    door: str
    action: str
    uid: str | None
    entry: int | None
    request: str | None


class AuditPage(TypedDict):
    """A page of the audit."""

    results: list[AuditEntry]
    pagination: Pagination
    actions: list[str]


class AuditAnswer(TypedDict):
    """A page of the audit, and what can be looked for."""

    data: AuditPage


class ToldDelivery(TypedDict):
    """A message to a webhook, and what came of it last."""

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
    """The newest messages to a webhook; how many in a row were given up, and why it was switched off."""

    results: list[ToldDelivery]
    failures: int
    disabledBecause: str | None
    isSigned: bool


class DeliveriesAnswer(TypedDict):
    """The newest messages to a webhook."""

    data: Deliveries


class ClockTask(TypedDict):
    """A task by the clock."""

    name: str
    rule: str
    zone: str
    lastAt: str
    nextAt: str | None


class WaitingWork(TypedDict):
    """What waits to be done."""

    id: int
    kind: str
    what: str
    dueAt: str
    attempts: int
    error: str | None


class GivenUpWork(TypedDict):
    """What was given up."""

    id: int
    kind: str
    what: str
    diedAt: str
    attempts: int
    error: str


class Work(TypedDict):
    """What is done in the background."""

    tasks: list[ClockTask]
    waiting: list[WaitingWork]
    givenUp: list[GivenUpWork]


class WorkAnswer(TypedDict):
    """What is done in the background."""

    data: Work


class SystemDatabase(TypedDict):
    """The database: its bytes, and how long it takes to answer."""

    kind: str
    version: str
    size: int
    milliseconds: float


class SystemSlowRequest(TypedDict):
    """A request that took long."""

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
    """A plugin in use."""

    name: str
    displayName: str
    description: NotRequired[str]


class System(TypedDict):
    """How the service is. `slowRequests` and `log` are those of the process that answers, one of `workers`."""

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
    """How the service is."""

    data: System
