"""Generate Python files of a project, each with a working function to start from."""

from pathlib import Path
from typing import Final

from octavo.events.jobs.schedule import InvalidSchedule, Schedule
from octavo.modeling.generators.files import CannotGenerate, NewFile
from octavo.modeling.generators.names import checked_name, class_name, method_name
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")

_CONTENT_CONTROLLER: Final = '''\
"""REST actions of {uid}. Core actions that are not overridden here stay unchanged."""

from octavo import Controller, Request


class {name}Controller(Controller):
    async def find(self, request: Request):
        """List entries. Change the query before the call, or the response after it."""
        return await super().find(request)
'''
_SINGLE_CONTROLLER: Final = _CONTENT_CONTROLLER.replace("A list of entries", "The entry")
_CONTROLLER: Final = '''\
"""Actions for routes: `Route("GET", "/{module}", "{module}.index")`."""

from octavo import Controller, Request


class {name}Controller(Controller):
    async def index(self, request: Request):
        """Return a dictionary, a list, a string, or a response of `octavo.Response`."""
        return {{"name": "{module}"}}
'''
_SERVICE: Final = '''\
"""A service for other code: `app.service("{uid}")`."""

from octavo import Service


class {name}Service(Service):
    async def example(self):
        """Logic that several places share."""
        return {body}
'''
_CORE_ROUTES: Final = '''\
"""The routes of the core actions of {uid}."""

from octavo import CoreRouter

# To limit the actions: only=["find", "find_one"], or except_=["delete"].
# To configure an action: config={{"find": {{"auth": False, "policies": ["is-member"]}}}}.
router = CoreRouter()
'''
_ROUTE: Final = '''\
"""A route with its handler."""

from octavo import Request, Route


async def {function}(request: Request):
    """`{method} {path}`"""
    return {{"params": dict(request.params)}}


# Without `auth=False` the route requires a signed-in user.
routes = [Route("{method}", "{path}", {function}{auth})]
'''
_ROUTE_TO: Final = '''\
"""A route to a controller."""

from octavo import Route

# Without `auth=False` the route requires the permission for its action.
routes = [Route("{method}", "{path}", "{handler}"{auth})]
'''
_POLICY: Final = '''\
"""A policy for REST and GraphQL, named `{uid}` (in its own API also `{name}`)."""


async def policy(context, config):
    """Return False to refuse the call."""
    return context.actor.kind == "user"
'''
_MIDDLEWARE: Final = '''\
"""A middleware for requests, named `{uid}`."""

from octavo import Request


async def middleware(request: Request, next, config):
    """Call `next` for the response, and return it or another one."""
    return await next()
'''
_FIELD_MIDDLEWARE: Final = '''\
"""A middleware for GraphQL fields, named `{uid}`."""


async def middleware(next, parent, args, context, info):
    """Call `next` for the response, and return it or another one."""
    return await next(parent, args, context, info)
'''
_JOB: Final = '''\
"""A background job. `await app.enqueue({function}, "world")` runs it after the transaction commits."""


async def {function}(app, name: str):
    """Arguments are JSON values. `app` is passed if the first parameter has that name."""
    app.log.info("Hello %s", name)
'''
_TASKS: Final = '''\
"""Scheduled tasks. Each run happens in one process only."""


async def {function}(app):
    app.log.info("{name} is done")


tasks = {{"{name}": {{"task": {function}, "options": {{"rule": "{rule}"}}}}}}
'''
_LIFECYCLES: Final = '''\
"""Lifecycle hooks of {uid}."""


async def before_create(event):
    """Run inside the transaction. You can change `event.params.data`; an exception rolls everything back."""


async def after_commit_create(event):
    """Run after the commit. `event.result` is the new entry. Send emails and call other services here."""
'''


def job(name: str) -> NewFile:
    """Return a background job."""
    function = method_name(name)
    return NewFile(f"src/jobs/{function}.py", _JOB.format(function=function))


