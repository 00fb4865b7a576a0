"""Every promise has a test, here or in the listed files."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent

# Promises with tests in other folders.
ELSEWHERE = {
    9: ("api/rest/test_users.py", "api/rest/test_accounts.py"),
    11: ("robustness/test_durability.py::test_one_of_many_gets_a_unique_value",),
    13: ("robustness/test_durability.py::test_an_outage_of_postgresql_is_survived",),
    14: ("robustness/test_durability.py::test_a_stop_under_load_finishes_running_requests",),
    15: ("database/test_synchronize.py", "cli/test_database.py"),
    25: (
        "api/rest/test_accounts.py",
        "api/rest/test_redis_counts.py",
        "api/admin/api/test_sessions.py::test_attempts_are_counted_whatever_the_spelling",
    ),
    26: ("api/rest/test_providers.py", "api/rest/test_sessions.py"),
    30: (
        "core/net/test_guarded_http.py",
        "events/webhooks/test_webhooks.py::test_webhooks_to_private_addresses_are_refused",
        "api/rest/test_providers.py::test_private_addresses_are_requested_only_if_configured",
    ),
}

# Promises about missing features, and why they need no test.
WITHOUT_TEST = {
    28: "GraphQL is not served yet",
}


def points_tested_here() -> set[int]:
    texts = "\n".join(file.read_text("utf-8") for file in HERE.glob("test_*.py"))
    return {int(number) for number in re.findall(r"^(?:async )?def test_point_(\d+)_", texts, re.MULTILINE)}


def test_every_promise_has_a_test() -> None:
    assert points_tested_here() | ELSEWHERE.keys() | WITHOUT_TEST.keys() == set(range(1, 31))


@pytest.mark.parametrize("place", [place for places in ELSEWHERE.values() for place in places])
def test_listed_tests_exist(place: str) -> None:
    file, _, name = place.partition("::")
    assert f"def {name or 'test_'}" in (TESTS / file).read_text("utf-8")
