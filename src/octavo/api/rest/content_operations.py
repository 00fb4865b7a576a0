"""The REST operations on content types."""

from functools import partial
from typing import Final

from octavo.api.rest.operations import EntryForm, Grammar, Operation
from octavo.schema.content_types import ContentType

_NO_ENTRY: Final = (404,)


def content_operations(content_type: ContentType) -> tuple[Operation, ...]:
    """Return the operations on a content type, in the order of their routes."""
    rows = (_of_single if content_type.is_single else _of_collection)(content_type)
    return rows if content_type.localized else rows[:-1]


def content_operation(content_type: ContentType, action: str) -> Operation:
    """Return the operation of an action (`findOne`). Raises KeyError if the content type does not have it."""
    return {row.action: row for row in content_operations(content_type)}[f"{content_type.uid}.{action}"]


def _of_collection(content_type: ContentType) -> tuple[Operation, ...]:
    uid, many = content_type.uid, f"/{content_type.plural_name}"
    one, name = f"{many}/:id", content_type.display_name
    entry = partial(Operation, uid=uid, tag=name, query=Grammar.ENTRY, answer=EntryForm.ENTRY)
    return (
        Operation(
            "GET",
            many,
            f"{uid}.find",
            "find",
            f"List entries of {name}",
            name,
            uid,
            query=Grammar.LIST,
            answer=EntryForm.ENTRIES,
        ),
        entry("POST", many, f"{uid}.create", "create", f"Create an entry of {name}", body=EntryForm.ENTRY),
        entry("GET", one, f"{uid}.findOne", "find_one", f"Get an entry of {name}", refuses=_NO_ENTRY),
        entry(
            "PUT", one, f"{uid}.update", "update", f"Update an entry of {name}", body=EntryForm.ENTRY, refuses=_NO_ENTRY
        ),
        entry("DELETE", one, f"{uid}.delete", "delete", f"Delete an entry of {name}", refuses=_NO_ENTRY),
        _localization(content_type, one, "create_localization"),
    )


def _of_single(content_type: ContentType) -> tuple[Operation, ...]:
    uid, path, name = content_type.uid, f"/{content_type.singular_name}", content_type.display_name
    entry = partial(Operation, uid=uid, tag=name, query=Grammar.SINGLE, answer=EntryForm.ENTRY)
    return (
        entry("GET", path, f"{uid}.find", "find_single", f"Read {name}", refuses=_NO_ENTRY),
        entry("PUT", path, f"{uid}.update", "update_single", f"Create or update {name}", body=EntryForm.ENTRY),
        entry("DELETE", path, f"{uid}.delete", "delete_single", f"Delete {name}", refuses=_NO_ENTRY),
        _localization(content_type, path, "create_single_localization"),
    )


def _localization(content_type: ContentType, path: str, handler: str) -> Operation:
    return Operation(
        "POST",
        f"{path}/localizations",
        f"{content_type.uid}.createLocalization",
        handler,
        f"Add a localization to {content_type.display_name}",
        content_type.display_name,
        content_type.uid,
        body=EntryForm.FLAT,
        answer=EntryForm.FLAT,
        refuses=_NO_ENTRY,
    )
