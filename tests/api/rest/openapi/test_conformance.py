"""The service does what its document says: requests made from it meet no answer that it does not tell of."""

from dataclasses import dataclass, field
from typing import Any

import hypothesis
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given
from schemathesis.checks import CHECKS
from schemathesis.core.failures import FailureGroup

from tests.cli.processes import Server
from tests.models.bookshop import FULL_TOKEN

CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
"""That valid requests are taken is not asked: that a value is unique, or a related entry is there, no schema says."""
OPTIONS = hypothesis.settings(
    max_examples=4,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
POPULATED = ("*", {"author": {"populate": "*"}, "details": {"populate": "*"}, "extras": {"populate": "*"}})
UIDS = ("api::book.book", "shop.quote", "nothing")


def in_brackets(name: str, value: Any) -> dict[str, Any]:
    """A parameter as `qs` writes it."""
    if isinstance(value, dict):
        parts = [(f"{name}[{key}]" if key else name, item) for key, item in value.items()]
    elif isinstance(value, list):
        parts = [(f"{name}[{position}]", item) for position, item in enumerate(value)]
    else:
        return {name: {True: "true", False: "false", None: ""}[value] if isinstance(value, bool | None) else value}
    return {key: item for part in parts for key, item in in_brackets(*part).items()}


@dataclass
class Exercise:
    """Sends requests, and keeps what was wrong with the answers."""

    base: str
    checks: list[Any]
    session: requests.Session
    count: int = 0
    found: list[str] = field(default_factory=list)
    succeeded: set[str] = field(default_factory=set)

    def ask(self, case: Any) -> None:
        """One request. What is in the path is there more often than not."""
        self.count += 1
        if "{id}" in case.operation.path:
            case.path_parameters["id"] = self.count % 4 + 1
        if "{uid}" in case.operation.path:
            case.path_parameters["uid"] = UIDS[self.count % 3]
        case.query = {key: item for name, one in case.query.items() for key, item in in_brackets(name, one).items()}
        response = case.call(base_url=self.base, session=self.session)
        label = case.operation.label
        if response.status_code < 300:
            self.succeeded.add(label)
        try:
            case.validate_response(response, checks=self.checks)
        except FailureGroup as failures:
            self.found += [f"{label}: {failure}" for failure in failures.exceptions]


def test_the_service_does_what_the_document_says(shop: Server) -> None:
    """The same requests in each run; those that remove something come last."""
    status, document = shop.get("/documentation/openapi.json")
    assert status == 200
    listed: Any = schemathesis.openapi.from_dict(document).get_all_operations()
    operations = [result.ok() for result in listed]
    checks: list[Any] = [check for check in CHECKS.get_all() if check.__name__ in CHECKED]
    assert len(checks) == len(CHECKED)
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {FULL_TOKEN}"
        exercise = Exercise(f"http://127.0.0.1:{shop.port}", checks, session)
        for operation in sorted(operations, key=lambda one: (one.method == "delete", one.method != "get")):
            for populate in POPULATED if operation.method == "get" and "populate" in operation.query else ():
                exercise.ask(operation.Case(query={"populate": populate}))
            OPTIONS(given(case=operation.as_strategy())(exercise.ask))()
    assert exercise.found == []
    assert len(exercise.succeeded) > len(operations) * 0.6, "most operations were met with success, too"
