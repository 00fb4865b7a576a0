"""Observers of requests, as they are set: the access log. Where nothing is to be seen there is none, at no cost."""

from octavo.http.access_log import AccessLog
from octavo.http.observing import Observer
from octavo.settings import Settings


def observers(settings: Settings) -> tuple[Observer, ...]:
    """Who looks at each request that is answered."""
    log = settings.server.log
    return (AccessLog(log.access_sample),) if log.access else ()
