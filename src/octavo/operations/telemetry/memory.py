"""How much memory this process holds."""

import resource
import sys
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")


def resident_bytes() -> int:
    """Bytes in memory now; where the system does not tell, the most there ever were."""
    try:
        return int(_STATM.read_text("ascii").split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
