"""How a process keeps memory for what comes next, and gives back what only its start has needed.

Large answers are made of blocks that the C library would give back again.

glibc maps each block of 128 kB and more anew, and gives back what is free at the end of its memory, until it has seen
larger blocks: then it keeps all that it ever had. An answer of a few hundred kilobytes costs hundreds of page faults
this way, a tenth of its time, and one of megabytes leaves the process as large as it has made it.

A start also runs through parts of programs that no request needs. They stay mapped, and count as the process's, until
the system is asked to map again what is used.
"""

import ctypes
import gc
import os
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

_READERS: Final = (
    "octavo.v4.adoption",
    "octavo.cli.v4_report",
    "octavo.v4.javascript",
    "octavo.v4.code",
    "octavo.v4.config.files",
)
_STAY: Final = (
    "octavo.v4.javascript",
    "octavo.v4.javascript.source",
    "octavo.v4.code",
    "octavo.v4.code.allowances",
    "octavo.v4.code.code",
)
"""What the others leave behind is made of these, or is looked at by them."""


def forget_readers() -> None:
    """Forget them, unless something that stays uses one of them. Whoever imports one later loads it again."""
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
    """Whether it has one of them, or something in it, other than as the package that it is below."""
    return any(
        value.__name__ in readers and value.__name__.rpartition(".")[0] != module.__name__
        if isinstance(value, ModuleType)
        else getattr(value, "__module__", None) in readers
        for value in vars(module).values()
    )


_TRIM_THRESHOLD: Final = -1  # as <malloc.h> numbers them
_MMAP_THRESHOLD: Final = -3
_KEPT: Final = 1536 * 1024
"""Bytes at the end that are not given back."""
_LARGEST_REUSED: Final = 512 * 1024
"""Bytes of the blocks that are reused once they are freed; larger ones are mapped, and returned to the system. A body
of a megabyte is among those: freed blocks of that size, between smaller ones in use, made a process twice as large."""
_CHOSEN: Final = ("GLIBC_TUNABLES", "MALLOC_")
"""How names of variables begin by which an operator says it otherwise."""
_DONT_NEED: Final = 4
"""`MADV_DONTNEED`: pages of files are mapped anew when they are used, without the disk."""
_MAPPING: Final = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ \S+ +/.*\n(?:[A-Z]\w+: .*\n)*?Anonymous: +0 kB$", re.MULTILINE
)
"""What only reads a file, without a page of the process's own, as `/proc/self/smaps` has it."""


def keep_freed_memory(environment: Mapping[str, str] = os.environ) -> bool:
    """Keep what large answers need for the next ones; False where an operator chose otherwise, or glibc is not used."""
    if sys.platform != "linux" or any(name.startswith(_CHOSEN) for name in environment):
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is None:
        return False
    return bool(set_option(_TRIM_THRESHOLD, _KEPT)) and bool(set_option(_MMAP_THRESHOLD, _LARGEST_REUSED))


def mapped_files() -> frozenset[tuple[int, int]]:
    """Where files are mapped that are only read: addresses and sizes. None where the system does not tell."""
    try:
        mappings = Path("/proc/self/smaps").read_text()
    except OSError:
        return frozenset()
    return frozenset((int(start, 16), int(end, 16) - int(start, 16)) for start, end in _MAPPING.findall(mappings))


def give_back_start(mapped: frozenset[tuple[int, int]]) -> None:
    """Give back the pages of programs that were used until now, and what is free of the C library's memory.

    `mapped` are `mapped_files` of a moment ago: one that has come since may be a library that is being loaded, and for
    an instant its own pages look as if they only read a file.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    for start, size in mapped & mapped_files():
        library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _DONT_NEED)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
