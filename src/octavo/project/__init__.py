"""A project's own code: loaded from its folder, checked before anything is served."""

from octavo.project.code import ProjectCode, load_code
from octavo.project.functions import Function, function_at
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.project.results import Entry, EntryPage

__all__ = ["CodeProblem", "Entry", "EntryPage", "Function", "InvalidCode", "ProjectCode", "function_at", "load_code"]
