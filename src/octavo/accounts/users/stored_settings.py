"""Settings for users stored in v4's core store: registration, sign-in providers and mail templates.

Sign-in and registration read the same rows (`user_rows`, `providers/logins`, `core/mail/templates`). As in v4,
providers' secrets are stored in plain text: administrators with permission to read providers see them. Raises
ValidationError.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.providers.catalogue import ROWS
from octavo.accounts.users.role_management import check_all_users, check_default_role, check_roles_given
from octavo.content.core_store import CoreStore
from octavo.content.entry_unit import EntryUnit
from octavo.content.writer import EntryWriter
from octavo.core.errors import ValidationError
from octavo.core.forms.texts import EXPECTED, is_harmless, is_web_link
from octavo.core.mail.templates import BUILT_IN
from octavo.settings.keys import canonical

_ADVANCED: Final = "advanced"
_PROVIDERS: Final = "grant"
_TEMPLATES: Final = "email"
_LOCAL: Final = "email"
_RESET_PAGE: Final = "email_reset_password"
_MOST: Final = 100_000
"""The maximum length of a setting; the longest are mail templates."""

_ADVANCED_DEFAULTS: Final[Mapping[str, Any]] = {
    "unique_email": True,
    "allow_register": True,
    "email_confirmation": False,
    "email_reset_password": None,
    "email_confirmation_redirection": None,
    "default_role": "authenticated",
}
_LINKS: Final = ("email_reset_password", "email_confirmation_redirection")
"""Settings that browsers and mail programs follow as links."""
_PROVIDER_LINKS: Final = frozenset(
    map(canonical, ("callback", "callbackUrl", "callbacks", "redirectUri", "authorizeUrl", "accessUrl", "profileUrl"))
)
_SHOWN_OF_TEMPLATES: Final = {
    "reset_password": ("Email.template.reset_password", "sync"),
    "email_confirmation": ("Email.template.email_confirmation", "check-square"),
}
_TAG: Final = re.compile(r"<%(.*?)%>", re.DOTALL)
_DATA: Final = frozenset({"URL", "ADMIN_URL", "SERVER_URL", "CODE", "TOKEN", "USER", "USER.email", "USER.username"})
"""The variables that a mail template can use."""


class StoredSettings:
    """Reads and saves these settings. `callbacks` is the prefix of providers' callback URLs."""

    def __init__(self, writer: EntryWriter, callbacks: str) -> None:
        self._writer = writer
        self._store = CoreStore(writer, "plugin", "users-permissions")
        self._callbacks = callbacks

    async def advanced(self) -> Mapping[str, Any]:
        """Return the settings for registration."""
        return _known(await self._store.get(_ADVANCED)) or _ADVANCED_DEFAULTS

    async def save_advanced(self, body: Any, actor: Actor) -> None:
        """Save the settings for registration that the body contains.

        Raises ForbiddenError if a change (default role, registration, URL of the password reset page) gives users
        permissions that the administrator lacks.
        """
        given = _object(body)
        for name in _LINKS:
            _check_link(name, given.get(name))
        new = {name: given[name] for name in given if name in _ADVANCED_DEFAULTS}

        async def check(unit: EntryUnit) -> None:
            before, after = {**_ADVANCED_DEFAULTS, **await self.advanced()}, {**_ADVANCED_DEFAULTS, **new}
            dialect = self._writer.database.dialect
            is_other = after["default_role"] != before["default_role"]
            opens = after["allow_register"] is not False and before["allow_register"] is False
            if is_other or opens or "default_role" in new:
                role_id = await check_default_role(unit, dialect, after["default_role"])
                await check_roles_given(unit, dialect, actor, [role_id] if is_other or opens else [])
            if (after[_RESET_PAGE] or None) != (before[_RESET_PAGE] or None):
                await check_all_users(unit, actor)

        await self._save(_ADVANCED, new, check)

    async def providers(self) -> Mapping[str, Any]:
        """Return the providers, each with the callback URL to register there."""
        providers = _known(await self._store.get(_PROVIDERS)) or _provider_defaults()
        return {name: self._with_address(name, given) for name, given in providers.items()}

    async def save_providers(self, body: Any, actor: Actor) -> None:
        """Save `providers`. A provider can vouch for any user, so the administrator needs all permissions of users.

        Raises ForbiddenError.
        """
        given = _object(body).get("providers")
        if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
            raise ValidationError("providers must be an object of objects")
        for name, one in given.items():
            for key, value in one.items():
                if canonical(key) in _PROVIDER_LINKS:
                    _check_provider_link(f"providers.{name}.{key}", value)
        await self._save_for_all(_PROVIDERS, _bounded(dict(given)), actor)

    async def templates(self) -> Mapping[str, Any]:
        """Return the mail templates."""
        return _known(await self._store.get(_TEMPLATES)) or _template_defaults()

    async def save_templates(self, body: Any, actor: Actor) -> None:
        """Save `email-templates`, which can contain variables but no code.

        They contain links with codes, so the administrator needs all permissions of users. Raises ForbiddenError.
        """
        given = _object(body).get("email-templates")
        if not isinstance(given, Mapping):
            raise ValidationError("email-templates must be an object")
        bounded = _bounded(dict(given))
        for name, template in bounded.items():
            options = template.get("options") if isinstance(template, Mapping) else None
            if not isinstance(options, Mapping):
                raise ValidationError(f"{name}.options must be an object")
            if not all(_is_valid(options.get(part, "")) for part in ("message", "object")):
                raise ValidationError("Invalid template")
        await self._save_for_all(_TEMPLATES, bounded, actor)

    async def _save_for_all(self, key: str, value: dict[str, Any], actor: Actor) -> None:
        """Save a setting that lets an administrator act as any user. Unchanged values need no permission."""

        async def check(unit: EntryUnit) -> None:
            if value != await self._store.get(key):
                await check_all_users(unit, actor)

        await self._save(key, value, check)

    async def _save(self, key: str, value: dict[str, Any], check: Callable[[EntryUnit], Awaitable[None]]) -> None:
        """Save a setting if a check in the same transaction passes."""

        async def work(unit: EntryUnit) -> None:
            await unit.connection.lock(f"octavo: user settings {key}")
            with unit.ambient():
                await check(unit)
                await self._store.set(key, value)

        await self._writer.run(work)

    def _with_address(self, name: str, given: Any) -> Any:
        if name == _LOCAL or not isinstance(given, Mapping):
            return given
        return {**given, "redirectUri": f"{self._callbacks}/connect/{quote(name, safe='')}/callback"}


