"""The tree of everything that can be granted."""

from octavo.access.actions import action_tree
from octavo.schema.registry import Registry


def enabled(tree: object) -> list[str]:
    """The actions told as enabled, in the order of the tree."""
    assert isinstance(tree, dict)
    return [
        f"{owner}.{controller}.{action}"
        for owner, group in tree.items()
        for controller, actions in group["controllers"].items()
        for action, told in actions.items()
        if told["enabled"]
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
