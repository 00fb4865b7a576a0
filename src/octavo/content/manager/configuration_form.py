"""The body that a configuration is changed by, held to a definition."""

from octavo.content.manager.layouts import is_editable, is_listed, is_sorted
from octavo.content.manager.type_schemas import attributes_of
from octavo.core.forms import (
    INTEGER,
    REQUIRED,
    Anything,
    Flag,
    Items,
    Number,
    Record,
    Shape,
    Text,
    at_least,
    at_most,
)
from octavo.core.forms.rules import required, rule
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

_POSITIVE = rule("{path} must be a positive number", lambda number: number > 0)
_LABELS = {"label": Text(), "searchable": Flag(), "sortable": Flag()}


def configuration_form(definition: Definition, registry: Registry) -> Shape:
    """What the body has to look like."""
    attributes = attributes_of(definition)
    listed = [name for name in attributes if is_listed(definition, name, attributes)]
    editable = [name for name in attributes if is_editable(definition, name)]
    sorts = rule("{path} is not a valid sort attribute", lambda name: is_sorted(name, attributes))
    settings = Record(
        {
            "bulkable": Flag(REQUIRED),
            "filterable": Flag(REQUIRED),
            "pageSize": Number(INTEGER, at_least(10), at_most(100), REQUIRED),
            "searchable": Flag(REQUIRED),
            "mainField": Text(one_of=listed),
            "defaultSortBy": Text(sorts),
            "defaultSortOrder": Text(one_of=("ASC", "DESC")),
        },
        nullable=True,
        closed=True,
    )
    field = Record({"name": Text(REQUIRED, one_of=editable), "size": Number(INTEGER, _POSITIVE, REQUIRED)})
    layouts = Record(
        {
            "edit": Items(Items(field), required("{path} is required and must be an array")),
            "list": Items(Text(one_of=listed), required("{path} is required and must be an array")),
        },
        nullable=True,
        closed=True,
    )
    metadatas = {name: _metadata(str(raw.get("target")), registry) for name, raw in attributes.items()}
    return Record(
        {"settings": settings, "metadatas": Record(metadatas, nullable=True), "layouts": layouts}, closed=True
    )


def _metadata(target_uid: str, registry: Registry) -> Shape:
    target = registry.content_types.get(target_uid)
    mains: Shape = Anything(nullable=True)
    if target is not None:
        attributes = attributes_of(target)
        mains = Text(one_of=[name for name in attributes if is_listed(target, name, attributes)])
    edit = {
        "label": Text(),
        "description": Text(),
        "placeholder": Text(),
        "editable": Flag(),
        "visible": Flag(),
        "mainField": mains,
    }
    return Record(
        {"edit": Record(edit, REQUIRED, closed=True), "list": Record(_LABELS, REQUIRED, closed=True)}, closed=True
    )
