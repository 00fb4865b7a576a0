"""What an owner allows although its guard does not run: `allow` in `config/api.toml`."""

from collections.abc import Iterable
from dataclasses import replace

from octavo.project.naming import did_you_mean
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.v4.code.code import Code, Guard, Route

PLACE = "config/api.toml: adoption.allow"


def allow(code: Code, names: Iterable[str]) -> Code:
    """Return the code without the guards in `names`: names of guards, of an action (`api::article.article.find`), or of
    a route (`GET /articles`). Raises InvalidCode for an unknown name."""
    allowed = frozenset(names)
    known = known_names(code)
    unknown = sorted(allowed - known)
    if unknown:
        raise InvalidCode([CodeProblem(PLACE, f"unknown name {name}{did_you_mean(name, known)}") for name in unknown])
    if not allowed:
        return code

    def closed(guard: Guard) -> bool:
        return guard.name not in allowed

    return replace(
        code,
        routes=tuple(_opened(route, allowed) for route in code.routes),
        core={name: _opened(route, allowed) for name, route in code.core.items()},
        everywhere=tuple(filter(closed, code.everywhere)),
        hooks=tuple(hook for hook in code.hooks if closed(hook.guard)),
        plugin_actions={name: guard for name, guard in code.plugin_actions.items() if closed(guard)},
        graphql=tuple(filter(closed, code.graphql)),
        plugin_routes=tuple(filter(closed, code.plugin_routes)),
        fields=tuple(replace(rule, guards=tuple(filter(closed, rule.guards))) for rule in code.fields),
    )


def known_names(code: Code) -> frozenset[str]:
    """Return all names that can be used."""
    routes = {name for route in code.routes for name in (route.name, route.action) if name}
    used = {name for route in code.routes for name, _ in (*route.policies, *route.middlewares)}
    around = {name for name, _ in code.around}
    return frozenset(routes | used | around | {finding.name for finding in code.findings} | code.guards.keys())


def _opened(route: Route, allowed: frozenset[str]) -> Route:
    if route.name in allowed or route.action in allowed:
        return replace(route, guards=())
    return replace(route, guards=tuple(guard for guard in route.guards if guard.name not in allowed))
