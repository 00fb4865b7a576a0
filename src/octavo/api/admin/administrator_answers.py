"""What answers show of administrators, in v4's words: never passwords or tokens, but for those shown once."""

from typing import Any

from octavo.accounts.administrators.management import Person
from octavo.accounts.administrators.rows import Administrator, AdminRole
from octavo.api.admin.answers import instant


def shown(administrator: Administrator) -> dict[str, Any]:
    """What everybody who manages may see of an administrator."""
    return {
        "id": administrator.id,
        "firstname": administrator.firstname,
        "lastname": administrator.lastname,
        "username": administrator.username,
        "email": administrator.email,
        "isActive": administrator.active,
        "blocked": administrator.blocked,
        "preferedLanguage": administrator.language,
        "createdAt": instant(administrator.created_at),
        "updatedAt": instant(administrator.updated_at),
    }


def shown_role(role: AdminRole) -> dict[str, Any]:
    """A role, as a part of those who have it."""
    return {"id": role.id, "name": role.name, "description": role.description, "code": role.code}


def shown_person(person: Person) -> dict[str, Any]:
    """An administrator with their roles, and the token of one who has just been invited."""
    found = {**shown(person.administrator), "roles": [shown_role(role) for role in person.roles]}
    return found if person.invitation is None else {**found, "registrationToken": person.invitation}
