"""The tree of all actions that can be granted."""

from octavo.access.authorization.actions import action_on, action_tree, list_actions, list_content_actions
from octavo.access.authorization.role_grants import DEFAULT_ROLES
from octavo.schema.content_types import FILE, LOCALE, USER
from octavo.schema.registry import Registry


def enabled(tree: object) -> list[str]:
    """Return the enabled actions, in the order of the tree."""
    assert isinstance(tree, dict)
    return [
        f"{owner}.{controller}.{action}"
        for owner, group in tree.items()
        for controller, actions in group["controllers"].items()
        for action, reported in actions.items()
        if reported["enabled"]
    ]


def test_actions_of_content_types(registry: Registry) -> None:
    tree = action_tree(registry)
    off = {"enabled": False, "policy": ""}
    collection = dict.fromkeys(("find", "findOne", "create", "update", "delete"), off)
    assert tree["api::author"] == {"controllers": {"author": collection}}
    assert tree["api::book"] == {"controllers": {"book": {**collection, "createLocalization": off}}}
    single = dict.fromkeys(("find", "update", "delete"), off)
    assert tree["api::imprint"] == {"controllers": {"imprint": single}}
    assert tree["plugin::i18n"] == {"controllers": {"locales": {"listLocales": off}}}
    assert enabled(tree) == []


def test_granted_actions(registry: Registry) -> None:
    granted = ["api::book.book.find", "plugin::users-permissions.user.me", "api::gone.gone.find", "api::book.book.nope"]
    assert enabled(action_tree(registry, granted)) == ["api::book.book.find", "plugin::users-permissions.user.me"]


def test_the_list_and_the_tree_contain_the_same_actions(registry: Registry) -> None:
    everything = list_actions(registry)
    assert enabled(action_tree(registry, everything)) == list(everything)
    assert [action for action in everything if action.startswith("api::")] == list(list_content_actions(registry))


def test_content_actions_of_a_type_with_locales(registry: Registry) -> None:
    of_books = [action for action in list_content_actions(registry) if action.startswith("api::book.")]
    operations = ("find", "findOne", "create", "update", "delete", "createLocalization")
    assert of_books == [f"api::book.book.{operation}" for operation in operations]


def test_actions_required_by_operations_can_be_granted(registry: Registry) -> None:
    assert action_on("api::book.book", "find") == "api::book.book.find"
    operations = ("find", "findOne", "create", "update", "delete")
    asked = {action_on(FILE, operation) for operation in operations}
    asked |= {action_on(LOCALE, operation) for operation in ("find", "findOne")}
    asked |= {action_on(USER, operation) for operation in ("find", "findOne")}
    asked |= {action for role in DEFAULT_ROLES.values() for action in role.actions}
    assert asked - set(list_actions(registry)) == set()
