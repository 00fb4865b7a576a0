"""`plugins.toml`, `[documentation]`: the description of the REST API, for people and for programs."""

from typing import Literal

from octavo.core.values import dataclass
from octavo.settings.keys import setting, table
from octavo.settings.values import PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentationConfig:
    """Where it is, and for whom."""

    path: str = setting("/documentation", "Path of the page; the document is at `openapi.json` below it.", kind=PATH)
    always: bool = setting(False, "Serve it in production too.")
    access: Literal["everybody", "tokens"] = setting(
        "everybody", "Access to the document: `everybody`, or only API tokens with full access (`tokens`)."
    )
    title: str = setting("API", "Name of the API.")
    version: str = setting("1.0.0", "Version of the API; the page is also at `/v` followed by it, as in v4.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """OpenAPI."""

    enabled: bool = setting(
        True,
        "Use the plugin.",
        default_doc="true; in v4 projects where `package.json` has `@strapi/plugin-documentation`",
    )
    config: DocumentationConfig = table(DocumentationConfig)
