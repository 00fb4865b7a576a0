"""The outbox topics of a site, and the jobs of its code."""

from octavo.events.after_commit import hooks_topic
from octavo.events.hooks import Hooks
from octavo.events.jobs.registry import Jobs
from octavo.events.messages import Topic
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.webhooks import webhook_topic
from octavo.project.code import ProjectCode


def site_topics(shared: Infrastructure, hooks: Hooks, jobs: Jobs) -> dict[str, Topic]:
    """Return all topics of a site, by name."""
    topics = hooks_topic(hooks), webhook_topic(shared), jobs.topic(), shared.purges.topic()
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
