"""Hooks that read or write other content types: v4 also runs those types' hooks, which may refuse the request.

Observed in Strapi 4.26.2 over HTTP: an article's `beforeUpdate` calls the entity service, `db.query` or a core service
of a type whose hook of that event throws, before or after. The response is 500, and nothing is written. The same
applies to reads. `updateMany` runs no `beforeUpdate`, and caught exceptions refuse nothing.
"""

from pathlib import Path

import pytest

from octavo.v4.code import Code, Kind, State
from tests.models.v4_project import TEXT, read_project

HOOKS = "src/api/{0}/content-types/{0}/lifecycles.js"
NO = "throw new Error('no');"
TALK = "api::talk.talk"
REFUSING = f"module.exports = {{ beforeUpdate(event) {{ {NO} }} }};"
UPDATE = f"await strapi.entityService.update('{TALK}', 1, {{ data: {{ title: 'x' }} }});"


def read(folder: Path, article: str, talk: str, **files: str) -> Code:
    types = {"article": {"title": TEXT}, "talk": {"title": TEXT}, "room": {"title": TEXT}}
    return read_project(folder, types, {HOOKS.format("article"): article, HOOKS.format("talk"): talk, **files})


def before(body: str, event: str = "beforeUpdate", head: str = "") -> str:
    return f"{head}\nmodule.exports = {{ async {event}(event) {{ {body} }} }};"


def found(code: Code, name: str = "api::article.article.beforeUpdate") -> tuple[State, str]:
    (finding,) = [one for one in code.findings if one.kind is Kind.HOOK and one.name == name]
    return finding.state, finding.says


def guarded(code: Code, uid: str) -> set[str]:
    """Return the actions of a content type that guards close."""
    return {route.core[1] for route in code.core.values() if route.core and route.core[0] == uid and route.guards}


@pytest.mark.parametrize(
    "body",
    [
        UPDATE,
        f"await strapi.db.query('{TALK}').update({{ where: {{ id: 1 }}, data: {{}} }});",
        f"await strapi.query('{TALK}').update({{ where: {{ id: 1 }}, data: {{}} }});",
        f"await strapi.service('{TALK}').update(1, {{ data: {{}} }});",
        f"await strapi.services['{TALK}'].update(1, {{ data: {{}} }});",
        "await strapi.api('talk').service('talk').createOrUpdate({ data: {} });",
        f"const uid = '{TALK}'; await strapi.entityService.update(uid, 1, {{}});",
        "const one = await strapi.entityService.update(event.params.data.type, 1, {}); one.title;",
        f"const {{ entityService }} = strapi; return entityService.update('{TALK}', 1, {{}});",
        f"await Promise.all([1, 2].map((id) => strapi.entityService.update('{TALK}', id, {{}})));",
        f"for (const id of [1]) {{ await strapi.entityService.update('{TALK}', id, {{}}); }}",
        "await touch(1);",
        "await require('../../../../touch').touch(1);",
    ],
)
def test_a_write_that_another_hook_may_refuse_closes(tmp_path: Path, body: str) -> None:
    head = f"const touch = async (id) => {{ {UPDATE} }};"
    files = {"src/touch.js": f"exports.touch = async (id) => {{ {UPDATE} }};"}
    code = read(tmp_path, before(body, head=head), REFUSING, **files)
    state, says = found(code)
    assert state is State.CLOSED
    assert f"which {TALK}.beforeUpdate can reject; if it rejects nothing, allow api::article" in says
    assert guarded(code, "api::article.article") == {"update"}
    assert guarded(code, TALK) == {"update"}


