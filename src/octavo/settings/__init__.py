"""Settings: a project's `config/*.toml`, `.env` and the environment, loaded at start into frozen dataclasses.

Invalid keys and values are reported together in one `SettingsError`.
"""

from octavo.settings.describe import Described, describe
from octavo.settings.files.compatibility import Profile
from octavo.settings.loader import Inspected, inspect_settings, load_settings, missing_secrets
from octavo.settings.model import Mode, Settings
from octavo.settings.problems import SettingsError, SettingsProblem

__all__ = [
    "Described",
    "Inspected",
    "Mode",
    "Profile",
    "Settings",
    "SettingsError",
    "SettingsProblem",
    "describe",
    "inspect_settings",
    "load_settings",
    "missing_secrets",
]
