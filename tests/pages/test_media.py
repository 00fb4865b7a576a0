"""The media library in a browser: folders, files, their metadata and uses, and cropping."""

import base64
import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.models.pictures import picture
from tests.pages.desk import Desk, Person

LIBRARY = "/admin/plugins/upload"
UPLOAD = "document.querySelector('input[type=file][multiple]')"


def drop(desk: Desk, *names: str, content: bytes | None = None, kind: str = "image/png") -> None:
    """Drop files onto the page."""
    data = base64.b64encode(content or picture("PNG", 640, 480)).decode()
    desk.page.do(
        f"""(() => {{
          const bytes = Uint8Array.from(atob('{data}'), (one) => one.charCodeAt(0));
          const given = new DataTransfer();
          for (const name of {list(names)!r}) given.items.add(new File([bytes], name, {{type: {kind!r}}}));
          const input = {UPLOAD};
          input.files = given.files;
          input.dispatchEvent(new Event('change', {{bubbles: true}}));
        }})()"""
    )


def open_tile(desk: Desk, name: str) -> None:
    desk.click_at(f"button[title='{name}']")


def found(desk: Desk, name: str) -> list[dict[str, Any]]:
    """Return the files with that name."""
    answer = desk.ask("GET", f"/upload/files?filters[name][$eq]={name}")
    return list(answer["results"])


def test_a_folder_is_created_and_files_are_moved_into_it(desk: Desk) -> None:
    desk.open(LIBRARY)
    desk.see("canal.jpg", "1200 × 800")
    desk.click("New folder")
    desk.fill("Name", "Summer")
    desk.click("Save")
    desk.see("Summer")
    open_tile(desk, "Summer")
    desk.see("No files yet")
    drop(desk, "one.png", "two.png", "three.png", "four.png")
    desk.see("one.png", "four.png", "Upload complete", seconds=60)
    assert found(desk, "one.png")[0]["folder"]["name"] == "Summer"
    desk.page.do("history.back()")
    desk.see("canal.jpg")
    assert desk.do("location.search") == ""


def test_texts_of_a_file_are_stored_and_its_uses_are_shown(desk: Desk) -> None:
    desk.open(LIBRARY)
    open_tile(desk, "canal.jpg")
    desk.see("Used in", "The houses that lean", "Article · cover", "About · blocks.images")
    desk.fill("Caption", "Amsterdam")
    desk.click("Save")
    desk.see("Saved")
    assert found(desk, "canal.jpg")[0]["caption"] == "Amsterdam"


def test_an_image_too_large_to_decode_shows_a_message(desk: Desk) -> None:
    desk.open(LIBRARY)
    drop(desk, "poster.webp", content=picture("WEBP", 3700, 3600, method=0))
    desk.see("Upload complete", seconds=60)
    open_tile(desk, "poster.webp")
    desk.see("None, because the image is too large")


def test_an_image_gets_a_focal_point(desk: Desk) -> None:
    desk.open(LIBRARY)
    open_tile(desk, "orchard.jpg")
    desk.click("Focal point")
    desk.see("Left: 50%")
    desk.settle()
    left, top = desk.do(
        "((box) => [box.x + box.width / 4, box.y + box.height / 2])"
        "(document.querySelector('.stage').getBoundingClientRect())"
    )
    for kind in ("mousePressed", "mouseReleased"):
        desk.page.send("Input.dispatchMouseEvent", type=kind, x=left, y=top, button="left", clickCount=1)
    desk.see("Left: 25%")
    desk.do("document.querySelector('.numbers input').focus()")
    desk.press("ArrowRight")
    desk.see("Left: 26%")
    desk.click_at("[role=dialog]:has(.stage) footer button:last-child")
    desk.see("26 % from the left, 50 % from the top")
    assert found(desk, "orchard.jpg")[0]["provider_metadata"] == {"focalPoint": {"x": 0.26, "y": 0.5}}
    desk.click("Focal point")
    desk.click("Remove focal point")
    desk.see("Focal point removed")
    assert found(desk, "orchard.jpg")[0]["provider_metadata"] is None


