"""Ten concurrent writes of folders and files have the result of serial ones."""

from pathlib import Path

from tests.concurrency.service import TEN, Service
from tests.models.pictures import picture


def test_concurrent_moves_of_folders_create_no_cycle(service: Service) -> None:
    ids = [
        service.make("POST", "/upload/folders", {"name": service.new(), "parent": None})["data"]["id"]
        for _ in range(TEN)
    ]
    service.ten(
        lambda number: service.ask(
            "POST",
            "/upload/actions/bulk-move",
            {"folderIds": [ids[number]], "destinationFolderId": ids[(number + 1) % TEN]},
            port=number,
        )
    )
    folders = {one["id"]: one for one in service.make("GET", "/upload/folders?populate=parent&pageSize=100")["data"]}
    for one in ids:
        seen = [one]
        while folders[seen[-1]].get("parent"):
            parent = folders[seen[-1]]["parent"]["id"]
            assert parent not in seen, "a circle"
            assert folders[seen[-1]]["path"] == f"{folders[parent]['path']}/{folders[seen[-1]]['pathId']}"
            seen.append(parent)
    paths = [one["path"] for one in folders.values()]
    assert len(set(paths)) == len(paths)


def test_concurrent_folders_have_distinct_paths(service: Service) -> None:
    names = [service.new() for _ in range(TEN)]
    made = service.ten(
        lambda number: service.ask("POST", "/upload/folders", {"name": names[number], "parent": None}, port=number)
    )
    assert len({answer["data"]["pathId"] for _, answer in made}) == TEN


def _files(service: Service) -> set[str]:
    return {one.name for one in (service.project / "public/uploads").iterdir() if one.is_file()}


def test_concurrent_replacements_leave_one_file(service: Service) -> None:
    before = _files(service)
    pictures = [picture("PNG", 20 + number, 20) for number in range(TEN)]
    made = service.make("POST", "/upload", form=("a.png", pictures[0]))[0]["id"]
    service.ten(lambda number: service.ask("POST", f"/upload?id={made}", form=("a.png", pictures[number]), port=number))
    shown = service.make("GET", f"/upload/files/{made}")
    stored = _files(service) - before
    assert Path(shown["url"]).name in stored
    named = {Path(shown["url"]).name, *(Path(one["url"]).name for one in (shown["formats"] or {}).values())}
    assert stored == named, "what was replaced is gone"
    path = service.project / "public/uploads" / Path(shown["url"]).name
    width = int.from_bytes(path.read_bytes()[16:20])
    assert shown["width"] == width, "the row is that of the file"
    assert service.same("DELETE", f"/upload/files/{made}")[200] == 1
    assert _files(service) == before


def test_equal_files_are_stored_apart(service: Service) -> None:
    one = picture("PNG", 20, 20)
    made = service.ten(lambda number: service.ask("POST", "/upload", form=("same.png", one), port=number))
    assert len({answer[0]["url"] for _, answer in made}) == TEN
