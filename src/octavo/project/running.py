"""Runs a project's code within its time, and tells of its failures: where in the code, and for which request."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from octavo.errors import LoggedError, OctavoError
from octavo.outage_log import out_of_room
from octavo.project.failures import describe, failure_place

logger = logging.getLogger("octavo.code")


class Named(Protocol):
    """What has a name for the log."""

    @property
    def id(self) -> str:
        """The name."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the code of the project in `folder`, each request for at most so many `seconds`."""

    folder: Path
    seconds: float

    @asynccontextmanager
    async def watch(self, otherwise: str, request: Named) -> AsyncIterator[None]:
        """What goes on inside ends in time. What it raises, but for errors that callers may see, is logged and becomes
        LoggedError; `otherwise` is the place of what never came into the project's code."""
        try:
            async with asyncio.timeout(self.seconds) as limit:
                yield
        except OctavoError:
            raise
        except TimeoutError as error:
            if not limit.expired():
                raise self._logged(error, otherwise, request) from error
            place = failure_place(_innermost(error), self.folder, otherwise)
            logger.error("Request %s: %s: stopped after %g s", request.id, place, self.seconds)
            raise LoggedError from error
        except Exception as error:
            outage = out_of_room(error)
            raise outage or self._logged(error, otherwise, request) from error

    def _logged(self, error: Exception, otherwise: str, request: Named) -> LoggedError:
        place = failure_place(error, self.folder, otherwise)
        logger.error("Request %s: %s: %s", request.id, place, describe(error), exc_info=error)
        return LoggedError()


def _innermost(error: BaseException) -> BaseException:
    """What a time limit was made of: the place where the code waited is in the cancellation behind it."""
    behind = error.__cause__ or error.__context__
    return error if behind is None else _innermost(behind)
