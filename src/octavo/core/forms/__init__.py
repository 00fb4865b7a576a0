"""Forms: what a JSON body has to look like, declared as a tree of shapes, and checked with all problems at once.

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

Messages, their order and their paths are those of the reference, which checks bodies with a JavaScript library (yup):
nothing is cast, what is of the wrong type is held to nothing else, members come before what is wrong with the whole.
"""

from octavo.core.forms.place import ROOT, Place
from octavo.core.forms.rules import (
    DEFINED,
    EMAIL,
    INTEGER,
    LOWERCASE,
    REQUIRED,
    TRIMMED,
    Rule,
    at_least,
    at_most,
    matches,
    required,
    rule,
)
from octavo.core.forms.shapes import (
    Anything,
    Choice,
    Flag,
    Id,
    Items,
    Number,
    Record,
    Shape,
    Text,
    check,
    problems_in,
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
