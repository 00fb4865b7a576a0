"""The names of the GraphQL schema, as in Strapi v4: types, inputs, enums, root fields.

Pure functions of definitions, without graphql-core: names can be checked before a schema is built.
"""

import re
from functools import lru_cache

from octavo.schema.attributes import Attribute, Enumeration
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.naming import words

GENERIC_MORPH = "GenericMorph"
_PLUGIN = "plugin::"
_NAME = re.compile(r"(?!__)[_A-Za-z][_0-9A-Za-z]*", re.ASCII)


def is_name(text: str) -> bool:
    """Return whether a text is a valid GraphQL name.

    >>> is_name("order"), is_name("weird-name"), is_name("__own")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


@lru_cache(maxsize=8192)
def camel_case(name: str) -> str:
    """Join the words of a name in camel case.

    >>> camel_case("i18n-locale"), camel_case("blog-post2"), camel_case("url-3d")
    ('i18NLocale', 'blogPost2', 'url3D')
    """
    first, *rest = words(name) or [""]
    return first.lower() + "".join(word.capitalize() for word in rest)


def pascal_case(name: str) -> str:
    """Join the words of a name in Pascal case.

    >>> pascal_case("meta_social"), pascal_case("SEOTitle")
    ('MetaSocial', 'SeoTitle')
    """
    camel = camel_case(name)
    return camel[:1].upper() + camel[1:]


def _with_plugin(definition: Definition, name: str) -> str:
    """Prefix a name with its plugin: `upload-file` for `plugin::upload.file`."""
    if not definition.uid.startswith(_PLUGIN):
        return name
    plugin = definition.uid.removeprefix(_PLUGIN).partition(".")[0]
    return f"{plugin}-{name}"


def type_name(definition: Definition) -> str:
    """Return the name of a definition's object type: `Article`, `UploadFile`, `ComponentSharedSeo`."""
    if isinstance(definition, Component):
        category, _, name = definition.uid.partition(".")
        return f"Component{pascal_case(category)}{pascal_case(name)}"
    assert isinstance(definition, ContentType)
    return pascal_case(_with_plugin(definition, definition.singular_name))


def entity_name(definition: Definition) -> str:
    """Return the name of the type of entries, with `id` and `attributes`."""
    return f"{type_name(definition)}Entity"


def response_name(definition: Definition) -> str:
    """Return the name of the wrapper of one entry: the type of `article`, `createArticle` and to-one relations."""
    return f"{type_name(definition)}EntityResponse"


def collection_name(definition: Definition) -> str:
    """Return the name of the wrapper of a list: the type of `articles`."""
    return f"{type_name(definition)}EntityResponseCollection"


def relation_collection_name(definition: Definition) -> str:
    """Return the name of the wrapper of a to-many relation, a list without `meta`."""
    return f"{type_name(definition)}RelationResponseCollection"


def input_name(definition: Definition) -> str:
    """Return the name of the input type: `ArticleInput`."""
    return f"{type_name(definition)}Input"


def filters_name(definition: Definition) -> str:
    """Return the name of the filter input: `ArticleFiltersInput`."""
    return f"{type_name(definition)}FiltersInput"


def enum_name(definition: Definition, attribute: Enumeration) -> str:
    """Return the configured name of an enum, or `ENUM_ARTICLE_KIND`, `ENUM_COMPONENTSHAREDMETASOCIAL_NETWORK`."""
    return attribute.type_name or f"ENUM_{type_name(definition).upper()}_{attribute.name.upper()}"


def zone_name(definition: Definition, attribute: Attribute) -> str:
    """Return the name of the union of a dynamic zone's components: `ArticleBlocksDynamicZone`."""
    return f"{type_name(definition)}{pascal_case(attribute.name)}DynamicZone"


def zone_input_name(definition: Definition, attribute: Attribute) -> str:
    """Return the name of the input scalar of a dynamic zone's components: `ArticleBlocksDynamicZoneInput`."""
    return f"{zone_name(definition, attribute)}Input"


def single_field(content_type: ContentType) -> str:
    """Return the root field of one entry: `article`, `uploadFile`."""
    return camel_case(_with_plugin(content_type, content_type.singular_name))


def plural_field(content_type: ContentType) -> str:
    """Return the root field of the list: `articles`, `uploadFiles`."""
    return camel_case(_with_plugin(content_type, content_type.plural_name))


def mutation_field(action: str, content_type: ContentType) -> str:
    """Return the name of a mutation: `createArticle`, `updateArticle`, `deleteArticle`."""
    return f"{action}{type_name(content_type)}"


def schedule_field(content_type: ContentType) -> str:
    """Return the root field of an entry's schedule: `articleSchedule`."""
    return f"{single_field(content_type)}Schedule"


def schedule_mutation(content_type: ContentType) -> str:
    """Return the mutation of an entry's schedule: `updateArticleSchedule`."""
    return f"{mutation_field('update', content_type)}Schedule"


def localization_field(content_type: ContentType) -> str:
    """Return the mutation that creates a localization: `createArticleLocalization`."""
    return f"create{type_name(content_type)}Localization"
