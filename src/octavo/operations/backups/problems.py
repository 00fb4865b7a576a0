"""Errors of backups."""


class BackupFailed(Exception):
    """A backup could not be created, verified or restored. The message has the reason, for display."""
