"""What answers operations: the schema of a project, its documents, and the executor on top."""

from dataclasses import dataclass

from octavo.controllers import ContentController
from octavo.graphql.code_fields import CodeFields
from octavo.graphql.documents import Documents
from octavo.graphql.executor import Executor
from octavo.graphql.extending import extend_generated
from octavo.graphql.extension import Extending
from octavo.graphql.limits import Limits
from octavo.graphql.plugin_fields import PluginFields
from octavo.graphql.queries import ListLimits
from octavo.graphql.schema import build_schema
from octavo.graphql.texts import CacheLimits


@dataclass(frozen=True, slots=True)
class GraphqlOptions:
    """What the settings say of GraphQL."""

    limits: Limits
    lists: ListLimits
    cache: CacheLimits
    generate: bool = True


@dataclass(frozen=True, slots=True)
class Engine:
    """Made when the first operation comes, so that a service starts without it."""

    documents: Documents
    executor: Executor


def make_engine(
    controller: ContentController, plugin_fields: PluginFields, options: GraphqlOptions, extending: Extending
) -> Engine:
    """The engine for the content of a controller. Raises InvalidCode when a project's extension is unsound."""
    extension = extending.extension
    schema = build_schema(controller.registry, extension.exclusions(), generate=options.generate)
    code = None
    if extension.used:
        extended = extend_generated(schema, extension, extending.code)
        schema, code = extended.schema, CodeFields(extended.schema, extended.customization, extending.app)
    executor = Executor(schema, controller, plugin_fields, options.lists, code)
    return Engine(Documents(schema, options.limits, options.cache), executor)
