"""The REST operations on content types."""

from functools import partial
from typing import Final

from octavo.api.rest.operations import EntryForm, Grammar, RestOperation
from octavo.schema.content_types import ContentType

_NO_ENTRY: Final = (404,)


def content_operations(content_type: ContentType) -> tuple[RestOperation, ...]:
    """Return the operations on a content type, in the order of their routes."""
    rows = (_of_single if content_type.is_single else _of_collection)(content_type)
    return rows if content_type.localized else rows[:-1]


def content_operation(content_type: ContentType, action: str) -> RestOperation:
    """Return the operation of an action (`findOne`). Raises KeyError if the content type does not have it."""
    return {row.action: row for row in content_operations(content_type)}[f"{content_type.uid}.{action}"]


def _of_collection(content_type: ContentType) -> tuple[RestOperation, ...]:
    uid, many = content_type.uid, f"/{content_type.plural_name}"
    one, name = f"{many}/:id", content_type.display_name
    entry = partial(RestOperation, uid=uid, tag=name, query=Grammar.ENTRY, answer=EntryForm.ENTRY)
    return (
        RestOperation(
            "GET",
            many,
            "find",
            f"List entries of {name}",
            action=f"{uid}.find",
            tag=name,
            uid=uid,
            query=Grammar.LIST,
            answer=EntryForm.ENTRIES,
        ),
        entry("POST", many, "create", f"Create an entry of {name}", action=f"{uid}.create", body=EntryForm.ENTRY),
        entry("GET", one, "find_one", f"Get an entry of {name}", action=f"{uid}.findOne", refuses=_NO_ENTRY),
        entry(
            "PUT",
            one,
            "update",
            f"Update an entry of {name}",
            action=f"{uid}.update",
            body=EntryForm.ENTRY,
            refuses=_NO_ENTRY,
        ),
        entry("DELETE", one, "delete", f"Delete an entry of {name}", action=f"{uid}.delete", refuses=_NO_ENTRY),
        _localization(content_type, one, "create_localization"),
    )


def _of_single(content_type: ContentType) -> tuple[RestOperation, ...]:
    uid, path, name = content_type.uid, f"/{content_type.singular_name}", content_type.display_name
    entry = partial(RestOperation, uid=uid, tag=name, query=Grammar.SINGLE, answer=EntryForm.ENTRY)
    return (
        entry("GET", path, "find_single", f"Read {name}", action=f"{uid}.find", refuses=_NO_ENTRY),
        entry("PUT", path, "update_single", f"Create or update {name}", action=f"{uid}.update", body=EntryForm.ENTRY),
        entry("DELETE", path, "delete_single", f"Delete {name}", action=f"{uid}.delete", refuses=_NO_ENTRY),
        _localization(content_type, path, "create_single_localization"),
    )


def _localization(content_type: ContentType, path: str, handler: str) -> RestOperation:
    return RestOperation(
        "POST",
        f"{path}/localizations",
        handler,
        f"Add a localization to {content_type.display_name}",
        action=f"{content_type.uid}.createLocalization",
        tag=content_type.display_name,
        uid=content_type.uid,
        body=EntryForm.FLAT,
        answer=EntryForm.FLAT,
        refuses=_NO_ENTRY,
    )
