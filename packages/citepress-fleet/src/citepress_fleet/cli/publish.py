"""``citepress publish``: compile a content folder and publish the edition to an object store."""

import threading
from pathlib import Path
from typing import Annotated

import orjson
from cyclopts import Parameter

from citepress.admin.build import Builder, BuildResult, separate_builder
from citepress.admin.public_address import HINT, has_public_address
from citepress.admin.state_folders import PUBLISHED_FOLDER
from citepress.app.binding import after_publication
from citepress.base import clock
from citepress.base.text import counted
from citepress.cli.console import is_content, note, report, say, unlogged, waiting_for, write
from citepress.cli.faults import written
from citepress.cli.progress import building, working
from citepress.cli.publisher import Publisher
from citepress.contract.fault import Faults
from citepress.contract.settings_table import settings_of
from citepress.edition.edition import open_edition
from citepress.settings import Settings, SettingsError, deployment_of, from_environment
from citepress.stores.sql.migrate import open_store
from citepress_fleet.cli.hub_announcer import HubAnnouncer
from citepress_fleet.cli.ping import announce
from citepress_fleet.distribution import FileDigests, edition_content, edition_store, remember_number
from citepress_fleet.publishing import EditionStore, PublishedEdition
from citepress_fleet.purging import CachePurger
from citepress_fleet.settings import Purge

Sole = Annotated[bool, Parameter(name="--sole-publisher")]


def publish(
    folder: Path,
    target: str,
    /,
    *,
    watch: bool = False,
    base_url: str | None = None,
    state: Path | None = None,
    sole: Sole = False,
    ping: bool = False,
    json: bool = False,
) -> int:
    """Publish a content folder to an object store.

    Parameters
    ----------
    folder
        The content folder.
    target
        s3://bucket/prefix, gs://bucket/prefix, az://container/prefix or file:///path.
    watch
        Publish again on every save, until SIGTERM or Ctrl-C.
    base_url
        Public address; overrides base_url in site.toml.
    state
        Folder of the state; by default state/ in the content folder.
    sole
        Allow stores without conditional writes (no protection against a second publisher).
    ping
        Notify IndexNow too, and wait for the answers. A hub is always notified.
    json
        One line of JSON for each edition.
    """
    settings = from_environment(folder, state=state, base_url=base_url)
    if not is_content(folder):
        return 2
    store, public, created = edition_store(settings, target, sole=sole)
    tell = note if json else say
    if created:
        tell(f"Made the signing key {settings.state / 'edition.key'}; keep a copy of it.")
    tell(f"Servers trust this publisher by CITEPRESS_EDITION_KEY={public}")
    run = PublishRun(settings, store, ping=ping, as_json=json)
    try:
        with separate_builder(settings, PUBLISHED_FOLDER, waiting_for) as builder:
            return run.follow(builder) if watch else run.once(builder)
    except Faults as faults:
        report(written(faults.faults, "text", records=None, terminal=False).rstrip())
        return 1


class PublishRun:
    """One run of the command."""

    def __init__(self, settings: Settings, store: EditionStore, *, ping: bool = False, as_json: bool = False) -> None:
        self._settings, self._ping, self._as_json = settings, ping, as_json
        self._store = store
        self._digests = FileDigests()
        self._hub = HubAnnouncer(settings)

    def once(self, builder: Builder) -> int:
        """Publish the content as it is now."""
        with unlogged():
            database = open_store(self._settings.state, self._settings.database_url)
        moment = clock.now()
        with building("Reading, rendering and indexing"):
            built = builder.ensure(moment)
            builder.index(built, moment)
        self.upload(builder, built)
        if built.archive:
            after_publication(self._settings, database, built.archive, moment)
        database.close()
        self._hub.finish()
        return 0

    def follow(self, builder: Builder) -> int:
        """Publish the content, and every change to it, until the signal to stop."""
        with unlogged():
            database = open_store(self._settings.state, self._settings.database_url)
        publisher = Publisher(self._settings, database, watching=True, output=builder.output, published=self.upload)
        publisher.first()
        publisher.follow()
        self._hub.follow()
        try:
            threading.Event().wait()
        finally:
            publisher.stop()
            self._hub.stop()
        return 0

    def upload(self, builder: Builder, built: BuildResult) -> None:
        """Publish an edition that was built. Raises ``SettingsError`` where nobody said where it will be served."""
        if not has_public_address(self._settings):
            raise SettingsError(f"the public address is not set: {HINT}")
        content = edition_content(self._settings, builder.output, built, clock.now(), self._digests)
        target = self._store.objects.target
        with working("Uploading"):
            published = self._store.publish(content)
        remember_number(builder.output, published.manifest)
        if self._as_json:
            write(orjson.dumps(_document(published, target), option=orjson.OPT_APPEND_NEWLINE))
        else:
            say(_sentence(published, target))
        if (rules := settings_of(deployment_of(built.pointer), Purge)) is not None:
            keys = CachePurger(rules, builder.output, target).purge(open_edition(built.pointer))
            note(
                f"Purged {counted(len(keys), 'key')} from the caches."
                if keys
                else "No cache holds anything that changed."
            )
        if self._ping:
            announce(builder.output, open_edition(built.pointer), say=note if self._as_json else say)
        else:
            self._hub.announce_later(built.pointer)


def _sentence(published: PublishedEdition, target: str) -> str:
    manifest, uploaded = published.manifest, published.uploaded
    if not published.moved:
        return f"Edition {manifest.number} of {target} is this content already."
    whole = manifest.content()
    return (
        f"Published edition {manifest.number} to {target}: {len(uploaded)} of {counted(len(whole), 'object')} new,"
        f" {sum(uploaded.values()):,} of {sum(whole.values()):,} bytes."
    )


def _document(published: PublishedEdition, target: str) -> dict[str, object]:
    manifest = published.manifest
    return {
        "target": target,
        "edition": manifest.number,
        "digest": manifest.digest,
        "is_new": published.moved,
        "uploaded": len(published.uploaded),
        "uploaded_bytes": sum(published.uploaded.values()),
    }
