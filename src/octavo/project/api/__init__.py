"""The public names for project code: `from octavo import Controller`. `octavo.handle` is an older module for them."""

from octavo.content.slugs import slugify
from octavo.errors import (
    ApplicationError,
    BadRequestError,
    ForbiddenError,
    NotFoundError,
    OctavoError,
    PolicyError,
    RateLimitError,
    ServiceUnavailable,
    UnauthorizedError,
    ValidationError,
)
from octavo.events.event import Event
from octavo.graphql.customization.context import Context
from octavo.mail.mailers import MailProblem
from octavo.project import CoreRouter, Entry, EntryPage, Route
from octavo.project.api.answers import Answer, Response
from octavo.project.api.app import App, UnknownName
from octavo.project.api.controllers import Controller
from octavo.project.api.entries import Entries
from octavo.project.api.http_client import HttpAnswer, HttpError
from octavo.project.api.requests import Request
from octavo.project.api.row_query import Average, Count, Greatest, Least, RowQuery, Sum
from octavo.project.api.services import Service
from octavo.project.api.transactions import OutsideTransaction, Transaction
from octavo.project.context import PolicyContext
from octavo.project.state import State

__all__ = [
    "Answer",
    "App",
    "ApplicationError",
    "Average",
    "BadRequestError",
    "Context",
    "Controller",
    "CoreRouter",
    "Count",
    "Entries",
    "Entry",
    "EntryPage",
    "Event",
    "ForbiddenError",
    "Greatest",
    "HttpAnswer",
    "HttpError",
    "Least",
    "MailProblem",
    "NotFoundError",
    "OctavoError",
    "OutsideTransaction",
    "PolicyContext",
    "PolicyError",
    "RateLimitError",
    "Request",
    "Response",
    "Route",
    "RowQuery",
    "Service",
    "ServiceUnavailable",
    "State",
    "Sum",
    "Transaction",
    "UnauthorizedError",
    "UnknownName",
    "ValidationError",
    "slugify",
]
