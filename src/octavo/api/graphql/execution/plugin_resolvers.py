"""Root fields of plugins: accounts, users and roles, uploaded files. The services implement them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

import orjson
from graphql import GraphQLError, GraphQLField, GraphQLObjectType, get_named_type

from octavo.access.authorization.actions import ACCOUNTS, FILES
from octavo.accounts.users.accounts import Accounts, Session
from octavo.accounts.users.role_management import RoleManagement
from octavo.accounts.users.user_management import UserManagement
from octavo.accounts.users.user_rows import LOCAL
from octavo.api.graphql.document.collect_fields import TYPENAME, Selected
from octavo.api.graphql.execution.prepared_operations import NULL
from octavo.api.graphql.execution.root_resolvers import RootResolvers, join
from octavo.content.media.files import FileService
from octavo.content.media.library import FileInfo
from octavo.content.media.upload_target import check_replacing, read_upload_target
from octavo.content.reader import PreparedRead
from octavo.core.errors import NotFoundError, ValidationError
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Fixed, Nested, Object, Value
from octavo.query.ast import Query
from octavo.schema.content_types import FILE, ROLE, USER

_ROLE: Final = "role"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a plugin's field: resolvers with the caller (`roots.actor`), the client, arguments and selection."""

    roots: RootResolvers
    client: str
    kind: GraphQLObjectType
    selected: Selected
    arguments: dict[str, Any]


class PluginResolvers:
    """Resolves the plugins' fields by name."""

    def __init__(self, accounts: Accounts, users: UserManagement, roles: RoleManagement, files: FileService) -> None:
        self._accounts = accounts
        self._users = users
        self._roles = roles
        self._files = files
        self._answers: dict[str, Callable[[Call], Awaitable[bytes]]] = {
            "me": self._me,
            "login": self._login,
            "register": self._register,
            "forgotPassword": self._forgot_password,
            "resetPassword": self._reset_password,
            "changePassword": self._change_password,
            "emailConfirmation": self._confirm_email,
            "createUsersPermissionsUser": self._create_user,
            "updateUsersPermissionsUser": self._update_user,
            "deleteUsersPermissionsUser": self._delete_user,
            "createUsersPermissionsRole": self._create_role,
            "updateUsersPermissionsRole": self._update_role,
            "deleteUsersPermissionsRole": self._delete_role,
            "upload": self._upload,
            "multipleUpload": self._upload,
            "updateFileInfo": self._describe_file,
            "removeFile": self._remove_file,
        }

    async def answer(
        self, name: str, field: GraphQLField, selected: Selected, roots: RootResolvers, client: str
    ) -> bytes:
        """Return the JSON of a plugin's field. Raises OctavoError and GraphQLError."""
        kind = get_named_type(field.type)
        if not isinstance(kind, GraphQLObjectType):
            return b"true"  # `ok`, the only field of an empty schema
        return await self._answers[name](
            Call(roots, client, kind, selected, roots.selections.arguments(field, selected))
        )

    # Accounts

    async def _me(self, call: Call) -> bytes:
        actor = call.roots.actor
        call.roots.require(f"{USER}.me")
        if actor.kind != "user" or actor.id is None:
            raise GraphQLError("Authentication requested", list(call.selected.nodes), path=[call.selected.key])
        return await self._own_user(call, call.kind, (call.selected,), actor.id, with_role=True)

    async def _login(self, call: Call) -> bytes:
        call.roots.require(f"{ACCOUNTS}.callback")
        given = call.arguments["input"]
        session = await self._accounts.login(given, call.client, given["provider"] or LOCAL)
        return await self._session(call, session)

    async def _register(self, call: Call) -> bytes:
        call.roots.require(f"{ACCOUNTS}.register")
        session = await self._accounts.register(call.arguments["input"], call.roots.actor, call.client)
        return await self._session(call, session)

    async def _forgot_password(self, call: Call) -> bytes:
        call.roots.require(f"{ACCOUNTS}.forgotPassword")
        await self._accounts.forgot_password(call.arguments, call.client)
        return _ok(call)

    async def _reset_password(self, call: Call) -> bytes:
        call.roots.require(f"{ACCOUNTS}.resetPassword")
        return await self._session(call, await self._accounts.reset_password(call.arguments, call.client))

    async def _change_password(self, call: Call) -> bytes:
        actor = call.roots.actor
        call.roots.require(f"{ACCOUNTS}.changePassword")
        return await self._session(call, await self._accounts.change_password(call.arguments, actor, call.client))

    async def _confirm_email(self, call: Call) -> bytes:
        call.roots.require(f"{ACCOUNTS}.emailConfirmation")
        session, _ = await self._accounts.confirm_email(call.arguments, call.client)
        return await self._session(call, session)

    async def _session(self, call: Call, session: Session) -> bytes:
        members = []
        for item in call.roots.selections.of(call.kind, call.selected.selection_sets):
            if item.name == TYPENAME:
                value = f'"{call.kind.name}"'.encode()
            elif item.name == "jwt":
                value = orjson.dumps(session.jwt)
            else:
                person = _object(call.kind.fields[item.name])
                value = await self._own_user(call, person, (item,), orjson.loads(session.user)["id"], with_role=False)
            members.append((item.key, value))
        return join(members)

    async def _own_user(
        self, call: Call, kind: GraphQLObjectType, asked: tuple[Selected, ...], user_id: int, *, with_role: bool
    ) -> bytes:
        """Return a user's own data. Only `me` includes the role."""
        answer = _payload(call.roots, kind, asked, with_role=with_role)
        return await call.roots.reads.find_any(call.roots.prepare_entry(USER, answer).bind(id=user_id)) or NULL

    # Users and roles

    async def _create_user(self, call: Call) -> bytes:
        call.roots.require(f"{USER}.create")
        made = await self._users.create(call.arguments["data"], call.roots.actor)
        return await call.roots.entry(USER, call.kind, call.selected, orjson.loads(made)["id"])

    async def _update_user(self, call: Call) -> bytes:
        call.roots.require(f"{USER}.update")
        user_id = call.roots.read_id(call.arguments["id"])
        await self._users.update(user_id, call.arguments["data"], call.roots.actor)
        return await call.roots.entry(USER, call.kind, call.selected, user_id)

    async def _delete_user(self, call: Call) -> bytes:
        call.roots.require(f"{USER}.destroy")
        user_id = call.roots.read_id(call.arguments["id"])
        shown = await replace(call.roots, is_gone=True).entry(USER, call.kind, call.selected, user_id)
        if await self._users.delete(user_id) is None:
            return await call.roots.entry(USER, call.kind, call.selected, 0)
        return shown

    async def _create_role(self, call: Call) -> bytes:
        call.roots.require(f"{ROLE}.createRole")
        await self._roles.create(call.arguments["data"], call.roots.actor)
        return _ok(call)

    async def _update_role(self, call: Call) -> bytes:
        call.roots.require(f"{ROLE}.updateRole")
        await self._roles.update(call.roots.read_id(call.arguments["id"]), call.arguments["data"], call.roots.actor)
        return _ok(call)

    async def _delete_role(self, call: Call) -> bytes:
        call.roots.require(f"{ROLE}.deleteRole")
        await self._roles.delete(call.roots.read_id(call.arguments["id"]))
        return _ok(call)

    # Files

    async def _upload(self, call: Call) -> bytes:
        actor, given = call.roots.actor, call.arguments
        call.roots.require(f"{FILES}.upload")
        files = given["files"] if "files" in given else [given["file"]]
        if any(file is None for file in files) or not files:
            raise ValidationError("Files are empty")
        controller = call.roots.controller
        place = read_upload_target(
            controller.registry,
            actor,
            given.get("ref") or "",
            given.get("refId"),
            given.get("field") or "",
            guarded=controller.guarded_updates,
            digits_only=call.roots.digit_ids,
        )
        infos = [_read_info(given.get("info"))] * len(files)
        ids = await self._files.add(files, infos, _only(call, Value(None)), place, actor_id=actor.creator_id)
        shown = [
            await call.roots.entry(FILE, call.kind, call.selected, call.roots.read_id(orjson.loads(one))) for one in ids
        ]
        return b"[%b]" % b",".join(shown) if "files" in given else shown[0]

    async def _describe_file(self, call: Call) -> bytes:
        call.roots.require(f"{FILES}.upload")
        check_replacing(call.roots.actor, destroys=call.roots.controller.writer.rules.destroy_replaced)
        file_id = call.roots.read_id(call.arguments["id"])
        await self._files.describe(file_id, _read_info(call.arguments.get("info")), _only(call, Fixed("0")))
        return await call.roots.entry(FILE, call.kind, call.selected, file_id)

    async def _remove_file(self, call: Call) -> bytes:
        call.roots.require(f"{FILES}.destroy")
        file_id = call.roots.read_id(call.arguments["id"])
        shown = await replace(call.roots, is_gone=True).entry(FILE, call.kind, call.selected, file_id)
        try:
            await self._files.delete(file_id, _only(call, Fixed("0")))
        except NotFoundError:
            return NULL
        return shown


