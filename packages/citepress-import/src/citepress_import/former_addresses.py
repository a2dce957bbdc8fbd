"""The lines of ``redirects.txt``: where former pages, files, lists and feeds of a site are now."""

import re
from collections.abc import Callable
from urllib.parse import quote

from citepress.content.redirects_file import is_path
from citepress.kinds.posts import KIND
from citepress_import.address_book import plain_path
from citepress_import.report import ImportReport

PATH_LENGTH = 400
PATH_SIGNS = "/:@!$&'()*+,;=~._-"
"""Signs that a path may hold as they are (RFC 3986, ``pchar`` and slash)."""
POSTS, TAGS, FEED = KIND.path, "/tags/", "/rss.xml"
"""The lists and the feed to which those of a former site lead."""
LIST_PAGE = 50
"""Posts on each further page of the list, where ``site.toml`` says nothing else."""
_FURTHER = re.compile(POSTS + r"page/([1-9]\d{0,5})/")


def in_address(path: str) -> str:
    """A decoded path as it stands in an address."""
    return quote(path, safe=f"%{PATH_SIGNS}")


def path_fault(path: str) -> str:
    """Why a decoded former path cannot be led anywhere; nothing where it can."""
    if "?" in path:
        return "it has a query, and only paths are led"
    return "" if is_path(in_address(path)) and len(path) <= PATH_LENGTH else "it cannot be a path"


class FormerAddresses:
    """Leads each former path to one place, unless something else is there."""

    def __init__(
        self, prefix: str, answers: Callable[[str], bool], claimed: dict[str, str], report: ImportReport
    ) -> None:
        self._prefix, self._answers, self._claimed, self._report = prefix, answers, claimed, report
        self.lines: dict[str, str] = {}
        """Former path and present one, as they stand in addresses."""

    def lead_page(self, former: str, public: str) -> None:
        """Lead a path that a page of the archive has claimed, and that is percent-encoded already."""
        bare = former.rstrip("/")
        if not {bare, f"{bare}/"} & self.lines.keys():  # a redirect counts with its closing slash and without
            self.lines[former] = public

    def lead(self, path: str, end: str) -> None:
        """Lead a redirect of the former site; what cannot be led is reported."""
        self._lead(self._prefix + path, end)

    def lead_file(self, path: str, end: str) -> None:
        """Lead the path of a file, which may hold any sign."""
        former = quote(self._prefix + path, safe=PATH_SIGNS)
        if former != end:
            self._lead(former, end)

    def lead_list(self, path: str, end: str, tags: frozenset[str], posts: int) -> None:
        """Lead the path of a list or a feed, unless the archive has a like one there."""
        former = self._prefix + path
        if not end:
            self._report.addresses_left_out.append((former, "the archive has no such list"))
        elif end.startswith(TAGS) and end != TAGS and end not in tags:
            self._report.addresses_left_out.append((former, "the archive has no such tag"))
        elif not self._answers(former):
            self._lead(former, end)
        elif (match := _FURTHER.fullmatch(former)) and (int(match[1]) - 1) * LIST_PAGE >= posts:
            self._report.addresses_left_out.append((former, "the archive's own list has fewer pages"))
        elif former.startswith(TAGS) and former not in (TAGS, *tags):
            self._report.addresses_left_out.append((former, "the archive has no such tag"))

    def _lead(self, former: str, end: str) -> None:
        bare = former.rstrip("/") or "/"
        reason = path_fault(former)
        if self._answers(former):
            reason = "another page of the archive is there now"
        if reason:
            self._report.addresses_left_out.append((former, reason))
        elif bare not in self._claimed and plain_path(former) != plain_path(end):
            self._claimed[bare] = "a redirect"
            self.lines.setdefault(in_address(former), end)

    def text(self) -> str:
        """``redirects.txt``; nothing where no path is led."""
        rows = "".join(f"{former} {target}\n" for former, target in sorted(self.lines.items()))
        return f"# Former paths, from the import.\n{rows}" if rows else ""
