"""Validate request bodies about roles and permissions, with Strapi's messages."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.access.authorization.admin.catalogue import Catalogue
from octavo.accounts.administrators.role_permissions import Permission
from octavo.core.errors import Problem, ValidationError
from octavo.core.forms import REQUIRED, Id, Items, Record, Text, at_least, at_most, check

_DESCRIPTION: Final = Text(at_most(255), nullable=True)
NEW_ROLE: Final = Record({"name": Text(at_least(1), at_most(255), REQUIRED), "description": _DESCRIPTION}, closed=True)
CHANGED_ROLE: Final = Record({"name": Text(at_least(1), at_most(255)), "description": _DESCRIPTION}, closed=True)
SEVERAL: Final = Record({"ids": Items(Id(), at_least(1), REQUIRED)}, closed=True)

_NAMES: Final = Items(Text())
_PERMISSIONS: Final = Record(
    {
        "permissions": Items(
            Record(
                {
                    "action": Text(REQUIRED),
                    "actionParameters": Record({}, nullable=True),
                    "subject": Text(nullable=True),
                    "properties": Record({}),
                    "conditions": _NAMES,
                },
                closed=True,
            ),
            REQUIRED,
        )
    },
    closed=True,
)
_ASKED: Final = Record(
    {
        "permissions": Items(
            Record({"action": Text(REQUIRED), "subject": Text(nullable=True), "field": Text()}, closed=True), REQUIRED
        )
    },
    closed=True,
)


def read_permissions(body: Any, catalogue: Catalogue) -> list[Permission]:
    """Return the permissions in a body for a role. Raises ValidationError."""
    check(_PERMISSIONS, body)
    given = [_permission(one) for one in body["permissions"]]
    problems = [problem for index, one in enumerate(given) for problem in _problems(index, one, catalogue)]
    if not problems and len({(one.action, one.subject) for one in given}) < len(given):
        problems = [Problem(("permissions",), "Some permissions are duplicated (same action and subject)")]
    if problems:
        raise ValidationError.from_problems(problems)
    return given


def read_permission_check(body: Any) -> list[tuple[str, str | None, str | None]]:
    """Return the actions, subjects and fields that a permission check asks for. Raises ValidationError."""
    check(_ASKED, body)
    return [(one["action"], one.get("subject"), one.get("field")) for one in body["permissions"]]


def _permission(given: Mapping[str, Any]) -> Permission:
    return Permission(
        given["action"],
        given.get("subject"),
        given.get("properties", {}),
        list(dict.fromkeys(given.get("conditions", ()))),
        given.get("actionParameters") or {},
    )


def _problems(index: int, given: Permission, catalogue: Catalogue) -> Iterator[Problem]:
    place = ("permissions", str(index))
    if not catalogue.knows(given.action):
        yield Problem((*place, "action"), "action is not an existing permission action")
    elif not catalogue.fits(given.action, given.subject):
        yield Problem((*place, "subject"), "Invalid subject submitted")
    elif not given.properties.keys() <= {*catalogue.properties_of(given.action)}:
        yield Problem((*place, "properties"), f"Invalid property set at permissions[{index}].properties")
    for name, value in given.properties.items():
        if not _is_names(value):
            message = f"permissions[{index}].properties.{name} must be a list of distinct names"
            yield Problem((*place, "properties", name), message)


def _is_names(value: Any) -> bool:
    if value is None:
        return True
    is_texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return is_texts and len(set(value)) == len(value)