def test_a_file_is_opened_where_an_entry_shows_it(desk: Desk) -> None:
    desk.open("/admin/content-manager/collection-types/api::article.article/1")
    desk.see("Add a component to Blocks")
    desk.click_at("[data-path=cover] .tile > button")
    desk.see("Used in")
    desk.fill("Caption", "Of the cover")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.gone("Used in")
    assert not desk.do("document.querySelector('.state').innerText.includes('Unsaved changes')"), (
        "the entry does not change"
    )


def test_a_missing_script_shows_a_message(desk: Desk) -> None:
    desk.open("/admin/")
    desk.see("Next steps")
    desk.page.send("Network.setBlockedURLs", urls=["*/LibraryPage.*"])
    desk.click("Media library")
    desk.see("Part of this page could not be loaded", "Reload")
    desk.page.send("Network.setBlockedURLs", urls=[])
    desk.page.wrong.clear()
    desk.click("Reload")
    desk.see("Next steps")


def test_a_crop_is_saved_as_a_new_file(desk: Desk) -> None:
    desk.open(LIBRARY)
    open_tile(desk, "ferry.jpg")
    desk.click("Crop")
    desk.until("document.querySelector('.stage img')?.naturalWidth", "the image")
    desk.do("window.whole = HTMLCanvasElement.prototype.toBlob")
    desk.do("HTMLCanvasElement.prototype.toBlob = (use) => use(null)")
    desk.click("Save as new file")
    desk.see("The browser cannot crop this image")
    desk.do("HTMLCanvasElement.prototype.toBlob = window.whole")
    desk.click("Save as new file")
    desk.see("ferry (960 × 640).jpg", "Upload complete", seconds=60)
    [cut] = desk.ask("GET", "/upload/files?filters[name][$startsWith]=ferry%20(")["results"]
    assert (cut["width"], cut["height"], cut["mime"]) == (960, 640, "image/jpeg")
    assert found(desk, "ferry.jpg")[0]["width"] == 1200


def test_cropping_waits_for_the_whole_image(desk: Desk) -> None:
    desk.open(LIBRARY)
    open_tile(desk, "canal.jpg")
    desk.see("The houses that lean")
    slow = {"offline": False, "latency": 3000, "downloadThroughput": -1, "uploadThroughput": -1}
    desk.page.send("Network.setCacheDisabled", cacheDisabled=True)
    desk.page.send("Network.emulateNetworkConditions", **slow)
    desk.click("Crop")
    desk.click("Save as new file")
    desk.page.send("Network.emulateNetworkConditions", **{**slow, "latency": 0})
    desk.page.send("Network.setCacheDisabled", cacheDisabled=False)
    desk.see("canal (", "Upload complete", seconds=60)
    [whole] = found(desk, "canal.jpg")
    [cut] = desk.ask("GET", "/upload/files?filters[name][$startsWith]=canal%20(")["results"]
    assert (cut["width"], cut["height"]) == (round(0.8 * whole["width"]), round(0.8 * whole["height"]))


def test_several_files_are_moved_and_deleted_in_bulk(desk: Desk) -> None:
    desk.ask("POST", "/upload/folders", {"name": "Autumn", "parent": None})
    desk.open(f"{LIBRARY}?sort=name:ASC")
    desk.see("chart.jpg")
    for name in ("chart.jpg", "harbor.jpg"):
        desk.click(f"Select {name}")
    desk.see("2 selected")
    desk.click("Move")
    desk.pick("Folder", "Autumn")
    desk.click_at("[role=dialog] .button.main")
    desk.see("2 items moved")
    assert found(desk, "chart.jpg")[0]["folder"]["name"] == "Autumn"
    desk.open(f"{LIBRARY}?_q=marsh.jpg")
    desk.click("Select marsh.jpg")
    desk.click("Delete")
    desk.click_at("[role=alertdialog] .button.danger, [role=dialog] .button.danger")
    desk.see("1 item deleted")
    assert found(desk, "marsh.jpg") == []


