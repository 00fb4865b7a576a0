"""GraphQL settings: names of Octavo and of v4, defaults by profile, and refused values."""

from pathlib import Path

import pytest

from octavo.settings import load_settings
from octavo.settings.files.plugins import GraphqlConfig
from tests.settings.test_loader import problems_of, write_project

PLUGINS = "config/plugins.toml"


def config_of(folder: Path, toml: str, api: str = "") -> GraphqlConfig:
    files = {PLUGINS: f"[graphql.config]\n{toml}", "config/api.toml": api}
    return load_settings(write_project(folder, files), {}).plugins.graphql.config


@pytest.mark.parametrize(
    "toml, tracing, introspection, persisted",
    [
        ("", False, True, True),
        ("tracing = true\nintrospection = false\npersistedQueries = false", True, False, False),
        ("[graphql.config.apolloServer]\ntracing = true\nintrospection = false", True, False, True),
        ('[graphql.config.apollo_server]\npersisted_queries = false\ncache = "bounded"', False, True, False),
        ("tracing = false\n[graphql.config.apolloServer]\ntracing = true", False, True, True),
    ],
)
def test_names_of_v4_are_accepted_and_those_of_octavo_take_precedence(
    tmp_path: Path, toml: str, tracing: bool, introspection: bool, persisted: bool
) -> None:
    config = config_of(tmp_path, toml)
    assert (config.tracing, config.introspection, config.persisted_queries) == (tracing, introspection, persisted)


@pytest.mark.parametrize(
    "profile, toml, persisted",
    [
        ("v4", "", True),
        ("safe", "", False),
        ("safe", "persistedQueries = true", True),
        ("v4", "persistedQueries = false", False),
    ],
)
def test_persisted_queries_follow_the_profile(tmp_path: Path, profile: str, toml: str, persisted: bool) -> None:
    assert config_of(tmp_path, toml, f'[compat]\nprofile = "{profile}"').persisted_queries is persisted


@pytest.mark.parametrize(
    "toml, most",
    [("", 100), ("amountLimit = 5", 5), ("maxLimit = 5", 5), ("maxLimit = 200", 100), ("maxLimit = -1", 100)],
)
def test_the_smaller_limit_of_lists_applies(tmp_path: Path, toml: str, most: int) -> None:
    assert config_of(tmp_path, toml).most_items == most


def test_limits(tmp_path: Path) -> None:
    limits = "[graphql.config.limits]\naliases = 0\nvalues = 7\n"
    config = config_of(tmp_path, limits)
    assert (config.limits.aliases, config.limits.values, config.limits.batch) == (0, 7, 10)


@pytest.mark.parametrize(
    "toml, key, said",
    [
        ("[graphql.config.limits]\nalias = 5", "graphql.config.limits.alias", "aliases"),
        ("[graphql.config.limits]\nbatch = 0", "graphql.config.limits.batch", "a whole number, at least 1"),
        ('[graphql.config.limits]\nvalues = "many"', "graphql.config.limits.values", "a whole number"),
        ('[graphql.config.apolloServer]\ncache = "unbounded"', "graphql.config.apolloServer.cache", "one of bounded"),
        ("[graphql.config.apolloServer]\ntrace = true", "graphql.config.apolloServer.trace", "tracing"),
        ("[graphql.config]\nmaxLimit = -2", "graphql.config.maxLimit", "at least -1"),
        ("[graphql.config]\ntracing = 1", "graphql.config.tracing", "true or false"),
    ],
)
def test_invalid_values_stop_the_start(tmp_path: Path, toml: str, key: str, said: str) -> None:
    (problem,) = problems_of(write_project(tmp_path, {PLUGINS: toml}), {})
    assert PLUGINS in problem
    assert key in problem
    assert said in problem
