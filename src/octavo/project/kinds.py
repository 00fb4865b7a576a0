"""What the classes of a project are known by when its files are loaded; `sdk` has what they inherit."""


class ControllerKind:
    """A class with actions."""


class ServiceKind:
    """A class with what several actions share."""
