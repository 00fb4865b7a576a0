"""Built-in content types in the content-type builder: attributes can be added, and those that code needs stay."""

import json
from dataclasses import replace
from typing import Any

import pytest

from octavo.core.errors import OctavoError
from octavo.modeling.builder.files import FileChanges
from octavo.modeling.builder.plans import Plan
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.problems import InvalidDefinitions
from octavo.schema.registry import Registry
from tests.api.admin.api.test_builder import TEXT, Builder, gadget
from tests.api.admin.conftest import Office

pytestmark = pytest.mark.anyio

FILE, FOLDER, USER = "plugin::upload.file", "plugin::upload.folder", "plugin::users-permissions.user"
LOCALES = "plugin::i18n.locale"
CHANGEABLE = [uid for uid in BUILTIN_TYPES if uid.startswith("plugin::")]


@pytest.fixture
async def builder(office: Office) -> Builder:
    return Builder(office, (await office.session())[0])


def form_of(uid: str, **changed: dict[str, Any] | None) -> dict[str, Any]:
    """Return a form that repeats a built-in type's definition with changed attributes; None removes one."""
    raw = BUILTIN_TYPES[uid]
    attributes = {name: dict(value) for name, value in raw["attributes"].items() if not value.get("configurable", True)}
    for name, value in raw["attributes"].items():
        if name not in attributes:
            other = value.get("inversedBy") or value.get("mappedBy")
            sides = {key: reported for key, reported in value.items() if key not in ("inversedBy", "mappedBy")}
            attributes[name] = {**sides, "targetAttribute": other} if value["type"] == "relation" else dict(value)
    attributes = {name: value for name, value in {**attributes, **changed}.items() if value is not None}
    return gadget(attributes, displayName=raw["info"]["displayName"], kind="collectionType")


@pytest.mark.parametrize("uid", CHANGEABLE)
async def test_built_in_attributes_stay(builder: Builder, uid: str) -> None:
    """Configurable ones cannot be removed or redefined; a form does not affect the others."""
    before = builder.files()
    configurable = [name for name, raw in BUILTIN_TYPES[uid]["attributes"].items() if raw.get("configurable", True)]
    for name in configurable:
        raw = BUILTIN_TYPES[uid]["attributes"][name]
        other = (raw.get("inversedBy") or raw.get("mappedBy")) if raw.get("target") == uid else None
        taken = await builder.make(form_of(uid, **{name: None}, **({other: None} if other else {})), uid)
        assert taken.status == 400, (name, taken.body)
        assert [uid, "attributes", name] in [problem["path"] for problem in taken.json["error"]["details"]["errors"]], (
            taken.body
        )
        changed = {"type": "boolean"} if raw["type"] != "boolean" else TEXT
        assert (await builder.make(form_of(uid, **{name: changed}), uid)).status == 400, name
    assert builder.files() == before
    for target in ("/admin/roles", "/upload/files", "/upload/folders", "/content-manager/content-types"):
        assert (await builder.ask("GET", target)).status == 200, target


@pytest.mark.parametrize("uid", [FILE, USER])
async def test_built_in_types_get_attributes_and_the_admin_api_still_works(builder: Builder, uid: str) -> None:
    made = await builder.make(form_of(uid, motto=TEXT), uid)
    assert made.status == 201, made.body
    assert {*BUILTIN_TYPES[uid]["attributes"], "motto"} <= {*await builder.shown(uid)}
    for target in ("/admin/roles", "/upload/files", "/upload/folders", "/content-manager/content-types"):
        assert (await builder.ask("GET", target)).status == 200, target


async def test_a_file_without_a_built_in_attribute_does_not_remove_it(builder: Builder) -> None:
    """Such files come from earlier versions of v4, or from a user who edits one while Octavo runs."""
    file = builder.project / "src/extensions/upload/content-types/file/schema.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    attributes = {name: raw for name, raw in BUILTIN_TYPES[FILE]["attributes"].items() if "folder" not in name}
    file.write_text(json.dumps({**BUILTIN_TYPES[FILE], "attributes": attributes}), "utf-8")
    assert await builder.octavo.reload_if_changed()
    assert {"folder", "folderPath"} <= {*await builder.shown(FILE)}
    assert (await builder.ask("GET", "/upload/files")).status == 200
    attributes = {**BUILTIN_TYPES[FILE]["attributes"], "folder": {"type": "string"}, "formats": {"type": "boolean"}}
    file.write_text(json.dumps({**BUILTIN_TYPES[FILE], "attributes": attributes}), "utf-8")
    with pytest.raises(InvalidDefinitions) as refused:
        await builder.octavo.reload()
    assert [problem.path for problem in refused.value.problems] == ["attributes.formats", "attributes.folder"]
    assert (await builder.ask("GET", "/upload/files")).status == 200


@pytest.mark.parametrize("uid", CHANGEABLE)
async def test_kind_table_and_options_of_built_in_types_stay(builder: Builder, uid: str) -> None:
    """Code and tables of administrators, files and users rely on them, so a form that changes one writes nothing."""
    before, registry = builder.files(), builder.octavo.site.registry
    for place, changed in (
        *([("kind", {"kind": "singleType"})] if uid == LOCALES else ()),  # other types' relations need a collection
        ("collectionName", {"collectionName": "mine"}),
        ("draftAndPublish", {"draftAndPublish": True}),
        ("draftAndPublish", {"options": {"draftAndPublish": True}, "draftAndPublish": True}),
        ("pluginOptions", {"pluginOptions": {"i18n": {"localized": True}}}),
    ):
        form = form_of(uid)
        form["contentType"] |= changed
        answer = await builder.make(form, uid)
        assert answer.status == 400, (changed, answer.body)
        problems = answer.json["error"]["details"]["errors"]
        assert [uid, place] in [problem["path"] for problem in problems], answer.body
        assert all("built in" in problem["message"] for problem in problems)
    assert builder.files() == before
    assert builder.octavo.site.registry is registry


async def test_definitions_that_cannot_be_built_are_refused_before_files_are_written(builder: Builder) -> None:
    """The checks overlook this one: the media library's endpoints need the file's attribute `folder`."""
    registry, before = builder.octavo.site.registry, builder.files()
    file_type = registry.content_types[FILE]
    attributes = {name: one for name, one in file_type.attributes.items() if name != "folder"}
    others = (one for one in registry.content_types.values() if one is not file_type)
    broken = Registry((*others, replace(file_type, attributes=attributes)), registry.components.values())
    outside = FileChanges({"../outside.json": b"{}"})  # writing this path first would cause another error

    with pytest.raises(OctavoError, match="folder") as refused:
        await builder.octavo.change_definitions(lambda _: Plan(FILE, outside, broken))
    assert "cannot be written" not in str(refused.value)
    assert builder.files() == before
    assert builder.octavo.site.registry is registry
    assert (await builder.ask("GET", "/upload/folders")).status == 200
