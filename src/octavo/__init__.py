"""Octavo: a headless content service that serves content types over REST and GraphQL.

A project's code imports from here: `from octavo import Controller, Request, Route`. Names are looked up in
`octavo.sdk` when they are asked for, so that `import octavo` costs nothing.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.sdk import *  # noqa: F403
    from octavo.sdk import __all__ as __all__
else:

    def __dir__():
        return sorted({*globals()} - {"TYPE_CHECKING"} | {*__import__("octavo.sdk", fromlist=["__all__"]).__all__})

    def __getattr__(name):
        if name.startswith("_") and name != "__all__":
            raise AttributeError(name)
        api = __import__("octavo.sdk", fromlist=["__all__"])
        if name == "__all__":
            return api.__all__
        if name not in api.__all__:
            raise AttributeError(f"octavo has no {name!r}; there are {', '.join(api.__all__)}")
        return getattr(api, name)
