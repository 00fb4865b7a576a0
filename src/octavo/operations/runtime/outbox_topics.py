"""Topics: what a site does with messages of the outbox, whoever has added them; and the jobs of its code."""

from octavo.events.after_commit import hooks_topic
from octavo.events.hooks import Hooks
from octavo.events.jobs.registry import Jobs
from octavo.events.messages import Topic
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.webhooks import webhook_topic
from octavo.project.code import ProjectCode


def site_topics(shared: Infrastructure, hooks: Hooks, jobs: Jobs) -> dict[str, Topic]:
    """Every topic of a site by its name."""
    topics = hooks_topic(hooks), webhook_topic(shared), jobs.topic(), shared.purges.topic()
    return {topic.name: followed(shared, topic) for topic in topics}


def followed(shared: Infrastructure, topic: Topic) -> Topic:
    """A topic as it is, or seen by whoever follows requests."""
    return topic if shared.traces is None else shared.traces.topic(topic)


def make_jobs(shared: Infrastructure, code: ProjectCode) -> Jobs:
    """The jobs of a project, those of `cron.py` read. Raises InvalidCode."""
    given = shared.settings.server.jobs
    jobs = Jobs(shared.database, shared.outbox, code.folder, code.packages, float(given.timeout), given.time_zone)
    for file in code.tasks:
        jobs.read_tasks(file.tasks, file.place)
    return jobs
