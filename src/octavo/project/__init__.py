"""Load a project's own code from its folder, and validate it before anything is served."""

from octavo.project.code import ProjectCode, load_code
from octavo.project.functions import CodeStopped, Function, function_at
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.project.results import Entry, EntryPage
from octavo.project.routes import CoreRouter, Route

__all__ = [
    "CodeProblem",
    "CodeStopped",
    "CoreRouter",
    "Entry",
    "EntryPage",
    "Function",
    "InvalidCode",
    "ProjectCode",
    "Route",
    "function_at",
    "load_code",
]
