"""pystrapi: entries with its client, users and files with the connector below it. `run.py` starts it."""

import os
import time

from pystrapi import StrapiClientSync  # type: ignore[import-untyped]
from pystrapi.errors import ForbiddenError, NotFoundError, StrapiError, ValidationError  # type: ignore[import-untyped]
from pystrapi.parameters import Filter  # type: ignore[import-untyped]

API = f"{os.environ['OCTAVO_BASE']}/api/"
NAME = f"pystrapi-{time.time_ns()}"
PASSWORD = "correct-Horse-7"


def refused(error: type[StrapiError], work: object) -> None:
    """Check that a call raises an error."""
    assert callable(work)
    try:
        work()
    except error:
        return
    raise AssertionError(f"{error.__name__} was expected")


def main() -> None:
    anybody, editor = StrapiClientSync(api_url=API), StrapiClientSync(api_url=API, token=os.environ["OCTAVO_TOKEN"])
    read(anybody)
    write(anybody, editor)
    users(anybody, editor)
    files(editor)


def read(anybody: StrapiClientSync) -> None:
    found = anybody.get_entries(
        "articles",
        sort=["title:asc"],
        filters={"featured": {Filter.eq.value: True}},
        populate=["author", "tags"],
        fields=["title"],
        pagination={"page": 1, "pageSize": 2},
    )
    assert len(found["data"]) == 2
    assert found["data"][0]["attributes"]["author"]["data"]["attributes"]["name"]
    everything = anybody.get_entries("articles", get_all=True, batch_size=7)
    assert len(everything["data"]) == everything["meta"]["pagination"]["total"] > 7
    one = anybody.get_entry("articles", found["data"][0]["id"], populate="*")
    assert one["data"]["attributes"]["title"] == found["data"][0]["attributes"]["title"]
    refused(NotFoundError, lambda: anybody.get_entry("articles", 999999))


def write(anybody: StrapiClientSync, editor: StrapiClientSync) -> None:
    made = editor.create_entry("tags", data={"name": NAME, "slug": NAME})
    tag_id = made["data"]["id"]
    changed = editor.update_entry("tags", tag_id, data={"name": f"{NAME}!"})
    assert changed["data"]["attributes"]["name"] == f"{NAME}!"
    refused(ValidationError, lambda: editor.create_entry("tags", data={}))
    refused(ForbiddenError, lambda: anybody.delete_entry("tags", tag_id))
    same = editor.upsert_entry("tags", data={"name": "again", "slug": NAME}, keys=["slug"])
    assert (same["data"]["id"], same["data"]["attributes"]["name"]) == (tag_id, "again")
    editor.delete_entry("tags", tag_id)
    refused(NotFoundError, lambda: editor.get_entry("tags", tag_id))


def users(anybody: StrapiClientSync, editor: StrapiClientSync) -> None:
    person = {"username": NAME, "email": f"{NAME}@example.org", "password": PASSWORD}
    anybody._connector.post("auth/local/register", reqargs={"json": person})
    refused(StrapiError, lambda: anybody.authorize(identifier=NAME, password="wrong"))
    anybody.authorize(identifier=NAME, password=PASSWORD)
    me = anybody._connector.get("users/me", reqargs={"headers": anybody._get_auth_header()})
    assert me["email"] == person["email"]
    editor._connector.delete(f"users/{me['id']}", reqargs={"headers": editor._get_auth_header()})


def files(editor: StrapiClientSync) -> None:
    headers = editor._get_auth_header()
    sent = {"headers": headers, "files": [("files", ("note.txt", b"hello", "text/plain"))]}
    (file,) = editor._connector.post("upload", reqargs=sent)
    assert (file["name"], file["mime"]) == ("note.txt", "text/plain")
    assert editor._connector.get(f"upload/files/{file['id']}", reqargs={"headers": headers})["hash"] == file["hash"]
    editor._connector.delete(f"upload/files/{file['id']}", reqargs={"headers": headers})


if __name__ == "__main__":
    main()
