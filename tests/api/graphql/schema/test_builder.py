"""The schema is identical to v4's, and each field has a description."""

import json
from typing import Any

import pytest
from graphql import (
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    graphql_sync,
    lexicographic_sort_schema,
    print_schema,
    print_type,
    validate_schema,
)

from octavo.api.graphql.schema.builder import build_schema
from octavo.api.graphql.schema.exclusions import Exclusions
from octavo.api.graphql.schema.field_metadata import (
    AttributeField,
    OperatorField,
    Part,
    PartField,
    PluginField,
    RootField,
    TypeMetadata,
    TypeRole,
    metadata_of_field,
    metadata_of_type,
)
from tests.api.graphql.recordings import (
    recorded_introspection,
    recorded_sdl,
    registry_of,
    schema_of,
    without_timestamps,
)

EXCLUDED = Exclusions(
    types=frozenset({"api::target.target", "api::sole.sole"}),
    actions=frozenset(
        {
            *(("plugin::upload.folder", action) for action in ("create", "update", "delete")),
            *(("plugin::upload.file", action) for action in ("find", "findOne")),
            *(("api::local.local", action) for action in ("create", "update")),
            ("api::sole-draft.sole-draft", "find"),
            ("api::sole-locale.sole-locale", "create"),
            *(("api::local-draft.local-draft", action) for action in ("create", "update", "delete")),
            ("api::names.x", "findOne"),
            ("api::names.people", "find"),
            *(("api::names.news", action) for action in ("find", "findOne")),
        }
    ),
    outputs=frozenset({("api::draft.draft", "zone")}),
    filters=frozenset({("api::draft.draft", "one"), ("api::plain.plain", "id")}),
    inputs=frozenset({("api::draft.draft", "pics")}),
)
DISABLED_FIELDS = frozenset(
    {
        ("basic.part", "text"),
        ("api::draft.draft", "choice"),
        ("api::plain.plain", "name"),
        ("api::plain.plain", "createdAt"),
        ("plugin::users-permissions.user", "username"),
        ("api::morphing.morphing", "subject"),
    }
)


def sorted_sdl(schema: GraphQLSchema) -> list[str]:
    """Return the lines of the schema as recorded, when the printer left out the specification URLs of scalars."""
    lines = print_schema(lexicographic_sort_schema(schema)).splitlines()
    return [line.partition(" @specifiedBy")[0] for line in lines]


@pytest.mark.parametrize("name", ["blog", "kinds", "names", "letters"])
def test_schema_is_the_recorded_one(name: str) -> None:
    assert sorted_sdl(schema_of(name)) == recorded_sdl(name).splitlines()


def test_exclusions_match_the_recording() -> None:
    registry = registry_of("excluded")
    exclusions = Exclusions(
        types=EXCLUDED.types,
        actions=EXCLUDED.actions,
        outputs=EXCLUDED.outputs | DISABLED_FIELDS,
        inputs=EXCLUDED.inputs | DISABLED_FIELDS | without_timestamps(registry),
        filters=EXCLUDED.filters | DISABLED_FIELDS,
    )
    assert sorted_sdl(build_schema(registry, exclusions)) == recorded_sdl("excluded").splitlines()


def test_nothing_is_generated_if_disabled() -> None:
    schema = build_schema(registry_of("blog"), generate=False)
    assert print_schema(schema) == "type Query {\n  ok: Boolean!\n}"


def test_inputs_of_content_types_carry_timestamps() -> None:
    schema = build_schema(registry_of("kinds"))
    assert "  createdAt: DateTime\n" in print_type(schema.type_map["PlainInput"])
    assert "createdAt" not in print_type(schema.type_map["UsersPermissionsUserInput"])
    assert "createdAt" not in print_type(schema.type_map["ComponentBasicPartInput"])


def test_types_with_only_timestamps_have_no_input() -> None:
    """Observed: a type without attributes is created and updated without `data`."""
    schema = build_schema(registry_of("kinds"))
    assert schema.mutation_type is not None
    assert list(schema.mutation_type.fields["createEmpty"].args) == []
    assert list(schema.mutation_type.fields["updateEmpty"].args) == ["id"]
    assert "EmptyInput" not in schema.type_map


