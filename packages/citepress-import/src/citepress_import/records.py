"""A former page as a record: its members, its dates and its front matter."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from urllib.parse import unquote

import yaml

from citepress.base.text import bounded
from citepress.base.timestamps import day
from citepress.content import raw_html
from citepress.content.git_dates import Committed
from citepress.content.written_dates import moment_of
from citepress.contract.record import AUTHOR_LENGTH, TITLE_LENGTH
from citepress_import.former_site import FormerPage
from citepress_import.moments import write_moment
from citepress_import.report import ImportReport
from citepress_notes import lenient_values
from citepress_notes.usual_keys import (
    ALIASES,
    FORMER,
    MAX_SUMMARY_CHARS,
    SAME,
    TAGGED,
    WRITTEN_BY,
    adapted,
    authors_in,
    find_date,
    former_paths,
    strip_date,
)

TAKEN = frozenset({"title", "date", "lastmod", "summary", "language", "publishDate", "expiryDate", "tags", "aliases"})
"""Members that ``adapted`` gives and that a record has."""
READ = frozenset(
    key.lower()
    for key in (
        *(name for names in SAME.values() for name in names),
        *TAGGED,
        *FORMER,
        *WRITTEN_BY,
        *("title", "slug", "draft", "taxonomies", "unlisted", "private"),
    )
)
"""Keys that are mapped, in lower case."""
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
MAX_KEY_CHARS = 200
EXTRA_BYTES = 65_536
WHOLE_TITLE = 2_000
"""Characters of a title that the report repeats."""
CHANGED = "Changed on the former site, which does not say what."
"""The note on the last change that a former site names."""


@dataclass
class RecordPlan:
    """A former page on its way to a record."""

    page: FormerPage
    title: str
    whole_title: str
    """As the former site has it, however long."""
    summary: str
    """As its author wrote it; empty where the text opens with it."""
    published: datetime | None
    dated_by: str
    changed: datetime | None
    draft: bool
    tags: list[str]
    language: str
    translation_key: str
    """What it shares with its translations; empty where it has none."""
    authors: list[dict[str, str]]
    schedule: dict[str, datetime]
    extra: dict[str, Any]
    aliases: list[str]
    """Decoded."""
    slug_words: str
    slug: str = ""
    public: str = ""
    """The path that it has in the archive."""
    is_page: bool = False
    former: list[str] = field(default_factory=list)
    """Former paths that lead here."""
    summary_from: str = ""
    """What gives the summary, for the report."""


def plan_record(page: FormerPage, committed: Committed | None, report: ImportReport, zone: str = "") -> RecordPlan:
    """What the front matter of a page gives a record; counts what became of each key.

    ``zone`` is that of hours without an offset.
    """
    front = dict(page.front)
    members = adapted(front, paths=page.toml, zone=zone).members
    published, dated_by = _published(page, front, members, committed)
    changed = moment_of(members.get("lastmod"))
    if changed is None and dated_by == "Git" and committed:
        changed = committed.last
    if changed and published and changed.date() <= published.date():
        changed = None
    schedule = {key: moment for key in ("publishDate", "expiryDate") if (moment := moment_of(members.get(key)))}
    language = lenient_values.words(members.get("language"), 35).replace("_", "-")
    extra = _extra(front, members)
    whole_title = _without_tags(lenient_values.words(front.get("title"), WHOLE_TITLE))
    _count(front, extra, report)
    return RecordPlan(
        page=page,
        title=bounded(whole_title, TITLE_LENGTH),
        whole_title=" ".join(whole_title.split()),
        summary=bounded(_without_tags(str(members.get("summary") or "")), MAX_SUMMARY_CHARS),
        published=published,
        dated_by=dated_by,
        changed=changed,
        draft=lenient_values.is_true(front.get("draft")),
        tags=[tag for tag in _list(members.get("tags")) if isinstance(tag, str)],
        language=language if LANGUAGE.fullmatch(language) else "",
        translation_key=lenient_values.words(members.get("translationKey"), MAX_KEY_CHARS),
        authors=_authors(front),
        schedule=schedule,
        extra=extra,
        aliases=[unquote(path) for path in former_paths(front, paths=page.toml)],
        slug_words=lenient_values.words(front.get("slug")) or strip_date(page.name),
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _without_tags(text: str) -> str:
    return raw_html.without_tags(text) if "<" in text or "&" in text else text


def _published(
    page: FormerPage, front: Mapping[str, object], members: Mapping[str, object], committed: Committed | None
) -> tuple[datetime | None, str]:
    """The date of first publication, and what gives it."""
    if moment := moment_of(members.get("date")):
        return moment, "front matter"
    for path in (find_date(front, page.source), find_date({"path": page.path}, "")):
        if path and (moment := moment_of(path)):
            return moment, "path or file name"
    if committed:
        return committed.first, "Git"
    if moment := moment_of(members.get("lastmod")):
        return moment, "last change"
    return None, "the day of the import"


def _authors(front: Mapping[str, object]) -> list[dict[str, str]]:
    """Names and addresses of the authors, once each."""
    taxonomies, extra = lenient_values.table(front.get("taxonomies")), lenient_values.table(front.get("extra"))
    values = [front.get("authors"), front.get("author"), taxonomies.get("authors"), extra.get("authors")]
    given = next((value for value in (*values, extra.get("author")) if value), None)
    authors: dict[str, dict[str, str]] = {}
    given = [
        author
        for item in lenient_values.items(given)
        for author in (authors_in(item) if isinstance(item, str) else [item])
    ]
    for item in given:
        about = item if isinstance(item, Mapping) else {"name": item}
        name = lenient_values.words(about.get("name") or about.get("title"), AUTHOR_LENGTH)
        url = lenient_values.words(about.get("url") or about.get("link") or about.get("website"))
        if name:
            authors.setdefault(name, {"name": name} | ({"url": url} if re.match(r"https?://\S+$", url) else {}))
    return list(authors.values())[:20]


def _extra(front: Mapping[str, object], members: Mapping[str, object]) -> dict[str, Any]:
    """Keys that no member of a record stands for, as plain values."""
    own = front.get("extra")
    rest = {key: value for key, value in front.items() if key.lower() not in READ and key != "extra"}
    if isinstance(own, Mapping):
        rest |= {str(key): value for key, value in own.items() if key not in ("author", "authors")}
    plain = {
        key: value
        for key, value in rest.items()
        if value not in (None, "", [], {}) and key not in members.keys() & TAKEN
    }
    return json.loads(json.dumps(plain, default=str)) if len(json.dumps(plain, default=str)) < EXTRA_BYTES else {}


def _count(front: Mapping[str, object], extra: Mapping[str, object], report: ImportReport) -> None:
    for key, value in front.items():
        if value in (None, "", [], {}):
            report.keys[key, "empty"] += 1
        elif key.lower() in READ:
            report.keys[key, "mapped"] += 1
        else:
            report.keys[key, "under extra, not published" if extra else "left out"] += 1


def front_of(plan: RecordPlan, title: str, summary: str, day_of_import: str) -> str:
    """The front matter of a record as YAML, between its lines."""
    published = write_moment(plan.published) if plan.published else date.fromisoformat(day_of_import)
    members: dict[str, Any] = {"title": title, "date": published, "summary": summary}
    if plan.authors:
        members["authors"] = plan.authors
    if plan.draft:
        members["draft"] = True
    members |= {key: write_moment(moment) for key, moment in plan.schedule.items()}
    if plan.language:
        members["language"] = plan.language
    if plan.translation_key:
        members["translationKey"] = plan.translation_key
    if plan.tags:
        members["tags"] = plan.tags
    if plan.former:
        members["aliases"] = plan.former[:ALIASES]
    if plan.changed:
        members["updates"] = [{"date": write_moment(plan.changed), "note": CHANGED}]
    if plan.extra:
        members["extra"] = plan.extra
    return _yaml(members)


def page_front(plan: RecordPlan, title: str, summary: str) -> str:
    """The front matter of a page as YAML, between its lines."""
    members: dict[str, Any] = {"title": title, "summary": summary}
    if plan.changed or plan.published:
        members["lastmod"] = write_moment(plan.changed or plan.published)  # type: ignore[arg-type]
    return _yaml(members)


def _yaml(members: Mapping[str, Any]) -> str:
    text = yaml.dump(members, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{text}---\n"


def day_of(moment: datetime) -> str:
    """The day of an import, for pages that nothing dates."""
    return day(moment)
