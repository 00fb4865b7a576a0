"""The table of keys: names are unambiguous, and every key is complete and has a description."""

import pytest

from octavo.settings.compat import RULES
from octavo.settings.files.compatibility import Compat
from octavo.settings.keys import camel, kebab, snake
from octavo.settings.model import TABLES

KEYS = [key for table in TABLES.values() for key in table.rows()]


@pytest.mark.parametrize(
    "name, names",
    [
        ("max_limit", ("maxLimit", "max-limit", "max_limit")),
        ("MAX_LIMIT", ("maxLimit", "max-limit", "max_limit")),
        ("maxLimit", ("maxLimit", "max-limit", "max_limit")),
        ("shadowCRUD", ("shadowCRUD", "shadow-crud", "shadow_crud")),
        ("users-permissions", ("usersPermissions", "users-permissions", "users_permissions")),
        ("i18n", ("i18n", "i18n", "i18n")),
    ],
)
def test_names(name: str, names: tuple[str, str, str]) -> None:
    assert (camel(name), kebab(name), snake(name)) == names


def test_every_key_has_a_description() -> None:
    assert [key.dotted for key in KEYS if not key.row.doc.endswith(".")] == []


def test_variables_are_unambiguous() -> None:
    names = [key.variable for key in KEYS] + [key.row.variable for key in KEYS if key.row.variable]
    assert len(names) == len(set(names))


def test_every_rule_of_the_profiles_is_a_key() -> None:
    rules = {key.attributes[-1]: key for key in KEYS if key.attributes[:2] == ("api", "compat")}
    assert rules.keys() - {"profile", "v4_version"} == RULES.keys()
    assert {name: rule.under(Compat().profile) for name, rule in RULES.items()} == {
        name: getattr(Compat(), name) for name in RULES
    }
    for name, rule in RULES.items():
        assert {rules[name].kind.from_toml(value) for value in rule.values} == rule.values
        assert list(rule.before) == sorted(rule.before)
