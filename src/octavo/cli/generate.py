"""`octavo generate`: generate definitions and code. Lists the created files and never overwrites any."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from octavo.access.authorization.role_grants import grant
from octavo.cli.base import (
    Command,
    Group,
    chosen_actions,
    project_option,
    read_settings,
    refuse,
    say,
    warn,
    with_database,
)
from octavo.cli.migrations import begin_migration
from octavo.modeling.generators import code
from octavo.modeling.generators.attributes import TYPES, plain_types, read_attribute
from octavo.modeling.generators.definitions import DefinitionPlan, TypeOptions, plan_component, plan_content_type
from octavo.modeling.generators.files import CannotGenerate, NewFile, write_files
from octavo.modeling.generators.names import checked_attribute, checked_name, display_name, plural_of
from octavo.modeling.generators.plugin import plugin as plugin_files
from octavo.modeling.refactoring.definition_edits import replace_file
from octavo.operations.runtime.definitions import inspect_project, project_registry
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.project.plugins import project_custom_fields
from octavo.schema.custom_fields import CustomFields
from octavo.schema.registry import Registry
from octavo.settings import Settings

_PROMPTS = {
    "enumeration": "Values, comma-separated",
    "component": "Component, such as shared.seo",
    "dynamiczone": "Components, comma-separated",
}


def ask_content_type(options: TypeOptions) -> tuple[str, TypeOptions]:
    """Prompt for the name and options of a content type."""
    name = _prompt("Singular name", lambda text: checked_name(text, "a content type"))
    plural = options.plural or _prompt("Plural", lambda text: checked_name(text, "a content type"), plural_of(name))
    return name, replace(
        options,
        plural=plural,
        display=options.display or click.prompt("Display name", default=display_name(name)),
        single=options.single or click.confirm("Single type (only one entry)?", default=False),
        drafts=click.confirm("With drafts?", default=options.drafts),
        localized=options.localized or click.confirm("Localized?", default=False),
    )


def ask_component(display: str | None) -> tuple[str, str]:
    """Prompt for a component. Return its UID and display name."""
    category = _prompt("Category", lambda text: checked_name(text, "a category"))
    name = _prompt("Name", lambda text: checked_name(text, "a component"))
    return f"{category}.{name}", display or click.prompt("Display name", default=display_name(name))


def ask_attributes(registry: Registry, own: str) -> Sequence[str]:
    """Prompt for attributes until an empty name, and return them as words of the command line."""
    say("Attributes; leave the name empty to finish. Types: {}", ", ".join(TYPES))
    words: list[str] = []
    while name := click.prompt("Attribute", default="", show_default=False):
        try:
            word = _prompt_attribute(checked_attribute(name))
            read_attribute(word, registry, own)
        except CannotGenerate as error:
            say("[red]{}[/]", error)
            continue
        words.append(word)
    return words


def _prompt_attribute(name: str) -> str:
    kind = click.prompt("  Type", type=click.Choice(TYPES), show_choices=False)
    word = f"{name}:{kind}"
    if kind not in plain_types():
        asked = _PROMPTS.get(kind, "Content-type")
        word = f"{word}:{click.prompt(f'  {asked}')}"
    return f"{word}:required" if click.confirm("  Required?", default=False) else word


def _prompt(text: str, check: Callable[[str], str], default: str | None = None) -> str:
    """Prompt for a text until a check accepts it."""
    while True:
        try:
            return check(click.prompt(text, default=default))
        except CannotGenerate as error:
            say("[red]{}[/]", error)


FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class GenerateCommand(Command):
    """A command that reports invalid requests to generate without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except CannotGenerate as error:
            refuse(str(error))


class GenerateGroup(Group):
    """A group of such commands."""

    command_class = GenerateCommand


@click.group(cls=GenerateGroup)
def generate() -> None:
    """Generate content types, components, code and plugins. Existing files are never overwritten."""


def api_option(required: bool) -> Callable[[FunctionT], FunctionT]:
    """Return the `--api` option. Unless it is `required`, the default is the whole project."""
    help_text = "The API (folder in src/api); defaults to the one of the same name."
    return click.option("--api", help=help_text if required else "The API; defaults to the whole project.")


public_option = click.option("--public", is_flag=True, help="Allow everyone to read its entries without a token.")


def type_options(function: FunctionT) -> FunctionT:
    """Add the options of a new content type."""
    for option in (
        click.option("--plural", help="Plural name, used in URLs; defaults to the English plural."),
        click.option("--display-name", "display", help="Display name."),
        click.option("--description", default="", help="Description."),
        click.option("--single", is_flag=True, help="A single type, with one entry."),
        click.option("--drafts/--no-drafts", default=True, show_default=True, help="Entries can be drafts."),
        click.option("--localized", is_flag=True, help="Entries exist in several locales."),
    ):
        function = option(function)
    return function


