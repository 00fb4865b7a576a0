"""The built-in responses: a start page at `/` and a health check at `/_health`."""

from collections.abc import Callable

from octavo.api.http.content_security_policy import WELCOME
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Request
from octavo.api.http.response import HTML, Response
from octavo.api.http.router import Handler, Router
from octavo.core.markup import escape

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Octavo</title>
<style>
body {{ margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem; font: 1.05rem/1.6 system-ui, sans-serif;
       color: #222; background: #fbfaf7; }}
h1 {{ font-weight: 600; }}
a {{ color: inherit; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .25em .8em .25em 0; vertical-align: top; overflow-wrap: anywhere; }}
pre {{ background: #fff3d6; padding: .6em .8em; border-radius: .25em; white-space: pre-wrap; }}
code {{ background: #eeebe3; padding: .1em .35em; border-radius: .25em; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #1c1b19; }} code {{ background: #34322d; }}
  pre {{ background: #4a3a12; }} }}
</style>
</head>
<body>
<h1>Octavo is running</h1>
{problem}<p>The content of this project is served below <code>{prefix}</code>: lists at
<code>{prefix}/&lt;plural name&gt;</code>, single entries at <code>{prefix}/&lt;plural name&gt;/&lt;id&gt;</code>.</p>
{overview}<p><code>octavo routes list</code> shows all routes; <code>octavo permissions list</code> shows the
permissions of each role.</p>
</body>
</html>
"""
_PROBLEM = """<h2>The latest change is not served</h2>
<p>Octavo serves the previous version until you fix this:</p>
<pre>{problem}</pre>
"""


def add_own_routes(router: Router, options: HttpOptions, problem: Callable[[], str | None]) -> None:
    """Add the start page and the health check, unless the project has its own. The page shows the current problem."""
    for path, handler in (
        ("/", _welcome(router, options.base_path + options.api_prefix, problem)),
        ("/_health", _health),
    ):
        if "GET" not in router.methods(path):
            router.add("GET", path, handler)


def _welcome(router: Router, prefix: str, problem: Callable[[], str | None]) -> Handler:
    async def welcome(request: Request) -> Response:
        current = problem()
        shown = "" if current is None else _PROBLEM.format(problem=escape(current))
        overview = "" if router.overview is None else await router.overview()
        page = _PAGE.format(prefix=escape(prefix), problem=shown, overview=overview)
        return Response(200, page.encode(), HTML, ((b"content-security-policy", WELCOME),))

    return welcome


async def _health(request: Request) -> Response:
    return Response(204, b"", "")
