"""Validate JSON bodies against a schema of shapes, and report all errors at once.

    INVITATION = Record(
        {
            "email": Text(EMAIL, REQUIRED),
            "firstname": Text(at_least(1), REQUIRED),
            "roles": Items(Id(), at_least(1)),
            "preferedLanguage": Text(nullable=True),
        },
        closed=True,
    )
    check(INVITATION, body)

Messages, their order and their paths are those of Strapi v4, which uses yup: values are not cast, a value of the wrong
type is not checked further, and errors of members come before those of the whole object.
"""

from octavo.core.forms.printing import ROOT, Place
from octavo.core.forms.shapes import (
    DEFINED,
    EMAIL,
    INTEGER,
    LOWERCASE,
    REQUIRED,
    TRIMMED,
    Anything,
    Choice,
    Flag,
    Id,
    Items,
    Number,
    Record,
    Rule,
    Shape,
    Text,
    at_least,
    at_most,
    check,
    matches,
    problems_in,
    required,
    rule,
)

__all__ = [
    "DEFINED",
    "EMAIL",
    "INTEGER",
    "LOWERCASE",
    "REQUIRED",
    "ROOT",
    "TRIMMED",
    "Anything",
    "Choice",
    "Flag",
    "Id",
    "Items",
    "Number",
    "Place",
    "Record",
    "Rule",
    "Shape",
    "Text",
    "at_least",
    "at_most",
    "check",
    "matches",
    "problems_in",
    "required",
    "rule",
]
