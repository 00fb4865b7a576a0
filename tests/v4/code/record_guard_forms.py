"""Record what Strapi v4 does with each form of `guard_forms`: `python -m tests.v4.code.record_guard_forms BASE`.

BASE is a folder with the packages of Strapi 4.26 in `node_modules`. The script generates the project there, serves it
on a loopback port, deletes it and writes the responses to `guard_forms.json`.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from tests.v4.code.guard_forms import HOOKS, Case, cases, shared, written

RECORD: Final = Path(__file__).with_name("guard_forms.json")
_PORT: Final = 21650
_PATIENCE: Final = 180
_HEADER: Final = "x-case"
_REJECTIONS: Final = "--unhandled-rejections=warn"
"""Otherwise the first unhandled rejection would end the process."""
_FIND = """
const path = require('path');
const key = () => strapi.requestContext.get()?.request.headers['x-case'] ?? '';
exports.load = () => {
  const found = require(path.join(strapi.dirs.app.root, 'cases', key()));
  return found.default ?? found;
};
exports.at = (place) => key().startsWith(place);
exports.hook = (event, place) => exports.at(place) ? exports.load()[event.action](event) : undefined;
"""
_ROUTES = """
const open = { auth: false };
const list = ['global::dispatch'];
module.exports = { routes: [
  { method: 'POST', path: '/policy', handler: 'item.create', config: { ...open, policies: list } },
  { method: 'POST', path: '/middleware', handler: 'item.create', config: { ...open, middlewares: list } },
  { method: 'POST', path: '/controller', handler: 'item.dispatch', config: open },
  { method: 'POST', path: '/items', handler: 'item.create', config: open },
  { method: 'GET', path: '/items', handler: 'item.find', config: open },
  { method: 'PUT', path: '/items/:id', handler: 'item.update', config: open },
  { method: 'DELETE', path: '/items/:id', handler: 'item.delete', config: open },
] };"""
_CONTROLLER = """
const { load } = require('../../../../find');
module.exports = require('@strapi/strapi').factories.createCoreController('api::item.item', ({ strapi }) => ({
  async dispatch(ctx) { return load()({ strapi }).create(ctx); },
}));"""
_SCHEMA = {
    "kind": "collectionType",
    "collectionName": "items",
    "info": {"singularName": "item", "pluralName": "items", "displayName": "item"},
    "attributes": {"title": {"type": "string"}},
}
_DOTENV = "APP_KEYS=a,b\nAPI_TOKEN_SALT=c\nADMIN_JWT_SECRET=d\nTRANSFER_TOKEN_SALT=e\nJWT_SECRET=f\n"
_CONFIG = {
    "server.js": f"module.exports = () => ({{ host: '127.0.0.1', port: {_PORT}, app: {{ keys: ['a', 'b'] }} }});",
    "admin.js": "module.exports = () => ({ auth: { secret: 'd' }, apiToken: { salt: 'c' }, "
    "transfer: { token: { salt: 'e' } }, serveAdminPanel: false });",
    "plugins.js": "module.exports = () => ({ gate: { enabled: true, resolve: './src/plugins/gate' }, "
    "graphql: { enabled: false }, 'users-permissions': { config: { jwtSecret: 'f' } } });",
    "database.js": "module.exports = () => ({ connection: { client: 'sqlite', "
    "connection: { filename: '.tmp/data.db' }, useNullAsDefault: true } });",
    "middlewares.js": "module.exports = ['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors', "
    "'strapi::poweredBy', 'strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public'];",
}
_TRANSPILE = """
const ts = require('typescript'); const fs = require('fs'); const path = require('path');
const options = { compilerOptions: { module: 'commonjs', target: 'es2020', esModuleInterop: true } };
const walk = (folder) => fs.readdirSync(folder, { withFileTypes: true }).forEach((one) => {
  const file = path.join(folder, one.name);
  if (one.isDirectory()) return walk(file);
  if (!file.endsWith('.ts')) return;
  fs.writeFileSync(file.replace(/ts$/, 'js'), ts.transpileModule(fs.readFileSync(file, 'utf8'), options).outputText);
  fs.unlinkSync(file);
});
['src/guards', 'cases'].forEach(walk);
"""


def _generate(app: Path, listed: list[Case]) -> None:
    hooks = " ".join(f"{event}: (event) => hook(event, '{event}')," for event in HOOKS)
    files = {
        **shared(),
        **{f"config/{name}": text for name, text in _CONFIG.items()},
        **{f"cases/{_name(case)}": written(case, "../src/guards", "api::item.item") for case in listed},
        "find.js": _FIND,
        ".env": _DOTENV,
        "transpile.js": _TRANSPILE,
        "package.json": json.dumps(
            {
                "name": "forms",
                "version": "0.1.0",
                "dependencies": {"@strapi/strapi": "4.26.2"},
                "strapi": {"uuid": "00000000-0000-0000-0000-000000000000"},
            }
        ),
        "src/api/item/content-types/item/schema.json": json.dumps(_SCHEMA),
        "src/api/item/content-types/item/lifecycles.js": "const { hook } = require('../../../../../find');\n"
        f"module.exports = {{ {hooks} }};",
        "src/api/item/routes/item.js": _ROUTES,
        "src/api/item/controllers/item.js": _CONTROLLER,
        "src/api/item/services/item.js": "module.exports = "
        "require('@strapi/strapi').factories.createCoreService('api::item.item');",
        "src/policies/dispatch.js": "module.exports = (ctx, config, more) => "
        "require('../../find').load()(ctx, config, more);",
        "src/middlewares/dispatch.js": "module.exports = (config, more) => (ctx, next) => "
        "require('../../find').load()(config, more)(ctx, next);",
        "src/index.js": "const { hook } = require('../find');\nmodule.exports = { register({ strapi }) { "
        "strapi.guard = require('lock-guard'); global.guard = strapi.guard; }, "
        "bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({ "
        "models: ['api::item.item'], beforeCreate: (event) => hook(event, 'subscribed') }); } };",
    }
    for name, text in files.items():
        path = app / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (app / "public/uploads").mkdir(parents=True)
    (app / ".tmp").mkdir()
    (app / "node_modules").symlink_to("../node_modules")
    shutil.copytree(app / "src/node_modules", app / "cases/node_modules")
    subprocess.run(["node", "transpile.js"], cwd=app, check=True)


def _name(case: Case) -> str:
    words = "-".join((case.place, case.source, case.call, case.kind)).replace(" ", "-")
    return f"{words}.{'ts' if case.is_typed else 'js'}"


@contextmanager
def _served(base: Path, listed: list[Case]) -> Iterator[httpx.Client]:
    app = base / "guard-forms"
    shutil.rmtree(app, ignore_errors=True)
    _generate(app, listed)
    env = {**os.environ, "NODE_ENV": "production", "STRAPI_TELEMETRY_DISABLED": "true", "NODE_OPTIONS": _REJECTIONS}
    command = ["node", "node_modules/@strapi/strapi/bin/strapi.js", "start"]
    with (app / "log").open("w") as log, subprocess.Popen(command, cwd=app, env=env, stdout=log, stderr=log) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{_PORT}", timeout=60) as client:
                for _ in range(_PATIENCE):
                    try:
                        client.get("/_health")
                        break
                    except httpx.TransportError:
                        time.sleep(1)
                else:
                    raise SystemExit((app / "log").read_text())
                yield client
        finally:
            process.terminate()
    shutil.rmtree(app)


def _refused(client: httpx.Client, case: Case) -> bool:
    headers = {_HEADER: _name(case).rpartition(".")[0]}
    body: dict[str, Any] = {"data": {"title": "one"}}
    match case.place:
        case "beforeFindMany":
            return not client.get("/api/items", headers=headers).is_success
        case "beforeUpdate" | "beforeDelete" as event:
            entry = client.post("/api/items", json=body).raise_for_status().json()["data"]["id"]
            method = "PUT" if event == "beforeUpdate" else "DELETE"
            return not client.request(method, f"/api/items/{entry}", json=body, headers=headers).is_success
        case "beforeCreate" | "subscribed beforeCreate":
            return not client.post("/api/items", json=body, headers=headers).is_success
        case place:
            return not client.post(f"/api/{place}", json=body, headers=headers).is_success


def main(base: Path) -> None:
    """Record v4's behavior for each form, with the function that throws and with the one that logs: `r` for refused,
    `d` for done.
    """
    listed = list(cases())
    found: dict[str, dict[str, dict[str, str]]] = {}
    with _served(base, listed) as client:
        for case in listed:
            calls = found.setdefault(case.place, {}).setdefault(case.source, {})
            calls[case.call] = calls.get(case.call, "") + ("r" if _refused(client, case) else "d")
    RECORD.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
