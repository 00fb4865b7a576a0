"""The effects of code, as words in descriptions."""

from typing import Final

MAIL: Final = "sends mail"
DELETES: Final = "deletes entries"
WRITES: Final = "writes entries"
SQL: Final = "runs SQL"
FILES: Final = "reads or writes files"
UPLOADS: Final = "uploads files"
WEBHOOKS: Final = "creates webhooks"
CALLS: Final = "sends HTTP requests"
READS: Final = "reads entries"
EFFECTS: Final = (MAIL, DELETES, WRITES, WEBHOOKS, SQL, UPLOADS, CALLS, FILES, READS)
"""By severity. In a description, they come first."""
