"""Publishing an edition: what did not change is taken over, what changed is rendered, readers see all of it at once."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from citepress.base.canonical import plain
from citepress.base.cores import usable_cores
from citepress.base.gc_pause import paused_gc, rare_gc
from citepress.base.replaced_file import replace_file
from citepress.base.steps import step
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import POINTER
from citepress.edition.former import (
    SUFFIX,
    FormerEdition,
    Layer,
    UnitRow,
    Units,
    UnitsWriter,
    open_former,
    read_pointer,
)
from citepress.edition.leaf import PRIVATE
from citepress.edition.pack import DAMAGED_SUFFIX, Pack, PackError, forget_damage, total
from citepress.edition.pack_writer import PackWriter
from citepress.edition.render_processes import NamedUnit, rendered_units
from citepress.edition.site_config import SiteConfig
from citepress.edition.verification.tree import TREE_MEMBER, note_of, revised_tree, tree_of, tree_paths
from citepress.transparency.entries import EditionTree

REWRITE_SHARE = 0.25
"""Share of units changed since the base pack from which a new base is written."""
GROWTH = 4
"""A pack of changes is merged into the next one unless it is that many times smaller than it."""
OriginMembers: TypeAlias = Callable[[EditionTree], Mapping[str, Any]]
"""``(tree) -> members``: what the pointer carries beside the packs; called as the last step before it is moved."""


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What a run did."""

    pointer: Path
    digest: str
    leaves: int
    rendered: int
    """Units rendered in this run."""
    reused: int
    """Units taken over as they were."""
    published: FormerEdition | None = None
    """The edition as the next run may take it over; ``None`` where it has to be opened."""
    replaced: Mapping[str, str] | None = None
    """The digest that each address had before, of those that differ; empty where nothing was there. ``None`` where
    there was no edition to compare with."""


@dataclass(frozen=True, slots=True)
class Notes:
    """What an edition holds beside its leaves."""

    config: SiteConfig
    page_templates: Mapping[str, bytes]

    def members(self) -> dict[str, Any]:
        """As they lie in a pack."""
        return {
            "config": plain(self.config),
            "shells": {name: page_template.decode() for name, page_template in self.page_templates.items()},
        }