@generate.command(
    name="content-type",
    epilog="Example: octavo generate content-type talk title:string:required slug:uid:targetField=title",
)
@click.argument("name", required=False)
@click.argument("attributes", nargs=-1)
@api_option(required=True)
@type_options
@public_option
@project_option
def content_type(
    name: str | None, attributes: tuple[str, ...], api: str | None, public: bool, project: Path, **said: Any
) -> None:
    """Generate a content type. Prompts if NAME is missing.

    ATTRIBUTES are words: title:string:required, level:enumeration:easy,hard, cover:media, seo:component:shared.seo,
    speaker:manyToOne:speaker:inversedBy=talks, which adds talks to the other type. Options are required, unique,
    private, localized, repeatable, multiple, and key=value.
    """
    plan = _plan_type(read_settings(project), name, attributes, TypeOptions(api=api, **said))
    _write(project, [plan.file], plan)
    _grant_or_explain(project, plan.new.uid, public=public)


@generate.command(epilog="Example: octavo generate api talk title:string:required")
@click.argument("name", required=False)
@click.argument("attributes", nargs=-1)
@type_options
@public_option
@project_option
def api(name: str | None, attributes: tuple[str, ...], public: bool, project: Path, **said: Any) -> None:
    """Generate a content type with controller, service and routes.

    Prompts for the content type like `content-type`. Controller, service and routes are Python files.
    """
    plan = _plan_type(read_settings(project), name, attributes, TypeOptions(**said))
    _, _, own = plan.new.uid.rpartition(".")
    made = [make(plan.registry, own, own) for make in (code.controller, code.service, code.core_routes)]
    _write(project, [plan.file, *made], plan)
    _grant_or_explain(project, plan.new.uid, public=public)


def _grant_or_explain(project: Path, uid: str, *, public: bool) -> None:
    """Grant the public role the permissions to read a new content type, or print how."""
    pattern = f"{uid}.find*"
    if not public:
        say("Requests return 403 until a role has permissions: octavo permissions grant public '{}'", pattern)
        return
    settings = read_settings(project)
    actions = chosen_actions(settings, [pattern])
    try:
        with_database(settings, lambda database: grant(database, "public", actions), hooked=True)
    except StartFailed as error:
        command = f"octavo permissions grant public '{pattern}'"
        refuse(f"The files are written, but no permission was granted: {error}. Run later: {command}")
    say("Granted to [bold]public[/]: {}", ", ".join(actions))


def _plan_type(settings: Settings, name: str | None, words: Sequence[str], options: TypeOptions) -> DefinitionPlan:
    registry, fields = _definitions(settings)
    if name is None:
        name, options = ask_content_type(options)
        words = ask_attributes(registry, f"api::{options.api or name}.{name}")
    return plan_content_type(settings.project, registry, fields, name, words, options)


@generate.command(epilog="Example: octavo generate component shared.seo metaTitle:string:required shareImage:media")
@click.argument("name", required=False)
@click.argument("attributes", nargs=-1)
@click.option("--display-name", "display", help="Display name.")
@project_option
def component(name: str | None, attributes: tuple[str, ...], display: str | None, project: Path) -> None:
    """Generate a component. NAME is its category and name; ATTRIBUTES as for content types."""
    settings = read_settings(project)
    registry, fields = _definitions(settings)
    words: Sequence[str] = attributes
    if name is None:
        name, display = ask_component(display)
        words = ask_attributes(registry, name)
    plan = plan_component(project, registry, fields, name, words, display)
    _write(project, [plan.file], plan)


def _definitions(settings: Settings) -> tuple[Registry, CustomFields]:
    return project_registry(settings), project_custom_fields(settings)


@generate.command(epilog="Example: octavo generate controller talk")
@click.argument("name", required=False)
@api_option(required=True)
@project_option
def controller(name: str | None, api: str | None, project: Path) -> None:
    """Generate a controller for a content type or for custom routes."""
    named = _named(name, "the controller")
    _write(project, [code.controller(project_registry(read_settings(project)), api or named, named)])


@generate.command(epilog="Example: octavo generate service talk")
@click.argument("name", required=False)
@api_option(required=True)
@project_option
def service(name: str | None, api: str | None, project: Path) -> None:
    """Generate a service, for use by app.service(...)."""
    named = _named(name, "the service")
    _write(project, [code.service(project_registry(read_settings(project)), api or named, named)])


