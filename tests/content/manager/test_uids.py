"""Generated values of UID attributes that are still free."""

import pytest

from octavo.access.authorization.permissions import EVERYTHING, NOTHING
from octavo.content.manager.uid_generation import Uids
from octavo.core.errors import ForbiddenError, ValidationError
from tests.models.bookshop import BOOK
from tests.models.people import write
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def test_a_uid_is_generated_from_the_target_field(own_bookshop: Site) -> None:
    uids = Uids(own_bookshop.octavo.site.services.controller.reads)
    assert await uids.generate(BOOK, "slug", {"title": "Ünder the Größe"}, EVERYTHING) == "uender-the-groesse"
    await write(own_bookshop.database, "UPDATE books SET slug = {v1} WHERE id = 1", "uender-the-groesse-2")
    assert await uids.generate(BOOK, "slug", {"title": "Ünder the Größe"}, EVERYTHING) == "uender-the-groesse-1"
    await write(own_bookshop.database, "UPDATE books SET slug = {v1} WHERE id = 2", "uender-the-groesse-1")
    assert await uids.generate(BOOK, "slug", {"title": "Ünder the Größe"}, EVERYTHING) == "uender-the-groesse-3"
    for data in ({}, {"title": None}, {"title": 5}, {"title": ""}):
        assert (await uids.generate(BOOK, "slug", data, EVERYTHING)).startswith("book")


async def test_existing_uids_get_a_suffix(own_bookshop: Site) -> None:
    uids = Uids(own_bookshop.octavo.site.services.controller.reads)
    await write(own_bookshop.database, "UPDATE books SET slug = {v1} WHERE id = 1", "mine")
    assert await uids.suggest(BOOK, "slug", "mine", EVERYTHING) == "mine-1"
    assert await uids.suggest(BOOK, "slug", "yours", EVERYTHING) is None


@pytest.mark.parametrize("uid, field", [("api::no.no", "slug"), (BOOK, "title"), (BOOK, "nothing")])
async def test_fields_that_are_not_uids_are_refused(sqlite_bookshop: Site, uid: str, field: str) -> None:
    uids = Uids(sqlite_bookshop.octavo.site.services.controller.reads)
    with pytest.raises(ValidationError):
        await uids.generate(uid, field, {}, EVERYTHING)
    with pytest.raises(ValidationError):
        await uids.suggest(uid, field, "x", EVERYTHING)


async def test_uids_need_permission_to_read_or_write_the_field(sqlite_bookshop: Site) -> None:
    uids = Uids(sqlite_bookshop.octavo.site.services.controller.reads)
    with pytest.raises(ForbiddenError):
        await uids.generate(BOOK, "slug", {"title": "x"}, NOTHING)
    with pytest.raises(ForbiddenError):
        await uids.suggest(BOOK, "slug", "x", NOTHING)
