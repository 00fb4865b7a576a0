"""Notify the service manager: systemd's `NOTIFY_SOCKET`."""

import asyncio
import logging
import os
import socket
import time
from typing import Final

logger = logging.getLogger(__name__)

READY: Final = "READY=1"
ENDING: Final = "STOPPING=1"
ALIVE: Final = "WATCHDOG=1"
_VARIABLE: Final = "NOTIFY_SOCKET"
_MICROSECONDS: Final = 1_000_000


def notify_service_manager(state: str) -> None:
    """Notify the service manager. Failures are logged."""
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


def status(text: str) -> str:
    """Return the state that `systemctl status` shows as one line."""
    return f"STATUS={' '.join(text.split())}"


def longer(seconds: float) -> str:
    """Return the state that extends the time limit of a start to at least this many seconds from now."""
    return f"EXTEND_TIMEOUT_USEC={int(seconds * _MICROSECONDS)}"


def reloading() -> str:
    """Return the state of a reload, which ends with READY."""
    return f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}"


async def report_alive(process: int) -> None:
    """Notify the watchdog twice in its time limit, as long as the event loop runs. Return at once without a watchdog.

    `process` is the one that the service manager started.
    """
    limit = watchdog_seconds(process)
    while limit is not None:
        notify_service_manager(ALIVE)
        await asyncio.sleep(limit / 2)


def watchdog_seconds(process: int) -> float | None:
    """Return the time limit of the watchdog, or None if it does not watch this process."""
    limit, watched = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", str(process))
    if not limit.isdecimal() or int(limit) == 0 or watched != str(process):
        return None
    return int(limit) / _MICROSECONDS
