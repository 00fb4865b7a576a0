"""Every name of the GraphQL schema: types, inputs, enums, root fields. They are Strapi v4's own, as clients know them.

Pure functions of definitions, without graphql-core: a project's names can be checked before a schema is made.
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
    """Whether GraphQL can call something so.

    >>> is_name("order"), is_name("weird-name"), is_name("__own")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


@lru_cache(maxsize=8192)
def camel_case(name: str) -> str:
    """The words of a name run together, the first in small letters.

    >>> camel_case("i18n-locale"), camel_case("blog-post2"), camel_case("url-3d")
    ('i18NLocale', 'blogPost2', 'url3D')
    """
    first, *rest = words(name) or [""]
    return first.lower() + "".join(word.capitalize() for word in rest)


def pascal_case(name: str) -> str:
    """The words of a name run together, each with a capital.

    >>> pascal_case("meta_social"), pascal_case("SEOTitle")
    ('MetaSocial', 'SeoTitle')
    """
    camel = camel_case(name)
    return camel[:1].upper() + camel[1:]


def _with_plugin(definition: Definition, name: str) -> str:
    """The name with its plugin's before it: `upload-file` of `plugin::upload.file`."""
    if not definition.uid.startswith(_PLUGIN):
        return name
    plugin = definition.uid.removeprefix(_PLUGIN).partition(".")[0]
    return f"{plugin}-{name}"


def type_name(definition: Definition) -> str:
    """The object type that holds a definition's attributes: `Article`, `UploadFile`, `ComponentSharedSeo`."""
    if isinstance(definition, Component):
        category, _, name = definition.uid.partition(".")
        return f"Component{pascal_case(category)}{pascal_case(name)}"
    assert isinstance(definition, ContentType)
    return pascal_case(_with_plugin(definition, definition.singular_name))


def entity_name(definition: Definition) -> str:
    """An entry: `id` and `attributes`."""
    return f"{type_name(definition)}Entity"


def response_name(definition: Definition) -> str:
    """One entry, wrapped: the answer of `article`, `createArticle` and of a relation to one."""
    return f"{type_name(definition)}EntityResponse"


def collection_name(definition: Definition) -> str:
    """A list with its page: the answer of `articles`."""
    return f"{type_name(definition)}EntityResponseCollection"


def relation_collection_name(definition: Definition) -> str:
    """A list without its page: a relation to many."""
    return f"{type_name(definition)}RelationResponseCollection"


def input_name(definition: Definition) -> str:
    """What is written: `ArticleInput`."""
    return f"{type_name(definition)}Input"


def filters_name(definition: Definition) -> str:
    """Conditions: `ArticleFiltersInput`."""
    return f"{type_name(definition)}FiltersInput"


def enum_name(definition: Definition, attribute: Enumeration) -> str:
    """What a definition says, or `ENUM_ARTICLE_KIND`, `ENUM_COMPONENTSHAREDMETASOCIAL_NETWORK`."""
    return attribute.type_name or f"ENUM_{type_name(definition).upper()}_{attribute.name.upper()}"


def zone_name(definition: Definition, attribute: Attribute) -> str:
    """The union of a dynamic zone's components: `ArticleBlocksDynamicZone`."""
    return f"{type_name(definition)}{pascal_case(attribute.name)}DynamicZone"


def zone_input_name(definition: Definition, attribute: Attribute) -> str:
    """One component of a dynamic zone, as it is written: `ArticleBlocksDynamicZoneInput`."""
    return f"{zone_name(definition, attribute)}Input"


def single_field(content_type: ContentType) -> str:
    """The root field of one entry: `article`, `uploadFile`."""
    return camel_case(_with_plugin(content_type, content_type.singular_name))


def plural_field(content_type: ContentType) -> str:
    """The root field of the list: `articles`, `uploadFiles`."""
    return camel_case(_with_plugin(content_type, content_type.plural_name))


def mutation_field(action: str, content_type: ContentType) -> str:
    """`createArticle`, `updateArticle`, `deleteArticle`."""
    return f"{action}{type_name(content_type)}"


def schedule_field(content_type: ContentType) -> str:
    """What is planned for an entry: `articleSchedule`."""
    return f"{single_field(content_type)}Schedule"


def schedule_mutation(content_type: ContentType) -> str:
    """`updateArticleSchedule`."""
    return f"{mutation_field('update', content_type)}Schedule"


def localization_field(content_type: ContentType) -> str:
    """`createArticleLocalization`."""
    return f"create{type_name(content_type)}Localization"
