"""Extras: optional dependencies of the package, such as `octavo[v4]`."""


class MissingExtra(ValueError):
    """The parsers of JavaScript, which the extra `v4` installs, are missing."""

    def __init__(self) -> None:
        super().__init__("projects of Strapi v4 need the extra `v4`: pip install 'octavo[v4]'")


def is_missing_parser(error: ModuleNotFoundError) -> bool:
    """Return whether an import failed because the extra `v4` is not installed."""
    return (error.name or "").startswith("tree_sitter")
