"""The outbox topics of a site, the jobs of its code, and emails to administrators whose schedules failed."""

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from octavo.accounts.administrators.rows import read_administrator
from octavo.content.controllers.scheduling import ContentSchedules
from octavo.content.media.file_privacy import FilePrivacy
from octavo.core.mail.mailers import MailProblem, Message, NoMailer
from octavo.core.markup import escape
from octavo.events.after_commit import hooks_topic
from octavo.events.hooks import Hooks
from octavo.events.jobs.registry import Jobs
from octavo.events.messages import Topic
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.options import admin_options
from octavo.operations.runtime.webhooks import webhook_topic
from octavo.project.code import ProjectCode
from octavo.schema.content_types import ContentType

logger = logging.getLogger(__name__)
_VERBS = {"publish": "published", "appear": "published", "unpublish": "unpublished"}


def site_topics(shared: Infrastructure, hooks: Hooks, jobs: Jobs, privacy: FilePrivacy) -> dict[str, Topic]:
    """Return all topics of a site, by name."""
    topics = hooks_topic(hooks), webhook_topic(shared), jobs.topic(), shared.purges.topic(), privacy.topic()
    return {topic.name: followed(shared, topic) for topic in topics}


def followed(shared: Infrastructure, topic: Topic) -> Topic:
    """Return the topic, traced if tracing is enabled."""
    return topic if shared.traces is None else shared.traces.topic(topic)


def make_jobs(shared: Infrastructure, code: ProjectCode) -> Jobs:
    """Return the project's jobs, including the tasks of `cron.py`. Raises InvalidCode."""
    given = shared.settings.server.jobs
    jobs = Jobs(shared.database, shared.outbox, code.folder, code.packages, float(given.timeout), given.time_zone)
    for file in code.tasks:
        jobs.read_tasks(file.tasks, file.place)
    return jobs


def schedule_topic(shared: Infrastructure, schedules: ContentSchedules) -> Topic:
    """Return the topic that runs schedules. If mail is configured, the author of a failed schedule gets an email."""
    if not isinstance(shared.mailer, NoMailer):
        schedules.notify = _Notices(shared).send
    return followed(shared, schedules.topic())


class _Notices:
    def __init__(self, shared: Infrastructure) -> None:
        self._shared = shared

    async def send(self, author: int, content_type: ContentType, entry_id: int, failure: Mapping[str, Any]) -> None:
        """Send an administrator the reason why an entry was not published or unpublished on schedule."""
        database = self._shared.database
        administrator = await read_administrator(database, database.dialect, author)
        if administrator is None or not administrator.active or administrator.blocked:
            return
        address = f"{admin_options(self._shared.settings).public_url}/{_place(content_type, entry_id)}"
        try:
            await self._shared.mailer.send(_message(administrator.email, content_type, entry_id, address, failure))
        except MailProblem as problem:
            logger.warning("Email about the failed schedule of %s %d: %s", content_type.uid, entry_id, problem)
        except Exception:
            logger.exception("Could not send an email about the failed schedule of %s %d", content_type.uid, entry_id)


def _place(content_type: ContentType, entry_id: int) -> str:
    uid = quote(content_type.uid, safe=":")
    if content_type.is_single:
        return f"content-manager/single-types/{uid}"
    return f"content-manager/collection-types/{uid}/{entry_id}"


def _message(to: str, content_type: ContentType, entry_id: int, address: str, failure: Mapping[str, Any]) -> Message:
    name = f"{content_type.display_name} {entry_id}"
    failed = f"{name} was not {_VERBS[failure['plan']]} at {failure['dueAt']}"
    remedy = "Fix the entry, then publish it or schedule it again"
    text = f"{failed}.\n\nReason: {failure['error']}\n\n{remedy}: {address}\n"
    html = (
        f"<p>{escape(failed)}.</p><p>Reason: {escape(failure['error'])}</p>"
        f'<p>{remedy}: <a href="{escape(address)}">{escape(address)}</a></p>'
    )
    return Message(to=to, subject=f"Schedule failed: {name}", html=html, text=text)
