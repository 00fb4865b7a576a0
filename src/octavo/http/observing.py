"""Observers: who looks at each request once it is answered, and changes nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from octavo.http.request import Request
from octavo.http.response import Response


@dataclass(frozen=True, slots=True)
class Answered:
    """A request with its answer, and how many seconds lay between them."""

    request: Request
    response: Response
    seconds: float


Observer: TypeAlias = Callable[[Answered], None]
