"""Links of a text to other sites as sources of role ``mentioned``: which of them count, and under which words."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from citepress.archive.model import MENTIONED, Citation, SourceEntry
from citepress.archive.origins import Origins
from citepress.base.public_urls import refuse_private
from citepress.base.urls import UrlError, host_of, normalise, opened, variants
from citepress.content.external_links import ExternalLink
from citepress.contract.record import Mention
from citepress.contract.site import Site

_normal = lru_cache(maxsize=16_384)(normalise)
ONION = ".onion"
"""End of the names of hosts that only readers with software of its own can reach."""


@dataclass(frozen=True, slots=True)
class MentionRules:
    """Which links of texts are mentions, as the settings of the site say."""

    own_host: str
    """The host of the site, without ``www.``."""
    allow: tuple[str, ...]
    """Hosts, or beginnings of addresses below them; all where there are none."""
    deny: tuple[str, ...]
    limit: int
    """Mentions of one record."""

    @classmethod
    def of(cls, site: Site) -> "MentionRules":
        """The rules of a site."""
        host = host_of(normalise(site.base_url))
        own = site.mentions
        return cls(host.removeprefix("www."), tuple(own.allow), tuple(own.deny), own.limit)

    def take(self, url: str) -> bool:
        """Whether a link to a normalised address is a mention."""
        path = url.split("/", 3)[3]
        host = host_of(url)
        return (
            host.removeprefix("www.") != self.own_host
            and _public(host)
            and (not self.allow or _matched(host, path, self.allow))
            and not (self.deny and _matched(host, path, self.deny))
        )


def _matched(host: str, path: str, places: tuple[str, ...]) -> bool:
    """Whether an address lies at one of the places: on the host or below it, and under the path."""
    for place in places:
        name, _, beginning = place.partition("/")
        below = host == name or host.endswith(f".{name}")
        if below and (not beginning or path == beginning or path.startswith(f"{beginning.rstrip('/')}/")):
            return True
    return False


@lru_cache(maxsize=65_536)
def _public(host: str) -> bool:
    """Whether readers can reach a host."""
    try:
        refuse_private(f"https://[{host}]/" if ":" in host else f"https://{host}/")
    except UrlError:
        return False
    return not host.endswith(ONION)


def mentions_of(
    links: Collection[ExternalLink], rules: MentionRules, origins: Origins, cited: Collection[str]
) -> tuple[Mention, ...]:
    """The mentions of a text in its order, each address once; ``cited`` are the addresses of its record's sources."""
    mentions: dict[str, Mention] = {}
    for link in links:
        try:
            url = _normal(link.href)
        except UrlError:
            continue
        if url in cited or not rules.take(url) or (cited and any(other in cited for other in variants(url))):
            continue
        if earlier := mentions.get(url):
            if not earlier.title:
                mentions[url] = earlier.model_copy(update={"title": link.words})
        elif len(mentions) < rules.limit:
            mentions[url] = Mention(
                url=opened(link.href), normalized_url=url, title=link.words, origin=origins.of(url).id
            )
    return tuple(mentions.values())


def title_mention(mention: Mention) -> Mention:
    """A mention as it is published: under its words, or its host where it has none."""
    return mention if mention.title else mention.model_copy(update={"title": host_of(mention.normalized_url)})


def led(
    mentions: tuple[Mention, ...], aliases: Mapping[str, str], origins: Origins, cited: Collection[str]
) -> tuple[Mention, ...]:
    """The mentions of a record that cites these addresses, those of other addresses of a source as of the source."""
    if not aliases or aliases.keys().isdisjoint(mention.normalized_url for mention in mentions):
        return mentions
    by_url: dict[str, Mention] = {}
    for mention in mentions:
        url = aliases.get(mention.normalized_url, mention.normalized_url)
        if url in cited:
            continue
        source = mention.model_copy(update={"normalized_url": url, "origin": origins.of(url).id})
        by_url.setdefault(url, source)
    return tuple(by_url.values())


def as_entry(record: str, mention: Mention) -> SourceEntry:
    """A mention as the ledger would hold it if nothing else named its address."""
    citation = Citation(record, "", mention.url, MENTIONED, None, ())
    return SourceEntry(
        mention.normalized_url, mention.url, mention.title, None, mention.origin, None, MENTIONED, (), (citation,)
    )


def joined_mentions(source: SourceEntry | None, mentions: list[SourceEntry], title: str) -> SourceEntry:
    """A source with the records that only link to it, the newest first; ``title`` is one given elsewhere.

    Nothing about a source that a record cites follows from its mentions.
    """
    words = title or next((mention.title for mention in mentions if mention.title), "") or host_of(mentions[0].url)
    base = source or replace(mentions[0], title=words, citations=())
    every = (*base.citations, *(citation for mention in mentions for citation in mention.citations))
    return replace(base, citations=tuple(sorted(every, key=lambda citation: citation.record)))