def test_the_json_scalar_has_a_specification_url() -> None:
    asked = '{ __type(name: "JSON") { specifiedByUrl specifiedByURL } other: __type(name: "Date") { specifiedByUrl } }'
    reported = "http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf"
    assert graphql_sync(schema_of("blog"), asked).data == {
        "__type": {"specifiedByUrl": reported, "specifiedByURL": reported},
        "other": {"specifiedByUrl": None},
    }


@pytest.mark.parametrize("name", ["blog", "kinds", "names", "letters"])
def test_schema_is_valid(name: str) -> None:
    schema = build_schema(registry_of(name))
    schema._validation_errors = None  # schemas are built as valid, so validate explicitly
    assert validate_schema(schema) == []


def unordered(value: Any) -> Any:
    """Sort all lists, because fields and types have no order."""
    if isinstance(value, dict):
        return {name: unordered(item) for name, item in value.items()}
    if isinstance(value, list):
        return sorted((unordered(item) for item in value), key=json.dumps)
    return value


@pytest.mark.parametrize("case", recorded_introspection(), ids=lambda case: str(case["id"]))
def test_introspection_answers_are_the_recorded_ones(case: dict[str, Any]) -> None:
    asked = case["request"]["json"]
    answer = graphql_sync(schema_of("blog"), asked["query"], variable_values=asked.get("variables"))
    assert answer.errors is None
    assert unordered(answer.data) == unordered(case["expect"]["json"]["data"])


SILENT = {
    *("Error", "PaginationArg", "FileInfoInput"),
    *("UsersPermissionsMe", "UsersPermissionsMeRole", "UsersPermissionsLoginInput", "UsersPermissionsLoginPayload"),
    *("UsersPermissionsRegisterInput", "UsersPermissionsPasswordPayload", "UsersPermissionsCreateRolePayload"),
    *("UsersPermissionsUpdateRolePayload", "UsersPermissionsDeleteRolePayload"),
}


@pytest.mark.parametrize("name", ["blog", "kinds"])
def test_every_generated_field_has_a_description(name: str) -> None:
    silent = set()
    for named in schema_of(name).type_map.values():
        if isinstance(named, GraphQLObjectType | GraphQLInputObjectType) and not named.name.startswith("__"):
            silent |= {named.name for field in named.fields.values() if metadata_of_field(field) is None}
    assert silent == SILENT


def test_fields_refer_to_their_definitions() -> None:
    schema = schema_of("blog")
    article = registry_of("blog").content_types["api::article.article"]
    types: dict[str, Any] = dict(schema.type_map)

    def metadata(type_name: str, field: str) -> object:
        return metadata_of_field(types[type_name].fields[field])

    assert metadata("Query", "articles") == RootField(article, "find")
    assert metadata("Query", "article") == RootField(article, "findOne")
    assert metadata("Query", "me") == PluginField("me")
    assert metadata("Mutation", "updateArticle") == RootField(article, "update")
    assert metadata("Mutation", "updateUsersPermissionsUser") == PluginField("updateUsersPermissionsUser")
    assert metadata("ArticleEntity", "attributes") == PartField(Part.ATTRIBUTES)
    assert metadata("Pagination", "pageCount") == PartField(Part.PAGE_COUNT)
    assert metadata("Article", "tags") == AttributeField(article, article.attributes["tags"])
    assert metadata("ArticleInput", "kind") == AttributeField(article, article.attributes["kind"])
    assert metadata("StringFilterInput", "notContainsi") == OperatorField("$notContainsi")
    assert metadata_of_type(types["ArticleEntityResponseCollection"]) == TypeMetadata(TypeRole.COLLECTION, article)
    assert metadata_of_type(types["ArticleBlocksDynamicZone"]) == TypeMetadata(
        TypeRole.ZONE, article, article.attributes["blocks"]
    )
    assert metadata_of_type(types["GenericMorph"]) == TypeMetadata(TypeRole.MORPH)


def test_operators_have_the_order_of_v4() -> None:
    filters = schema_of("kinds").type_map["StringFilterInput"]
    assert isinstance(filters, GraphQLInputObjectType)
    assert " ".join(filters.fields) == (
        "and or not eq eqi ne nei startsWith endsWith contains notContains containsi notContainsi"
        " gt gte lt lte null notNull in notIn between"
    )
