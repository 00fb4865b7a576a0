"""A content model with every kind of attribute, and writes of every origin: the cases for v4 and Octavo."""

from collections.abc import Mapping
from typing import Any, Final

Raw = dict[str, Any]

_LOCALIZED: Final = {"i18n": {"localized": True}}
_SHARED: Final = {"i18n": {"localized": False}}


def _relation(kind: str, target: str, **more: Any) -> Raw:
    return {"type": "relation", "relation": kind, "target": f"api::{target}.{target}", **more}


def _type(singular: str, plural: str, attributes: Raw, *, kind: str = "collectionType", **options: Any) -> Raw:
    return {
        "kind": kind,
        "collectionName": plural.replace("-", "_"),
        "info": {"singularName": singular, "pluralName": plural, "displayName": singular.capitalize()},
        "options": {"draftAndPublish": False, **options},
        "pluginOptions": {},
        "attributes": attributes,
    }


_ARTICLE: Final = {
    "title": {"type": "string", "required": True, "pluginOptions": _LOCALIZED},
    "views": {"type": "integer", "pluginOptions": _SHARED},
    "price": {"type": "decimal", "pluginOptions": _LOCALIZED},
    "big": {"type": "biginteger", "pluginOptions": _LOCALIZED},
    "day": {"type": "date", "pluginOptions": _LOCALIZED},
    "extra": {"type": "json", "pluginOptions": _LOCALIZED},
    "note": {"type": "string", "private": True, "pluginOptions": _LOCALIZED},
    "code": {"type": "password", "pluginOptions": _LOCALIZED},
    "cover": {"type": "media", "multiple": False, "allowedTypes": ["files"], "pluginOptions": _LOCALIZED},
    "gallery": {"type": "media", "multiple": True, "allowedTypes": ["files"], "pluginOptions": _LOCALIZED},
    "author": _relation("manyToOne", "author", inversedBy="articles"),
    "lead": _relation("oneToOne", "author"),
    "categories": _relation("manyToMany", "category", inversedBy="articles"),
    "sources": _relation("oneToMany", "author"),
    "secret": _relation("manyToOne", "author", private=True),
    "seo": {"type": "component", "repeatable": False, "component": "shared.seo", "pluginOptions": _LOCALIZED},
    "links": {"type": "component", "repeatable": True, "component": "shared.link", "pluginOptions": _LOCALIZED},
    "blocks": {
        "type": "dynamiczone",
        "components": ["shared.seo", "shared.link"],
        "pluginOptions": _LOCALIZED,
    },
}
TYPES: Final[tuple[Raw, ...]] = (
    _type("article", "articles", _ARTICLE, draftAndPublish=True) | {"pluginOptions": _LOCALIZED},
    _type(
        "author",
        "authors",
        {
            "name": {"type": "string", "required": True},
            "email": {"type": "email", "private": True},
            "portrait": {"type": "media", "multiple": False, "allowedTypes": ["files"]},
            "articles": _relation("oneToMany", "article", mappedBy="author"),
        },
        populateCreatorFields=True,
    ),
    _type(
        "category",
        "categories",
        {
            "name": {"type": "string"},
            "articles": _relation("manyToMany", "article", mappedBy="categories"),
            "parent": _relation("manyToOne", "category", inversedBy="children"),
            "children": _relation("oneToMany", "category", mappedBy="parent"),
        },
    ),
    _type(
        "front",
        "fronts",
        {
            "headline": {"type": "string"},
            "picture": {"type": "media", "multiple": False, "allowedTypes": ["files"]},
            "featured": _relation("oneToMany", "author"),
            "seo": {"type": "component", "repeatable": False, "component": "shared.seo"},
        },
        kind="singleType",
        draftAndPublish=True,
    ),
)
COMPONENTS: Final[Mapping[str, Raw]] = {
    "shared.seo": {
        "collectionName": "components_shared_seos",
        "info": {"displayName": "seo"},
        "options": {},
        "attributes": {
            "metaTitle": {"type": "string"},
            "hidden": {"type": "string", "private": True},
            "image": {"type": "media", "multiple": False, "allowedTypes": ["files"]},
            "editor": {"type": "relation", "relation": "oneToOne", "target": "api::author.author"},
            "see": {"type": "component", "repeatable": True, "component": "shared.link"},
        },
    },
    "shared.link": {
        "collectionName": "components_shared_links",
        "info": {"displayName": "link"},
        "options": {},
        "attributes": {
            "label": {"type": "string"},
            "authors": {"type": "relation", "relation": "oneToMany", "target": "api::author.author"},
        },
    },
}


def files() -> Mapping[str, Raw]:
    """Return the schema files of the model by path below `src`."""
    found = {
        f"api/{one['info']['singularName']}/content-types/{one['info']['singularName']}/schema.json": one
        for one in TYPES
    }
    return found | {f"components/{uid.replace('.', '/')}.json": one for uid, one in COMPONENTS.items()}


