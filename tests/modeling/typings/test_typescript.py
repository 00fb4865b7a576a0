"""TypeScript generated from definitions: exact text for a small project, valid syntax for a large one.

`make clients` compiles the types and runs the client (typed-client.mjs).
"""

import re
from pathlib import Path

import pytest

from octavo.modeling.typings.typescript import render_front_end
from octavo.query.operators import LOGICAL, OPERATORS
from octavo.schema.registry import Registry
from octavo.v4.javascript.parse import parse_text
from octavo.v4.schema_typings import render_v4_schemas
from tests.modeling.typings.projects import conference

TALK = """\
  "api::talk.talk": {
    values: {
      title: string;
      level: "easy" | "hard";
      views: Digits | null;
      "weird-name": Json | null;
      createdAt: Instant;
      updatedAt: Instant;
      publishedAt: Instant | null;
      locale: string | null;
    };
    populated: {
      speaker: One<"api::speaker.speaker">;
      slides: Some<"plugin::upload.file">;
      parts: Parts<"talk.part">;
      body: Zone<"talk.part" | "talk.quote">;
      localizations: Many<"api::talk.talk">;
    };
    input: {
      title: string;
      level?: "easy" | "hard" | null;
      views?: Digits | number | null;
      "weird-name"?: Json | null;
      pin?: string | null;
      speaker?: OneInput;
      slides?: FilesInput;
      parts?: readonly PartInput<"talk.part">[] | null;
      body?: ZoneInput<"talk.part" | "talk.quote"> | null;
      publishedAt?: Instant | null;
      locale?: string;
    };
  };
  "api::welcome.welcome": {
    values: {
      createdAt: Instant;
      updatedAt: Instant;
    };
    populated: {
      about: AnyOne;
      quote: Part<"talk.quote">;
    };
    input: {
      about?: AnyOneInput;
      quote: PartInput<"talk.quote">;
    };
  };
"""
PATHS = """\
export type CollectionUid = "api::speaker.speaker" | "api::talk.talk";
export type SingleUid = "api::welcome.welcome";
export const PATHS: Record<CollectionUid | SingleUid, string> = {
  "api::speaker.speaker": "speakers",
  "api::talk.talk": "talks",
  "api::welcome.welcome": "welcome",
};
"""
V4_TALK = """\
export interface ApiTalkTalk extends Schema.CollectionType {
  collectionName: "talks";
  info: { singularName: "talk"; pluralName: "talks"; displayName: "Talk"; };
  options: { draftAndPublish: true; };
  pluginOptions: { i18n: { localized: true; }; };
  attributes: {
    title: Attribute.String & Attribute.Required & Attribute.SetMinMaxLength<{ maxLength: 80; }>;
    level: Attribute.Enumeration<["easy", "hard"]> & Attribute.Required & Attribute.DefaultTo<"easy">;
    views: Attribute.BigInteger;
    "weird-name": Attribute.JSON;
    speaker: Attribute.Relation<"api::talk.talk", "manyToOne", "api::speaker.speaker">;
    slides: Attribute.Media<"files", true>;
    parts: Attribute.Component<"talk.part", true>;
    body: Attribute.DynamicZone<["talk.part", "talk.quote"]>;
    createdAt: Attribute.DateTime;
    updatedAt: Attribute.DateTime;
    publishedAt: Attribute.DateTime;
    localizations: Attribute.Relation<"api::talk.talk", "oneToMany", "api::talk.talk">;
    locale: Attribute.String;
  };
}
"""


def test_the_maps_of_a_small_project(tmp_path: Path) -> None:
    text = render_front_end(conference(tmp_path))
    assert TALK in text
    assert PATHS in text
    assert not re.search("secret|budget", text)


def test_the_declarations_of_v4(tmp_path: Path) -> None:
    text = render_v4_schemas(conference(tmp_path))
    assert V4_TALK in text
    assert '      "talk.quote": TalkQuote;\n' in text
    assert not re.search("secret|budget|pin|createdBy", text)


@pytest.mark.parametrize("render", [render_front_end, render_v4_schemas])
def test_generated_code_is_valid_and_reproducible(registry: Registry, render: object) -> None:
    assert callable(render)
    text = render(registry)
    parse_text(text, "content.ts")
    backwards = Registry([*registry.content_types.values()][::-1], [*registry.components.values()][::-1])
    assert render(backwards) == text


def test_all_operators_are_included(registry: Registry) -> None:
    block = render_front_end(registry).partition("export interface Operators<T> {")[2].partition("}")[0]
    assert set(re.findall(r"\$\w+", block)) == {*OPERATORS, *LOGICAL}
