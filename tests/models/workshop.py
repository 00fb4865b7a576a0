"""A small content model for writes: every kind of attribute and relation, nested components, drafts and locales."""

from typing import Any

Raw = dict[str, Any]


def _type(singular: str, attributes: Raw, *, drafts: bool = False, localized: bool = False) -> Raw:
    return {
        "kind": "collectionType",
        "collectionName": f"{singular}s",
        "info": {"singularName": singular, "pluralName": f"{singular}s", "displayName": singular},
        "options": {"draftAndPublish": drafts},
        "pluginOptions": {"i18n": {"localized": localized}},
        "attributes": attributes,
    }


def _component(table: str, attributes: Raw) -> Raw:
    return {"collectionName": table, "info": {"displayName": table}, "options": {}, "attributes": attributes}


def _relation(kind: str, target: str | None = None, **options: str) -> Raw:
    return {"type": "relation", "relation": kind, **({"target": target} if target else {}), **options}


MAKER, TOOL = "api::maker.maker", "api::tool.tool"

_TOOL = {
    "name": {"type": "string", "required": True, "minLength": 2, "maxLength": 20},
    "code": {"type": "uid", "targetField": "name"},
    "serial": {"type": "string", "unique": True, "regex": "^[A-Z]+-"},
    "kind": {"type": "enumeration", "enum": ["hand", "power"], "default": "hand"},
    "contact": {"type": "email"},
    "key": {"type": "password", "minLength": 3},
    "weight": {"type": "float", "min": 0.5, "max": 90},
    "price": {"type": "decimal"},
    "stock": {"type": "integer", "min": 1, "unique": True},
    "barcode": {"type": "biginteger"},
    "sharp": {"type": "boolean", "default": True},
    "bought": {"type": "date"},
    "opens": {"type": "time"},
    "servicedAt": {"type": "datetime"},
    "stamp": {"type": "timestamp"},
    "extra": {"type": "json", "default": {"a": [1]}},
    "manual": {"type": "blocks"},
    "photo": {"type": "media", "multiple": False},
    "photos": {"type": "media", "multiple": True},
    "maker": _relation("manyToOne", MAKER, inversedBy="tools"),
    "users": _relation("manyToMany", MAKER, inversedBy="uses"),
    "fans": _relation("oneToMany", MAKER),
    "owner": _relation("oneToOne", MAKER, inversedBy="prize"),
    "twin": _relation("oneToOne", TOOL),
    "notes": _relation("morphMany", MAKER, morphBy="subjects"),
    "badge": _relation("morphOne", MAKER, morphBy="subject"),
    "frame": {"type": "component", "component": "part.frame"},
    "legs": {"type": "component", "component": "part.leg", "repeatable": True, "max": 3},
    "story": {"type": "dynamiczone", "components": ["part.leg", "part.frame"], "max": 4},
}
_MAKER = {
    "name": {"type": "string"},
    "tools": _relation("oneToMany", TOOL, mappedBy="maker"),
    "uses": _relation("manyToMany", TOOL, mappedBy="users"),
    "prize": _relation("oneToOne", TOOL, mappedBy="owner"),
    "boss": _relation("manyToOne", MAKER, inversedBy="staff"),
    "staff": _relation("oneToMany", MAKER, mappedBy="boss"),
    "subject": _relation("morphToOne"),
    "subjects": _relation("morphToMany"),
}

_LOCALIZED = {"pluginOptions": {"i18n": {"localized": True}}}
_PAGE = {
    "title": {"type": "string", "required": True, **_LOCALIZED},
    "code": {"type": "string"},
    "slug": {"type": "uid", "targetField": "title"},
    "extra": {"type": "json"},
    "shown": {"type": "datetime"},
}

DEFINITIONS: Raw = {
    "api/tool/content-types/tool/schema.json": _type("tool", _TOOL, drafts=True),
    "api/maker/content-types/maker/schema.json": _type("maker", _MAKER),
    "api/page/content-types/page/schema.json": _type("page", _PAGE, drafts=True, localized=True),
    "components/part/leg.json": _component(
        "components_part_legs",
        {
            "length": {"type": "integer", "required": True, "min": 1},
            "label": {"type": "string", "unique": True},
            "secret": {"type": "password"},
            "picture": {"type": "media", "multiple": False},
            "by": _relation("oneToOne", MAKER),
            "helpers": _relation("oneToMany", MAKER),
        },
    ),
    "components/part/frame.json": _component(
        "components_part_frames",
        {
            "color": {"type": "string", "default": "gray"},
            "front": {"type": "component", "component": "part.leg"},
            "legs": {"type": "component", "component": "part.leg", "repeatable": True, "required": True, "min": 1},
        },
    ),
}
