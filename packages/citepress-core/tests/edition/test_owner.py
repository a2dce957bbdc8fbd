"""The owner's profile: one set of facts as a page, as JSON-LD and as Markdown, and a document that points to them."""

import re
from typing import Any

import pytest

from citepress.archive.model import Owner
from support.archive import SITE, entry
from support.documents import faults, json_of, leaves, whole

PRESS = Owner(
    "Test press",
    "Organization",
    "We test.",
    "A press that tests.",
    {
        "founded": "2020-05-01T00:00:00Z",
        "expertise": ["tests"],
        "roles": [{"title": "Publisher", "organization": "Test press"}],
        "works": [{"title": "A hub", "url": "/topics/moves/"}],
        "links": [{"title": "Code", "url": "https://code.example/press"}, {"title": "Home", "url": "/"}],
        "contact": {"email": "desk@press.example"},
    },
    "## History\n\nWe began.",
)
PERSON = Owner(
    "Ada",
    "Person",
    "Engineer.",
    "She builds.",
    {
        "roles": [
            {"title": "Engineer", "organization": "Works", "start": "2024-01-01T00:00:00Z"},
            {
                "title": "Clerk",
                "organization": "Office",
                "start": "2020-01-01T00:00:00Z",
                "end": "2023-12-31T00:00:00Z",
            },
        ],
        "contact": {"note": "Use the inbox."},
    },
    "",
)
BARE = Owner("Test archive", "Organization", "", "", {}, "")


def owner_documents(owner: Owner) -> Any:
    return leaves(whole(entry("topics/moves"), owner=owner))


@pytest.mark.parametrize("owner", [PRESS, PERSON, BARE], ids=["organization", "person", "bare"])
@pytest.mark.parametrize("name", ["OwnerCareerProfile", "OwnerProfileDiscovery"])
def test_the_documents_fit_their_schemas(owner: Owner, name: str) -> None:
    edition = owner_documents(owner)
    path = {"OwnerCareerProfile": "/owner-profile.json", "OwnerProfileDiscovery": "/owner-profile-discovery.json"}[name]
    assert faults(json_of(edition[f"/schemas/{name}.json"]), json_of(edition[path])) == []


def test_the_json_form_is_json_ld_of_a_profile_page() -> None:
    document = json_of(owner_documents(PRESS)["/owner-profile.json"])
    assert (document["@context"], document["@type"]) == ("https://schema.org", "ProfilePage")
    assert "type" not in document, "schema.org's context reads it as @type"
    main = document["mainEntity"]
    assert (main["@type"], main["name"], main["foundingDate"]) == ("Organization", "Test press", "2020-05-01")
    assert main["sameAs"] == ["https://code.example/press"]
    assert main["contactPoint"]["email"] == "desk@press.example"
    assert document["hasPart"] == [{"@type": "CreativeWork", "name": "A hub", "url": SITE.url("/topics/moves/")}]


def test_a_person_has_an_occupation_and_works_where_a_role_lasts() -> None:
    main = json_of(owner_documents(PERSON)["/owner-profile.json"])["mainEntity"]
    assert main["jobTitle"] == "Engineer"
    assert main["worksFor"] == [{"@type": "Organization", "name": "Works"}]
    assert [occupation["name"] for occupation in main["hasOccupation"]] == ["Engineer", "Clerk"]
    assert "contactPoint" not in main, "words are no address"
    assert "foundingDate" not in main


def test_the_markdown_form_says_what_the_json_form_says() -> None:
    text = owner_documents(PRESS)["/owner-profile.md"].body.decode()
    assert "A press that tests." in text
    assert "We began." in text
    assert "[desk@press.example](mailto:desk@press.example)" in text
    assert f"[A hub]({SITE.url('/topics/moves/')})" in text
    assert "2024-01-01 to today" in owner_documents(PERSON)["/owner-profile.md"].body.decode()


def test_an_owner_who_says_nothing_of_themselves_claims_nothing() -> None:
    main = json_of(owner_documents(BARE)["/owner-profile.json"])["mainEntity"]
    assert set(main) == {"@type", "@id", "name", "url"}


def test_the_discovery_document_points_to_every_form() -> None:
    edition = owner_documents(PRESS)
    document = json_of(edition["/owner-profile-discovery.json"])
    assert {form["url"].removeprefix(SITE.base_url): form["type"] for form in document["profiles"]} == {
        "/owner-profile/": "text/html",
        "/owner-profile.md": "text/markdown",
        "/owner-profile.json": "application/json",
    }
    assert all(form["url"].removeprefix(SITE.base_url) in edition for form in document["profiles"])
    assert [form["url"] for form in document["profiles"] if form["rel"] == "canonical"] == [document["canonical_url"]]
    assert document["same_as"] == ["https://code.example/press"]


def test_the_page_embeds_its_linked_data() -> None:
    html = owner_documents(PRESS)["/owner-profile/"].body.decode()
    assert '"@type":"ProfilePage"' in html.replace('": "', '":"')
    assert '"dateModified":"' in html


def test_profiles_of_the_settings_stand_beside_those_of_the_owner() -> None:
    site = SITE.model_copy(update={"me": ["https://social.example/@press", "https://code.example/press"]})
    edition = leaves(whole(entry("topics/moves"), owner=PRESS, site=site))
    assert json_of(edition["/owner-profile.json"])["mainEntity"]["sameAs"] == site.me
    for path in ("/", "/owner-profile/"):
        links = re.findall(r'<link rel="me" href="([^"]+)">', bytes(edition[path].body).decode())
        assert links == site.me