@pytest.mark.parametrize(
    "body",
    [
        "await strapi.entityService.update('api::room.room', 1, {});",
        f"await strapi.entityService.create('{TALK}', {{ data: {{}} }});",
        f"await strapi.db.query('{TALK}').updateMany({{ where: {{}}, data: {{}} }});",
        f"await strapi.entityService.findOne('{TALK}', 1);",
        f"try {{ {UPDATE} }} catch (error) {{ console.error(error); }}",
        f"strapi.entityService.update('{TALK}', 1, {{}}).catch((error) => strapi.log.error(error));",
        f"setTimeout(async () => {{ {UPDATE} }}, 5);",
        f"await strapi.db.connection('talks').update({{ title: '{TALK}' }});",
    ],
)
def test_nested_calls_without_a_refusing_hook_close_nothing(tmp_path: Path, body: str) -> None:
    code = read(tmp_path, before(body), REFUSING)
    assert found(code)[0] is State.OPEN
    assert guarded(code, "api::article.article") == set()


@pytest.mark.parametrize(
    "talk, closed",
    [
        (before(NO, "afterUpdate"), True),
        (before(NO, "beforeFindOne"), True),
        (before("if (event.result.length > 3) { throw new Error(); }", "afterFindMany"), True),
        (before("console.log(event);", "afterUpdate"), False),
        (before("await require('unlisted')(event);", "afterUpdate"), False),
        (before("await require('unlisted')(event);"), True),
        (before("event.params.data.title = 'fixed';"), False),
        (before("const { title } = event.params.data; console.log(title);"), False),
        ("module.exports = { beforeUpdate: require('unlisted') };", True),
        ("module.exports = make();", True),
    ],
)
def test_nested_hooks_that_may_refuse(tmp_path: Path, talk: str, closed: bool) -> None:
    """Hooks that change an entry refuse nothing. Hooks that cannot be followed may refuse."""
    assert (found(read(tmp_path, before(UPDATE), talk))[0] is State.CLOSED) == closed


def test_hooks_that_call_each_other(tmp_path: Path) -> None:
    """Including hooks that only write, and code after the write. Cycles end."""
    room = {HOOKS.format("room"): before(NO, "beforeDelete")}
    talk = before("await strapi.entityService.delete('api::room.room', 1);", "afterUpdate")
    code = read(tmp_path, before(UPDATE), talk, **room)
    assert found(code)[0] is State.CLOSED
    assert found(code, f"{TALK}.afterUpdate")[0] is State.OPEN, "what follows a write prevents nothing"
    assert guarded(code, TALK) == set()
    back = before("await strapi.entityService.update('api::article.article', 1, {});")
    code = read(tmp_path / "back", before(UPDATE), back)
    assert {found(code)[0], found(code, f"{TALK}.beforeUpdate")[0]} == {State.OPEN}


def test_hooks_of_users_and_files(tmp_path: Path) -> None:
    index = f"""module.exports = {{ bootstrap({{ strapi }}) {{ strapi.db.lifecycles.subscribe({{
      models: ['plugin::users-permissions.user', 'plugin::upload.file'],
      beforeUpdate(event) {{ {NO} }} }}); }} }};"""
    for number, (body, closed) in enumerate(
        (
            ("await strapi.plugin('users-permissions').service('user').edit(1, {});", True),
            ("await strapi.plugins['users-permissions'].services.user.edit(1, {});", True),
            ("await strapi.query('plugin::users-permissions.user').update({});", True),
            ("await strapi.plugin('upload').service('upload').updateFileInfo(1, {});", True),
            ("await strapi.plugin('upload').service('upload').findOne(1);", False),
            ("await strapi.plugin('users-permissions').service('user').add({});", False),
        )
    ):
        code = read(tmp_path / str(number), before(body), "", **{"src/index.js": index})
        assert (found(code)[0] is State.CLOSED) == closed, body


def test_a_subscription_to_all_types_refuses_for_all(tmp_path: Path) -> None:
    index = f"""module.exports = {{ bootstrap({{ strapi }}) {{
      strapi.db.lifecycles.subscribe({{ beforeCreate(event) {{ {NO} }} }}); }} }};"""
    body = "await strapi.entityService.create('api::room.room', { data: {} });"
    code = read(tmp_path, before(body), "", **{"src/index.js": index})
    assert found(code)[0] is State.CLOSED
