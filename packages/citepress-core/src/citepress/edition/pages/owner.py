"""The owner's profile: who publishes the archive, as a page, as JSON-LD and as Markdown, and where to find each."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from citepress.base.ids import twin
from citepress.base.media import JSON
from citepress.base.timestamps import day, rfc3339
from citepress.contract.document import Document, Output, Pages, Section
from citepress.contract.model import Model, Moment
from citepress.contract.page import Block, Facts, Item, Items, Link, Page, Prose
from citepress.contract.site import OWNER_PAGE
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.render_context import RenderContext, single
from citepress.kinds.parts import fact, facts

OWNER_PATH = OWNER_PAGE
_SHORT = 10
"""Characters of a plain date."""


class ProfileRole(Model):
    """A position that the owner held or holds."""

    title: str
    """What it is called."""
    organization: str | None
    """Where."""
    start: Moment | None
    """First day."""
    end: Moment | None
    """Last day; null while it lasts."""
    description: str | None
    """What it consists of."""


class ProfileWork(Model):
    """Something that the owner made."""

    title: str
    """Its name."""
    url: str | None
    """Where to find it."""
    description: str | None
    """What it is."""


class ProfileLink(Model):
    """Another page of the owner."""

    title: str
    """What it is."""
    url: str
    """Its address."""


class ProfileContact(Model):
    """How the owner can be reached."""

    email: str | None
    """Mail address."""
    url: str | None
    """Address of a page or form."""
    note: str | None
    """How to make contact, in a sentence."""


class OwnerCareerProfile(Model):
    """Who publishes the archive; the members of schema.org make it JSON-LD of a ProfilePage."""

    linked_context: str = Field(alias="@context")
    """The vocabulary of the JSON-LD members."""
    linked_type: Literal["ProfilePage"] = Field(alias="@type")
    """A page about its main entity."""
    linked_id: str = Field(alias="@id")
    """Canonical address of the profile."""
    schema_version: int
    """Version of this document's schema."""
    name: str
    """Name of the owner."""
    owner_type: Literal["Person", "Organization"]
    """Person or Organization."""
    headline: str
    """What they do, in a line."""
    description: str
    """What they do, in a few sentences."""
    url: str
    """Canonical address of the profile."""
    markdown_url: str
    """Its Markdown twin."""
    json_url: str
    """This document."""
    date_modified: Moment = Field(alias="dateModified")
    """The newest record date of the archive."""
    founded: Moment | None
    """When the organisation was founded, if stated."""
    expertise: list[str]
    """Fields of knowledge."""
    roles: list[ProfileRole]
    """Positions, newest first."""
    works: list[ProfileWork]
    """Works."""
    links: list[ProfileLink]
    """Further pages."""
    contact: ProfileContact | None
    """How the owner can be reached."""
    body_markdown: str
    """The profile's text, as CommonMark."""
    main_entity: dict[str, Any] = Field(alias="mainEntity")
    """The owner in the words of schema.org."""
    has_part: list[dict[str, Any]] = Field(alias="hasPart")
    """Works, in the words of schema.org."""


class ProfileForm(Model):
    """A form of the profile."""

    type: str
    """Media type."""
    url: str
    """Its address."""
    rel: Literal["canonical", "alternate"]
    """Canonical for the page, alternate for its twins."""


class OwnerProfileDiscovery(Model):
    """The addresses of the owner's profile in each form."""

    schema_version: int
    """Version of this document's schema."""
    name: str
    """Name of the owner."""
    owner_type: Literal["Person", "Organization"]
    """Person or Organization."""
    headline: str
    """What they do, in a line."""
    as_of: Moment
    """The newest record date of the archive."""
    canonical_url: str
    """Canonical address of the profile."""
    profiles: list[ProfileForm]
    """Every form of it."""
    schema_url: str
    """JSON Schema of the JSON form."""
    same_as: list[str]
    """Other pages of the owner."""
    contact: ProfileContact | None
    """How the owner can be reached."""


def _members(context: RenderContext, name: str, *keys: str) -> list[dict[str, Any]]:
    """The entries of a list of ``owner.md``, each with all of ``keys``, addresses made whole."""
    entries = [{key: entry.get(key) for key in keys} for entry in context.archive.owner.data.get(name) or ()]
    return [{**entry, "url": placed(context, entry["url"])} if entry.get("url") else entry for entry in entries]


def profile(context: RenderContext) -> OwnerCareerProfile:
    """The whole profile."""
    owner = context.archive.owner
    return OwnerCareerProfile.model_validate(
        {
            "@context": "https://schema.org",
            "@type": "ProfilePage",
            "@id": context.url(OWNER_PATH),
            "schema_version": SCHEMA_VERSION,
            "name": owner.name,
            "owner_type": owner.type,
            "headline": owner.headline,
            "description": owner.description,
            "url": context.url(OWNER_PATH),
            "markdown_url": context.url(twin(OWNER_PATH, ".md")),
            "json_url": context.url(twin(OWNER_PATH, ".json")),
            "dateModified": context.archive.as_of,
            "founded": owner.data.get("founded"),
            "expertise": list(owner.data.get("expertise") or ()),
            "roles": _members(context, "roles", "title", "organization", "start", "end", "description"),
            "works": _members(context, "works", "title", "url", "description"),
            "links": _members(context, "links", "title", "url"),
            "contact": _contact(context),
            "body_markdown": owner.body,
            "mainEntity": main_entity(context),
            "hasPart": [_work(work) for work in _members(context, "works", "title", "url", "description")],
        }
    )