def drag(desk: Desk, item: str, folder: str) -> None:
    """Drag an item, by a CSS selector, onto a folder's tile or breadcrumb."""
    for selector in (item, folder):
        desk.until(f"document.querySelector({json.dumps(selector)})", selector)
    desk.do(
        f"""((data, item, folder) =>
          [[item, 'dragstart'], [folder, 'dragover'], [folder, 'drop'], [item, 'dragend']].forEach(([node, type]) =>
            node.dispatchEvent(new DragEvent(type, {{bubbles: true, cancelable: true, dataTransfer: data}}))
        ))(new DataTransfer(), ...{json.dumps([item, folder])}.map((selector) => document.querySelector(selector)))"""
    )


def test_files_are_dragged_into_folders(desk: Desk) -> None:
    winter = desk.ask("POST", "/upload/folders", {"name": "Winter", "parent": None})["data"]["id"]
    desk.open(LIBRARY)
    desk.see("orchard.jpg")
    for name in ("orchard.jpg", "ferry.jpg"):
        desk.click(f"Select {name}")
    drag(desk, "li:has([title='ferry.jpg'])", "li:has([title=Winter])")
    desk.see("2 items moved")
    desk.gone("orchard.jpg")
    assert {found(desk, name)[0]["folder"]["id"] for name in ("orchard.jpg", "ferry.jpg")} == {winter}
    desk.click("Undo")
    desk.see("orchard.jpg")
    assert found(desk, "orchard.jpg")[0]["folder"] is None
    drag(desk, "li:has([title='orchard.jpg'])", "li:has([title=Winter])")
    desk.see("1 item moved")
    open_tile(desk, "Winter")
    desk.see("orchard.jpg")
    drag(desk, "li:has([title='orchard.jpg'])", "main nav li:first-child button")
    desk.see("No files yet")
    assert found(desk, "orchard.jpg")[0]["folder"] is None
    desk.open(LIBRARY)
    desk.see("Winter")
    drag(desk, "li:has([title=Winter])", "li:has([title=Winter])")
    assert desk.ask("GET", f"/upload/folders/{winter}?populate=parent")["data"]["parent"] is None, "not into itself"


def test_hostile_texts_and_svgs_are_inert(desk: Desk) -> None:
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit = 1"><script>window.hit = 1</script></svg>'
    reported = b'{"name": "drawn.svg", "alternativeText": "\\"><img src=x onerror=hit()>", "caption": "<script>"}'
    body = b'--cut\r\nContent-Disposition: form-data; name="fileInfo"\r\n\r\n' + reported
    body += b'\r\n--cut\r\nContent-Disposition: form-data; name="files"; filename="x.svg"\r\n'
    body += b"Content-Type: image/svg+xml\r\n\r\n" + drawing + b"\r\n--cut--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=cut", "Authorization": f"Bearer {desk.token()}"}
    urlopen(Request(f"{desk.base}/upload", body, headers), timeout=60).close()
    desk.open(LIBRARY)
    open_tile(desk, "drawn.svg")
    desk.see("image/svg+xml")
    assert desk.value("Alternative text") == '"><img src=x onerror=hit()>'
    assert desk.do("window.hit === undefined")


