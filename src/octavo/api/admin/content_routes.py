"""The content API's routes as v4 lists them for tokens and roles: by owner, with their actions."""

from collections.abc import Iterable
from typing import Any, Final

from octavo.api.http.router import Route
from octavo.schema.content_types import CONTENT_TYPE_BUILDER, EMAIL, I18N, UPLOAD, USERS_PERMISSIONS
from octavo.schema.registry import Registry

Listed = dict[str, list[dict[str, Any]]]

_ORDER: Final = ("find", "findOne", "create", "update", "delete", "createLocalization")
_PLANS: Final = "/actions/"
"""The path segment of scheduling routes, which v4 does not have."""
_LIMITED: Final = {"middlewares": [f"{USERS_PERMISSIONS}.rateLimit"], "prefix": ""}
_BARE: Final = {"prefix": ""}
_PLUGINS: Final[dict[str, tuple[tuple[str, str, str, dict[str, Any]], ...]]] = {
    CONTENT_TYPE_BUILDER: (
        ("GET", "/content-type-builder/content-types", "content-types.getContentTypes", {}),
        ("GET", "/content-type-builder/content-types/:uid", "content-types.getContentType", {}),
        ("GET", "/content-type-builder/components", "components.getComponents", {}),
        ("GET", "/content-type-builder/components/:uid", "components.getComponent", {}),
    ),
    EMAIL: (("POST", "/email/", "email.send", {}),),
    UPLOAD: (
        ("POST", "/upload/", "content-api.upload", {}),
        ("GET", "/upload/files", "content-api.find", {}),
        ("GET", "/upload/files/:id", "content-api.findOne", {}),
        ("DELETE", "/upload/files/:id", "content-api.destroy", {}),
    ),
    USERS_PERMISSIONS: (
        ("GET", "/connect/(.*)", "auth.connect", _LIMITED),
        ("POST", "/auth/local", "auth.callback", _LIMITED),
        ("POST", "/auth/local/register", "auth.register", _LIMITED),
        ("GET", "/auth/:provider/callback", "auth.callback", _BARE),
        ("POST", "/auth/forgot-password", "auth.forgotPassword", _LIMITED),
        ("POST", "/auth/reset-password", "auth.resetPassword", _LIMITED),
        ("GET", "/auth/email-confirmation", "auth.emailConfirmation", _BARE),
        ("POST", "/auth/send-email-confirmation", "auth.sendEmailConfirmation", _BARE),
        ("POST", "/auth/change-password", "auth.changePassword", _LIMITED),
        ("GET", "/users/count", "user.count", _BARE),
        ("GET", "/users", "user.find", _BARE),
        ("GET", "/users/me", "user.me", _BARE),
        ("GET", "/users/:id", "user.findOne", _BARE),
        ("POST", "/users", "user.create", _BARE),
        ("PUT", "/users/:id", "user.update", _BARE),
        ("DELETE", "/users/:id", "user.destroy", _BARE),
        ("GET", "/users-permissions/roles/:id", "role.findOne", {}),
        ("GET", "/users-permissions/roles", "role.find", {}),
        ("POST", "/users-permissions/roles", "role.createRole", {}),
        ("PUT", "/users-permissions/roles/:role", "role.updateRole", {}),
        ("DELETE", "/users-permissions/roles/:role", "role.deleteRole", {}),
        ("GET", "/users-permissions/permissions", "permissions.getPermissions", {}),
    ),
    I18N: (("GET", "/i18n/locales", "locales.listLocales", {}),),
}
"""The routes of plugins: method, path, handler and v4's other properties."""


def list_content_routes(routes: Iterable[Route], registry: Registry, prefix: str) -> Listed:
    """Return all routes by owner. Content types have only the routes that are served."""
    served = [(route, getattr(route.operation, "action", "")) for route in routes if _PLANS not in route.template]
    listed: Listed = {}
    for content_type in registry.api_types():
        uid = content_type.uid
        own = [(route, action) for route, action in served if action.rpartition(".")[0] == uid]
        own.sort(key=lambda found: _place(found[1]))
        listed.setdefault(uid.rpartition(".")[0], []).extend(_of_type(route, action) for route, action in own)
    for owner, rows in _PLUGINS.items():
        listed[owner] = [_of_plugin(owner, prefix, *row) for row in rows]
    return listed


def _place(action: str) -> int:
    operation = action.rpartition(".")[2]
    return _ORDER.index(operation) if operation in _ORDER else len(_ORDER)


def _of_type(route: Route, action: str) -> dict[str, Any]:
    controller, _, operation = action.rpartition(".")
    owner, _, name = controller.rpartition(".")
    localizes = operation == "createLocalization"
    return {
        "method": route.method,
        "path": route.template,
        "handler": f"{name}.{operation}" if localizes else action,
        "config": {**({"policies": []} if localizes else {}), "auth": {"scope": [action]}},
        "info": {"apiName": owner.removeprefix("api::"), "type": "content-api"},
    }


def _of_plugin(owner: str, prefix: str, method: str, path: str, handler: str, more: dict[str, Any]) -> dict[str, Any]:
    return {
        "method": method,
        "path": f"{prefix}{path}",
        "handler": handler,
        "config": {**more, "auth": {"scope": [f"{owner}.{handler}"]}},
        "info": {"pluginName": owner.removeprefix("plugin::"), "type": "content-api"},
    }
