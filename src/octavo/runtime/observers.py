"""Observers of requests: what remembers slow ones and, where that is set, the access log."""

from octavo.http.access_log import AccessLog
from octavo.http.observing import Observer
from octavo.http.slow_requests import SlowRequests
from octavo.settings import Settings


def observers(settings: Settings, slow: SlowRequests) -> tuple[Observer, ...]:
    """Who looks at each request that is answered."""
    log = settings.server.log
    return (slow.look, AccessLog(log.access_sample)) if log.access else (slow.look,)
