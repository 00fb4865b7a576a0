"""Modules that read a project of v4: a service that has read it needs them no more. They are forgotten, and what is
loaded after them, such as GraphQL, takes their place in memory."""

import gc
import sys
from collections.abc import Collection
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
