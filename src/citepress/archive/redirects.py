"""Former paths and their present ones: aliases, withdrawn records, ``redirects.txt``; no path is claimed twice."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from citepress.archive.links import Addresses, Routes, followed, page_form
from citepress.archive.model import Withdrawn
from citepress.archive.record_index import RecordIndex
from citepress.archive.resolve import path_of
from citepress.base.ids import twin
from citepress.content.files import shown
from citepress.content.folder import Folder
from citepress.content.note import set_aside
from citepress.content.pages import is_path
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.contract.fault import BAD_REDIRECT, BAD_VALUE, DANGLING, DUPLICATE_ID, HIDDEN, Fault, Span
from citepress.contract.route import ICONS

TWINS = (".md", ".json")
REDIRECTS = "redirects.txt"


@dataclass(slots=True)
class Redirects:
    """Gathers redirects and the faults between them."""

    folder: Folder
    known: RecordIndex
    routes: Routes
    """Whether the service itself answers at a path."""
    paths: dict[str, str] = field(default_factory=dict)
    """Former path to present path."""
    faults: list[Fault] = field(default_factory=list)
    _claims: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Former path in its normal form (``page_form``) to the file that claims it and where it leads."""

    def gather(self) -> None:
        """Aliases of every record first, then the lines of ``redirects.txt``; static files stand beside pages, not on them."""
        for path in self.folder.static:
            if owner := self._page_at(path) or self._built_in(path):
                self.faults.append(
                    Fault.at(DUPLICATE_ID, Span(f"static{path}"), f"{path!r} is the path of {owner}", "a path has one owner")
                )
        for draft in self.folder.drafts:
            if draft.front.aliases:
                self._aliases(draft, draft.front.aliases)
        for taken in self.folder.taken:
            self._aliases(taken, taken.aliases)
        for line in self.folder.redirects:
            if owner := self._occupied(line.former):
                self.faults.append(Fault.at(BAD_REDIRECT, line.place, f"{line.former!r} is the path of {owner}"))
            elif not self._claim(line.former, self._present(line.target), REDIRECTS):
                self.faults.append(Fault.at(BAD_REDIRECT, line.place, self._claimed(line.former, line.target), "keep one of the two"))
        self._shorten()

    def _present(self, target: str) -> str:
        """A target in the form that is published: a page's with its closing slash, a file's or a service's as it is."""
        return target if target in self.folder.static or self.routes(target) else page_form(target)

    def _shorten(self) -> None:
        """Lead every former path straight to the end of its chain, and the twins of one that ends at a record to the record's."""
        ends = {former: self._end(target) for former, target in self.paths.items()}
        self.paths.update((former, end) for former, (end, circle) in ends.items() if not circle)
        for page in self._claims:
            if page.endswith("/") and self._is_record(self.paths[page]):
                for suffix in TWINS:
                    self.paths.setdefault(twin(page, suffix), twin(self.paths[page], suffix))

    def _aliases(self, record: SourceRecord | Tombstone, aliases: tuple[str, ...] | list[str]) -> None:
        for place, alias in enumerate(aliases):
            code, message, hint = DUPLICATE_ID, "", "a path has one owner"
            if not is_path(alias) or alias == "/":
                code, message, hint = BAD_VALUE, f"{alias[:80]!r} is no path of this site", "write it as in /old/path/"
            elif owner := self._occupied(alias):
                message = f"{alias!r} is the path of {owner}"
            elif not self._claim(alias, path_of(record.id), record.manuscript.file) and (other := self._other(alias, path_of(record.id))):
                message = f"{alias!r} is an alias in {other} too"
            if message:
                fault = Fault.at(code, record.manuscript.locate(("aliases", place)), f"aliases[{place}]: {message}", hint)
                self.faults.append(set_aside(fault, "the alias") if self.folder.plain else fault)

    def _claim(self, former: str, target: str, file: str) -> bool:
        """Lead a former path, with its closing slash and without, to the present one; whether nothing else claimed it."""
        page = page_form(former)
        if page in self._claims:
            return False
        self._claims[page] = file, target
        self.paths[former] = self.paths[page] = target
        return True

    def _other(self, former: str, target: str) -> str:
        """The file that leads a claimed path elsewhere; nothing where it leads to the same page."""
        file, led = self._claims[page_form(former)]
        return "" if led == target else shown(file)

    def _claimed(self, former: str, target: str) -> str:
        """The sentence on a former path that is claimed already, with a closing slash or without."""
        file, led = self._claims[page_form(former)]
        about = "stands here twice" if file == REDIRECTS and page_form(led) == page_form(target) else f"is led to {led!r} by {shown(file)}"
        return f"{former!r} {about}"

    def _is_record(self, path: str) -> bool:
        bare = path.strip("/")
        return path.endswith("/") and (bare in self.known.published or bare in self.known.hidden)

    def _occupied(self, former: str) -> str:
        """What stands at a path today, or nothing."""
        file = f"the file static{former}" if former in self.folder.static else ""
        return self._page_at(former) or file or self._built_in(former)

    def _built_in(self, path: str) -> str:
        """The document of the service that stands at a path and that no file may stand in for, or nothing."""
        return "a document of the service" if path not in ICONS and (self.routes(path) or self.routes(page_form(path))) else ""

    def _page_at(self, former: str) -> str:
        """The page of the archive that stands at a path today, or nothing."""
        bare = former.strip("/").removesuffix(".md").removesuffix(".json")
        if bare in self.known.published or bare in self.known.hidden:
            return f"the record {bare}"
        if bare in self.known.kinds:
            return f"the collection {bare}"
        if any(bare == page.slug for page in self.folder.pages):
            return f"the page {bare}"
        if bare.startswith("datasets/") and any(bare == f"datasets/{one.name}" for one in self.folder.datasets):
            return f"the dataset {bare}"
        return ""

    def settle(self, addresses: Addresses) -> Mapping[str, str]:
        """Every former path led to where the chain of redirects ends; targets that lead nowhere are told."""
        for line in self.folder.redirects:
            end, circle = self._end(self._present(line.target))
            if circle:
                self._broken(line.place, f"{line.former!r} leads back to itself", "")
                continue
            sort, value = addresses.target(end)
            if sort == "broken":
                self._broken(line.place, f"{line.target!r} leads to no page of the archive", value)
            elif sort == "hidden" and addresses.known.hidden[value] != "withdrawn":
                self.faults.append(Fault.at(HIDDEN, line.place, f"{line.target!r} is {addresses.known.hidden[value]}"))
        return {former: self._end(target)[0] for former, target in sorted(self.paths.items())}

    def _end(self, path: str) -> tuple[str, bool]:
        seen = {path}
        while (following := followed(self.paths, path)) is not None:
            if following in seen:
                return path, True
            seen.add(following)
            path = following
        return path, False

    def _broken(self, place: Span, message: str, hint: str) -> None:
        self.faults.append(Fault.at(BAD_REDIRECT, place, message, hint))


def withdrawn(folder: Folder, known: RecordIndex, faults: list[Fault]) -> tuple[Withdrawn, ...]:
    """What was taken back, sorted by id, each with the path of its successor where there is one."""
    found = []
    for taken in sorted(folder.taken, key=lambda one: one.id):
        successor = ""
        if taken.successor:
            id_ = known.id_of(taken.successor, "")
            if id_ in known.published:
                successor = path_of(id_)
            elif id_ in known.hidden:
                message = f"gone.successor: {id_!r} is {known.hidden[id_]}; it is left out"
                faults.append(Fault.at(HIDDEN, taken.manuscript.locate(("gone", "successor")), message))
            else:
                message = f"gone.successor: there is no record {id_[:120]!r}"
                faults.append(Fault.at(DANGLING, taken.manuscript.locate(("gone", "successor")), message, known.hint(id_)))
        found.append(Withdrawn(taken.id, path_of(taken.id), taken.moment, taken.reason, successor))
    return tuple(found)
