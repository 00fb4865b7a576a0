"""Middlewares around every request: the project's own and, with replicas, read-your-writes consistency."""

from octavo.api.graphql.customization.extension import Extending
from octavo.api.http.dispatcher import Around
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.read_your_writes import ReadYourWrites
from octavo.operations.runtime.v4_code import V4Code
from octavo.project import CodeProblem, InvalidCode
from octavo.project.code import REQUEST_MIDDLEWARE
from octavo.project.named_handlers import UsedReader
from octavo.sdk.request_pipeline import GlobalMiddlewares


def around_requests(shared: Infrastructure, extending: Extending, v4: V4Code | None) -> Around | None:
    """Return all outer middlewares as one, or None if there are none. Raises InvalidCode."""
    own, settings = _middlewares(shared, extending, v4), shared.settings
    if not shared.database.servers():
        return own
    remembers = settings.database.replica_readers == "process"
    graphql = settings.plugins.graphql.config.endpoint
    path = settings.server.base_path or "/"
    return ReadYourWrites(own, graphql, shared.database.position, remembers=remembers, path=path)


def _middlewares(shared: Infrastructure, extending: Extending, v4: V4Code | None) -> Around | None:
    """Return the project's middlewares around every request, or None. Raises InvalidCode."""
    code, problems = extending.code, list[CodeProblem]()
    reader = UsedReader(code.folder, problems)
    place = "config/middlewares.toml: use"
    named = shared.settings.middlewares.use or (v4.around if v4 else ())
    used = reader.read(named, code.request_middlewares, REQUEST_MIDDLEWARE, place)
    if problems:
        raise InvalidCode(problems)
    return GlobalMiddlewares(extending.app, extending.runner, used) if used else None