_SEO: Final = {"metaTitle": "M", "hidden": "h", "image": 1, "editor": 1, "see": [{"label": "s", "authors": [1, 2]}]}
_FULL: Final = {
    "title": "One",
    "views": 3,
    "price": 2.5,
    "big": "12",
    "day": "2024-05-06",
    "extra": {"a": [1]},
    "note": "n",
    "code": "c",
    "cover": 1,
    "gallery": [1, 2],
    "author": 1,
    "lead": 2,
    "categories": [1, 2],
    "sources": [1],
    "secret": 2,
    "seo": _SEO,
    "links": [{"label": "a", "authors": [1]}, {"label": "b"}],
    "blocks": [{"__component": "shared.seo", **_SEO}, {"__component": "shared.link", "label": "z", "authors": [2]}],
}
_CM: Final = "/content-manager/collection-types/api::article.article"
_CM_AUTHOR: Final = "/content-manager/collection-types/api::author.author"
_CM_FRONT: Final = "/content-manager/single-types/api::front.front"
_CM_USER: Final = "/content-manager/collection-types/plugin::users-permissions.user"


def _graphql(query: str, **variables: Any) -> Raw:
    return {"query": query, "variables": variables}


Step = tuple[str, str, str, Any]
"""Name, method, path, body. A body with `files` is sent as a form. If a step's name ends with `=x`, its id replaces
`{x}` in later paths and bodies.
"""
STEPS: Final[tuple[Step, ...]] = (
    # the media library and the upload API
    ("library upload =f1", "POST", "/upload", {"files": ["a.txt"], "fileInfo": {"name": "a.txt", "caption": "C"}}),
    ("api upload =f2", "POST", "/api/upload", {"files": ["b.txt"]}),
    ("library upload 2", "POST", "/upload", {"files": ["c.txt"]}),
    ("library upload 3", "POST", "/upload", {"files": ["d.txt"]}),
    ("library details", "POST", "/upload?id={f1}", {"form": {"fileInfo": {"alternativeText": "A"}}}),
    ("library replace", "POST", "/upload?id={f2}", {"files": ["e.txt"], "fileInfo": {"name": "e.txt"}}),
    ("api details", "POST", "/api/upload?id={f2}", {"form": {"fileInfo": {"caption": "api"}}}),
    ("folder create =d1", "POST", "/upload/folders", {"name": "Folder", "parent": None}),
    ("folder create 2 =d2", "POST", "/upload/folders", {"name": "Other", "parent": None}),
    ("folder update", "PUT", "/upload/folders/{d1}", {"name": "Renamed", "parent": None}),
    ("library move into folder", "POST", "/upload?id={f2}", {"form": {"fileInfo": {"folder": "{d1}"}}}),
    (
        "library bulk move",
        "POST",
        "/upload/actions/bulk-move",
        {"fileIds": [3, 4], "folderIds": [], "destinationFolderId": "{d1}"},
    ),
    # REST
    ("rest author =a1", "POST", "/api/authors", {"data": {"name": "Ann", "email": "a@example.org", "portrait": 1}}),
    ("rest author 2 =a2", "POST", "/api/authors?populate=*", {"data": {"name": "Bob", "portrait": 2}}),
    ("rest category =c1", "POST", "/api/categories", {"data": {"name": "C1"}}),
    ("rest category 2 =c2", "POST", "/api/categories?populate=parent", {"data": {"name": "C2", "parent": 1}}),
    ("rest create =r1", "POST", "/api/articles", {"data": {**_FULL, "publishedAt": None}}),
    ("rest create populated =r2", "POST", "/api/articles?populate=*", {"data": _FULL}),
    (
        "rest create with fields =r3",
        "POST",
        "/api/articles?fields[0]=title&populate[author][fields][0]=name",
        {"data": _FULL},
    ),
    ("rest update", "PUT", "/api/articles/{r1}", {"data": {"title": "Two"}}),
    (
        "rest update deep",
        "PUT",
        "/api/articles/{r1}?populate[seo][populate]=*&populate[links]=*",
        {"data": {"views": 4}},
    ),
    ("rest publish", "PUT", "/api/articles/{r1}", {"data": {"publishedAt": "2024-01-02T03:04:05.000Z"}}),
    ("rest unpublish", "PUT", "/api/articles/{r1}", {"data": {"publishedAt": None}}),
    ("rest localize =r1de", "POST", "/api/articles/{r1}/localizations", {"locale": "de", "title": "Eins", "links": []}),
    ("rest update other locale", "PUT", "/api/articles/{r1de}?populate=localizations", {"data": {"views": 9}}),
    ("rest front", "PUT", "/api/front", {"data": {"headline": "H", "picture": 1, "featured": [1], "seo": _SEO}}),
    ("rest front populated", "PUT", "/api/front?populate=*", {"data": {"headline": "H2"}}),
    ("rest delete front", "DELETE", "/api/front", None),
    ("rest delete", "DELETE", "/api/articles/{r3}", None),
    ("rest delete populated", "DELETE", "/api/articles/{r2}?populate=*", None),
    # GraphQL
    (
        "graphql create =g1",
        "POST",
        "/graphql",
        _graphql(
            "mutation ($d: ArticleInput!) { createArticle(data: $d) "
            "{ data { id attributes { title author { data { id } } } } } }",
            d={**{k: v for k, v in _FULL.items() if k != "blocks"}, "big": 12},
        ),
    ),
    (
        "graphql update",
        "POST",
        "/graphql",
        _graphql('mutation { updateArticle(id: {g1}, data: {title: "G2"}) { data { id } } }'),
    ),
    (
        "graphql localize",
        "POST",
        "/graphql",
        _graphql('mutation { createArticleLocalization(id: {g1}, locale: "de", data: {title: "G3"}) { data { id } } }'),
    ),
    (
        "graphql front",
        "POST",
        "/graphql",
        _graphql('mutation { updateFront(data: {headline: "G", featured: [2]}) { data { id } } }'),
    ),
    ("graphql delete front", "POST", "/graphql", _graphql("mutation { deleteFront { data { id } } }")),
    ("graphql delete", "POST", "/graphql", _graphql("mutation { deleteArticle(id: {g1}) { data { id } } }")),
    # the content manager
    ("manager create =m1", "POST", _CM, {**_FULL, "title": "Panel"}),
    ("manager update", "PUT", _CM + "/{m1}", {"title": "Panel 2", "views": 7}),
    ("manager publish", "POST", _CM + "/{m1}/actions/publish", {}),
    ("manager update published", "PUT", _CM + "/{m1}", {"title": "Panel 3"}),
    ("manager unpublish", "POST", _CM + "/{m1}/actions/unpublish", {}),
    ("manager localize =m1de", "POST", _CM + "?locale=de&relatedEntityId={m1}", {"title": "Tafel"}),
    ("manager update other locale", "PUT", _CM + "/{m1de}", {"title": "Tafel 2", "views": 8}),
    ("manager clone =m2", "POST", _CM + "/clone/{m1}", {"title": "Clone"}),
    ("manager create bare =m3", "POST", _CM, {"title": "Bare"}),
    ("manager bulk publish", "POST", _CM + "/actions/bulkPublish", {"ids": ["{m2}", "{m3}"]}),
    ("manager bulk unpublish", "POST", _CM + "/actions/bulkUnpublish", {"ids": ["{m2}", "{m3}"]}),
    ("manager delete other locale", "DELETE", _CM + "/{m1de}", None),
    ("manager delete", "DELETE", _CM + "/{m1}", None),
    ("manager bulk delete", "POST", _CM + "/actions/bulkDelete", {"ids": ["{m2}", "{m3}"]}),
    ("manager author =a3", "POST", _CM_AUTHOR, {"name": "Cid", "email": "c@example.org", "portrait": 1}),
    ("manager author update", "PUT", _CM_AUTHOR + "/{a3}", {"name": "Cyd"}),
    ("manager author auto clone =a4", "POST", _CM_AUTHOR + "/auto-clone/{a3}", None),
    ("manager author delete", "DELETE", _CM_AUTHOR + "/{a3}", None),
    ("manager front", "PUT", _CM_FRONT, {"headline": "P", "picture": 1, "featured": [1, 2], "seo": _SEO}),
    ("manager front update", "PUT", _CM_FRONT, {"headline": "P2"}),
    ("manager front publish", "POST", _CM_FRONT + "/actions/publish", {}),
    ("manager front unpublish", "POST", _CM_FRONT + "/actions/unpublish", {}),
    ("manager front delete", "DELETE", _CM_FRONT, None),
    # users
    (
        "rest user =u1",
        "POST",
        "/api/users",
        {"username": "ann", "email": "ann@example.org", "password": "Secret123", "role": 1},
    ),
    ("rest user update", "PUT", "/api/users/{u1}", {"username": "anna"}),
    ("rest user delete", "DELETE", "/api/users/{u1}", None),
    (
        "register =u2",
        "POST",
        "/api/auth/local/register",
        {"username": "bob", "email": "bob@example.org", "password": "Secret123"},
    ),
    (
        "manager user =u3",
        "POST",
        _CM_USER,
        {"username": "cyd", "email": "cyd@example.org", "password": "Secret123", "role": {"connect": [{"id": 1}]}},
    ),
    ("manager user update", "PUT", _CM_USER + "/{u3}", {"username": "cyda"}),
    ("manager user delete", "DELETE", _CM_USER + "/{u3}", None),
    # deleting files and folders
    ("api delete file", "DELETE", "/api/upload/files/{f1}", None),
    ("library delete file", "DELETE", "/upload/files/{f2}", None),
    ("library bulk delete of files", "POST", "/upload/actions/bulk-delete", {"fileIds": [3], "folderIds": []}),
    (
        "library bulk delete of a folder",
        "POST",
        "/upload/actions/bulk-delete",
        {"fileIds": [], "folderIds": ["{d1}", "{d2}"]},
    ),
)
