"""What answers operations: the schema of a project, its documents, and the executor on top."""

from dataclasses import dataclass

from octavo.graphql.code_fields import CodeFields
from octavo.graphql.documents import Documents
from octavo.graphql.executor import Executor
from octavo.graphql.extending import extend_generated
from octavo.graphql.options import GraphqlContent, GraphqlOptions
from octavo.graphql.plugin_fields import PluginFields
from octavo.graphql.schema import build_schema


@dataclass(frozen=True, slots=True)
class Engine:
    """Made when the first operation comes, so that a service starts without it."""

    documents: Documents
    executor: Executor


def make_engine(content: GraphqlContent, options: GraphqlOptions) -> Engine:
    """The engine for a project's content. Raises InvalidCode when a project's extension is unsound."""
    controller, extending = content.controller, content.extending
    extension = extending.extension
    schema = build_schema(controller.registry, extension.exclusions(), generate=options.generate)
    code = None
    if extension.used:
        extended = extend_generated(schema, extension, extending.code)
        schema, code = extended.schema, CodeFields(extended.schema, extended.customization, extending.app)
    plugin_fields = PluginFields(content.accounts, content.users, content.roles, content.files)
    executor = Executor(schema, controller, plugin_fields, options.lists, code)
    return Engine(Documents(schema, options.limits, options.cache), executor)