@generate.command(epilog="Example: octavo generate route by-slug --api talk --path /talks/by-slug/:slug --public")
@click.argument("name", required=False)
@api_option(required=True)
@click.option("--path", help="Path below the prefix, with :names; without it, the routes of the core actions.")
@click.option("--method", type=click.Choice(code.METHODS), default="GET", show_default=True, help="HTTP method.")
@click.option("--handler", help="Controller method, such as talk.by_slug; defaults to a function in the file.")
@click.option("--public", is_flag=True, help="Allow callers without a token.")
@project_option
def route(
    name: str | None, api: str | None, path: str | None, method: str, handler: str | None, public: bool, project: Path
) -> None:
    """Generate a file of routes.

    It holds a custom route, or the routes of a content type's core actions.
    """
    named = _named(name, "the routes file")
    registry = project_registry(read_settings(project))
    if path is None:
        made = code.core_routes(registry, api or named, named)
    else:
        made = code.route(api or named, named, method, path, handler=handler, public=public)
    _write(project, [made])


@generate.command(epilog="Example: octavo generate policy is-member")
@click.argument("name", required=False)
@api_option(required=False)
@project_option
def policy(name: str | None, api: str | None, project: Path) -> None:
    """Generate a policy, which allows or rejects calls."""
    _write(project, [code.policy(api, _named(name, "the policy"))])


@generate.command(epilog="Example: octavo generate middleware timing")
@click.argument("name", required=False)
@api_option(required=False)
@click.option("--graphql", is_flag=True, help="For GraphQL fields instead of requests.")
@project_option
def middleware(name: str | None, api: str | None, graphql: bool, project: Path) -> None:
    """Generate a middleware for requests or GraphQL fields."""
    _write(project, [code.middleware(api, _named(name, "the middleware"), graphql=graphql)])


@generate.command(epilog="Example: octavo generate lifecycle talk")
@click.argument("name", required=False)
@project_option
def lifecycle(name: str | None, project: Path) -> None:
    """Generate the hooks of a content type.

    NAME is its UID or singular name.
    """
    given = name or click.prompt("Content-type")
    types = project_registry(read_settings(project)).content_types.values()
    matching = [item for item in types if given in (item.uid, item.singular_name if item.is_api else None)]
    if len(matching) != 1:
        raise CannotGenerate(
            f"unknown content type {given!r}; the content types are {', '.join(item.uid for item in types)}"
        )
    _write(project, [code.lifecycles(matching[0])])


@generate.command(epilog="Example: octavo generate migration fill-levels --python")
@click.argument("name", required=False)
@click.option("--python", "is_python", is_flag=True, help="Generate Python instead of SQL.")
@project_option
def migration(name: str | None, is_python: bool, project: Path) -> None:
    """Generate an empty migration, which the next start runs."""
    begin_migration(read_settings(project), name or click.prompt("Name of the migration"), is_python=is_python)


@generate.command(epilog="Example: octavo generate job remind-speakers")
@click.argument("name", required=False)
@click.option("--cron", metavar="RULE", help="Schedule it by a cron rule, such as '0 3 * * *', in src/cron.py.")
@project_option
def job(name: str | None, cron: str | None, project: Path) -> None:
    """Generate a job for the background or for a schedule."""
    named = _named(name, "the job")
    _write(project, [code.tasks(named, cron) if cron else code.job(named)])


@generate.command(epilog="Example: octavo generate plugin reviews")
@click.argument("name", required=False)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    default=None,
    help="Parent folder; defaults to the current folder, or to its parent if it is a project.",
)
def plugin(name: str | None, folder: Path | None) -> None:
    """Generate a plugin, as the Python package octavo-NAME."""
    here = Path.cwd()
    is_beside = folder is None and (here / "src").is_dir() and (here / "config").is_dir()
    for made in write_files(here.parent if is_beside else folder or here, plugin_files(_named(name, "the plugin"))):
        say("Created [bold]{}[/]", f"../{made}" if is_beside else made)


def _named(name: str | None, what: str) -> str:
    return checked_name(name or click.prompt(f"Name of {what}"), what)


def _write(project: Path, files: Iterable[NewFile], plan: DefinitionPlan | None = None) -> None:
    edited = plan.edited(project) if plan else {}
    for name in write_files(project, files):
        say("Created [bold]{}[/]", name)
    for name, content in edited.items():
        replace_file(project / name, content)
        say("Added to [bold]{}[/]", name)
    if plan is not None:
        for problem in inspect_project(read_settings(project), connect=False).problems:
            if problem.source == plan.new.file:
                warn(str(problem))
