"""Findings on the providers of uploads and mail that a v4 project names: those that there are not, or lack options."""

from collections.abc import Iterator

from octavo.settings.findings import Finding, Outcome
from octavo.settings.model import Settings
from octavo.settings.provider_checks import (
    Wrong,
    mail_is_from_v4,
    mail_problems,
    storage_problems,
    upload_is_from_v4,
)
from octavo.v4.config.rows import KEYS


def provider_findings(settings: Settings) -> Iterator[Finding]:
    """Why nothing can be uploaded, or no mail be sent, although the start goes on."""
    if upload_is_from_v4(settings):
        yield from (_closed(settings, wrong, "uploads are refused") for wrong in storage_problems(settings))
    if mail_is_from_v4(settings):
        yield from (_closed(settings, wrong, "mail is not sent") for wrong in mail_problems(settings))


def _closed(settings: Settings, wrong: Wrong, effect: str) -> Finding:
    place, expected = wrong
    provider = settings.sources[(*place[:3], "provider")]
    file, _, line = provider.rpartition(":")
    setting = next((name for name, key in KEYS.items() if key.attributes == place), "")
    return Finding(
        outcome=Outcome.CLOSED,
        file=file,
        line=int(line),
        key=KEYS[setting].dotted if setting else ".".join(place[1:]),
        setting=setting,
        message=f"{expected}; until that is written into config/plugins.toml {effect}",
    )
