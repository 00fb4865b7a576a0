"""Marker classes by which loading recognizes a project's classes; `sdk` has the base classes."""


class ControllerKind:
    """A class with actions."""


class ServiceKind:
    """A class with code that several actions share."""
