"""The GraphQL engine: the schema of a project, its documents, and the executor."""

from collections.abc import Callable

from octavo.api.graphql.customization.apply_extension import extend_generated
from octavo.api.graphql.document.coercers import Coercers
from octavo.api.graphql.document.documents import Documents
from octavo.api.graphql.document.literals import Templates
from octavo.api.graphql.execution.code_fields import CodeFields
from octavo.api.graphql.execution.executor import Executor
from octavo.api.graphql.execution.operation_shapes import OperationShapes
from octavo.api.graphql.execution.plugin_resolvers import PluginResolvers
from octavo.api.graphql.execution.prepared_mutations import PreparedMutations
from octavo.api.graphql.execution.prepared_operations import PreparedOperations
from octavo.api.graphql.options import GraphqlContent, GraphqlOptions
from octavo.api.graphql.schema.builder import build_schema
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine, built for the first operation, so that a service starts faster."""

    documents: Documents
    templates: Templates
    executor: Executor


def make_engine(content: GraphqlContent, options: GraphqlOptions) -> Engine:
    """Build the engine for a project's content. Raises InvalidCode if an extension is invalid."""
    controller, extending = content.controller, content.extending
    extension = extending.extension
    schema = build_schema(
        controller.registry,
        extension.exclusions(),
        generate=options.generate,
        schedules=options.schedules,
        cursors=options.cursors,
    )
    code = None
    if extension.is_extended:
        extended = extend_generated(schema, extension, extending.code)
        schema, code = (
            extended.schema,
            CodeFields(extended.schema, extended.customization, extending.app, extending.runner),
        )
    plugin_resolvers = PluginResolvers(content.accounts, content.users, content.roles, content.files)
    ready = PreparedOperations(content.caches.cache("GraphQL operations"))
    caches = content.caches
    coercers = Coercers(schema)
    shapes = OperationShapes(coercers, caches.cache("GraphQL shapes"), caches.cache("GraphQL operations by shape"))
    introspected = content.caches.cache("GraphQL introspection")
    executor = Executor(
        schema,
        controller,
        plugin_resolvers,
        options.lists,
        ready,
        shapes,
        introspected,
        PreparedMutations(caches.cache("GraphQL mutations")),
        coercers,
        code,
        digit_ids=options.digit_ids,
    )
    documents = Documents(schema, options.limits, caches.cache("GraphQL documents"))
    templates = Templates(schema, caches.cache("GraphQL document templates"), _has_code(code))
    return Engine(documents, templates, executor)


def _has_code(code: CodeFields | None) -> Callable[[str, str], bool]:
    """Return the test whether a field, by the names of its type and itself, has code of the project."""
    if code is None:
        return lambda parent, name: False
    customization = code.customization
    return lambda parent, name: customization.of(parent, name) is not None
