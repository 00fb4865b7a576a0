"""ContentController: reads, writes and locales of content, as used by all APIs."""

from octavo.access.authorization.strictness import Strictness
from octavo.content.controllers.read_tracking import TrackedReads
from octavo.content.controllers.reading import ContentReads
from octavo.content.controllers.scheduling import ContentSchedules
from octavo.content.controllers.writing import ContentWrites
from octavo.content.locales import Locales
from octavo.content.media.library import MediaLibrary
from octavo.content.reader import EntryReader
from octavo.content.schedules import Schedules
from octavo.content.writer import EntryWriter
from octavo.schema.registry import Registry


class ContentController:
    """Reads and writes the content of one registry, for all APIs."""

    def __init__(
        self,
        registry: Registry,
        reader: EntryReader,
        writer: EntryWriter,
        media: MediaLibrary,
        locales: Locales,
        strictness: Strictness,
        *,
        drafts_by_id: bool = True,
        wraps_morphs: bool = False,
        hides_future: bool = False,
        schedules: Schedules | None = None,
        populate_deep: int = 0,
        notes_reads: bool = False,
    ) -> None:
        self.registry = registry
        self.own_actions: tuple[str, ...] = ()
        """The actions that the project's code adds to the catalog."""
        self.guarded_updates: frozenset[str] = frozenset()
        """The content types whose `update` the project's code guards: uploads cannot link files to their entries."""
        self.locales = locales
        self.reader = reader
        self.writer = writer
        self.reads = (TrackedReads if notes_reads else ContentReads)(
            registry,
            reader,
            strictness,
            drafts_by_id=drafts_by_id,
            wraps_morphs=wraps_morphs,
            hides_future=hides_future,
            populate_deep=populate_deep,
            hooks=writer.hooks,
        )
        self.writes = ContentWrites(self.reads, reader, writer, media, locales)
        self.completeness = writer.completeness
        self.schedules = None
        if schedules is not None:
            self.schedules = ContentSchedules(writer, self.writes, schedules, self.completeness)
