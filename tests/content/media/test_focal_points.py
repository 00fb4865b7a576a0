"""Focal points in the metadata of files beside values of the storage."""

from octavo.content.media.focal_points import FocalPoint, keeping_focal_point, with_focal_point

PLACED = {"public_id": "cat", "resource_type": "image"}
POINT = {"x": 0.5, "y": 0.25}


def test_a_focal_point_is_stored_beside_metadata_of_the_storage() -> None:
    file = {"provider_metadata": PLACED}
    there = with_focal_point(file, FocalPoint(**POINT))
    assert there == {**PLACED, "focalPoint": POINT}
    assert with_focal_point({"provider_metadata": there}, None) == PLACED
    assert with_focal_point({"provider_metadata": None}, None) is None


def test_a_focal_point_stays_when_a_file_moves() -> None:
    file = {"provider_metadata": {**PLACED, "focalPoint": POINT}}
    new = {"url": "/new.png", "provider_metadata": {"public_id": "dog"}}
    assert keeping_focal_point(file, new) == {
        "url": "/new.png",
        "provider_metadata": {"public_id": "dog", "focalPoint": POINT},
    }
    assert keeping_focal_point(file, {"url": "/new.png"}) == {"url": "/new.png"}, "missing values stay"
    assert keeping_focal_point({"provider_metadata": None}, new) == new
