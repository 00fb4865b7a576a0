"""Definitions that Octavo, Strapi v4 and Strapi 5 read, and the rest of a Strapi project."""

from collections.abc import Mapping
from typing import Any

from benchmarks.peers.content import KINDS
from benchmarks.peers.systems.base import to_json

TYPES = ("article", "author", "category")
PLURALS = {"article": "articles", "author": "authors", "category": "categories"}
ACTIONS = ("find", "findOne", "create", "update")
PERMISSIONS = tuple(f"api::{name}.{name}.{action}" for name in TYPES for action in ACTIONS)
"""What the public role is allowed to do."""


def _relation(kind: str, target: str, **names: str) -> dict[str, str]:
    return {"type": "relation", "relation": kind, "target": f"api::{target}.{target}", **names}


_ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "article": {
        "title": {"type": "string", "required": True},
        "slug": {"type": "string"},
        "summary": {"type": "text"},
        "body": {"type": "text"},
        "kind": {"type": "enumeration", "enum": list(KINDS)},
        "views": {"type": "integer"},
        "featured": {"type": "boolean"},
        "author": _relation("manyToOne", "author", inversedBy="articles"),
        "categories": _relation("manyToMany", "category", inversedBy="articles"),
    },
    "author": {
        "name": {"type": "string", "required": True},
        "email": {"type": "string"},
        "bio": {"type": "text"},
        "articles": _relation("oneToMany", "article", mappedBy="author"),
    },
    "category": {
        "name": {"type": "string", "required": True},
        "code": {"type": "string"},
        "articles": _relation("manyToMany", "article", mappedBy="categories"),
    },
}


def schema_files(*, drafts: bool) -> dict[str, str]:
    """Return the content types' definitions. `drafts`: articles can be drafts."""
    return {f"src/api/{name}/content-types/{name}/schema.json": to_json(_schema(name, drafts)) for name in TYPES}


def _schema(name: str, drafts: bool) -> dict[str, Any]:
    return {
        "kind": "collectionType",
        "collectionName": PLURALS[name],
        "info": {"singularName": name, "pluralName": PLURALS[name], "displayName": name.title()},
        "options": {"draftAndPublish": drafts and name == "article"},
        "pluginOptions": {},
        "attributes": _ATTRIBUTES[name],
    }


_BOOTSTRAP = """module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    for (const action of %s) {
      if (!(await permissions.findOne({ where: { action, role: role.id } })))
        await permissions.create({ data: { action, role: role.id } });
    }
  },
};
"""
_CONFIG = {
    "server": "{ host: '127.0.0.1', port: env.int('PORT'), app: { keys: ['k1', 'k2'] }, webhooks: {} }",
    "admin": "{ auth: { secret: 'admin' }, apiToken: { salt: 'token' }, transfer: { token: { salt: 'transfer' } }, "
    "secrets: { encryptionKey: 'benchmark-benchmark-benchmark-00' }, serveAdminPanel: false }",
    "api": "{ rest: { defaultLimit: 25, maxLimit: 100, withCount: true } }",
    "plugins": "{ 'users-permissions': { config: { jwtSecret: 'jwt', ratelimit: { enabled: false } } }, "
    "graphql: { config: { shadowCRUD: true, depthLimit: 20, amountLimit: 100, maxLimit: 100, "
    "apolloServer: { tracing: false } } } }",
    "database": "{ connection: { client: 'postgres', connection: { host: env('PG_HOST'), port: env.int('PG_PORT'), "
    "database: env('PG_NAME'), user: env('PG_USER'), password: env('PG_PASSWORD'), ssl: false }, "
    "pool: { min: 2, max: 10 } } }",
}
_MIDDLEWARES = "logger errors security cors poweredBy query body session favicon public"


def project_files(packages: Mapping[str, str], *, drafts: bool) -> dict[str, str]:
    """Return all files of a Strapi project: its default middlewares, and GraphQL."""
    files = {f"config/{name}.js": f"module.exports = ({{ env }}) => ({text});\n" for name, text in _CONFIG.items()}
    names = [f"strapi::{name}" for name in _MIDDLEWARES.split()]
    files["config/middlewares.js"] = f"module.exports = {to_json(names)}"
    files["src/index.js"] = _BOOTSTRAP % to_json(list(PERMISSIONS))
    package = {
        "name": "peer",
        "private": True,
        "version": "0.1.0",
        "dependencies": packages,
        "strapi": {"uuid": "peer"},
    }
    files["package.json"] = to_json(package)
    for name in TYPES:
        for folder, factory in (("routes", "Router"), ("controllers", "Controller"), ("services", "Service")):
            text = f"module.exports = require('@strapi/strapi').factories.createCore{factory}('api::{name}.{name}');\n"
            files[f"src/api/{name}/{folder}/{name}.js"] = text
    return files | schema_files(drafts=drafts) | {"public/uploads/.gitkeep": "", "database/migrations/.gitkeep": ""}