def publish(
    works: Iterable[RenderUnit],
    folder: Path,
    notes: Notes,
    origin: Mapping[str, Any] | OriginMembers,
    *,
    former: FormerEdition | None = None,
    touched: Collection[str] | None = None,
    processes: int | None = None,
    since: int | None = None,
) -> PublishResult:
    """Write the edition of these units under ``folder`` and point to it.

    ``origin`` is carried in the pointer for whoever decides whether the edition is still current, or is what gives it
    as soon as the tree of the edition is known. With ``touched`` only
    units of these groups are given, and all others stay as they are in the ``former`` edition, which must stand; a
    group without units is removed. ``processes`` may render, as many as there are cores if ``None``, and give the same
    bytes. Without a former edition, leaves get the date ``since`` (in seconds; now by default).
    Raises what a rendering raises (``Faults``), and ``PackError`` where a former edition that was needed is damaged;
    the former edition then stays as it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = processes or usable_cores()
    if former is None or not former.stands(folder):
        if touched is not None:
            raise PackError("the former edition is not the one that the units were compared with")
        former = open_former(folder)
    if former is None:
        return _publish_whole(folder, notes, map(_named, works), origin, count, since)
    given: dict[str, list[RenderUnit]] = {}
    with paused_gc():
        for group, work in map(_named, works):
            # Compared now, while what the fingerprint is worked out from is at hand: what is rendered follows later.
            _ = work.fingerprint
            given.setdefault(group, []).append(work)
    try:
        names = former.units.keys() - given.keys() if touched is None else set(touched) - given.keys()
        return _compared(folder, notes, former, given, names, count).written(origin)
    except PackError:
        if touched is not None:
            raise
        # it is damaged: start anew
        everything = ((group, work) for group, group_works in given.items() for work in group_works)
        return _publish_whole(folder, notes, everything, origin, count)


def _named(work: RenderUnit) -> tuple[str, RenderUnit]:
    """A unit with the name of its group."""
    return work.group or work.fingerprint.hex(), work


def _compared(
    folder: Path,
    notes: Notes,
    former: FormerEdition,
    given: Mapping[str, Sequence[RenderUnit]],
    dropped: Iterable[str],
    processes: int,
) -> "_Publication":
    """The publication of what differs from the former edition; ``dropped`` are groups without units now."""
    fresh: list[tuple[str, RenderUnit]] = []
    publication = _Publication(folder, notes, former, fresh, processes)
    for group, works in given.items():
        rows = {row[0]: row for row in former.units.get(group, ())}
        names = dict.fromkeys(work.fingerprint.hex() for work in works)
        if names.keys() == rows.keys() and len(names) == len(works):
            continue
        publication.rows[group] = [rows[name] for name in names if name in rows]
        fresh += [(group, work) for work in works if work.fingerprint.hex() not in rows]
        publication.gone.update(path for name, row in rows.items() if name not in names for path in row[1:])
    for group in dropped:
        publication.rows[group] = []
        publication.gone.update(path for row in former.units.get(group, ()) for path in row[1:])
    publication.total = len(former.units) + sum(group not in former.units for group in given)
    return publication


def _publish_whole(
    folder: Path,
    notes: Notes,
    works: Iterable[NamedUnit],
    origin: Mapping[str, Any] | OriginMembers,
    processes: int,
    since: int | None = None,
) -> PublishResult:
    """Write every unit into one pack, and point to it."""
    part, listed = folder / "next.pack", UnitsWriter(folder / "next.units.part")
    writer = PackWriter(part)
    try:
        rendered = _render(works, writer, processes, listed.add)
        digest, count = total(writer.written.sums.values()), len(writer.written.sums)
        tree, leaves = revised_tree(None, lambda _path: None, writer.written.digests, ())
        for leaf in leaves:
            writer.add(leaf)
        counts = {"digest": digest, "leaves": count, "removed": [], TREE_MEMBER: note_of(tree)}
        writer.finish({**counts, **notes.members()})
        listed.finish()
    except BaseException:
        writer.discard()
        listed.discard()
        raise
    written, members = Pack(part), _members(origin, tree)
    file = folder / f"base-{digest[:16]}.pack"
    listed.path.replace(file.with_suffix(SUFFIX))
    forget_damage(file)
    written.path = part.replace(file)
    if since is not None:
        _date(written, since)
    _point(folder, [file.name], {**members, "digest": digest})
    return PublishResult(folder / POINTER, digest, count, rendered, 0)


def _render(
    units: Iterable[NamedUnit], writer: PackWriter, processes: int, note: Callable[[str, UnitRow], None]
) -> int:
    """Render units, write their leaves, and note each unit with its group. Returns how many they were."""
    count = 0
    with rare_gc(), closing(rendered_units(units, writer.prepared, processes)) as rendered:
        for group, fingerprint, leaves in rendered:
            paths: list[str] = []
            for leaf in leaves:
                writer.write(leaf)
                paths.append(leaf.path)
            step("rendering", *(paths[:1] or [group]))
            note(group, (fingerprint.hex(), *paths))
            count += 1
    return count


class _Publication:
    """One run that changes an edition: which units are new, which paths are gone, and the pack that says so."""

    def __init__(
        self,
        folder: Path,
        notes: Notes,
        former: FormerEdition,
        fresh: Iterable[NamedUnit],
        processes: int,
    ) -> None:
        """``fresh`` are the units to be rendered with their groups; each is rendered and let go of as it comes."""
        self.folder, self.notes, self.former, self.fresh = folder, notes, former, fresh
        self.processes = processes
        self.rendered = 0
        self.rows: dict[str, list[UnitRow]] = defaultdict(list)
        """The groups that differ from the former edition, with their units."""
        self.gone: set[str] = set()
        """Paths of units that are no more; some may be given again by units that are new."""
        self.total = 0
        """Groups of both editions, where they are compared."""
        self.replaced: dict[str, str] = {}
        """What ``PublishResult.replaced`` says."""

    def written(self, origin: Mapping[str, Any] | OriginMembers) -> PublishResult:
        """Write a pack where anything changed, and point to the edition."""
        former = self.former
        if not self.rows and former.layers[0].pack.notes.items() >= self.notes.members().items():
            _point(self.folder, former.named, {**_members(origin, self._former_tree()), "digest": former.digest})
            return self._result(former)
        lower = self._lower()
        merged = former.layers[: len(former.layers) - len(lower)]
        part = self.folder / "next.pack"
        writer = PackWriter(part, lower[-1].pack.dictionaries if lower else None)
        try:
            self.rendered = _render(self.fresh, writer, self.processes, lambda group, row: self.rows[group].append(row))
            digest, leaves_in_all = self._state(writer)
            tree = self._add_tree(writer, merged, lower)
            units = self._take_over(writer, merged, lower)
            removed = sorted(self._removed(writer, merged, lower))
            counts = {"digest": digest, "leaves": leaves_in_all, "removed": removed, TREE_MEMBER: note_of(tree)}
            writer.finish({**counts, **self.notes.members()})
        except BaseException:
            writer.discard()
            raise
        return self._pointed(part, lower, units, _members(origin, tree))

    def _lower(self) -> tuple[Layer, ...]:
        """The packs that stay as they are below the new one; none where a new base is written."""
        layers, size = self.former.layers, len(self.rows)
        place = 0
        while place < len(layers) - 1 and len(layers[place].groups) < GROWTH * size:
            size += len(layers[place].groups)
            place += 1
        if size > REWRITE_SHARE * self.total:
            return ()
        return layers[place:]

    def _state(self, writer: PackWriter) -> tuple[str, int]:
        """Digest of the edition and number of its leaves, from the former ones and what changed."""
        sums: list[int] = []
        for path in sorted({*self.gone, *writer.written.sums}):
            place = self.former.locate(path)
            if place:
                sums.append(int(place[1]["sum"], 16))
            if not path.startswith(PRIVATE) and (place is None or writer.written.sums.get(path) != sums[-1]):
                self.replaced[path] = place[1]["etag"] if place else ""
        changes = [*writer.written.sums.values(), *(-value for value in sums)]
        return (
            total([int(self.former.digest, 16), *changes]),
            self.former.leaves + len(writer.written.sums) - len(sums),
        )

    def _take_over(self, writer: PackWriter, merged: Sequence[Layer], lower: Sequence[Layer]) -> Units:
        """Copy what the packs that are merged hold and still counts; the units of the new pack."""
        former = self.former
        groups = frozenset().union(*(layer.groups for layer in merged)) if lower else former.units.keys()
        units: Units = {group: former.units.get(group, ()) for group in groups if group not in self.rows}
        carried = {group: rows for group, rows in units.items() if rows}
        units.update(self.rows)
        if not lower:
            units = {group: rows for group, rows in units.items() if rows}
        held = former.paths(carried)
        # A group that changed in part keeps some units; their leaves are copied where their pack goes.
        still = (path for rows in self.rows.values() for row in rows for path in row[1:])
        for path in (*held, *still):
            if path in writer.written.sums:
                continue
            place = former.locate(path)
            if place is None:
                raise PackError(f"the former edition lost {path}")
            if not lower or any(place[0] is layer.pack for layer in merged):
                writer.copy(*place)
        return units

    def _former_tree(self) -> EditionTree:
        """The tree of the former edition, which has to be there."""
        tree = tree_of(self.former.layers[0].pack.notes)
        if tree is None:
            raise PackError("the former edition has no tree of digests")
        return tree

    def _add_tree(self, writer: PackWriter, merged: Sequence[Layer], lower: Sequence[Layer]) -> EditionTree:
        """Write what changed of the tree of the edition, and copy what packs that are merged hold of it."""
        written = writer.written.digests
        gone = (self.gone | writer.written.sums.keys()) - written.keys()
        tree, leaves = revised_tree(self._former_tree(), self.former.body, written, gone)
        for leaf in leaves:
            writer.add(leaf)
        if merged or not lower:
            paths: Iterable[str] = tree_paths(tree)
            # There are thousands of shards, and the small packs that are merged often hold few of them.
            if lower and tree.shards > sum(len(layer.pack) for layer in merged):
                held = {path for layer in merged for path in layer.pack.paths()}
                paths = (path for path in paths if path in held)
            for path in paths:
                place = None if path in writer.written.sums else self.former.locate(path)
                if place and (not lower or any(place[0] is layer.pack for layer in merged)):
                    writer.copy(*place)
        return tree

    def _removed(self, writer: PackWriter, merged: Sequence[Layer], lower: Sequence[Layer]) -> set[str]:
        """Paths of the packs below that are gone."""
        gone = self.gone.union(*(layer.removed for layer in merged)) - writer.written.sums.keys()
        return {path for path in gone if self.former.locate(path, lower)}

    def _pointed(self, part: Path, lower: Sequence[Layer], units: Units, origin: Mapping[str, Any]) -> PublishResult:
        """Give the new pack its name and point to it."""
        written = Pack(part, lower[-1].pack if lower else None)
        digest = str(written.notes["digest"])
        below = [layer.pack.path.name for layer in lower]
        mark = blake2b("\n".join([digest, *below]).encode(), digest_size=8).hexdigest()
        name = f"changes-{mark}.pack" if lower else f"base-{digest[:16]}.pack"
        replace_file((self.folder / name).with_suffix(SUFFIX), orjson.dumps(units))
        forget_damage(self.folder / name)
        written.path = part.replace(self.folder / name)
        _date_after(written, self.former.layers[0].pack)
        _point(self.folder, [name, *below], {**origin, "digest": digest})
        units_before, count = self.former.units, self.former.count
        for group, rows in self.rows.items():
            count += len(rows) - len(units_before.pop(group, ()))
            if rows:
                units_before[group] = rows
        layers = (Layer.of(written, units), *lower)
        return self._result(FormerEdition(layers, units_before, count, digest, written.notes["leaves"]))

    def _result(self, published: FormerEdition) -> PublishResult:
        """What this run did."""
        return PublishResult(
            self.folder / POINTER,
            published.digest,
            published.leaves,
            self.rendered,
            published.count - self.rendered,
            published,
            self.replaced,
        )


def _date_after(pack: Pack, former: Pack) -> None:
    """Give a pack a later second than the newest one before it has, because ``Last-Modified`` counts in seconds."""
    if pack.written <= former.written:
        _date(pack, former.written + 1)


def _date(pack: Pack, second: int) -> None:
    pack.written = second
    os.utime(pack.path, (second, second))


def _members(origin: Mapping[str, Any] | OriginMembers, tree: EditionTree) -> Mapping[str, Any]:
    """What the pointer carries beside the packs."""
    return origin(tree) if callable(origin) else origin


def _point(folder: Path, layers: Sequence[str], origin: Mapping[str, Any]) -> None:
    """Name the new edition in one step, then sweep what neither it nor the one before needs."""
    before = read_pointer(folder).get("layers", [])
    pointed = {**origin, "layers": list(layers)}
    replace_file(folder / POINTER, orjson.dumps(pointed, option=orjson.OPT_APPEND_NEWLINE))
    stems = {Path(name).stem for name in (*layers, *before)}
    marks = {name + DAMAGED_SUFFIX for name in layers}
    for file in folder.iterdir():
        left = file.suffix == ".part"  # by a build that was killed
        solved = file.suffix == DAMAGED_SUFFIX and file.name not in marks
        if left or solved or (file.suffix in (".pack", SUFFIX) and file.stem not in stems):
            file.unlink(missing_ok=True)
