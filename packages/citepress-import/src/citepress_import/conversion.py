"""From a former site to the files of a content folder: a pure function of what was read."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import unquote, urlsplit

from citepress.archive.model import CONTENTS
from citepress.base.slugs import is_slug, slug_of_address, tag_slug
from citepress.base.text import bounded
from citepress.base.timestamps import day
from citepress.content.git_dates import Committed
from citepress.content.opening import opening
from citepress.content.sources_file import url_fault
from citepress.content.text_links import relink
from citepress.contract.record import TITLE_LENGTH
from citepress.contract.route import ICONS
from citepress.kinds.contents import PATH
from citepress.kinds.posts import KIND
from citepress_import import records
from citepress_import.address_book import AddressBook, plain_path
from citepress_import.former_addresses import POSTS, TAGS, FormerAddresses, in_address, path_fault
from citepress_import.former_site import FormerPage, FormerSite
from citepress_import.record_languages import tell_languages
from citepress_import.records import RecordPlan
from citepress_import.relinking import Relinker
from citepress_import.report import ImportReport
from citepress_import.site_file import base_of, site_file
from citepress_import.slugs import Slugs, slug_for
from citepress_import.texts import TextConverter
from citepress_notes import lenient_values
from citepress_notes.reading_order import TITLE, SiteContents, contents_of, ordered_text, placing
from citepress_notes.shortcodes import without_notes
from citepress_notes.site_layout import SiteLayout
from citepress_notes.tool_habits import zone_of
from citepress_notes.usual_keys import ALIASES, MAX_SUMMARY_CHARS, SAME, strip_date

POST_FILES, PAGE_FILES = f"content/{KIND.name}", "content/pages"
DATES = (*SAME["date"], *SAME["lastmod"])
"""Keys of front matter that may date a page."""
REDIRECTS = "redirects.txt"
BODY_BYTES = 2_000_000
_IMAGE = re.compile(r"!\[([^\]]{1,400})\]\(")
Occupied = Callable[[str], bool]
"""Whether the service itself answers at a path."""


@dataclass
class Converted:
    """What an import writes."""

    files: dict[str, bytes] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    """Files below ``static/``, and their paths in the source."""
    plans: dict[str, RecordPlan] = field(default_factory=dict)
    """What is written into each file of a post or page."""
    import_days: dict[str, str] = field(default_factory=dict)
    """Pages that nothing dates, with the day that they were given."""

    def count(self, report: ImportReport) -> None:
        """Count in the report what is written."""
        for plan in self.plans.values():
            report.summaries[plan.summary_from] += 1
            report.aliases += len(plan.former)
            if plan.is_page:
                report.pages_written += 1
                continue
            report.posts_written += 1
            report.drafts += plan.draft
            report.dates[plan.dated_by] += 1
        if redirects := self.files.get(REDIRECTS):
            report.redirects = sum(not line.startswith(b"#") for line in redirects.splitlines())


class Conversion:
    """One conversion of a site."""

    def __init__(
        self,
        site: FormerSite,
        moment: datetime,
        occupied: Occupied,
        own_pages: frozenset[str],
        committed: Mapping[str, Committed],
        import_days: Mapping[str, str],
    ) -> None:
        self.site, self.report = site, site.report
        self._moment, self._occupied, self._own_pages = moment, occupied, own_pages
        self._committed, self._import_days = committed, import_days
        self._book = AddressBook(site)
        self._prefix = urlsplit(site.settings.get("base_url", "")).path.rstrip("/")
        self._links = Relinker(site, self._book, self._prefix, self.report, self._redirected)
        self._texts = TextConverter(site, self._book, self._links, self.report)
        self._claimed: dict[str, str] = {}
        self._present: set[str] = set()
        self._static: set[str] = set()
        """Public paths of the files that are copied."""
        self._tags: set[str] = set()
        """Paths of the tags that published posts have."""
        self._lists: dict[str, str] = {}
        self._former = FormerAddresses(self._prefix, self._answers, self._claimed, self.report)
        self.result = Converted()

    def run(self) -> Converted:
        """The files."""
        self.report.pages_read = len(self.site.pages) + len(self.report.set_aside)
        zone = zone_of(self.site.rules.tools, self.site.rules.settings) if self.site.rules else ""
        every = [
            records.plan_record(page, self._committed.get(page.source), self.report, zone) for page in self.site.pages
        ]
        plans = [plan for plan in every if not self._has_expired(plan)]
        tell_languages(plans, self.site.settings)
        self._place(plans)
        for plan in plans:
            self._claim(plan)
        self._lists = self._present_lists(plans)
        self.site.redirects |= dict.fromkeys(self._contents(plans).former, PATH)
        for plan in sorted(plans, key=lambda plan: plan.draft):  # a file that a post uses too is named after the post
            self._write(plan)
        self._leave_former_host()
        self._write_contents()
        for path, reason in self._book.copy_published().items():
            self.report.addresses_left_out.append((path, f"the file is not copied: {reason}"))
        self.report.notes += [f"{file} is not copied: only drafts use it" for file in sorted(self._book.kept_back)]
        self._copy()
        self._redirect()
        self.result.files["site.toml"] = site_file(self.site, self._links, self._occupied).encode()
        self.result.files[".gitignore"] = b"state/\ndist/\n"  # what a server keeps and an export writes
        self.report.repaired += sorted(self.site.tree.repaired.items())
        return self.result

    def _present_lists(self, plans: list[RecordPlan]) -> dict[str, str]:
        """Lists and feeds of the former site by their plain paths, and what is in their place."""
        shown = (plan for plan in plans if not (plan.is_page or plan.draft))
        self._tags = {f"{TAGS}{tag_slug(tag)}/" for plan in shown for tag in plan.tags}
        ends = ((path, end) for path, end in self.site.lists.items() if end)
        return {
            plain_path(path): end for path, end in ends if not end.startswith(TAGS) or end == TAGS or end in self._tags
        }

    def _redirected(self, path: str) -> str:
        """Where a redirect, a list or a feed of the former site leads; nothing where there is none at a path."""
        for former in (path, f"{path}/", path.rstrip("/")):
            if target := self.site.redirects.get(former):
                return self._end(target)
        return self._lists.get(plain_path(path), "")

    def _leave_former_host(self) -> None:
        """Make words of links to the former host that nothing in the source answers: the archive will be that host.

        They stay where images still lie on the former host, which then goes on.
        """
        rows = self.report.former_host_links
        if not base_of(self.site.settings.get("base_url", "")) or self._links.former_host_images or not rows:
            return
        dead: dict[str, set[str]] = defaultdict(set)
        for source, href in rows:
            dead[source].add(href)
        for file, plan in self.result.plans.items():
            if hrefs := dead.get(plan.page.source):
                text = self.result.files[file].decode()
                end = text.index("\n---\n") + 5
                body = relink(text[end:], lambda href, _, gone=hrefs: None if href[:400] in gone else href)  # type: ignore[misc]
                self.result.files[file] = (text[:end] + body).encode()
        self.report.dead_links += rows
        self.report.links["dead, left as text"] += self.report.links.pop("on the former host", 0)
        self.report.former_host_links = []

    def _has_expired(self, plan: RecordPlan) -> bool:
        """Whether the former site no longer publishes a page, which is then set aside."""
        ends = plan.schedule.get("expiryDate")
        if not ends or ends > max(self._moment, plan.published or self._moment):
            return False
        self.report.held_back.append((plan.page.source, f"expired on {day(ends)}"))
        self.report.set_aside.append((plan.page.source, f"it expired on {day(ends)}"))
        return True

    def _place(self, plans: list[RecordPlan]) -> None:
        """Give every page its present path."""
        page_slugs = Slugs()
        post_slugs = Slugs()
        for plan in plans:
            own = self._own_name(plan.page)
            name = own or plan.slug_words
            fits = is_slug(name) and name not in ("index", CONTENTS)
            waits = plan.schedule or (plan.published and plan.published > self._moment)
            until = max(filter(None, (plan.published, plan.schedule.get("publishDate"))), default=self._moment)
            if until > self._moment and not plan.draft:
                self.report.held_back.append((plan.page.source, f"scheduled for {day(until)}"))
            # A page has neither a date nor a schedule, and would be public at once.
            plan.is_page = bool((own or plan.page.is_page) and not (plan.draft or waits) and fits)
            if plan.page.is_front and not (plan.draft or waits):
                plan.is_page, plan.slug, plan.public = True, page_slugs.claim("index", key="index"), "/"
                continue
            dated = plan.published.date().isoformat() if plan.published else ""
            folder = plan.page.source.rpartition("/")[0].rpartition("/")[2]
            parts = (f"{folder}-{name}" if folder and slug_for(name) else "", plan.title)
            names = (name, *parts, slug_of_address(plan.page.path))
            slugs = page_slugs if plan.is_page else post_slugs
            plan.slug = slugs.claim(*names, key=plan.page.source, day=dated)
            folder = KIND.name if not plan.is_page else "" if plan.slug in self._own_pages else "pages"
            plan.public = f"/{folder}/{plan.slug}/".replace("//", "/")
        self._present = {plan.public.rstrip("/") for plan in plans}

    def _own_name(self, page: FormerPage) -> str:
        """The page of the archive that has the address of a page at the top of the source; nothing where none has."""
        name = page.path.strip("/")
        top = posixpath.join(self.site.roots[0], name)
        is_top = page.source in (f"{top}.md", f"{top}.markdown", f"{top}/index.md")
        return name if is_top and name in self._own_pages else ""

    def _claim(self, plan: RecordPlan) -> None:
        """Lead the former paths of a page to its present one, where nothing else has them."""
        page = plan.page
        own = [self._prefix + path for path in (page.path, *page.further) if path]
        aliases = [self._prefix + path for path in plan.aliases]  # as paths, they begin below the site's own
        every: dict[str, None] = {}
        for path in (*own, *aliases):
            every.setdefault(path)
            if path.endswith((".html", ".htm")):
                every.setdefault(re.sub(r"(?:/index)?\.html?$", "/", path))
        former = [path for path in every if self._is_free(path, plan)]
        plan.former = [in_address(path) for path in former]
        self._book.add(page, plan.public, [*own, *aliases, *plan.aliases], draft=plan.draft)

    def _is_free(self, path: str, plan: RecordPlan) -> bool:
        bare = path.rstrip("/")
        plain = bare or "/"
        if bare == plan.public.rstrip("/") or not bare:
            return False
        reason = ""
        if self._answers(path):
            reason = f"another page of the archive is there now, and this one is at {plan.public}"
        elif fault := path_fault(path):
            reason = fault
        elif self._claimed.setdefault(plain, plan.page.source) != plan.page.source:
            reason = f"{self._claimed[plain]} has it too"
        if reason:
            self.report.addresses_left_out.append((path, f"{plan.page.source}: {reason}"))
        return not reason

    def _answers(self, path: str) -> bool:
        """Whether a page of the archive or the service itself is at a path, with a closing slash or without."""
        bare = path.rstrip("/")
        return bare in self._present or self._occupied(path) or self._occupied(f"{bare}/") or path in self._static

    def _write(self, plan: RecordPlan) -> None:
        body = self._texts.converted(plan.page, plan.slug, plan.title)
        images = {" ".join(words.split()) for words in _IMAGE.findall(plan.page.body)}
        heading, paragraph, start = opening(body, images=images)
        telling = without_notes(body)
        if telling != body:
            _, paragraph, _ = opening(telling, images=images)
        whole = plan.whole_title or (" ".join(heading.split()) if start else "") or _from_name(plan.page.name)
        title = bounded(whole, TITLE_LENGTH)
        if title != whole:
            self.report.shortened_titles.append((plan.page.source, whole))
        if not plan.title and start:
            body = body[start:].lstrip("\n")
        paragraph = re.sub(r"^\[![A-Z]+\]\s*", "", paragraph)
        plan.title = title
        summary = plan.summary or bounded(paragraph, MAX_SUMMARY_CHARS) or title
        plan.summary_from = "front matter" if plan.summary else "the first paragraph" if paragraph else "the title"
        if len(body.encode()) > BODY_BYTES:
            self.report.set_aside.append((plan.page.source, f"its text has over {BODY_BYTES:,} bytes"))
            return
        if plan.is_page:
            file, front = f"{PAGE_FILES}/{plan.slug}.md", records.page_front(plan, title, summary)
        else:
            file, front = f"{POST_FILES}/{plan.slug}.md", records.front_of(plan, title, summary, self._import_day(plan))
        self.result.files[file] = f"{front}\n{body}\n".encode()
        self.result.plans[file] = plan
        # A page has no aliases and a record no more than these; the rest are redirects, which lead to no draft.
        for path in plan.former if plan.is_page else plan.former[ALIASES:]:
            if plan.draft:
                self.report.addresses_left_out.append(
                    (path, f"{plan.page.source}: a draft has at most {ALIASES} aliases")
                )
            else:
                self._former.lead_page(path, plan.public)

    def _contents(self, plans: Iterable[RecordPlan]) -> SiteContents:
        """The contents of these pages, where the tool has an order that the author declares."""
        layout = self.site.rules.layout if self.site.rules else SiteLayout()
        texts = [
            ordered_text(source, plan.language, plan.title, placing(front), plan.public, layout.original_of(source))
            for plan in plans
            for source, front in [(plan.page.source, plan.page.front)]
            if not (plan.draft or plan.schedule or (plan.published and plan.published > self._moment))
        ]
        return contents_of(layout.arrange, texts)

    def _write_contents(self) -> None:
        """The page of contents."""
        if body := self._contents(self.result.plans.values()).body:
            self.result.files[f"{PAGE_FILES}/{CONTENTS}.md"] = f"---\ntitle: {TITLE}\n---\n\n{body}".encode()

    def _import_day(self, plan: RecordPlan) -> str:
        if plan.published:
            return ""
        source = plan.page.source
        given = self._import_days.get(source) or records.day_of(self._moment)
        self.result.import_days[source] = given
        self.report.undated.append((source, f"{given}: {self._why_undated(plan.page)}"))
        return given

    def _why_undated(self, page: FormerPage) -> str:
        """Why nothing dates a page."""
        unread = next((words for key in DATES if (words := lenient_values.words(page.front.get(key), 80))), "")
        own = f"its date {unread!r} cannot be read" if unread else "its front matter has no date"
        git = "no commit in Git dates it" if self.site.tree.is_folder else "the source is not a folder in Git"
        return f"{own}, there is none in its path or file name, and {git}"

    def _copy(self) -> None:
        for public, file in sorted(self._book.copies.items()):
            if public not in ICONS and (self._occupied(public) or public.rstrip("/") in self._present):
                self.report.addresses_left_out.append((public, f"{file}: the service answers there itself"))
            else:
                self.result.copies[f"static{public}"] = file
                self._static.add(public)

    def _redirect(self) -> None:
        """``redirects.txt``: former paths of pages, redirects of the former site, moved files, lists and feeds."""
        for given, target in sorted(self.site.redirects.items()):
            if end := self._end(target):
                self._former.lead(unquote(given), end)
            else:
                reason = f"it leads to {target}, which is not in the archive"
                self.report.addresses_left_out.append((self._prefix + given, reason))
        for path, public in sorted(self._book.moved()):
            if public in self._static:
                self._former.lead_file(path, public)
        if self._prefix:
            self._former.lead("/", "/")
        posts = sum(not plan.is_page for plan in self.result.plans.values())
        for path, end in sorted(self.site.lists.items()):
            if path.strip("/"):
                self._former.lead_list(path, end, frozenset(self._tags), posts)
        if text := self._former.text():
            self.result.files[REDIRECTS] = text.encode()

    def _end(self, target: str) -> str:
        """Where a redirect of the former site leads now."""
        base = self.site.settings.get("base_url", "")
        path = target.removeprefix(base_of(base)) if base_of(base) else target
        if base_of(path) and not url_fault(path):
            return path  # an address of another site
        for _ in range(10):
            if not path.startswith("/"):
                return ""
            bare = unquote(path.partition("#")[0])
            if page := self._book.page_at(self._prefix + bare) or self._book.page_at(bare):
                return "" if page in self._book.private else page
            if path in self._static or path in ("/", POSTS, PATH):
                return path
            path = self.site.redirects.get(path) or self.site.redirects.get(f"{path}/") or ""
        return ""


def _from_name(name: str) -> str:
    words = strip_date(name).replace("-", " ").replace("_", " ").strip()
    return bounded(words[:1].upper() + words[1:], TITLE_LENGTH) or "Untitled"
