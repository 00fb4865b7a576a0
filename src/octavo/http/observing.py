"""Observers: who looks at each request once it is answered, and changes nothing."""

from collections.abc import Callable
from typing import TypeAlias

from octavo.http.request import Request
from octavo.http.response import Response

Observer: TypeAlias = Callable[[Request, Response, float], None]
"""Told a request, its answer, and how many seconds lay between them."""

Counts: TypeAlias = Callable[[str, str, Response, float], bool]
"""Told the method, the route's template, the answer and the seconds of each request; whether those who look on are to
be told of the request, too."""
