"""A v4 project with one example of each finding of a report, and a database for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cli.projects import PLACE, SECRETS, STORY, write_type
from tests.v4.config.project import PACKAGES, SQLITE, write

HIDDEN = "tobemodified-9f2"
_SECTION: dict[str, Any] = {
    "collectionName": "components_sections",
    "info": {"displayName": "Section"},
    "attributes": {"links": {"type": "component", "repeatable": True, "component": "page.link"}},
}
_LINK: dict[str, Any] = {
    "collectionName": "components_links",
    "info": {"displayName": "Link"},
    "attributes": {"pictures": {"type": "media", "multiple": True}, "maxLenght": {"type": "string", "maxLenght": 3}},
}
_BLOCKS = {"type": "dynamiczone", "components": ["page.section"]}
_FILES: Mapping[str, Any] = {
    ".env": SECRETS,
    "config/database.json": SQLITE,
    "config/server.js": f"module.exports = ({{ env }}) => ({{ host: '127.0.0.1', url: process.memoryUsage(),"
    f" app: {{ keys: ['{HIDDEN}'] }} }})",
    "config/api.js": "module.exports = { rest: { defaultLimit: 7 } }",
    "config/cron-tasks.js": "module.exports = { '0 1 * * *': ({ strapi }) => { strapi.log.info('night') } }",
    "config/env/production/server.js": "module.exports = {}",
    "src/components/page/section.json": _SECTION,
    "src/components/page/link.json": _LINK,
    "src/policies/is-friend.js": "module.exports = (context) => context.state.user.friend",
    "src/api/story/routes/story.js": """
const { createCoreRouter } = require('@strapi/strapi').factories
module.exports = createCoreRouter('api::story.story', { config: { find: { policies: ['global::is-friend'] } } })""",
    "src/api/story/routes/own.js": """
module.exports = { routes: [{ method: 'GET', path: '/stories/best', handler: 'story.best' }] }""",
    "src/api/story/controllers/story.js": """
const { createCoreController } = require('@strapi/strapi').factories
module.exports = createCoreController('api::story.story', { async best(ctx) { return strapi.service('x').best() } })""",
    "src/api/place/routes/place.js": """
module.exports = require('@strapi/strapi').factories.createCoreRouter('api::place.place')""",
    "src/api/story/content-types/story/lifecycles.js": """
module.exports = { async beforeCreate(event) { event.params.data.title = slug(event.params.data.title) } }""",
}
_MORE_PACKAGES = {
    "strapi-plugin-sitemap": "2.0.0",
    "@_sh/strapi-plugin-ckeditor": "2.1.0",
    "strapi-provider-cloudflare-r2": "0.3.0",
    "@strapi/provider-email-mailjet": "1.0.0",
    "strapi-plugin-of-nobody": "1.0.0",
    "axios": "1.0.0",
}


def make_v4_project(folder: Path, files: Mapping[str, Any] | None = None) -> Path:
    """Write the project. `files` add or replace files."""
    write(folder, {**_FILES, **(files or {})}, {**PACKAGES, **_MORE_PACKAGES})
    write_type(folder, {**STORY, "attributes": {**STORY["attributes"], "blocks": _BLOCKS}})
    write_type(folder, PLACE)
    return folder
