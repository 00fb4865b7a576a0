"""Tune how the process retains freed memory, and release what only the start needed.

glibc maps each block of 128 kB or more separately, and returns free memory at the end of the heap, until it has seen
larger blocks. From then on it retains everything. A response of a few hundred kilobytes costs hundreds of page faults
this way, a tenth of its time, and one of megabytes permanently enlarges the process.

A start also uses code that requests do not need. Its pages stay mapped and count as the process's memory, until the
system is asked to drop them. Pages that are used are mapped again.
"""

import asyncio
import ctypes
import gc
import os
import re
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Final

_READERS: Final = (
    "octavo.v4.adoption",
    "octavo.cli.v4_report",
    "octavo.v4.javascript",
    "octavo.v4.code",
    "octavo.v4.config.files",
    "octavo.v4.plugin_definitions",
)
_STAY: Final = (
    "octavo.v4.javascript",
    "octavo.v4.javascript.source",
    "octavo.v4.code",
    "octavo.v4.code.allowances",
    "octavo.v4.code.cache",
    "octavo.v4.code.code",
    "octavo.v4.code.plugins",
)
"""Modules to keep, because remaining objects are instances of their classes or use them."""


def forget_readers() -> None:
    """Remove modules that only the start needed, unless a remaining module uses one.

    A later import loads them again.
    """
    readers = [name for name in sys.modules if name.startswith(_READERS) and name not in _STAY]
    staying = [module for name, module in sys.modules.items() if name.startswith("octavo") and name not in readers]
    if not readers or any(_uses(module, readers) for module in staying):
        return
    for name in readers:
        del sys.modules[name]
        package, _, own = name.rpartition(".")
        if package in sys.modules:
            vars(sys.modules[package]).pop(own, None)
    gc.collect()


def _uses(module: ModuleType, readers: Collection[str]) -> bool:
    """Return whether a module refers to one of them or its content, other than as its parent package."""
    return any(
        value.__name__ in readers and value.__name__.rpartition(".")[0] != module.__name__
        if isinstance(value, ModuleType)
        else getattr(value, "__module__", None) in readers
        for value in vars(module).values()
    )


_TRIM_THRESHOLD: Final = -1  # numbers from <malloc.h>
_MMAP_THRESHOLD: Final = -3
_KEPT: Final = 1536 * 1024
"""Bytes of free memory at the end of the heap to retain."""
_LARGEST_REUSED: Final = 512 * 1024
"""Bytes up to which freed blocks are reused. Larger ones are mapped and returned to the system.

A body of a megabyte is larger: retaining freed blocks of that size, between smaller ones in use, doubled a process's
size.
"""
_CHOSEN: Final = ("GLIBC_TUNABLES", "MALLOC_")
"""Prefixes of environment variables with which an operator configures the allocator."""
_DONT_NEED: Final = 4
"""`MADV_DONTNEED`: drop the pages of files. They are mapped again on use, without reading the disk."""
_LOADING_SECONDS: Final = 0.5
"""Longer than it takes to load a library."""
_NEW_OBJECTS: Final = 10_000
"""Number of new objects between garbage collections: more than running requests hold, which each one traverses."""
_MAPPING: Final = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ \S+ +/.*\n(?:[A-Z]\w+: .*\n)*?Anonymous: +0 kB$", re.MULTILINE
)
"""Mappings in `/proc/self/smaps` that only read a file, without private pages."""


def keep_freed_memory(environment: Mapping[str, str] = os.environ) -> bool:
    """Retain memory of large responses for the next ones.

    Return False without glibc or if the operator configured it.
    """
    if sys.platform != "linux" or any(name.startswith(_CHOSEN) for name in environment):
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is None:
        return False
    return bool(set_option(_TRIM_THRESHOLD, _KEPT)) and bool(set_option(_MMAP_THRESHOLD, _LARGEST_REUSED))


def mapped_files() -> frozenset[tuple[int, int]]:
    """Return address and size of read-only file mappings, or an empty set if the system does not report them."""
    try:
        mappings = Path("/proc/self/smaps").read_text()
    except OSError:
        return frozenset()
    return frozenset((int(start, 16), int(end, 16) - int(start, 16)) for start, end in _MAPPING.findall(mappings))


def give_back_start(mapped: frozenset[tuple[int, int]]) -> None:
    """Drop the pages of code used until now, and return free memory of the C library.

    `mapped` is the result of `mapped_files` shortly before: a newer mapping may be a library that is being loaded,
    whose own pages briefly look like read-only file pages.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    for start, size in mapped & mapped_files():
        library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _DONT_NEED)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


async def release_start_memory(load: Callable[[], Awaitable[None]]) -> None:
    """Release memory that only the start needed, after loading the rest in the background."""
    with suppress(Exception):  # the first request that needs it reports the error
        await load()
    mapped = mapped_files()
    await asyncio.sleep(_LOADING_SECONDS)
    give_back_start(mapped)


async def freeze_start_objects() -> None:
    """Exclude objects of the start from garbage collection, and collect less often."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
