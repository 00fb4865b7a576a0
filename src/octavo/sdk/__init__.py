"""The public names for project code: `from octavo import Controller`."""

from octavo.api.graphql.customization.context import Context
from octavo.content.controllers.context import PolicyContext
from octavo.content.slugs import slugify
from octavo.core.errors import (
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
from octavo.core.mail.mailers import MailProblem
from octavo.events.event import Event
from octavo.project import CoreRouter, Entry, EntryPage, Route
from octavo.project.state import State
from octavo.sdk.answers import Answer, Response
from octavo.sdk.app import App, UnknownName
from octavo.sdk.controllers import Controller
from octavo.sdk.entries import Entries
from octavo.sdk.http_client import HttpAnswer, HttpError
from octavo.sdk.requests import Request
from octavo.sdk.row_query import Average, Count, Greatest, Least, RowQuery, Sum
from octavo.sdk.services import Service
from octavo.sdk.transactions import OutsideTransaction, Transaction

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
