"""How the C library keeps memory for what comes next: large answers are made of blocks that it would give back again.

glibc maps each block of 128 kB and more anew, and gives back what is free at the end of its memory, until it has seen
larger blocks: then it keeps all that it ever had. An answer of a few hundred kilobytes costs hundreds of page faults
this way, a tenth of its time, and one of megabytes leaves the process as large as it has made it.
"""

import ctypes
import os
import sys
from collections.abc import Mapping
from typing import Final

_TRIM_THRESHOLD: Final = -1  # as <malloc.h> numbers them
_MMAP_THRESHOLD: Final = -3
_KEPT: Final = 1536 * 1024
"""Bytes at the end that are not given back."""
_LARGEST_REUSED: Final = 1024 * 1024
"""Bytes of the blocks that are taken from what was freed; larger ones are mapped, and given back."""
_CHOSEN: Final = ("GLIBC_TUNABLES", "MALLOC_")
"""How names of variables begin by which an operator says it otherwise."""


def keep_freed_memory(environment: Mapping[str, str] = os.environ) -> bool:
    """Keep what large answers need for the next ones; False where an operator chose otherwise, or glibc is not used."""
    if sys.platform != "linux" or any(name.startswith(_CHOSEN) for name in environment):
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is None:
        return False
    return bool(set_option(_TRIM_THRESHOLD, _KEPT)) and bool(set_option(_MMAP_THRESHOLD, _LARGEST_REUSED))
