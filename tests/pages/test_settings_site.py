"""Settings of the site's users: roles by action, providers, email templates, registration."""

from typing import Any

from tests.pages.desk import Desk

SITE = "/admin/settings/users-permissions"


def test_a_role_is_granted_an_action(desk: Desk) -> None:
    desk.open(f"{SITE}/roles")
    desk.click("Authenticated")
    desk.see("Each action allows the routes")
    desk.until("(document.querySelector('details').open = true)", "the first API")
    desk.see("GET /api/about")
    assert desk.barriers() == []
    desk.click_at("details[open] .actions input")
    desk.click("Save")
    desk.see("Saved")
    role: Any = desk.ask("GET", "/users-permissions/roles/1")["role"]
    assert role["permissions"]["api::about"]["controllers"]["about"]["find"]["enabled"]
    assert not role["permissions"]["api::about"]["controllers"]["about"]["delete"]["enabled"]


def test_providers_mails_and_registering_are_set(desk: Desk) -> None:
    desk.open(f"{SITE}/providers")
    desk.click("Edit github")
    desk.fill("Client ID", "abc")
    assert desk.barriers() == []
    desk.click("Save")
    desk.gone("Client ID")
    assert desk.ask("GET", "/users-permissions/providers")["github"]["key"] == "abc"
    desk.open(f"{SITE}/email-templates")
    desk.fill("Subject", "Another password")
    assert desk.barriers() == []
    desk.click("Save")
    desk.see("Saved")
    texts = desk.ask("GET", "/users-permissions/email-templates")
    assert texts["reset_password"]["options"]["object"] == "Another password"
    desk.open(f"{SITE}/advanced-settings")
    desk.click("Enable sign-ups", exact=False)
    assert desk.barriers() == []
    desk.click("Save")
    desk.see("Saved")
    assert not desk.ask("GET", "/users-permissions/advanced")["settings"]["allow_register"]
