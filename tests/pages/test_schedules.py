"""Scheduled publishing on the pages: times in the past, incomplete entries, and failed schedules."""

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


def test_an_incomplete_entry_cannot_be_scheduled(desk: Desk) -> None:
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


def test_a_failed_schedule_is_shown_everywhere(desk: Desk) -> None:
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


def test_schedules_are_moved_in_the_calendar(desk: Desk) -> None:
    article = make(desk, "In the calendar")
    path = f"/octavo/schedules/{ARTICLE}/{article}"
    zone = desk.do("Intl.DateTimeFormat().resolvedOptions().timeZone")
    noon = "2999-01-05T12:00:00.000Z"
    desk.ask("PUT", path, {"publishAt": noon, "unpublishAt": "2999-01-20T12:00:00.000Z"})
    desk.open("/admin/calendar?date=2999-01-15")
    desk.see("January 2999", f"Times are in your time zone, {zone}.", "In the calendar")
    assert desk.do("document.querySelectorAll('[data-day] .entry').length") == 2
    assert desk.barriers() == []
    desk.do(
        """((data, entry, day) => [[entry, 'dragstart'], [day, 'dragover'], [day, 'drop'], [entry, 'dragend']].forEach(
          ([node, type]) =>
            node.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}))
        ))(
          new DataTransfer(),
          document.querySelector('.entry.good'),
          document.querySelector('[data-day="2999-01-12"]')
        )"""
    )
    desk.see("In the calendar will be published on Jan 12, 2999")
    assert desk.ask("GET", path)["data"]["publishAt"] == noon.replace("05T", "12T")
    desk.click("Undo")
    desk.see("In the calendar will be published on Jan 5, 2999")
    desk.until("document.querySelector('[data-day=\"2999-01-05\"] .entry')", "the schedule at its old day")
    assert desk.ask("GET", path)["data"]["publishAt"] == noon
    desk.pick("View", "Week")
    desk.until("document.querySelectorAll('[data-day]').length === 7", "a week")
    desk.open("/admin/calendar?view=week&date=2999-01-05")
    desk.see("In the calendar")
    desk.do("document.querySelector('.entry a').focus()")
    desk.press("Tab")
    desk.until("document.activeElement.ariaLabel === 'Change the time: In the calendar'", "the button beside")
    desk.press("Enter")
    desk.see("Publish at")
    assert desk.barriers() == []
    field = "document.getElementById('move-time')"
    for text, problem in (("2020-01-01T12:00", "This time is in the past."), ("2999-01-25T12:00", None)):
        desk.do(f"({field}.value = '{text}', {field}.dispatchEvent(new Event('input', {{bubbles: true}})))")
        desk.click("Save")
        if problem:
            desk.see(problem)
    desk.until(f"{TOAST}?.innerText.includes('unpublishAt must be later')", "why it cannot be moved")
    desk.click("Cancel")
    desk.size(390)
    desk.open("/admin/calendar?date=2999-01-15")
    desk.see("Publish · Article", "Unpublish · Article")
    assert not desk.overflows()
    assert desk.nameless() == []
    desk.ask("PUT", path, {"publishAt": None, "unpublishAt": None})
    desk.open("/admin/calendar?date=2999-03-15")
    desk.see("Nothing is scheduled in this period")
    assert desk.page.do("document.querySelector('.calendar').checkVisibility()") is False
    leave(desk)


def test_a_schedule_of_a_deleted_entry_shows_a_message_and_keeps_the_text(desk: Desk) -> None:
    article = make(desk, "Deleted meanwhile")
    open_form(desk, article)
    desk.fill("Excerpt", "Words that somebody needs")
    choose(desk, "publishAt", "2999-01-01T09:30")
    desk.ask("DELETE", f"{LIST}/{article}")
    desk.click("Schedule")
    desk.see("This entry was deleted", "Copy the text that you need")
    assert desk.value("Excerpt") == "Words that somebody needs"
    desk.until("!__look.button('Add schedule', true) && !__look.button('Save', true)", "no action that would fail")
    assert desk.barriers() == []
    leave(desk)