def main_entity(context: RenderContext) -> dict[str, Any]:
    """The owner as a schema.org Person or Organization."""
    owner = context.archive.owner
    members: dict[str, Any] = {
        "@type": owner.type,
        "@id": context.url("/#owner"),
        "name": owner.name,
        "description": owner.description,
        "url": placed(context, owner.data.get("url") or "/"),
        "image": placed(context, owner.data.get("image") or ""),
        "knowsAbout": list(owner.data.get("expertise") or ()),
        "sameAs": elsewhere(context),
        **_contact_point(_contact(context)),
        **(
            _person(context) if owner.type == "Person" else {"foundingDate": (owner.data.get("founded") or "")[:_SHORT]}
        ),
    }
    return {name: value for name, value in members.items() if value}


def placed(context: RenderContext, url: str) -> str:
    """A path of the archive as an address; an address stays itself."""
    return context.url(url) if url.startswith("/") and not url.startswith("//") else url


def elsewhere(context: RenderContext) -> list[str]:
    """Pages of the owner beyond this archive."""
    links = [*context.site.me, *(link["url"] for link in _members(context, "links", "url"))]
    return [url for url in dict.fromkeys(links) if not url.startswith(context.url("/"))]


def _work(work: Mapping[str, Any]) -> dict[str, Any]:
    members = {"@type": "CreativeWork", "name": work["title"], "url": work["url"], "description": work["description"]}
    return {name: value for name, value in members.items() if value}


def _person(context: RenderContext) -> dict[str, Any]:
    roles = _members(context, "roles", "title", "organization", "end")
    held = [role for role in roles if role["end"] is None]
    return {
        "jobTitle": held[0]["title"] if held else None,
        "worksFor": [{"@type": "Organization", "name": role["organization"]} for role in held if role["organization"]],
        "hasOccupation": [{"@type": "Occupation", "name": role["title"]} for role in roles],
    }


def _contact(context: RenderContext) -> ProfileContact | None:
    contact = context.archive.owner.data.get("contact")
    if not contact:
        return None
    return ProfileContact(
        email=contact.get("email"), url=placed(context, contact.get("url") or "") or None, note=contact.get("note")
    )


def _contact_point(contact: ProfileContact | None) -> dict[str, Any]:
    """A contact point, where the contact is an address and no sentence."""
    where = {"email": contact.email, "url": contact.url} if contact else {}
    members = {name: value for name, value in where.items() if value}
    return {"contactPoint": {"@type": "ContactPoint", "contactType": "editorial", **members}} if members else {}


def _page(context: RenderContext) -> Page:
    career = profile(context)
    linked = {
        "@context": "https://schema.org",
        "@type": "ProfilePage",
        "@id": career.url,
        "url": career.url,
        "name": career.name,
        "dateModified": rfc3339(career.date_modified),
        "mainEntity": career.main_entity,
        **({"hasPart": career.has_part} if career.has_part else {}),
    }
    return Page(
        OWNER_PATH,
        career.name,
        career.headline,
        tuple(_blocks(career)),
        label="Owner profile",
        language=context.site.language,
        crumbs=(Link("Home", "/"),),
        me=tuple(elsewhere(context)),
        data=career,
        linked_data=(linked,),
    )


def _blocks(career: OwnerCareerProfile) -> Iterator[Block]:
    yield Prose("description", "", career.description)
    yield Facts(
        "about",
        "",
        facts(
            fact("Founded", career.founded),
            fact("Expertise", *career.expertise),
            fact("Contact", *_reached(career.contact)),
        ),
    )
    if career.body_markdown.strip():
        yield Prose("text", "", career.body_markdown)
    sorts = (
        Items("roles", "Roles", tuple(map(_role, career.roles))),
        Items(
            "works",
            "Works",
            tuple(Item(work.description or "", None, work.url or "", work.title) for work in career.works),
        ),
        Items("links", "Elsewhere", tuple(Item("", None, link.url, link.title) for link in career.links)),
    )
    yield from (block for block in sorts if block.items)


def _reached(contact: ProfileContact | None) -> Iterator[Link]:
    if contact and contact.email:
        yield Link(contact.email, f"mailto:{contact.email}")
    if contact and contact.url:
        yield Link(contact.url, contact.url)
    if contact and contact.note:
        yield Link(contact.note)


def _role(role: ProfileRole) -> Item:
    span = " to ".join(day(moment) if moment else "today" for moment in (role.start, role.end)) if role.start else ""
    text = ". ".join(part for part in (role.organization, span, role.description) if part)
    return Item(text, title=role.title)


def _discovery(context: RenderContext) -> Iterable[Output]:
    career = profile(context)
    forms = [
        ProfileForm(
            type=form.media.type,
            url=context.url(form.path(OWNER_PATH)),
            rel="canonical" if form.default else "alternate",
        )
        for form in context.forms
    ]
    document = OwnerProfileDiscovery(
        schema_version=SCHEMA_VERSION,
        name=career.name,
        owner_type=career.owner_type,
        headline=career.headline,
        as_of=context.archive.as_of,
        canonical_url=career.url,
        profiles=forms,
        schema_url=context.url(f"/schemas/{OwnerCareerProfile.__name__}.json"),
        same_as=elsewhere(context),
        contact=career.contact,
    )
    return [Output(document)]


ALL = (
    Document[RenderContext](
        "owner_profile_discovery",
        "/owner-profile-discovery.json",
        JSON,
        Section.OWNER,
        "The addresses of the owner's profile in each form.",
        _discovery,
        "OwnerProfileDiscovery",
        OwnerProfileDiscovery,
    ),
    Pages[RenderContext](
        "owner_profile",
        OWNER_PATH,
        Section.OWNER,
        "Who publishes the archive.",
        single(_page),
        "OwnerCareerProfile",
        OwnerCareerProfile,
        promised=("json", "markdown"),
        resource=0.6,
    ),
)
