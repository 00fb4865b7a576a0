"""Scheduled publishing in the pages: times in the past, entries that are not complete, and schedules that failed."""

import json
import time
from datetime import UTC, datetime, timedelta

from tests.pages.articles import ARTICLE, LIST, leave, make, open_form, stored
from tests.pages.desk import Desk

TOAST = "document.querySelector('.toasts [role=alert]')"


def choose(desk: Desk, name: str, text: str) -> None:
    field = f"document.getElementById('schedule.{name}')"
    desk.click("Add schedule")
    desk.until(field, name)
    desk.do(f"({field}.value = {json.dumps(text)}, {field}.dispatchEvent(new Event('input', {{bubbles: true}})))")


def test_a_time_in_the_past_offers_to_publish_now(desk: Desk) -> None:
    article = make(desk, "Published now")
    open_form(desk, article)
    choose(desk, "publishAt", "2020-01-01T09:30")
    desk.see("This time is in the past.")
    assert desk.barriers() == []
    desk.click("Publish now")
    desk.see("Published")
    desk.until("__look.button('Unpublish', true)", "the entry, published")
    published = datetime.fromisoformat(stored(desk, article)["publishedAt"])
    assert datetime.now(UTC) - published < timedelta(hours=1)
    leave(desk)


def test_an_entry_that_is_not_complete_cannot_be_scheduled(desk: Desk) -> None:
    article = make(desk, "Not complete")
    desk.ask("PUT", f"{LIST}/{article}", {"title": None})
    open_form(desk, article)
    choose(desk, "publishAt", "2999-01-01T09:30")
    desk.click("Schedule")
    desk.until(f"{TOAST}?.innerText.includes('Title is required.')", "what is missing")
    leave(desk)


def test_an_entry_that_became_incomplete_is_shown_everywhere(desk: Desk) -> None:
    article = make(desk, "Soon incomplete")
    path = f"/octavo/schedules/{ARTICLE}/{article}"
    desk.ask("PUT", path, {"publishAt": "2999-01-01T06:00:00.000Z"})
    desk.ask("PUT", f"{LIST}/{article}", {"title": None})
    open_form(desk, article)
    desk.see("Publishing will fail unless you fix these errors:", "Title is required.")
    desk.open(f"/admin{LIST}?filters[$and][0][id][$eq]={article}")
    desk.see("but is incomplete")
    assert desk.barriers() == []
    desk.open("/admin/")
    desk.see("Incomplete")
    assert desk.barriers() == []
    desk.ask("PUT", f"{LIST}/{article}", {"title": "Complete"})
    desk.open(f"/admin{LIST}?filters[$and][0][id][$eq]={article}")
    desk.see("Publishes")
    assert "but is incomplete" not in desk.text()
    desk.ask("PUT", path, {"publishAt": None})
    leave(desk)


def test_a_schedule_that_failed_is_shown_everywhere(desk: Desk) -> None:
    article = make(desk, "Bound to fail")
    path = f"/octavo/schedules/{ARTICLE}/{article}"
    due = (datetime.now(UTC) + timedelta(seconds=2)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    desk.ask("PUT", path, {"publishAt": due})
    desk.ask("PUT", f"{LIST}/{article}", {"title": None})
    while "failure" not in desk.ask("GET", path)["data"]:
        time.sleep(0.1)
    open_form(desk, article)
    desk.see("Publishing failed at", "Fix the entry, then publish it or schedule it again.")
    assert desk.barriers() == []
    desk.open(f"/admin{LIST}?filters[$and][0][id][$eq]={article}")
    desk.see("Scheduled publishing failed")
    assert "Publishes" not in desk.text()
    desk.open("/admin/")
    desk.see("Publishing failed: Title is required.")
    desk.ask("PUT", f"{LIST}/{article}", {"title": "Complete"})
    desk.ask("PUT", path, {"publishAt": None})
    leave(desk)
