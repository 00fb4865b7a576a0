"""Ten concurrent publications, deletions, localizations and schedules of entries have the result of serial ones."""

from tests.concurrency.service import Service


def test_an_entry_is_published_once_and_deleted_once(service: Service) -> None:
    path = "/content-manager/collection-types/api::draft.draft"
    entry = service.make("POST", path, {"title": "T"})["id"]
    assert service.same("POST", f"{path}/{entry}/actions/publish") == {200: 1, 400: 9}
    assert service.same("POST", f"{path}/{entry}/actions/unpublish") == {200: 1, 400: 9}
    assert service.same("DELETE", f"{path}/{entry}") == {200: 1, 404: 9}


def test_a_single_type_has_one_entry_in_each_locale(service: Service) -> None:
    path = "/content-manager/single-types/api::front.front"
    answers = service.ten(lambda number: service.ask("PUT", path, {"title": f"T{number}"}, port=number))
    assert {status for status, _ in answers} == {200}
    assert len({answer["id"] for _, answer in answers}) == 1
    assert service.same("POST", f"{path}/actions/publish") == {200: 1, 400: 9}
    assert service.same("DELETE", path)[200] == 1
    path = "/content-manager/single-types/api::home.home"
    locales = ["en", "fr"]
    answers = service.ten(
        lambda number: service.ask("PUT", f"{path}?locale={locales[number % 2]}", {"text": "T"}, port=number)
    )
    assert len({answer["id"] for status, answer in answers if status == 200}) == 2, answers


def test_one_localization_for_each_locale(service: Service) -> None:
    path = "/content-manager/collection-types/api::word.word"
    entry = service.make("POST", path, {"text": "one"})["id"]
    locale = f"relatedEntityId={entry}&locale=fr"
    service.same("POST", f"{path}?{locale}", {"text": "un"})
    found = service.make("GET", f"{path}/{entry}")["localizations"]
    assert [one["locale"] for one in found] == ["fr"]


def test_proposed_slugs_are_free(service: Service) -> None:
    path = "/content-manager/collection-types/api::badge.badge"
    name = service.new()
    body = {"contentTypeUID": "api::badge.badge", "field": "slug", "data": {"code": name}}
    found = service.ten(lambda number: service.ask("POST", "/content-manager/uid/generate", body, port=number))
    assert {answer["data"] for _, answer in found} == {name}
    assert service.same("POST", path, {"slug": name}) == {200: 1, 400: 9}


def test_plans_for_an_entry_are_those_of_one_request(service: Service) -> None:
    path = "/content-manager/collection-types/api::draft.draft"
    entry = service.make("POST", path, {"title": "T"})["id"]
    schedule = f"/octavo/schedules/api::draft.draft/{entry}"
    answers = service.ten(
        lambda number: service.ask(
            "PUT",
            schedule,
            {
                "publishAt": f"2090-01-{number + 1:02}T00:00:00.000Z",
                "unpublishAt": f"2091-01-{number + 1:02}T00:00:00.000Z",
            },
            port=number,
        )
    )
    assert {status for status, _ in answers} == {200}, answers
    shown = service.make("GET", schedule)
    shown = shown.get("data", shown)
    assert shown["publishAt"][5:10] == shown["unpublishAt"][5:10], "both are of one request"
