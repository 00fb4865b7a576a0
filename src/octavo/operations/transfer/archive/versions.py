"""Supported versions of archives."""

from typing import Any

from octavo.operations.transfer.problems import TransferError


def check_version(metadata: dict[str, Any]) -> None:
    """Raise TransferError unless version 4 created the archive."""
    strapi = metadata.get("strapi")
    version = strapi.get("version") if isinstance(strapi, dict) else None
    if not isinstance(version, str) or not version.startswith("4."):
        raise TransferError(f"The archive has version {version}; only version 4 is supported")