def _payload(roots: RootResolvers, kind: GraphQLObjectType, asked: tuple[Selected, ...], *, with_role: bool) -> Answer:
    """Return the answer for a row whose attributes are the fields of a payload."""
    sets = (selection_set for item in asked for selection_set in item.selection_sets)
    members: list[tuple[str, Answer]] = []
    for item in roots.selections.of(kind, sets):
        if item.name == TYPENAME:
            shown: Answer = Fixed(f'"{kind.name}"')
        elif item.name == _ROLE:
            role = _payload(roots, _object(kind.fields[item.name]), (item,), with_role=False)
            shown = Nested(item.name, Query(), role) if with_role else Fixed("null")
        else:
            shown = Value(None if item.name == "id" else item.name)
        members.append((item.key, shown))
    return Object(tuple(members))


def _ok(call: Call) -> bytes:
    asked = call.roots.selections.of(call.kind, call.selected.selection_sets)
    kind = f'"{call.kind.name}"'.encode()
    return join((item.key, kind if item.name == TYPENAME else b"true") for item in asked)


def _only(call: Call, answer: Answer) -> PreparedRead:
    """Prepare the read of a written file."""
    return call.roots.prepare_entry(FILE, answer)


def _read_info(info: dict[str, Any] | None) -> FileInfo:
    said = info or {}
    return FileInfo(said.get("name"), said.get("alternativeText"), said.get("caption"))


def _object(field: GraphQLField) -> GraphQLObjectType:
    kind = get_named_type(field.type)
    assert isinstance(kind, GraphQLObjectType)
    return kind
