"""Tells the service manager how far a service is, if it has asked for that: the protocol of systemd's `Type=notify`."""

import logging
import os
import socket
from typing import Final

READY: Final = "READY=1"
ENDING: Final = "STOPPING=1"
_VARIABLE: Final = "NOTIFY_SOCKET"

logger = logging.getLogger(__name__)


def tell_manager(state: str) -> None:
    """Send a word to whoever started this service. What cannot be told is logged: the service goes on."""
    address = os.environ.get(_VARIABLE)
    if not address:
        return
    name = f"\0{address[1:]}" if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as telling:
            telling.connect(name)
            telling.sendall(state.encode())
    except OSError as error:
        logger.warning("Could not notify the service manager of %s at %s: %s", state, address, error)
