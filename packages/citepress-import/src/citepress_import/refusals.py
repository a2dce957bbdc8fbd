"""Takes out of a conversion what ``check`` refuses: a page, or a link that leads nowhere, and never more than that."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from citepress.content.links import inspect, place_in
from citepress.content.text_links import relink
from citepress.contract.fault import BROKEN_LINK, Fault
from citepress_import.conversion import REDIRECTS, Converted
from citepress_import.report import ImportReport

_FRONT_END = "\n---\n"


class Refusals:
    """Mends one conversion after what ``check`` says of it."""

    def __init__(self, converted: Converted, report: ImportReport) -> None:
        self._converted, self._report = converted, report
        self._changed: set[str] = set()

    def mend(self, errors: Iterable[Fault]) -> set[str]:
        """The names of the files that changed or went, so that the errors are gone."""
        self._changed = set()
        by_file: dict[str, list[Fault]] = defaultdict(list)
        for fault in errors:
            by_file[fault.place.file].append(fault)
        gone: set[str] = set()
        for file, faults in by_file.items():
            if file == REDIRECTS and all(fault.place.line for fault in faults):
                self._drop_lines({fault.place.line: fault.message for fault in faults})
            elif file not in self._converted.plans:
                self._drop_file(file, faults[0])
            elif any(fault.code is not BROKEN_LINK for fault in faults) or not self._unlink_places(file, faults):
                gone.add(self._drop_page(file, next((f for f in faults if f.code is not BROKEN_LINK), faults[0])))
        if gone:
            self._unlink_pages(gone)
        return self._changed

    def _drop_file(self, file: str, fault: Fault) -> None:
        self._converted.files.pop(file, None)
        source = self._converted.copies.pop(file, file)
        self._report.set_aside.append((source, f"`check` refuses it: {fault.message} ({fault.code.id})"))
        self._changed.add(file)

    def _drop_page(self, file: str, fault: Fault) -> str:
        """Set a page aside; its present path."""
        plan = self._converted.plans.pop(file)
        del self._converted.files[file]
        self._converted.import_days.pop(plan.page.source, None)
        self._report.set_aside.append((plan.page.source, f"{fault.message} ({fault.code.id})"))
        self._changed.add(file)
        return plan.public

    def _drop_lines(self, reasons: dict[int, str]) -> None:
        """Take lines of ``redirects.txt`` away."""
        lines = self._converted.files[REDIRECTS].decode().split("\n")
        for number, reason in reasons.items():
            self._report.addresses_left_out.append((lines[number - 1].partition(" ")[0], reason))
        self._put(REDIRECTS, "\n".join(line for number, line in enumerate(lines, 1) if number not in reasons))

    def _unlink_places(self, file: str, faults: list[Fault]) -> bool:
        """Make words of the links at these places; whether the text changed."""
        front, body = _parted(self._converted.files[file].decode())
        above = front.count("\n")
        places = {(fault.place.line - above, fault.place.column) for fault in faults}
        dead = {link.href for link in inspect(body).links if place_in(body, link.offset) in places}
        return self._unlink(file, lambda href: href in dead)

    def _unlink_pages(self, gone: set[str]) -> None:
        """Make words of every link to pages that went, and take their redirects away."""
        marks = [path.encode() for path in gone]
        for file in [file for file in self._converted.plans if any(m in self._converted.files[file] for m in marks)]:
            self._unlink(file, lambda href: href.partition("#")[0] in gone)
        rows = self._converted.files.get(REDIRECTS, b"").decode().split("\n")
        lines = {n: "its page is set aside" for n, row in enumerate(rows, 1) if row.partition(" ")[2] in gone}
        if lines:
            self._drop_lines(lines)

    def _unlink(self, file: str, is_dead: Callable[[str], bool]) -> bool:
        source, dead = self._converted.plans[file].page.source, list[str]()

        def address(href: str, _image: bool) -> str | None:
            if not is_dead(href.strip()):
                return href
            dead.append(href)
            return None

        front, body = _parted(self._converted.files[file].decode())
        text = relink(body, address)
        if text == body:
            return False
        self._report.dead_links += [(source, href[:400]) for href in dict.fromkeys(dead)]
        self._put(file, front + text)
        return True

    def _put(self, file: str, text: str) -> None:
        self._converted.files[file] = text.encode()
        self._changed.add(file)


def _parted(text: str) -> tuple[str, str]:
    """The front matter that an import wrote, with its lines, and the text below."""
    end = text.index(_FRONT_END) + len(_FRONT_END)
    return text[:end], text[end:]
