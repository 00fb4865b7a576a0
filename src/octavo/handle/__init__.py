"""What a project's code is given, and what it may answer: all that such code imports comes from here."""

from octavo.errors import ApplicationError, ForbiddenError, NotFoundError, PolicyError, ValidationError
from octavo.graphql.contexts import Context, PolicyContext
from octavo.handle.app import App
from octavo.handle.entries import Entries
from octavo.project import Entry, EntryPage

__all__ = [
    "App",
    "ApplicationError",
    "Context",
    "Entries",
    "Entry",
    "EntryPage",
    "ForbiddenError",
    "NotFoundError",
    "PolicyContext",
    "PolicyError",
    "ValidationError",
]
