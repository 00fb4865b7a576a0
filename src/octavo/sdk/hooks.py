"""Call a project's code at start and end: `register` before the GraphQL schema is built, `bootstrap` before serving,
`destroy` after the last request."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from octavo.api.graphql.customization.extension import Extending
from octavo.core.threads import carry_context
from octavo.events.origin import SERVICE, on_behalf_of
from octavo.project import CodeProblem, Function, InvalidCode
from octavo.project.failures import describe, failure_place

logger = logging.getLogger(__name__)

_LONGEST_END: Final = 10.0
"""Timeout in seconds."""


async def run_register(extending: Extending, make_schema: Callable[[], Awaitable[object]]) -> None:
    """Call `register(app)`; then build the schema if the code has extended it. Raises InvalidCode."""
    if extending.code.packages:
        carry_context()
    await _run(extending.code.register, extending)
    if not extending.extension.is_empty:
        await make_schema()


async def run_bootstrap(extending: Extending) -> None:
    """Call `bootstrap(app)`, when the database is ready. Raises InvalidCode."""
    await _run(extending.code.bootstrap, extending)


async def run_destroy(extending: Extending) -> None:
    """Call `destroy(app)` after the last request. Errors are logged and do not prevent the end."""
    for function in extending.code.destroy:
        try:
            async with asyncio.timeout(_LONGEST_END):
                with on_behalf_of(SERVICE):
                    await function(extending.app)
        except Exception as error:  # any error of the project's code
            place = failure_place(error, extending.code.folder, function.place)
            logger.error("%s: %s", place, describe(error))


async def _run(functions: Sequence[Function], extending: Extending) -> None:
    for function in functions:
        try:
            with on_behalf_of(SERVICE):
                await function(extending.app)
        except InvalidCode:
            raise
        except Exception as error:  # any error of the project's code prevents the start
            place = failure_place(error, extending.code.folder, function.place)
            raise InvalidCode([CodeProblem(place, describe(error))]) from error
