"""Keys of earlier releases. They are refused with the key that replaces them, or with what applies instead."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from octavo.settings.keys import canonical


class FormerKey(NamedTuple):
    """The key that replaces a former one, if there is one, and what to know about it. `merged`: the new key has further
    effects."""

    new: str | None = None
    advice: str = ""
    merged: bool = False

    @property
    def message(self) -> str:
        """The problem, for a file or variable that sets the key."""
        verb = "merged into" if self.merged else "renamed to"
        text = "was removed" if self.new is None else f"was {verb} {self.new}"
        return f"{text}{',' if self.merged else ';'} {self.advice}" if self.advice else text


def _always(value: str) -> FormerKey:
    return FormerKey(advice=f"the value is always {value}: delete the key")


_CLIENT: Final = "the share of one client follows from requests.concurrency: delete the key"
_MEMORY: Final = FormerKey(
    "middlewares.requests.bufferMemory", "which limits arriving bodies and waiting responses separately", merged=True
)
_COST: Final = FormerKey(
    "api.reads.maxCost", "which also limits joins and the size of statements, in proportion", merged=True
)

FORMER_KEYS: Final[Mapping[str, FormerKey]] = {
    "server.caches": FormerKey("server.cacheSize"),
    "server.http.timeout": FormerKey(advice="pass seconds to the request; without it, the limit is 10 seconds"),
    "server.http.largestAnswer": FormerKey("server.http.maxResponseSize"),
    "server.metrics.slow": FormerKey("server.metrics.slowThreshold"),
    "server.traces.perSecond": FormerKey(advice="set traces.sample; a worker traces at most 100 requests per second"),
    "server.webhooks.poll": _always("2 seconds"),
    "server.webhooks.keepSize": _always("64 MB"),
    "api.largestAnswer": FormerKey("api.maxResponseSize"),
    "api.reads.joins": _COST,
    "api.reads.statement": _COST,
    "api.events.keepBytes": _always("16 MB"),
    "api.events.heartbeat": _always("15 seconds"),
    "api.events.queue": _always("64 kB"),
    "api.caching.tags": FormerKey("api.caching.etags"),
    "api.caching.answers": FormerKey("api.caching.responses"),
    "api.caching.surrogateKeys.largest": FormerKey("api.caching.surrogateKeys.maxSize"),
    "api.caching.purge.gather": FormerKey("api.caching.purge.delay"),
    "api.caching.purge.again": FormerKey("api.caching.purge.repeat"),
    "api.caching.purge.timeout": _always("5 seconds"),
    "database.pool.patience": FormerKey("database.pool.acquireTimeout"),
    "database.replicaLagBytes": FormerKey(advice="database.replicaLag limits the lag: delete the key"),
    "database.backups.timeZone": FormerKey("server.jobs.timeZone", "it applies to all schedules"),
    "database.backups.timeout": _always("6 hours"),
    "database.backups.leaveFree": FormerKey("database.backups.minFreeSpace"),
    "middlewares.body.parts": _always("1,000"),
    "middlewares.requests.headerCount": _always("100"),
    "middlewares.requests.queue": FormerKey("middlewares.requests.concurrency"),
    "middlewares.requests.queueShare": FormerKey("middlewares.requests.concurrencyPerClient"),
    "middlewares.requests.receiving": FormerKey(
        advice="requests.concurrency also limits requests whose bodies are still arriving"
    ),
    "middlewares.requests.receivingShare": FormerKey(advice=_CLIENT),
    "middlewares.requests.received": _MEMORY,
    "middlewares.requests.unsent": _MEMORY,
    "middlewares.requests.unsentShare": FormerKey(advice="a client gets a quarter of requests.bufferMemory"),
    "middlewares.requests.bodyRate": _always("1 kB per second"),
    "middlewares.requests.uploadRate": _always("4 kB per second"),
    "plugins.graphql.config.limits.tokens": _always("15,000"),
    "plugins.graphql.config.limits.fields": _always("5,000"),
    "plugins.graphql.config.limits.rootFields": _always("200"),
}
"""By the file's name and the key, with dots."""

_BY_NAME: Final = {tuple(canonical(name) for name in place.split(".")): former for place, former in FORMER_KEYS.items()}


def former_key(*path: str) -> FormerKey | None:
    """Return the former key at a path, in any spelling. The first name is the file's."""
    return _BY_NAME.get(tuple(map(canonical, path)))
