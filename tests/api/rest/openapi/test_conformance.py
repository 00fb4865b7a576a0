"""The service follows its document: requests generated from it get only responses that it describes."""

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
"""It is not checked that valid requests succeed: no schema expresses unique values or existing related entries."""
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
    """Return a parameter in the form that `qs` writes."""
    if isinstance(value, dict):
        parts = [(f"{name}[{key}]" if key else name, item) for key, item in value.items()]
    elif isinstance(value, list):
        parts = [(f"{name}[{position}]", item) for position, item in enumerate(value)]
    else:
        return {name: {True: "true", False: "false", None: ""}[value] if isinstance(value, bool | None) else value}
    return {key: item for part in parts for key, item in in_brackets(*part).items()}


@dataclass
class Exercise:
    """Sends requests, and collects the problems of the responses."""

    base: str
    checks: list[Any]
    session: requests.Session
    count: int = 0
    found: list[str] = field(default_factory=list)
    succeeded: set[str] = field(default_factory=set)

    def ask(self, case: Any) -> None:
        """Send one request, usually with path parameters that exist."""
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


def test_the_service_follows_the_document(shop: Server) -> None:
    """The requests are the same in each run; deletions come last."""
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
    assert len(exercise.succeeded) > len(operations) * 0.6, "most operations also succeed"
