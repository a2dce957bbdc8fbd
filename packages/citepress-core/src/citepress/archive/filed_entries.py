"""Entries of an archive that is not assembled again, in the file of what is packed of their records."""

import marshal
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, cast

from citepress.archive.contents import FiledContents, PackedContents, RecordHead
from citepress.archive.model import Edge, Entry
from citepress.base.filed_values import FiledMapping
from citepress.base.ids import path_of
from citepress.base.packed_values import Codec, FiledFrame, FrameFile
from citepress.contract.kind import Kind
from citepress.history.revisions import RecordRevisions

MOMENTS = [RecordHead._fields.index(name) for name in ("published_at", "updated_at")]
"""Places of the members of a head that are moments."""


def filed_entries(
    frames: FrameFile, kinds: Sequence[Kind], revisions: Mapping[str, RecordRevisions]
) -> FiledMapping[Entry]:
    """An empty mapping that keeps in ``frames`` whatever entry of these kinds is added to it.

    What ``revisions`` holds of a record, its entry has.
    """
    codecs: list[Codec] = []
    by_name = {kind.name: kind for kind in kinds}
    return FiledMapping(
        frames, (), partial(_dumped, frames, codecs), partial(_loaded, frames, codecs, by_name, revisions)
    )


def _dumped(frames: FrameFile, codecs: list[Codec], entry: Entry) -> bytes:
    contents = cast("PackedContents", entry.contents)
    if contents.codec not in codecs[-1:]:
        codecs.append(contents.codec)
    contents.move(frames)
    frame = cast("FiledFrame", contents.frame)
    head: list[Any] = [*entry.head]
    for member in MOMENTS:
        head[member] = head[member].isoformat()
    edges = [(edge.target, edge.type, edge.passage) for edge in entry.edges]
    place = len(codecs) - 1, frame.at, frame.size, contents.long
    return marshal.dumps((entry.kind.name, head, place, entry.file, edges, entry.digest, entry.face))


def _loaded(
    frames: FrameFile,
    codecs: Sequence[Codec],
    kinds: Mapping[str, Kind],
    revisions: Mapping[str, RecordRevisions],
    data: bytes,
) -> Entry:
    kind, members, (codec, at, size, long), file, edges, digest, face = marshal.loads(data)  # noqa: S302  (our own)
    for member in MOMENTS:
        members[member] = datetime.fromisoformat(members[member])
    head = RecordHead._make(members)
    contents = FiledContents(codecs[codec], FiledFrame(frames, at, size), long)
    linked = tuple([Edge(head.id, *edge) for edge in edges])
    return Entry(kinds[kind], head, contents, file, path_of(head.id), linked, digest, face, revisions.get(head.id))
