"""Small editions for tests: leaves in a real pack, as the press writes it."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from citepress.base.media import FEED_JSON, FEED_XML, HTML, JSON, MARKDOWN, PLAIN_TEXT, Media
from citepress.contract.cache import Cache
from citepress.contract.site import Site
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import Edition, open_edition
from citepress.edition.leaf import Leaf, Variant
from citepress.edition.publisher import Notes, publish
from citepress.edition.site_config import SiteConfig

BASE = "http://archive.test"
AS_OF = datetime(2026, 3, 2, tzinfo=UTC)
SHELLS = {
    "404.html": (
        b"<!doctype html><title><!--title--></title><h1><!--title--></h1><!--problem--><a href=/llms.txt>llms.txt</a>"
    ),
    "404.md": b"# <!--title-->\n\n<!--problem-->\n\n- [llms.txt](/llms.txt)\n",
}
LONG = "Agents read archives. " * 40


def leaf(path: str, media: Media, body: str, **members: Any) -> Leaf:
    """A leaf of this media type."""
    defaults = {"route": path, "cache": Cache.RECORD, "accepted": media.accepted, **members}
    return Leaf(path=path, kind=media.name, type=media.sent, body=body.encode(), **defaults)


def page(path: str, title: str, *, data: bool = True) -> tuple[Leaf, ...]:
    """A page in its forms: HTML at ``path``, Markdown and (with data) JSON beside it."""
    stem = path.rstrip("/") or "/index"
    forms = [("html", HTML, path), ("markdown", MARKDOWN, stem + ".md")] + (
        [("json", JSON, stem + ".json")] if data else []
    )
    variants = tuple(Variant(form, media.accepted, at) for form, media, at in forms)
    bodies = {
        "html": f"<h1>{title}</h1><p>{LONG}</p>",
        "markdown": f"# {title}\n\n{LONG}\n",
        "json": f'{{"title":"{title}","text":"{LONG}"}}\n',
    }
    return tuple(
        leaf(
            at,
            media,
            bodies[form],
            variants=variants if form == "html" else (),
            title=title if form == "html" else "",
            canonical=stem[1:],
        )
        for form, media, at in forms
    )


def moved(path: str, to: str) -> Leaf:
    """An alias."""
    return leaf(path, HTML, "", status=308, location=to)


def withdrawn(path: str, media: Media, reason: str, successor: str = "") -> Leaf:
    """A record that was taken back."""
    return leaf(path, media, reason, status=410, location=successor)


def archive() -> tuple[Leaf, ...]:
    """Three records, an index, feeds, guides, an alias and a withdrawn record."""
    return (
        *page("/", "Home", data=False),
        *page("/posts/x/", "Post X"),
        *page("/posts/y/", "Post Y"),
        leaf("/posts.json", JSON, f'{{"items":[],"about":"{LONG}"}}'),
        leaf("/page-readership/posts/x.json", JSON, '{"path":"posts/x"}', cache=Cache.LIVE),
        leaf("/feed.json", FEED_JSON, '{"version":"https://jsonfeed.org/version/1.1"}'),
        leaf("/rss.xml", FEED_XML, "<rss/>"),
        leaf("/robots.txt", PLAIN_TEXT, "User-agent: *\n"),
        leaf("/llms.txt", PLAIN_TEXT, LONG),
        moved("/posts/old/", "/posts/x/"),
        *(
            withdrawn(
                f"/posts/replaced{end}",
                media,
                "posts/replaced was withdrawn on 2026-02-01. A better one stands.",
                "/posts/x/",
            )
            for end, media in (("/", HTML), (".md", MARKDOWN), (".json", JSON))
        ),
        *(
            withdrawn(f"/posts/gone{end}", media, "The author withdrew it.")
            for end, media in (("/", HTML), (".md", MARKDOWN), (".json", JSON))
        ),
    )


def site_config(*, base_url: str = BASE, drafts: bool = False, **settings: Any) -> SiteConfig:
    """The configuration of a site with these settings of ``site.toml``."""
    patterns = settings.pop("deprecated_paths", {})
    rows = [{"reason": "It moved.", **row} for row in settings.pop("deprecations", [])]
    site = Site(base_url=base_url, deprecations=rows, **settings)
    return SiteConfig(
        publication=site.publication,
        as_of=AS_OF,
        owner="Owner",
        deprecated_paths=patterns,
        drafts=drafts,
    )


def printed(state: Path, leaves: Iterable[Leaf] = (), **settings: Any) -> Path:
    """Print an edition of these leaves under a state folder; its pointer file."""
    whole = tuple(leaves) or archive()
    works = [
        RenderUnit(hashlib.blake2b(repr(item).encode(), digest_size=16).digest(), partial(tuple, [item]))
        for item in whole
    ]
    return publish(works, state / "edition", Notes(site_config(**settings), SHELLS), {}).pointer


def edition(state: Path, leaves: Iterable[Leaf] = (), **settings: Any) -> Edition:
    """An edition of these leaves, opened."""
    return open_edition(printed(state, leaves, **settings))
