"""When a project's code is called: `register` before the GraphQL schema is made, `bootstrap` before serving."""

from collections.abc import Awaitable, Callable, Sequence

from octavo.graphql.customization.extension import Extending
from octavo.project import CodeProblem, Function, InvalidCode
from octavo.project.failures import describe, failure_place


async def run_register(extending: Extending, make_schema: Callable[[], Awaitable[object]]) -> None:
    """Call `register(app)`; then make the schema, where something was said of it. Raises InvalidCode."""
    await _run(extending.code.register, extending)
    if not extending.extension.is_empty:
        await make_schema()


async def run_bootstrap(extending: Extending) -> None:
    """Call `bootstrap(app)`: the database is ready. Raises InvalidCode."""
    await _run(extending.code.bootstrap, extending)


async def _run(functions: Sequence[Function], extending: Extending) -> None:
    for function in functions:
        try:
            await function(extending.app)
        except InvalidCode:
            raise
        except Exception as error:  # whatever the project's code raises stops the start, with its place
            place = failure_place(error, extending.code.folder, function.place)
            raise InvalidCode([CodeProblem(place, describe(error))]) from error
