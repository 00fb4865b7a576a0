"""What stands between a route and its action: who may, policies, middlewares; and the action within its time."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from octavo.api.http.request import Request as RawRequest
from octavo.api.http.response import Response as RawResponse
from octavo.api.http.router import Handler
from octavo.api.rest.operations import Admission
from octavo.content.controllers.context import PolicyContext, ask_policies
from octavo.core.errors import NotFoundError
from octavo.core.values import dataclass
from octavo.project.execution import Runner
from octavo.project.named_handlers import Used
from octavo.project.state import CURRENT_STATE
from octavo.sdk.answers import Answer, to_answer, to_response
from octavo.sdk.app import App
from octavo.sdk.requests import Request
from octavo.sdk.streams import CodeStream

Action = Callable[[Request], Awaitable[Any]]
Next = Callable[..., Awaitable[Answer]]
_GLOBAL: Final = "src/middlewares"


class RequestArguments(Mapping[str, Any]):
    """The values of query and path, as policies ask for them; untangled when they do."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def __getitem__(self, name: str) -> Any:
        params = self._request.params
        return params[name] if name in params else self._request.query[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._request.query, **self._request.params})

    def __len__(self) -> int:
        return len({**self._request.query, **self._request.params})


@dataclass(frozen=True, slots=True)
class CodeHandler:
    """Handles a route that a project's code has to do with. `name` is the route's, `place` its code's.

    `middlewares` are part of `action`; `overridden_at` is the place of the code that answers instead of a core action.
    """

    app: App
    runner: Runner
    name: str
    place: str
    admit: Admission
    policies: tuple[Used, ...]
    action: Action
    middlewares: tuple[Used, ...] = ()
    overridden_at: str = ""

    async def __call__(self, raw: RawRequest) -> RawResponse:
        """The answer to a request. Raises errors that callers may see."""
        request = Request.of(raw, self.app)
        await request.enter(self.name, await self.admit(raw))
        return await run_shared(self.runner, self.place, request, self._answer)

    async def _answer(self, request: Request) -> RawResponse:
        if self.policies:
            await ask_policies(self.policies, policy_context(request))
        return await begun(to_response(await self.action(request)), request, self.runner, self.place)


@dataclass(frozen=True, slots=True)
class GlobalMiddlewares:
    """Stand around every request, whatever answers it. What comes after them has no limit of theirs."""

    app: App
    runner: Runner
    middlewares: tuple[Used, ...]

    async def __call__(self, following: Handler, raw: RawRequest) -> RawResponse:
        """The answer to a request that `following` would answer."""
        request = Request.of(raw, self.app)

        async def innermost(request: Request) -> Answer:
            with request.clock.stopped():
                return Answer(await following(request.for_core()))

        async def answer(request: Request) -> RawResponse:
            response = to_response(await chained(self.middlewares, innermost)(request))
            return await begun(response, request, self.runner, _GLOBAL)

        return await run_shared(self.runner, _GLOBAL, request, answer)


async def begun(response: RawResponse, request: Request, runner: Runner, place: str) -> RawResponse:
    """Return a response whose stream, if it is one of code, has its first piece. Raises what the code raises."""
    if isinstance(response, CodeStream) and request.method != "HEAD":
        with request.clock.stopped():
            await response.begin(lambda error: runner.log(error, place, request.raw))
    return response


def policy_context(request: Request) -> PolicyContext:
    """What policies are told of a request."""
    return PolicyContext(
        "rest",
        request.app,
        request.actor,
        request.state,
        RequestArguments(request),
        params=request.params,
        request=request,
    )


def chained(middlewares: tuple[Used, ...], action: Action) -> Action:
    """The action with middlewares around it, the first outermost."""
    for middleware in reversed(middlewares):
        action = partial(_around, middleware, action)
    return action


async def answering(action: Action, request: Request) -> Any:
    """What an action answers. Raises NotFoundError for nothing, as v4 has it."""
    answer = await action(request)
    if answer is None:
        raise NotFoundError
    return answer


async def _around(middleware: Used, action: Action, request: Request) -> Any:
    async def following(other: Request | None = None) -> Answer:
        return to_answer(await action(other or request))

    return await middleware.function(request, following, middleware.config)


async def run_shared(
    runner: Runner, place: str, request: Request, answer: Callable[[Request], Awaitable[RawResponse]]
) -> RawResponse:
    """What code answers to a request, in its time; all code that is called meanwhile shares the request's state."""
    token = CURRENT_STATE.set(request.state)
    try:
        return await runner.run(place, request.raw, request.clock, partial(answer, request))
    finally:
        CURRENT_STATE.reset(token)
