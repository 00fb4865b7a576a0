"""The storage type of custom fields comes from the settings, v4's generated types, a table, or the database."""

from pathlib import Path

from octavo.schema.custom_fields import BASE_TYPES, KNOWN, known_custom_fields
from octavo.schema.loader import load_registry
from tests.layouts import registry_of

GENERATED = """
export interface ApiThing extends Schema.CollectionType {
  attributes: {
    title: Attribute.String & Attribute.Required;
    stars: Attribute.Integer & Attribute.CustomField<'plugin::stars.stars'>;
    tags: Attribute.JSON &
      Attribute.Required &
      Attribute.CustomField<
        'plugin::labels.labels',
        ['a', 'b']
      > &
      Attribute.DefaultTo<'[]'>;
    color: Schema.Attribute.Text & Schema.Attribute.CustomField<'plugin::color-picker.color'>;
    kind: Attribute.Enumeration<['a']> & Attribute.CustomField<'plugin::kinds.kind'>;
  };
}
"""


def test_every_known_one_has_a_type() -> None:
    assert set(KNOWN.values()) <= BASE_TYPES


def test_generated_types_and_settings_take_precedence(tmp_path: Path) -> None:
    folder = tmp_path / "types/generated"
    folder.mkdir(parents=True)
    (folder / "contentTypes.d.ts").write_text(GENERATED, "utf-8")
    fields = known_custom_fields(tmp_path, {"plugin::stars.stars": "biginteger"})
    assert [fields.type_of(f"plugin::{name}") for name in ("stars.stars", "labels.labels", "color-picker.color")] == [
        "biginteger",
        "json",
        "text",
    ]
    assert [fields.type_of(f"plugin::{name}") for name in ("kinds.kind", "tagsinput.tags", "no.one")] == [
        "text",
        "json",
        "text",
    ]


def test_unknown_custom_fields_are_reported_with_their_path(tmp_path: Path) -> None:
    attributes = {
        "a": {"type": "customField", "customField": "global::own"},
        "b": {"type": "customField", "customField": "plugin::color-picker.color"},
    }
    registry = registry_of({"components/c/d.json": {"attributes": attributes}}, tmp_path)
    found = known_custom_fields(tmp_path).unknown(registry)
    assert [(name, item.uid, attribute) for name, item, attribute in found] == [("global::own", "c.d", "a")]
    known = known_custom_fields(tmp_path, {"global::own": "json"})
    assert load_registry(tmp_path, known).components["c.d"].scalar("a").type == "json"