def tasks(name: str, rule: str) -> NewFile:
    """Return `src/cron.py` with one task. Raises CannotGenerate for an invalid schedule."""
    try:
        Schedule(rule)
    except InvalidSchedule as error:
        raise CannotGenerate(f"--cron: {error}") from error
    return NewFile("src/cron.py", _TASKS.format(function=method_name(name), name=name, rule=rule))


def controller(registry: Registry, api: str, name: str) -> NewFile:
    """Return a controller: of the content type, if the API has one with that name."""
    item = registry.content_types.get(_uid(api, name))
    template = _CONTROLLER if item is None else _SINGLE_CONTROLLER if item.is_single else _CONTENT_CONTROLLER
    text = template.format(uid=_uid(api, name), name=class_name(name), module=name)
    return _file(api, "controllers", name, text)


def service(registry: Registry, api: str, name: str) -> NewFile:
    """Return a service, with the core methods if the API has a content type with that name."""
    uid = _uid(api, name)
    body = "await self.entries.find_many(limit=10)" if uid in registry.content_types else f'"{name}"'
    return _file(api, "services", name, _SERVICE.format(uid=uid, name=class_name(name), body=body))


def core_routes(registry: Registry, api: str, name: str) -> NewFile:
    """Return the core routes of a content type. Raises CannotGenerate if it does not exist."""
    uid = _uid(api, name)
    if uid not in registry.content_types:
        raise CannotGenerate(f"unknown content type {uid}. For a custom route, pass --path")
    return _file(api, "routes", name, _CORE_ROUTES.format(uid=uid))


def route(api: str, name: str, method: str, path: str, *, handler: str | None = None, public: bool = False) -> NewFile:
    """Return a route to a controller's method (`talk.by_slug`), or to a function next to it. Raises CannotGenerate."""
    if not path.startswith("/") or any(sign in path for sign in "\"'\\ \n"):
        raise CannotGenerate(f"{path!r}: a path must begin with / and contain no quotes or spaces")
    auth = ", auth=False" if public else ""
    template = _ROUTE if handler is None else _ROUTE_TO
    function = method_name(name)
    text = template.format(method=method, path=path, handler=handler, function=function, auth=auth)
    return _file(api, "routes", name, text)


def policy(api: str | None, name: str) -> NewFile:
    """Return a policy of an API, or of the whole project."""
    return _file(api, "policies", name, _POLICY.format(uid=_uid(api, name), name=name))


def middleware(api: str | None, name: str, *, graphql: bool) -> NewFile:
    """Return a middleware for requests, or for fields of GraphQL."""
    template = _FIELD_MIDDLEWARE if graphql else _MIDDLEWARE
    return _file(api, "middlewares", name, template.format(uid=_uid(api, name)))


def lifecycles(item: ContentType) -> NewFile:
    """Return the hooks of a content type, next to its definition. Raises CannotGenerate for a built-in one."""
    folder = str(Path(item.source).parent)
    if item.is_api:
        return NewFile(f"{folder}/lifecycles.py", _LIFECYCLES.format(uid=item.uid))
    kind, _, rest = item.uid.partition("::")
    if kind != "plugin":
        raise CannotGenerate(f"{item.uid} cannot have a hooks file; use app.on(...) in src/index.py")
    plugin, _, name = rest.partition(".")
    file = f"src/extensions/{plugin}/content-types/{name}/lifecycles.py"
    return NewFile(file, _LIFECYCLES.format(uid=item.uid))


def _uid(api: str | None, name: str) -> str:
    return f"global::{name}" if api is None else f"api::{api}.{name}"


def _file(api: str | None, folder: str, name: str, text: str) -> NewFile:
    base = "src" if api is None else f"src/api/{checked_name(api, 'an API')}"
    return NewFile(f"{base}/{folder}/{checked_name(name, 'a file')}.py", text)
