"""A record as a schema.org object: what it is, who made it and how, and under which policies."""

from collections.abc import Iterable, Mapping

from citepress.archive.model import Archive, Entry
from citepress.base.timestamps import UNKNOWN, rfc3339
from citepress.contract.citation import DOI_RESOLVER, license_url, person
from citepress.contract.page import Link
from citepress.contract.record import Record
from citepress.contract.site import Site

ORGANIZATION = "Organization"
SOURCE_TYPES = {
    "ai_assisted": "CompositeWithTrainedAlgorithmicMediaDigitalSource",
    "ai_generated": "TrainedAlgorithmicMediaDigitalSource",
}
"""schema.org's words for texts that AI took part in; it has none for the others."""


def linked_data(entry: Entry, archive: Archive, topics: Iterable[Link]) -> Mapping[str, object]:
    """The record as a schema.org object."""
    record, site, owner = entry.record, archive.site, archive.owner
    publisher = {"@type": owner.type, "@id": site.url("/#owner"), "name": owner.name, "url": site.url("/")}
    publisher |= policies(site, owner.type)
    licence, writers = license_url(record.license), [person(a) for a in record.authors if a.role == "author"]
    linked: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": entry.kind.linked_type,
        "@id": record.canonical_url,
        "headline": record.title,
        "description": record.summary,
        "url": record.canonical_url,
        "mainEntityOfPage": record.canonical_url,
        "inLanguage": record.language,
        **_dates(record),
        "author": writers or publisher,
        "publisher": publisher,
        "version": str(record.revision),
        **policies(site, ""),
        **_source_type(record),
        "isPartOf": {"@type": "WebSite", "@id": site.url("/#site"), "name": site.title, "url": site.url("/")},
    }
    for role in ("editor", "translator", "contributor"):
        if others := [person(author) for author in record.authors if author.role == role]:
            linked[role] = others
    if licence:
        linked["license"] = licence
    if record.translations:
        linked["workTranslation"] = [{"@id": text.url} for text in record.translations if text.id != record.id]
    if record.doi:
        linked |= {"identifier": DOI_RESOLVER + record.doi, "sameAs": DOI_RESOLVER + record.doi}
    if record.tags:
        linked["keywords"] = list(record.tags)
    if record.topics:
        linked["about"] = [{"@type": "Thing", "name": link.text, "url": site.url(link.href)} for link in topics]
    if record.source_urls:
        linked["citation"] = list(record.source_urls)
    return linked


def _dates(record: Record) -> dict[str, str]:
    dates = {"datePublished": record.published_at, "dateModified": record.updated_at}
    return {name: rfc3339(moment) for name, moment in dates.items() if moment != UNKNOWN}


def policies(site: Site, owner: str) -> dict[str, str]:
    """The policies of the publication as schema.org members of a work, or of an owner of this type."""
    switches = site.declarations
    declared = {"publishingPrinciples": switches.publishing_principles}
    if owner == ORGANIZATION:
        declared["correctionsPolicy"] = switches.corrections_policy
    return {name: site.url(place) if place[0] == "/" else place for name, place in declared.items() if place}


def _source_type(record: Record) -> dict[str, str]:
    """How the text was made as schema.org says it, which has a word only for what AI took part in."""
    word = SOURCE_TYPES.get(record.made_with or "")
    return {"digitalSourceType": f"https://schema.org/{word}"} if word else {}
