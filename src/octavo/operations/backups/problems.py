"""What goes wrong with copies."""


class BackupFailed(Exception):
    """A copy was not made, is not sound, or was not put back; the text is for people and says why."""
