"""Every form in which v4's code refuses a request closes the action. Followed forms that refuse nothing do not.

`record_guard_forms` recorded v4's behavior for each form.
"""

import json
from pathlib import Path

import pytest

from octavo.schema.loader import load_registry
from octavo.v4.code import Code, Kind, State
from octavo.v4.code.read import read_code
from tests.models.v4_project import PACKAGES, write_files
from tests.v4.code.guard_forms import HOOKS, LOGS, PLACES, SUBSCRIBED, THROWS, Case, cases, shared, written

UNCLEAR = ("caught and thrown", "then taken")
"""Harmless calls that close the action all the same: there is a `throw`, or a parameter with an unknown value."""
RECORD = json.loads(Path(__file__).with_name("guard_forms.json").read_text())


def refused(case: Case) -> bool:
    """Return whether v4 refused it."""
    return str(RECORD[case.place][case.source][case.call])[case.kind == LOGS] == "r"


def name_of(case: Case) -> str:
    return "-".join((case.source, case.call, case.kind)).replace(" ", "-")


def files_of(case: Case, name: str) -> dict[str, str]:
    """Return the code of a case in a project, for its own content type."""
    suffix = "ts" if case.is_typed else "js"
    uid, api = f"api::{name}.{name}", f"src/api/{name}"
    text = written(case, "../../../guards", uid)
    route = (
        f"module.exports = {{ routes: [{{ method: 'POST', path: '/{name}', handler: '{name}.create', config: %s }}] }};"
    )
    match case.place:
        case "policy":
            return {
                f"{api}/policies/check.{suffix}": text,
                f"{api}/routes/{name}.js": route % "{ policies: ['check'] }",
            }
        case "middleware":
            config = route % "{ middlewares: ['check'] }".replace("check", f"{api[4:].replace('api/', 'api::')}.check")
            return {f"{api}/middlewares/check.{suffix}": text, f"{api}/routes/{name}.js": config}
        case "controller":
            return {f"{api}/controllers/{name}.{suffix}": text}
        case place if place == SUBSCRIBED:
            text = written(case, "../guards", uid)
            head, _, hooks = text.partition("export default" if case.is_typed else "module.exports =")
            subscribed = hooks.strip().rstrip(";").replace("{", f"{{ models: ['{uid}'],", 1)
            return {f"src/subscribers/{name}.{suffix}": f"{head}strapi.db.lifecycles.subscribe({subscribed});\n"}
    text = written(case, "../../../../guards", uid)
    return {f"{api}/content-types/{name}/lifecycles.{suffix}": text}


def is_closed(code: Code, case: Case, name: str) -> bool:
    event = case.place.rpartition(" ")[2]
    match case.place:
        case "policy" | "middleware":
            return any(route.guards for route in code.routes if route.path == f"/{name}")
        case "controller":
            kind, full = Kind.ACTION, f"api::{name}.{name}.create"
        case _:
            kind, full = Kind.HOOK, f"api::{name}.{name}.{event}"
    (found,) = [finding for finding in code.findings if finding.kind is kind and finding.name == full]
    return found.state is State.CLOSED


def read(folder: Path, listed: list[Case]) -> Code:
    dependencies = json.dumps({"dependencies": dict.fromkeys(PACKAGES, "4.26.2")})
    files = {"package.json": dependencies, **shared()}
    for case in listed:
        files |= files_of(case, name_of(case))
    write_files(folder, files)
    return read_code(folder, load_registry(folder))


@pytest.mark.parametrize("place", PLACES)
def test_forms_that_v4_refuses_are_closed_and_followed_ones_are_open(tmp_path: Path, place: str) -> None:
    listed = [case for case in cases() if case.place == place]
    code = read(tmp_path, listed)
    closed = {case for case in listed if is_closed(code, case, name_of(case))}
    refusing = [case for case in listed if case.kind == THROWS and refused(case)]
    assert [case for case in refusing if case not in closed] == []
    assert len(refusing) > 100
    if place in (*HOOKS, SUBSCRIBED) and place != "beforeFindMany":  # in other locations only listed forms are open
        logging = [case for case in listed if case.kind == LOGS and not case.is_outside]
        harmless = [case for case in logging if not refused(case) and case.call not in UNCLEAR]
        assert [case for case in harmless if case in closed] == []
        assert len(harmless) > 100
