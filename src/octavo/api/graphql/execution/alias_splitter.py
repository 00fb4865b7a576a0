"""Read fields that return the same entries, such as `{ a: data {...} b: data {...} }`, together, and split the result.

They are read as one object whose members are separated by a marker, as in `error_sentinels`: white space that occurs
nowhere else in Octavo's JSON. The bytes are split without parsing.
"""

from collections.abc import Sequence
from typing import Final

from octavo.query.answer import Answer, Fixed, Object

_MARK: Final = "\t\r\r\t"
_GLUE: Final = len(b',"":')
"""The text before and after each answer, between the markers."""


def read_together(answers: Sequence[Answer]) -> Answer:
    """Return one answer that contains all of them."""
    if len(answers) == 1:
        return answers[0]
    members: list[tuple[str, Answer]] = [("", Fixed(_MARK))]
    for answer in answers:
        members += (("", answer), ("", Fixed(_MARK)))
    return Object(tuple(members))


def split_aliases(found: bytes, count: int) -> list[bytes]:
    """Split a result of one entry (or null), or of a list of entries, into `count` results.

    >>> entry = b'{"":*,"":1,"":*,"":[2],"":*}'.replace(b"*", _MARK.encode())
    >>> split_aliases(entry, 2), split_aliases(b"[%b,%b]" % (entry, entry), 2), split_aliases(b"[]", 2)
    ([b'1', b'[2]'], [b'[1,1]', b'[[2],[2]]'], [b'[]', b'[]'])
    """
    if count == 1:
        return [found]
    pieces = found.split(_MARK.encode())
    if len(pieces) == 1:
        return [found] * count
    parts = [[piece[_GLUE:-_GLUE] for piece in pieces[place :: count + 1]] for place in range(1, count + 1)]
    return [b"[%b]" % b",".join(one) for one in parts] if found.startswith(b"[") else [one[0] for one in parts]
