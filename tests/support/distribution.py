"""A publisher with a small archive, and servers that follow what it publishes."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.history.state_files import EDITIONS_LOG
from citepress.settings import Settings
from citepress.transparency.log_file import LogFile
from citepress.transparency.signing import signing_key
from citepress_fleet.distribution import FileDigests, edition_content
from citepress_fleet.following import EditionFollower, Trust
from citepress_fleet.manifest import EditionManifest
from citepress_fleet.publishing import EditionStore, PublishedEdition
from citepress_objects import open_objects
from citepress_objects.port import ObjectStore
from support.folder import folder, post, topic

FILES = {
    "content/topics/moves.md": topic(),
    **{f"content/posts/note-{number}.md": post(f"Otters number {number}.") for number in range(12)},
}


def open_bucket(root: Path) -> ObjectStore:
    """A bucket in a folder."""
    return open_objects(root.as_uri())


@dataclass
class ArchivePublisher:
    """A content folder, its builder, and the bucket that it publishes to."""

    root: Path
    objects: ObjectStore
    digests: FileDigests = field(default_factory=FileDigests)

    def __post_init__(self) -> None:
        self.settings = Settings(folder(self.root / "site", FILES), self.root / "state")
        self.builder = Builder(self.settings, self.settings.state / "publish")
        key, _ = signing_key(self.settings.state)
        self.key = key.public
        self.store = EditionStore(self.objects, [key], LogFile(self.settings.state / EDITIONS_LOG))

    def edit(self, files: Mapping[str, str | bytes]) -> None:
        """Write files of the content."""
        folder(self.settings.root, files)

    def publish(self, before_moving: Callable[[EditionManifest], object] = lambda _: None) -> PublishedEdition:
        """Build what changed and publish it."""
        moment = clock.now()
        built = self.builder.ensure(moment)
        self.builder.index(built, moment)
        content = edition_content(self.settings, self.builder.output, built, moment, self.digests)
        return self.store.publish(content, before_moving)

    def copied(self, root: Path) -> "ArchivePublisher":
        """A second publisher with the same content, state and key."""
        shutil.copytree(self.settings.state, root / "state")
        shutil.copytree(self.settings.root, root / "site")
        other = ArchivePublisher(root, self.objects)
        assert other.key == self.key
        return other


class FollowingServer:
    """A server's folder and what follows the bucket for it; ``notes`` are the sentences for its operator."""

    def __init__(
        self, state: Path, objects: ObjectStore, trust: Trust | None = None, number: int | None = None
    ) -> None:
        self.state, self.notes = state, list[str]()
        self.follower = EditionFollower(objects, state, "search", trust or Trust(), self.notes.append, number)

    def look(self) -> bool:
        """Look once."""
        return self.follower.look()

    @property
    def edition(self) -> Edition:
        """What it serves."""
        return open_edition(pointer(self.state))

    def text(self, path: str) -> bytes:
        """What it sends at a path."""
        body = self.edition.body(path)
        assert body is not None
        return bytes(body)
