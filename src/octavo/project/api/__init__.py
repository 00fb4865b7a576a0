"""What a project's code is given, and what it may answer: all that such code imports comes from here."""

from octavo.errors import ApplicationError, ForbiddenError, NotFoundError, PolicyError, ValidationError
from octavo.graphql.customization.context import Context, PolicyContext
from octavo.project import Entry, EntryPage
from octavo.project.api.app import App
from octavo.project.api.entries import Entries
from octavo.project.api.transactions import Transaction

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
    "Transaction",
    "ValidationError",
]
