"""The JavaScript and TypeScript of a v4 project: found, classified, and what of it is data taken over. Never run.

`read.read_code` is the way in; `code` says what it answers. What is not understood counts as a guard: it stays closed.
"""

from octavo.project.routes import Access
from octavo.v4.code.code import (
    Code,
    FieldRule,
    Finding,
    Guard,
    Hook,
    Kind,
    QueryChange,
    Route,
    Shape,
    State,
    Switch,
)

__all__ = [
    "Access",
    "Code",
    "FieldRule",
    "Finding",
    "Guard",
    "Hook",
    "Kind",
    "QueryChange",
    "Route",
    "Shape",
    "State",
    "Switch",
]
