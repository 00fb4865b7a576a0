"""Secrets in source files: their kinds and locations, never their values."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo.core.bounded_files import read_own_file
from octavo.v4.adoption.report import Item
from octavo.v4.code.inventory import code_files
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.source import LARGEST_SOURCE

_KINDS: Final = (
    ("a private key", re.compile(rb"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----")),
    ("a secret key of Stripe", re.compile(rb"\b[sr]k_live_[A-Za-z0-9]{16,}")),
    ("an API key of SendGrid", re.compile(rb"\bSG\.[\w-]{16,}\.[\w-]{16,}")),
    ("an access key of AWS", re.compile(rb"\bAKIA[0-9A-Z]{16}\b")),
    ("a token of GitHub", re.compile(rb"\bgh[pousr]_[A-Za-z0-9]{30,}")),
    ("a token of Slack", re.compile(rb"\bxox[abpr]-[\w-]{20,}")),
    ("an API key of OpenAI", re.compile(rb"\bsk-(?:proj-)?[A-Za-z0-9_-]{32,}")),
    ("a password in a URL", re.compile(rb"\b[a-z][a-z0-9+]{2,12}://[^\s:/@'\"`$]{1,64}:[^\s:/@'\"`$]{3,128}@")),
    (
        "a password, key or token",
        re.compile(
            rb"(?i)\b\w{0,30}(?:secret|password|passwd|apikey|api_key|accesskey|auth_?token|access_?token)"
            rb"['\"]?\s{0,3}[:=]\s{0,3}(['\"])(?=[^'\"\s]*[0-9])(?=[^'\"\s]*[A-Za-z])[^'\"\s]{16,200}\1"
        ),
    ),
)
_SAYS: Final = (
    "{}, which everyone with access to the code can read; replace it at its provider, and set the new one in .env"
)
_MOST: Final = 50
"""Maximum number of secrets in the report."""


def find_secrets(project: Path) -> Iterator[Item]:
    """Yield the secrets in `src`; `config` is covered by the report's settings. One for each line."""
    sources = Sources(project)
    count = 0
    for path in code_files(sources, sources.source):
        place = sources.place(path)
        try:
            text = read_own_file(path, LARGEST_SOURCE)
        except OSError:
            continue
        lines: dict[int, str] = {}
        for kind, pattern in _KINDS:
            for match in pattern.finditer(text):
                lines.setdefault(text.count(b"\n", 0, match.start()) + 1, kind)
        for line, kind in sorted(lines.items()):
            count += 1
            if count > _MOST:
                return
            yield Item(f"{place.file}:{line}", "", _SAYS.format(kind))
