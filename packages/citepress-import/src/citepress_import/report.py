"""What an import did: everything that was mapped, left and dropped, with counts; as Markdown and as JSON."""

from collections import Counter
from dataclasses import dataclass, field

from citepress.base.text import counted
from citepress.content.held_back import HeldBack
from citepress.content.privacy_rules import Fate

MAX_LISTED_ROWS = 200
"""Rows of a list in the report; its count is always whole."""
Rows = list[tuple[str, str]]


@dataclass
class ImportReport:
    """The counts and lists of one import."""

    format: str = ""
    source: str = ""
    pages_read: int = 0
    posts_written: int = 0
    pages_written: int = 0
    drafts: int = 0
    set_aside: Rows = field(default_factory=list)
    """What was not published, and why."""
    held_back: Rows = field(default_factory=list)
    """What is not public in the former tool, and why: it is a draft now, or set aside."""
    repaired: Rows = field(default_factory=list)
    """Files that were read after a repair."""
    keys: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Keys of front matter, and what became of them."""
    undated: Rows = field(default_factory=list)
    """Posts that have the day of the import for a date, with the day and the reason."""
    long_titles: Rows = field(default_factory=list)
    """Pages whose titles are longer than a title may be, with the whole title."""
    dates: Counter[str] = field(default_factory=Counter)
    """Where the dates of first publication come from."""
    summaries: Counter[str] = field(default_factory=Counter)
    """Where the summaries come from."""
    shortcodes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Shortcodes and template tags, and what became of them."""
    html: Counter[str] = field(default_factory=Counter)
    """Elements of HTML that were left out."""
    links: Counter[str] = field(default_factory=Counter)
    """Links by what they lead to."""
    dead_links: Rows = field(default_factory=list)
    """Links that lead nowhere, which became text, with their pages."""
    former_host_links: Rows = field(default_factory=list)
    """Links to whole addresses of the former host that nothing in the source answers, with their pages."""
    images: Counter[str] = field(default_factory=Counter)
    missing_images: Rows = field(default_factory=list)
    """Images that are not in the source, with their pages."""
    aliases: int = 0
    redirects: int = 0
    addresses: Rows = field(default_factory=list)
    """Former paths that cannot be led to their page, and why."""
    edited: list[str] = field(default_factory=list)
    """Files that were edited since the last import, or that it never wrote, and that stay as they are."""
    removed: list[str] = field(default_factory=list)
    """Files of the last import whose source is gone."""
    unchanged: int = 0
    written: int = 0
    warnings: Counter[str] = field(default_factory=Counter)
    """Warnings of ``check`` by code."""
    errors: Rows = field(default_factory=list)
    """Errors of ``check`` in files that the import does not own."""
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The report as JSON values; lists are whole."""
        return {
            "format": self.format,
            "source": self.source,
            "pages_read": self.pages_read,
            "posts_written": self.posts_written,
            "pages_written": self.pages_written,
            "drafts": self.drafts,
            "aliases": self.aliases,
            "redirects": self.redirects,
            "files": {"written": self.written, "unchanged": self.unchanged},
            "set_aside": _named(self.set_aside, "source", "reason"),
            "held_back": _named(self.held_back, "source", "reason"),
            "repaired": _named(self.repaired, "source", "repair"),
            "keys": _counted(self.keys, "key"),
            "undated": _named(self.undated, "source", "reason"),
            "shortened_titles": _named(self.long_titles, "source", "title"),
            "dates": dict(sorted(self.dates.items())),
            "summaries": dict(sorted(self.summaries.items())),
            "shortcodes": _counted(self.shortcodes, "name"),
            "html_left_out": dict(sorted(self.html.items())),
            "links": dict(sorted(self.links.items())),
            "dead_links": _named(self.dead_links, "source", "address"),
            "former_host_links": _named(self.former_host_links, "source", "address"),
            "images": dict(sorted(self.images.items())),
            "missing_images": _named(self.missing_images, "source", "address"),
            "addresses_left_out": _named(self.addresses, "path", "reason"),
            "edited": self.edited,
            "removed": self.removed,
            "warnings": dict(sorted(self.warnings.items())),
            "errors": _named(self.errors, "file", "message"),
            "notes": self.notes,
        }

    def as_markdown(self) -> str:
        """The report for people."""
        parts = [f"# Import of {self.source} ({self.format})\n", *self._counts()]
        tables = (
            ("Set aside", self.set_aside),
            ("Held back, because the former site does not publish it", self.held_back),
            ("Read after a repair", self.repaired),
            ("Posts with the day of the import for a date", self.undated),
            ("Titles that were shortened", self.long_titles),
            ("Links that lead nowhere, now text", self.dead_links),
            ("Links to the former host, not in the source", self.former_host_links),
            ("Images that are not there, now their words", self.missing_images),
            ("Former addresses left out", self.addresses),
            ("Errors of `check`", self.errors),
        )
        parts += [_section(title, rows) for title, rows in tables if rows]
        counters = (
            ("Keys of front matter", {f"`{key}`: {fate}": count for (key, fate), count in self.keys.items()}),
            ("Dates of publication", self.dates),
            ("Summaries", self.summaries),
            ("Shortcodes", {f"`{name}`: {fate}": count for (name, fate), count in self.shortcodes.items()}),
            ("HTML left out", {f"`<{name}>`": count for name, count in self.html.items()}),
            ("Links", self.links),
            ("Images", self.images),
            ("Warnings of `check`", self.warnings),
        )
        parts += [_tally(title, counts) for title, counts in counters if counts]
        lists = (("Files left as they are", self.edited), ("Files removed", self.removed), ("Notes", self.notes))
        parts += [f"## {title}\n\n" + "".join(f"- {line}\n" for line in lines) for title, lines in lists if lines]
        return "\n".join(parts)

    def hold(self, source: str, held: HeldBack) -> bool:
        """Note that a page is held back; whether it is left out, and no draft."""
        reason = (
            held.reason if not held.is_doubtful else f"{held.reason} looks private; take draft: true away to publish it"
        )
        self.held_back.append((source, reason))
        if held.fate is Fate.LEFT:
            self.set_aside.append((source, f"the former site does not publish it ({held.reason})"))
        return held.fate is Fate.LEFT

    def summary(self) -> str:
        """A line on the whole."""
        return (
            f"{self.pages_read:,} read: {counted(self.posts_written, 'post')}, {counted(self.pages_written, 'page')}, "
            f"{self.drafts:,} of them drafts; {len(self.set_aside):,} set aside; "
            f"{self.aliases + self.redirects:,} former addresses, {counted(sum(self.images.values()), 'image')}, "
            f"{counted(len(self.dead_links), 'dead link')}; {counted(self.written, 'file')} written, "
            f"{self.unchanged:,} unchanged, "
            f"{len(self.removed)} removed, {len(self.edited)} left as they are"
        )

    def _counts(self) -> list[str]:
        return [f"- {part.strip()}\n" for part in self.summary().split(";")]


def _named(rows: Rows, first: str, second: str) -> list[dict[str, str]]:
    return [{first: left, second: right} for left, right in rows]


def _counted(counts: Counter[tuple[str, str]], name: str) -> list[dict[str, object]]:
    return [{name: key, "result": fate, "count": count} for (key, fate), count in sorted(counts.items())]


def _section(title: str, rows: Rows) -> str:
    lines = [f"- `{source}`: {what}\n" for source, what in rows[:MAX_LISTED_ROWS]]
    more = f"- and {len(rows) - MAX_LISTED_ROWS} more\n" if len(rows) > MAX_LISTED_ROWS else ""
    return f"## {title} ({len(rows)})\n\n{''.join(lines)}{more}"


def _tally(title: str, counts: "Counter[str] | dict[str, int]") -> str:
    lines = [f"- {name}: {count}\n" for name, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]
    return f"## {title}\n\n{''.join(lines)}"
