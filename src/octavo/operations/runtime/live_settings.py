"""Apply the live settings of the database (`accounts.administrators.live_settings`) to this process."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Final

from octavo.accounts.administrators.live_settings import LiveSettings, read_live_settings
from octavo.core.outage_log import reason_of
from octavo.database.connection import Database
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.logs import set_log_levels

logger = logging.getLogger(__name__)

_POLL_SECONDS: Final = 1.0


class LiveSettingsFollower:
    """Follows the live settings. `infrastructure` returns the current one.

    `retiring` are the databases of previous versions that still respond to requests.
    """

    def __init__(self, infrastructure: Callable[[], Infrastructure], retiring: Iterable[Database] = ()) -> None:
        self._infrastructure = infrastructure
        self._retiring = retiring
        self._applied = LiveSettings()
        self._out_of_reach = False

    async def look(self) -> None:
        """Read and apply the values."""
        values, before = await read_live_settings(self._infrastructure().database), self._applied
        shared = self._infrastructure()  # a reload may have replaced it in the meantime
        for database in (shared.database, *self._retiring):
            database.read_only_message = values.maintenance
        if values.log_level is not None:
            logging.getLogger().setLevel(values.log_level.upper())  # also after a reload has set another one
        elif before.log_level is not None:
            set_log_levels(shared.settings)
        self._applied = values
        if values.log_level != before.log_level:
            logger.warning("The log level is now %s", values.log_level or shared.settings.server.log.level)
        if values.maintenance != before.maintenance:
            is_on = values.maintenance is not None
            logger.warning("Maintenance mode is on: writes receive 503" if is_on else "Maintenance mode is off")

    async def run(self) -> None:
        """Poll until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                await self.look()
                self._out_of_reach = False
            except Exception as error:  # retry after any error
                if not self._out_of_reach:
                    logger.warning("Cannot read the log level and maintenance mode: %s", reason_of(error))
                self._out_of_reach = True
