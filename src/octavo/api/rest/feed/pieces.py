"""Pieces: what is written to listeners, in the form of server-sent events."""

from collections.abc import Mapping
from typing import Final

import orjson

from octavo.content.controllers.change_notifications import Told
from octavo.core.clock import read_moment
from octavo.events.journal import Position
from octavo.schema.content_types import ContentType

RETRY: Final = b"retry: 3000\n\n"
"""Milliseconds after which a browser comes back."""
RESET: Final = b'event: reset\ndata: {"reason":"Changes are missing: read anew what you show"}\n\n'


def sign_of_life(position: Position) -> bytes:
    """Nothing but the place from which to go on; browsers remember it and tell nobody."""
    return f": \nid: {position}\n\n".encode()


def event_piece(told: Told, types: Mapping[str, ContentType], most: int) -> bytes:
    """A change; without its entry where the event would have more bytes than `most`."""
    event = _event(told, types)
    if told.entry is not None:
        # What the database writes may hold line breaks between values, which would end a line of the event.
        entry = told.entry.replace(b"\n", b" ").replace(b"\r", b" ")
        if len(entry) <= most:
            event = b'%b,"entry":%b}' % (event[:-1], entry)
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (str(told.row.position).encode(), told.name.encode(), event)


def _event(told: Told, types: Mapping[str, ContentType]) -> bytes:
    change = told.row.change
    moment = read_moment(told.row.created_at)
    assert moment is not None, "it was written as a number"
    event = {
        "event": told.name,
        "createdAt": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "model": types[change.uid].singular_name,
        "uid": change.uid,
        "id": change.id,
    }
    if change.locale is not None:
        event["locale"] = change.locale
    if told.gone:
        event["gone"] = True
    return orjson.dumps(event)
