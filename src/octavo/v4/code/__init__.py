"""The JavaScript and TypeScript of a v4 project: found, classified, and read as data where possible. Never run.

`read.read_code` is the entry point; `code` defines its result. Code that is not understood counts as a guard, which
closes the operations behind it.
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