def _check_link(name: str, value: Any, is_sound: Callable[[Any], bool] = is_harmless) -> None:
    if value not in (None, "") and not is_sound(value):
        raise ValidationError(f"{name} must be {EXPECTED}")


def _check_provider_link(name: str, value: Any) -> None:
    """Check a provider's URL. v4 stores its own paths without the leading slash."""
    for one in value if isinstance(value, list) else [value]:
        is_bare = isinstance(one, str) and ":" not in one and one[:1] not in ("/", "\\")
        _check_link(name, f"/{one}" if is_bare and one else one, is_web_link)


def _object(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping) or not body:
        raise ValidationError("Request body cannot be empty")
    return body


def _known(found: Any) -> Mapping[str, Any] | None:
    return found if isinstance(found, Mapping) else None


def _bounded(given: dict[str, Any]) -> dict[str, Any]:
    if len(repr(given)) > _MOST:
        raise ValidationError(f"Settings must be at most {_MOST} characters")
    return given


def _is_valid(text: Any) -> bool:
    """Return whether a template uses `<%= %>` only for known variables."""
    if not isinstance(text, str) or "}" in text.partition("${")[2]:
        return False
    closed = text[: text.rfind("%>") + 2]  # many unclosed tags would each be searched to the end
    return all(tag[:1] == "=" and tag[1:].strip() in _DATA for tag in _TAG.findall(closed))


def _provider_defaults() -> dict[str, Any]:
    """Return the known providers, as v4 lists them before one is configured."""
    providers: dict[str, Any] = {_LOCAL: {"enabled": True, "icon": "envelope"}}
    for name, row in ROWS.items():
        callback = f"api/auth/{name}/callback"
        said = {"icon": name, "enabled": False, "key": "", "secret": "", "callback": callback}
        providers[name] = {**said, "scope": list(row.scope)}
    return providers


def _template_defaults() -> dict[str, Any]:
    """Return the built-in mail templates."""
    templates = {}
    for name, (display, icon) in _SHOWN_OF_TEMPLATES.items():
        text = BUILT_IN[name]
        sender = {"name": text.sender_name, "email": text.sender}
        options = {"from": sender, "response_email": text.reply_to, "object": text.subject, "message": text.html}
        templates[name] = {"display": display, "icon": icon, "options": options}
    return templates
