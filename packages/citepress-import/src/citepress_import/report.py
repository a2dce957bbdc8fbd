"""What an import did: everything that was mapped, left and dropped, with counts; as Markdown and as JSON."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from citepress.base.text import counted
from citepress_notes.held_back import HeldBack
from citepress_notes.privacy_rules import PASSED_OVER, Fate

MAX_LISTED_ROWS = 200
"""Rows of a list in the report; its count is always whole."""
Rows = list[tuple[str, str]]


def _pairs(title: str, second: str, first: str = "source") -> dict[str, Any]:
    """Of a list of pairs: its title for people, and its members in JSON."""
    return {"title": title, "members": (first, second)}


def _counts(title: str, shown: str = "{}") -> dict[str, Any]:
    """Of a counter of words: how people are shown one."""
    return {"title": title, "shown": shown}


def _fates(title: str, member: str) -> dict[str, Any]:
    """Of a counter of words with what became of them: what JSON calls one."""
    return {"title": title, "fate_of": member}


@dataclass
class ImportReport:
    """The counts and lists of one import, in the order in which JSON and Markdown have them."""

    format: str = ""
    source: str = ""
    pages_read: int = 0
    posts_written: int = 0
    pages_written: int = 0
    drafts: int = 0
    aliases: int = 0
    redirects: int = 0
    files: Counter[str] = field(default_factory=lambda: Counter(written=0, unchanged=0))
    set_aside: Rows = field(default_factory=list, metadata=_pairs("Set aside", "reason"))
    """What was not published, and why."""
    held_back: Rows = field(
        default_factory=list, metadata=_pairs("Held back, because the former site does not publish it", "reason")
    )
    """What is not public in the former tool, and why: it is a draft now, or set aside."""
    passed_over: Rows = field(default_factory=list, metadata=_pairs("Passed over", "reason"))
    """Pages that hold nothing to publish, and why."""
    sources: Rows = field(
        default_factory=list, metadata=_pairs("Every file of the source", "outcome") | {"whole": True}
    )
    """Each file of the source once, with what became of it."""
    repaired: Rows = field(default_factory=list, metadata=_pairs("Read after a repair", "repair"))
    """Files that were read after a repair."""
    keys: Counter[tuple[str, str]] = field(default_factory=Counter, metadata=_fates("Keys of front matter", "key"))
    """Keys of front matter, and what became of them."""
    undated: Rows = field(
        default_factory=list, metadata=_pairs("Posts with the day of the import for a date", "reason")
    )
    """Posts that have the day of the import for a date, with the day and the reason."""
    shortened_titles: Rows = field(default_factory=list, metadata=_pairs("Titles that were shortened", "title"))
    """Pages whose titles are longer than a title may be, with the whole title."""
    dates: Counter[str] = field(default_factory=Counter, metadata=_counts("Dates of publication"))
    """Where the dates of first publication come from."""
    summaries: Counter[str] = field(default_factory=Counter, metadata=_counts("Summaries"))
    """Where the summaries come from."""
    shortcodes: Counter[tuple[str, str]] = field(default_factory=Counter, metadata=_fates("Shortcodes", "name"))
    """Shortcodes and template tags, and what became of them."""
    html_left_out: Counter[str] = field(default_factory=Counter, metadata=_counts("HTML left out", "`<{}>`"))
    """Elements of HTML that were left out."""
    links: Counter[str] = field(default_factory=Counter, metadata=_counts("Links"))
    """Links by what they lead to."""
    dead_links: Rows = field(default_factory=list, metadata=_pairs("Links that lead nowhere, now text", "address"))
    """Links that lead nowhere, which became text, with their pages."""
    former_host_links: Rows = field(
        default_factory=list, metadata=_pairs("Links to the former host, not in the source", "address")
    )
    """Links to whole addresses of the former host that nothing in the source answers, with their pages."""
    images: Counter[str] = field(default_factory=Counter, metadata=_counts("Images"))
    missing_images: Rows = field(
        default_factory=list, metadata=_pairs("Images that are not there, now their words", "address")
    )
    """Images that are not in the source, with their pages."""
    addresses_left_out: Rows = field(
        default_factory=list, metadata=_pairs("Former addresses left out", "reason", "path")
    )
    """Former paths that cannot be led to their page, and why."""
    edited: list[str] = field(default_factory=list, metadata={"title": "Files left as they are"})
    """Files that were edited since the last import, or that it never wrote, and that stay as they are."""
    removed: list[str] = field(default_factory=list, metadata={"title": "Files removed"})
    """Files of the last import whose source is gone."""
    warnings: Counter[str] = field(default_factory=Counter, metadata=_counts("Warnings of `check`"))
    """Warnings of ``check`` by code."""
    errors: Rows = field(default_factory=list, metadata=_pairs("Errors of `check`", "message", "file"))
    """Errors of ``check`` in files that the import does not own."""
    notes: list[str] = field(default_factory=list, metadata={"title": "Notes"})

    def as_json(self) -> dict[str, object]:
        """The report as JSON values; lists are whole."""
        return {place.name: _plain(getattr(self, place.name), place.metadata) for place in fields(self)}

    def as_markdown(self) -> str:
        """The report for people: lists of pairs, then counters, then lines."""
        parts = [
            f"# Import of {self.source} ({self.format})\n",
            *(f"- {part.strip()}\n" for part in self.summary().split(";")),
        ]
        shown = [(place.metadata, getattr(self, place.name)) for place in fields(self) if "title" in place.metadata]
        parts += [
            _section(kind["title"], value, whole="whole" in kind)
            for kind, value in shown
            if value and "members" in kind
        ]
        parts += [_tally(kind, value) for kind, value in shown if value and isinstance(value, Counter)]
        lists = [(kind["title"], value) for kind, value in shown if value and kind.keys() == {"title"}]
        parts += [f"## {title}\n\n" + "".join(f"- {line}\n" for line in lines) for title, lines in lists]
        return "\n".join(parts)

    def pass_over(self, source: str, reason: str) -> None:
        """Note that a file is not imported because it holds nothing of its own to publish."""
        self.passed_over.append((source, reason))

    def hold(self, source: str, held: HeldBack) -> bool:
        """Note that a page is held back; whether it is left out, and no draft."""
        if held.rule in PASSED_OVER:
            self.pass_over(source, held.reason)
            return True
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
            f"{counted(len(self.dead_links), 'dead link')}; {counted(self.files['written'], 'file')} written, "
            f"{self.files['unchanged']:,} unchanged, "
            f"{len(self.removed)} removed, {len(self.edited)} left as they are"
        )


def _plain(value: Any, kind: Mapping[str, Any]) -> object:  # noqa: ANN401  (any member)
    """A member as JSON has it."""
    if "members" in kind:
        return [dict(zip(kind["members"], row, strict=True)) for row in value]
    if "fate_of" in kind:
        return [{kind["fate_of"]: key, "result": fate, "count": count} for (key, fate), count in sorted(value.items())]
    return dict(sorted(value.items())) if "shown" in kind else value


def _section(title: str, rows: Rows, *, whole: bool) -> str:
    most = len(rows) if whole else MAX_LISTED_ROWS
    lines = [f"- `{source}`: {what}\n" for source, what in rows[:most]]
    more = f"- and {len(rows) - most} more\n" if len(rows) > most else ""
    return f"## {title} ({len(rows)})\n\n{''.join(lines)}{more}"


def _tally(kind: Mapping[str, Any], counts: Counter[Any]) -> str:
    shown = (lambda key: "`{}`: {}".format(*key)) if "fate_of" in kind else kind["shown"].format
    rows = [(shown(key), count) for key, count in counts.items()]
    lines = [f"- {name}: {count}\n" for name, count in sorted(rows, key=lambda row: (-row[1], row[0]))]
    return f"## {kind['title']}\n\n{''.join(lines)}"
