"""Errors of images that are not the caller's fault, or that only prevent smaller formats."""

import errno
from typing import Final

from octavo.core.errors import ApplicationError

_FAULTS_OF_FILES: Final = frozenset({None, errno.EINVAL, errno.EOVERFLOW})
"""Decoders raise OSError without a number, and seek to invalid positions, if a file is damaged."""


class ImageTooLarge(ApplicationError):
    """Decoding the image would need too much memory."""


def is_machine_error(error: BaseException) -> bool:
    """Return whether the machine is at fault, and not the file: a full disk, no memory, a missing temporary file."""
    return isinstance(error, OSError) and error.errno not in _FAULTS_OF_FILES
