"""Serialize administrators as v4 does, without passwords and tokens, except for invitation tokens."""

from typing import Any

from octavo.accounts.administrators.management import Person
from octavo.accounts.administrators.rows import Administrator, AdminRole
from octavo.api.admin.answers import instant


def serialize_administrator(administrator: Administrator) -> dict[str, Any]:
    """Return the public fields of an administrator."""
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


def serialize_role(role: AdminRole) -> dict[str, Any]:
    """Return a role, as nested in administrators."""
    return {"id": role.id, "name": role.name, "description": role.description, "code": role.code}


def serialize_administrator_with_roles(person: Person) -> dict[str, Any]:
    """Return an administrator with their roles, and with the invitation token if they were just invited."""
    found = {**serialize_administrator(person.administrator), "roles": [serialize_role(role) for role in person.roles]}
    return found if person.invitation is None else {**found, "registrationToken": person.invitation}