def test_images_without_alternative_text_are_found_in_all_folders(desk: Desk) -> None:
    desk.open(LIBRARY)
    desk.see("Newest first")
    drop(desk, "silent.png")
    desk.see("silent.png")
    wanted = {"filters[$and][0][mime][$startsWith]=image", "filters[$and][1][$or][0][alternativeText][$null]=true"}
    wanted.add("filters[$and][1][$or][1][alternativeText][$eq]=")
    total = desk.ask("GET", f"/upload/files?{'&'.join(sorted(wanted))}")["pagination"]["total"]
    desk.pick("Type", "Images without alternative text")
    desk.until("location.search.includes('alternativeText=none')", "the filter in the address")
    desk.until(f"document.querySelectorAll('button[title]').length >= {total}", "files")
    desk.see("silent.png")
    assert desk.barriers() == []
    desk.page.do("history.back()")
    desk.until("!location.search.includes('alternativeText')", "the library before")
    [silent] = found(desk, "silent.png")
    desk.ask("DELETE", f"/upload/files/{silent['id']}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_library_is_accessible(desk: Desk, theme: str) -> None:
    desk.theme(theme)
    desk.open(LIBRARY)
    desk.see("canal.jpg")
    assert desk.barriers() == []
    open_tile(desk, "canal.jpg")
    desk.see("The houses that lean")
    assert desk.barriers() == []
    desk.size(390)
    assert not desk.overflows()


def grant_about(desk: Desk, role: int, fields: list[str]) -> None:
    read = {"subject": "api::about.about", "properties": {"fields": fields}}
    rights = [
        {"action": "plugin::upload.read", "subject": None, "properties": {}, "conditions": []},
        {"action": "plugin::content-manager.explorer.read", **read, "conditions": []},
    ]
    desk.ask("PUT", f"/admin/roles/{role}/permissions", {"permissions": rights})


def test_uses_are_shown_to_users_with_permission(desk: Desk) -> None:
    reader = Person("uses@example.org", "Passw0rd-of-Uses")
    role = desk.ask("POST", "/admin/roles", {"name": "Looks", "description": ""})["data"]["id"]
    grant_about(desk, role, ["title"])
    desk.hire(reader, role)
    [canal] = found(desk, "canal.jpg")
    uses = desk.ask("GET", f"/octavo/files/{canal['id']}/uses", token=desk.token(reader))
    assert (uses["data"], uses["hidden"]) == ([], 3)
    grant_about(desk, role, ["title", "blocks"])
    uses = desk.ask("GET", f"/octavo/files/{canal['id']}/uses", token=desk.token(reader))
    found_uses = [(use["label"], use["locale"], use["field"]) for use in uses["data"]]
    assert found_uses == [("About Landing Stage", None, "blocks.images")]
    assert uses["hidden"] == 2


def test_texts_of_several_files_are_edited_in_one_list(desk: Desk) -> None:
    desk.open(LIBRARY)
    desk.see("canal.jpg")
    drop(desk, "left-over.png")
    desk.see("Upload complete", seconds=60)
    desk.click("Select left-over.png")
    desk.click("Select orchard.jpg")
    desk.click("Edit texts")
    desk.see("Edit texts of 2 files")
    desk.until("document.querySelectorAll('[role=dialog] [role=group]').length === 2", "both files")
    assert desk.barriers() == []
    [left] = found(desk, "left-over.png")
    orchard = found(desk, "orchard.jpg")[0]
    for name, text in ((f"alternativeText-{left['id']}", "A line"), (f"caption-{orchard['id']}", "In May")):
        desk.do(
            f"((field) => {{ field.value = '{text}'; "
            "return field.dispatchEvent(new Event('input', {bubbles: true})); "
            f"}})(document.getElementById('{name}'))"
        )
    desk.click("Save", within="[role=dialog]")
    desk.see("2 files saved")
    assert found(desk, "left-over.png")[0]["alternativeText"] == "A line"
    after = found(desk, "orchard.jpg")[0]
    assert (after["caption"], after["alternativeText"]) == ("In May", orchard["alternativeText"])
    desk.pick("Type", "Unused files")
    desk.see("Files that are only linked in a text appear here too.", "left-over.png")
    desk.gone("canal.jpg")
    assert desk.do("location.search") == "?usage=unused"
    assert desk.barriers() == []
    used = {one["name"] for one in desk.ask("GET", "/upload/files?pageSize=100")["results"]}
    used -= {one["name"] for one in desk.ask("GET", "/upload/files?usage=unused&pageSize=100")["results"]}
    assert {"canal.jpg", "orchard.jpg"} <= used, "also in a component of a dynamic zone"
