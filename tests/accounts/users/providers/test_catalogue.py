"""The table of providers: the profile of each, and the settings it requires."""

from typing import Any

import pytest

from octavo.accounts.users.providers.catalogue import ROWS, ProviderProfile, make_provider
from octavo.settings.sign_in_providers import ProviderSettings, read_stored_provider

HERE = "https://api.example"


@pytest.mark.parametrize(
    "name, told, expected",
    [
        (
            "google",
            {"sub": "1", "email": "ann@gmail.com", "email_verified": True, "name": "Ann A"},
            ProviderProfile("1", "ann@gmail.com", True, "ann"),
        ),
        (
            "keycloak",
            {"sub": "k", "email": "a@b.c", "email_verified": False, "preferred_username": "ann"},
            ProviderProfile("k", "a@b.c", False, "ann"),
        ),
        (
            "auth0",
            {"sub": "auth0|1", "email": "a@b.c", "nickname": "annie"},
            ProviderProfile("auth0|1", "a@b.c", None, "annie"),
        ),
        (
            "azure",
            {"sub": "z", "preferred_username": "ann@corp.example"},
            ProviderProfile("z", "ann@corp.example", True, "ann@corp.example"),
        ),
        (
            "microsoft",
            {"id": "m", "userPrincipalName": "ann@corp.example", "mail": "ceo@other.example"},
            ProviderProfile("m", "ann@corp.example", True, "ann@corp.example"),
        ),
        ("facebook", {"id": "f", "name": "Ann A", "email": "a@b.c"}, ProviderProfile("f", "a@b.c", True, "Ann A")),
        (
            "discord",
            {"id": "9", "username": "ann", "discriminator": "0", "email": "a@b.c", "verified": False},
            ProviderProfile("9", "a@b.c", False, "ann"),
        ),
        (
            "discord",
            {"id": "9", "username": "ann", "discriminator": "1234", "email": "a@b.c", "verified": True},
            ProviderProfile("9", "a@b.c", True, "ann#1234"),
        ),
        ("github", {"id": 5, "login": "ann", "email": "a@b.c"}, ProviderProfile("5", "a@b.c", True, "ann")),
        ("google", {"sub": None, "email": ["a"], "email_verified": {}}, ProviderProfile("", "", None, "")),
    ],
)
def test_profiles_of_each_provider(name: str, told: dict[str, Any], expected: ProviderProfile) -> None:
    assert ROWS[name].read(told, ()) == expected


def test_the_email_address_of_a_github_user() -> None:
    emails = [{"email": "x@y.z", "primary": False}, {"email": "ann@y.z", "primary": True, "verified": False}]
    reported = {"id": 5, "login": "ann", "email": "public@y.z"}
    assert ROWS["github"].read(reported, emails) == ProviderProfile("5", "ann@y.z", False, "ann")


@pytest.mark.parametrize(
    "name, subdomain, issuer",
    [
        ("google", None, "https://accounts.google.com"),
        ("auth0", "tenant.eu", "https://tenant.eu.auth0.com/"),
        ("keycloak", "sso.example/realms/x", "https://sso.example/realms/x"),
        ("azure", "1b2c", "https://login.microsoftonline.com/1b2c/v2.0"),
    ],
)
def test_issuers(name: str, subdomain: str | None, issuer: str) -> None:
    made = make_provider(name, ProviderSettings(enabled=True, key="k", subdomain=subdomain), HERE)
    assert made is not None
    assert made.issuer == issuer
    assert "openid" in made.scope


@pytest.mark.parametrize("name", sorted(ROWS))
def test_all_urls_use_https(name: str) -> None:
    made = make_provider(name, ProviderSettings(enabled=True, key="k", subdomain="x.example"), HERE)
    assert made is not None
    addresses = [made.issuer, made.authorize_url, made.access_url, made.profile_url, made.emails_url]
    assert bool(made.issuer) != bool(made.access_url)
    assert all(address.startswith("https://") for address in addresses if address)
    assert made.callbacks == (f"{HERE}/api/auth/{name}/callback",)


@pytest.mark.parametrize(
    "name, given",
    [
        ("google", ProviderSettings(key="k")),
        ("google", ProviderSettings(enabled=True)),
        ("keycloak", ProviderSettings(enabled=True, key="k")),
        ("company", ProviderSettings(enabled=True, key="k")),
    ],
)
def test_incomplete_providers_are_left_out(name: str, given: ProviderSettings) -> None:
    assert make_provider(name, given, HERE) is None


def test_an_issuer_makes_any_provider_an_openid_provider() -> None:
    given = ProviderSettings(enabled=True, key="k", issuer="https://sso.example", callback="app://signed-in")
    for name in ("company", "github"):
        made = make_provider(name, given, HERE)
        assert made is not None
        assert (made.issuer, made.callbacks) == ("https://sso.example", ("app://signed-in",))


def test_settings_stored_by_v4() -> None:
    stored = {
        "enabled": True,
        "icon": "x",
        "key": "k",
        "secret": "s",
        "scope": ["a"],
        "callbackUrl": "old",
        "callback": "new",
    }
    assert read_stored_provider(stored) == ProviderSettings(
        enabled=True, key="k", secret="s", scope=("a",), callback="new"
    )
    assert read_stored_provider({"callbackUrl": "old", "callback": "", "key": 12}) == ProviderSettings(
        callback="old", key="12"
    )
    assert read_stored_provider({"enabled": "yes", "scope": "email", "key": None}) == ProviderSettings()
    assert "hidden" not in repr(ProviderSettings(secret="hidden"))
