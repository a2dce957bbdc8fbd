"""Former paths and their present ones: aliases, withdrawn records, ``redirects.txt``; no path is claimed twice."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from citepress.archive.links import Addresses, Routes, follow_redirect, page_form
from citepress.archive.model import Withdrawn
from citepress.archive.record_index import WITHDRAWN, RecordIndex
from citepress.base.ids import path_of, twin
from citepress.base.slugs import tag_slug
from citepress.base.urls import own_path
from citepress.content.files import printable_path
from citepress.content.folder import Folder
from citepress.content.redirects_file import REDIRECTS_FILE, Redirect, is_elsewhere, is_path
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.content.validation_messages import dotted
from citepress.contract.fault import (
    BAD_REDIRECT,
    BAD_VALUE,
    DANGLING,
    DUPLICATE_ID,
    HIDDEN,
    SET_ASIDE,
    Fault,
    Span,
    set_aside,
)
from citepress.contract.route import ICONS
from citepress.history.revisions import RecordRevisions

TWINS = (".md", ".json")
_NUMBERED = re.compile(r"page/\d+")
"""Pages of a list below its collection."""


@dataclass(slots=True)
class Chains:
    """Where chains of redirects end; each link is followed once, however long the chains are."""

    paths: Mapping[str, str]
    _ends: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def end(self, path: str) -> tuple[str, bool]:
        """The last path of the chain that begins with this one, and whether it runs in a circle."""
        passed: dict[str, None] = {}
        while path not in self._ends:
            following = follow_redirect(self.paths, path)
            if following is None or path in passed:
                self._ends[path] = path, following is not None
            else:
                passed[path] = None
                path = following
        end = self._ends[path]
        self._ends.update(dict.fromkeys(passed, end))
        return end


@dataclass(slots=True)
class Redirects:
    """Gathers redirects and the faults between them."""

    folder: Folder
    index: RecordIndex
    routes: Routes
    """Whether the service itself answers at a path."""
    paths: dict[str, str] = field(default_factory=dict)
    """Former path to present path."""
    faults: list[Fault] = field(default_factory=list)
    _claims: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Former path in its normal form (``page_form``) to the file that claims it and where it leads."""
    _tag_slugs: frozenset[str] | None = None

    def gather(self) -> None:
        """Aliases of every record first, then the lines of ``redirects.txt``.

        Static files stand beside pages, not on them.
        """
        for path in self.folder.static:
            if owner := self._page_at(path) or self._built_in(path):
                self.faults.append(
                    Fault.at(DUPLICATE_ID, Span(f"static{path}"), f"{path!r} is the path of {owner}", "rename the file")
                )
        for draft in self.folder.drafts:
            if draft.head.aliases:
                self._aliases(draft, draft.head.aliases)
        for tombstone in self.folder.tombstones:
            self._aliases(tombstone, tombstone.aliases)
        for line in self.folder.redirects:
            if owner := self._occupied(line.former):
                self.faults.append(Fault.at(BAD_REDIRECT, line.place, f"{line.former!r} is the path of {owner}"))
            elif not self._claim(line.former, self._present(line.target), REDIRECTS_FILE):
                self.faults.append(
                    Fault.at(BAD_REDIRECT, line.place, self._claimed(line.former, line.target), "keep one of the two")
                )
        self._shorten()

    def _present(self, target: str) -> str:
        """A target as it is published: a page with its closing slash, anything else unchanged."""
        own = own_path(target, self.folder.site.base_url) if is_elsewhere(target) else target
        if own is None:
            return target
        return own if own in self.folder.static or self.routes(own) else page_form(own)

    def _shorten(self) -> None:
        """Point every former path at the end of its chain, and its twins at those of the record there."""
        chains = Chains(self.paths)
        ends = {former: chains.end(target) for former, target in self.paths.items()}
        self.paths.update((former, end) for former, (end, circle) in ends.items() if not circle)
        for page in self._claims:
            if page.endswith("/") and self._is_record(self.paths[page]):
                for suffix in TWINS:
                    self.paths.setdefault(twin(page, suffix), twin(self.paths[page], suffix))

    def _aliases(self, record: SourceRecord | Tombstone, aliases: tuple[str, ...] | list[str]) -> None:
        for place, alias in enumerate(aliases):
            code, message, hint = DUPLICATE_ID, "", "keep it in one place only"
            if not is_path(alias) or alias == "/":
                code, message, hint = (
                    BAD_VALUE,
                    f"{alias[:80]!r} is not a path of this site",
                    "write it as in /old/path/",
                )
            elif owner := self._occupied(alias):
                message = f"{alias!r} is the path of {owner}"
            elif not self._claim(alias, path_of(record.id), record.source_file.file) and (
                other := self._other(alias, path_of(record.id))
            ):
                message = f"{alias!r} is an alias in {other} too"
            if message:
                location = record.source_file.alias_place(alias, place)
                named = f"{dotted(location)}: {message}"
                fault = Fault.at(code, record.source_file.locate(location), named, hint)
                self.faults.append(set_aside(fault, "the alias") if self.folder.plain else fault)

    def _claim(self, former: str, target: str, file: str) -> bool:
        """Lead a former path, with its closing slash and without, to the present one.

        Whether nothing else claimed it.
        """
        former = unquote(former)  # the server looks paths up as the characters that they stand for
        page = page_form(former)
        if page in self._claims:
            return False
        self._claims[page] = file, target
        self.paths[former] = self.paths[page] = target
        return True

    def _other(self, former: str, target: str) -> str:
        """The file that leads a claimed path elsewhere; nothing where it leads to the same page."""
        file, led = self._claims[page_form(unquote(former))]
        return "" if led == target else printable_path(file)

    def _claimed(self, former: str, target: str) -> str:
        """The sentence on a former path that is claimed already, with a closing slash or without."""
        file, led = self._claims[page_form(unquote(former))]
        about = (
            "is given twice here"
            if file == REDIRECTS_FILE and page_form(led) == page_form(target)
            else f"is led to {led!r} by {printable_path(file)}"
        )
        return f"{former!r} {about}"

    def _is_record(self, path: str) -> bool:
        bare = path.strip("/")
        return path.endswith("/") and (bare in self.index.published or bare in self.index.hidden)

    def _occupied(self, former: str) -> str:
        """What a path leads to now, or empty."""
        file = f"the file static{former}" if former in self.folder.static else ""
        return self._page_at(former) or file or self._built_in(former)

    def _built_in(self, path: str) -> str:
        """The service document at a path that no file may replace, or empty."""
        return (
            "a document of the service"
            if path not in ICONS and (self.routes(path) or self.routes(page_form(path)))
            else ""
        )

    def _page_at(self, former: str) -> str:
        """The page of the archive at a path, or empty."""
        bare = former.strip("/").removesuffix(".md").removesuffix(".json")
        if bare in self.index.published or bare in self.index.hidden:
            return f"the record {bare}"
        if bare in self.index.kinds:
            return f"the collection {bare}"
        built_in = self.routes(f"/{bare}/") is not False  # pages that the service has itself stand at the top
        if any(bare == f"pages/{page.slug}" or (bare == page.slug and built_in) for page in self.folder.pages):
            return f"the page {bare}"
        if bare.startswith("datasets/") and any(bare == f"datasets/{dataset.name}" for dataset in self.folder.datasets):
            return f"the dataset {bare}"
        folder, _, name = bare.partition("/")
        if folder == "tags" and name in self._tags():
            return f"the page of the tag {name}"
        numbered = _NUMBERED.fullmatch(name)
        return f"a page of the list of {folder}" if numbered and folder in self.index.kinds else ""

    def _tags(self) -> frozenset[str]:
        """The slugs of the archive's tags."""
        if self._tag_slugs is None:
            self._tag_slugs = frozenset(tag_slug(tag) for draft in self.folder.drafts for tag in draft.head.tags)
        return self._tag_slugs

    def settle(self, addresses: Addresses) -> Mapping[str, str]:
        """Where each former path ends after all redirects, with a fault for each target that leads nowhere."""
        left_out: list[Redirect] = []
        chains, circles = Chains(self.paths), set[str]()
        for line in self.folder.redirects:
            end, circle = chains.end(self._present(line.target))
            if circle and end not in circles:
                self._broken(line.place, f"{line.former!r} leads back to itself", "")
                circles.add(end)
            if circle:
                continue
            if is_elsewhere(end):
                continue
            sort, value = addresses.target(end)
            if sort in ("broken", "unknown") and page_form(end) in self.folder.set_aside:
                left_out.append(line)
                self._note_set_aside(line, self.folder.set_aside[page_form(end)])
            elif sort == "broken":
                self._broken(line.place, f"{line.target!r} leads to no page of the archive", value)
            elif sort == "hidden" and addresses.index.hidden[value] != WITHDRAWN:
                self.faults.append(Fault.at(HIDDEN, line.place, f"{line.target!r} is {addresses.index.hidden[value]}"))
        # Only now: the lines above may lead through one that is left out.
        for line in left_out:
            for former in {unquote(line.former), page_form(unquote(line.former))}:
                self.paths.pop(former, None)
        chains = Chains(self.paths)
        ends = ((former, chains.end(target)[0]) for former, target in sorted(self.paths.items()))
        # An address that leads to a record that is not shown would tell its slug.
        return {former: end for former, end in ends if not self._is_private(end)}

    def _is_private(self, path: str) -> bool:
        """Whether a path is of a record that is not shown; the page of a withdrawn one says so."""
        bare = path.strip("/").removesuffix(".md").removesuffix(".json")
        return self.index.hidden.get(bare, WITHDRAWN) != WITHDRAWN

    def _note_set_aside(self, line: Redirect, file: str) -> None:
        """Warn of a redirect to a note that was set aside: the fault is the note's, and is reported there."""
        message = f"{line.target!r} is the note {printable_path(file)}, which is set aside; the redirect is left out"
        self.faults.append(Fault.at(SET_ASIDE, line.place, message, f"correct {printable_path(file)}"))

    def _broken(self, place: Span, message: str, hint: str) -> None:
        self.faults.append(Fault.at(BAD_REDIRECT, place, message, hint))


def withdrawn(
    folder: Folder, index: RecordIndex, revisions: Mapping[str, RecordRevisions], faults: list[Fault]
) -> tuple[Withdrawn, ...]:
    """What was taken back, sorted by id, each with the path of its successor where there is one."""
    withdrawals = []
    for tombstone in sorted(folder.tombstones, key=lambda tombstone: tombstone.id):
        successor = ""
        if tombstone.successor:
            id_ = index.id_of(tombstone.successor, "")
            if id_ in index.published:
                successor = path_of(id_)
            elif id_ in index.hidden:
                message = f"gone.successor: {id_!r} is {index.hidden[id_]}; it is left out"
                faults.append(Fault.at(HIDDEN, tombstone.source_file.locate(("gone", "successor")), message))
            elif id_ not in index.faulty:
                message = f"gone.successor: there is no record {id_[:120]!r}"
                faults.append(
                    Fault.at(DANGLING, tombstone.source_file.locate(("gone", "successor")), message, index.hint(id_))
                )
        readable = revisions.get(tombstone.id, RecordRevisions(0)).published
        path = path_of(tombstone.id)
        withdrawals.append(Withdrawn(tombstone.id, path, tombstone.moment, tombstone.reason, successor, readable))
    return tuple(withdrawals)
