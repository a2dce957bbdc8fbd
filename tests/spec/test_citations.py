"""Citations over the wire: every form by suffix and by Accept, typed links, and tags in the head of pages."""

import json
import re
import subprocess
import sys
from pathlib import Path

import lxml.html
import pytest
import rispy
from pybtex.database import parse_string

from support.demo import COLLECTIONS, DEMO, READ_BY_AGENTS, Demo
from support.folder import folder, post
from support.running_server import serving

FORMS = {
    ".bib": "application/x-bibtex; charset=utf-8",
    ".ris": "application/x-research-info-systems; charset=utf-8",
    ".csl.json": "application/vnd.citationstyles.csl+json",
    ".linkset.json": "application/linkset+json",
}
PEOPLE = [
    {"name": "Ada Example", "url": "https://ada.example/", "orcid": "https://orcid.org/0000-0002-1825-0097"},
    {"name": "Bo <i>Test</i>", "url": "https://bo.example/a b>c"},
    {"name": "Cy Other", "role": "editor"},
]


@pytest.mark.requirement("citation forms", "citation line")
def test_records_of_every_kind_and_datasets_have_every_citation_form(demo: Demo) -> None:
    paths = [f"/{kind}/{demo.items(kind)[0]['slug']}" for kind in (*COLLECTIONS, *READ_BY_AGENTS)]
    paths += [f"/datasets/{item['name']}" for item in demo.json("/datasets.json")["items"]]
    for path in paths:
        document = demo.json(f"{path}.json")
        for suffix, media in FORMS.items():
            answer = demo.get(path + suffix)
            assert (answer.status, answer.type) == (200, media), path + suffix
            named = demo.get(f"{path}/", accept=media.partition(";")[0])
            assert (named.status, named.body) == (200, answer.body)
            assert named.fields["content-location"] == path + suffix
            assert "private" in named.fields["cache-control"]
            assert demo.get(path + suffix, if_none_match=answer.fields["etag"]).status == 304
            assert ("ratelimit-limit" in answer.fields) is suffix.endswith(".json")
        (entry,) = parse_string(demo.get(f"{path}.bib").text, "bibtex").entries.values()
        assert entry.fields["url"] == document.get("revision_url", document.get("html_url"))
        (reference,) = rispy.loads(demo.get(f"{path}.ris").text)
        (item,) = demo.json(f"{path}.csl.json")
        assert reference["title"] == item["title"] == " ".join(document["title"].split())
        assert reference["id"] == item["id"] == entry.key == document["id"].replace("/", ":")


@pytest.mark.requirement("citation box")
@pytest.mark.parametrize("kind", ["posts", "signals", "topics", "datasets"])
def test_the_box_has_the_texts_that_people_copy_one_at_a_time_and_needs_no_script(demo: Demo, kind: str) -> None:
    item = demo.json(f"/{kind}.json")["items"][0]
    path = f"/{kind}/{item.get('slug') or item['name']}"
    page = lxml.html.fromstring(demo.get(f"{path}/").text)
    (box,) = page.get_element_by_id("cite").find_class("forms")
    tabs = box.findall("details")
    assert {tab.get("name") for tab in tabs} == {"citation"}, "of a name, a browser opens one"
    assert [tab for tab in tabs if tab.get("open") is not None] == []
    texts = {tab.findtext("summary"): tab.findtext("pre") for tab in tabs}
    assert list(texts) == ["BibTeX", "RIS", "Markdown"]
    assert texts["BibTeX"] == demo.get(f"{path}.bib").text.rstrip("\n")
    assert (texts["RIS"] or "").split("\n") == demo.get(f"{path}.ris").text.splitlines()
    assert f"\n{texts['Markdown']}\n" in demo.get(f"{path}.md").text
    (line,) = page.get_element_by_id("cite").find_class("line")
    assert re.sub(r"[\\<>]", "", texts["Markdown"] or "") == line.text


def test_what_nobody_published_has_no_citation(demo: Demo) -> None:
    for path in ("/posts/no-such-note.bib", "/posts.bib", "/about.ris", "/.bib", "/index.csl.json", "/x.linkset.json"):
        assert demo.get(path).status == 404, path
    assert demo.get("/posts/", accept="application/x-bibtex").status == 406
    assert demo.get("/posts/", accept="application/x-bibtex, text/markdown;q=0.1").type.startswith("text/markdown")


def test_json_and_plain_text_are_still_the_record_and_its_markdown(demo: Demo) -> None:
    path = demo.address("/posts/<slug>/")
    assert demo.get(path, accept="application/json").fields["content-location"].endswith(".json")
    assert demo.get(path, accept="application/json").json()["schema_version"] == 1
    assert demo.get(path, accept="text/plain").type == "text/markdown; charset=utf-8"
    assert demo.get(path, accept="*/*").type == "text/html; charset=utf-8"


@pytest.mark.requirement("citation tags", "signposting", "citation line")
def test_a_page_names_its_authors_to_reference_managers_and_to_crawlers(tmp_path: Path) -> None:
    note = post(title='A "quoted" {title} & more', authors=PEOPLE, doi="10.5555/abc.1", license="CC-BY-4.0")
    with serving(folder(tmp_path, {"content/posts/a.md": note}), tmp_path / "state") as server:
        answer = server.ask("/posts/a/")
        page = lxml.html.fromstring(answer.text)
        tags = [(tag.get("name"), tag.get("content")) for tag in page.iter("meta") if tag.get("name")]
        assert [value for name, value in tags if name == "citation_author"] == ["Ada Example", "Bo <i>Test</i>"]
        assert ("citation_title", 'A "quoted" {title} & more') in tags
        assert ("citation_author_orcid", "https://orcid.org/0000-0002-1825-0097") in tags
        assert ("citation_doi", "10.5555/abc.1") in tags
        assert ("DC.identifier", "https://doi.org/10.5555/abc.1") in tags
        assert ("DC.contributor", "Cy Other") in tags
        assert all(re.fullmatch(r"\d{4}/\d\d/\d\d", value) for name, value in tags if name.endswith("publication_date"))
        linked = json.loads(page.xpath("//script[@type='application/ld+json']")[0].text)
        assert [person["name"] for person in linked["author"]] == ["Ada Example", "Bo <i>Test</i>"]
        assert linked["author"][0]["@id"] == "https://orcid.org/0000-0002-1825-0097"
        assert linked["editor"] == [{"@type": "Person", "name": "Cy Other"}]
        assert linked["identifier"] == "https://doi.org/10.5555/abc.1"
        relations = {(link.get("rel"), link.get("href").rpartition("/")[2]) for link in page.iter("link")}
        assert {("describedby", "a.bib"), ("describedby", "a.ris"), ("license", "CC-BY-4.0.html")} <= relations
        assert ("author", "0000-0002-1825-0097") in relations
        (cite,) = page.xpath("//section[@id='cite']")
        assert "Ada Example & Bo <i>Test</i>. (" in cite.text_content()
        assert "@misc{posts:a," in cite.text_content()
        links = dict(re.findall(r'<([^>]*)>; rel="([a-z-]+)"', answer.fields["link"]))
        assert links["https://doi.org/10.5555/abc.1"] == "cite-as"
        assert links["https://bo.example/a%20b%3Ec"] == links["https://orcid.org/0000-0002-1825-0097"] == "author"
        assert links["https://spdx.org/licenses/CC-BY-4.0.html"] == "license"
        assert links["https://schema.org/AboutPage"] == links["https://schema.org/TechArticle"] == "type"
        assert next(target for target, name in links.items() if name == "describedby").endswith("/llms.txt")
        assert {"item", "describedby", "linkset"} <= set(links.values())
        (context,) = server.ask("/posts/a.linkset.json").json()["linkset"]
        assert context["cite-as"] == [{"href": "https://doi.org/10.5555/abc.1"}]
        assert [link["href"] for link in context["author"]] == [
            "https://orcid.org/0000-0002-1825-0097",
            "https://bo.example/a%20b%3Ec",
        ]
        for link in (*context["describedby"], *context["item"]):
            assert server.ask(link["href"].partition("/posts/")[1] + link["href"].partition("/posts/")[2]).status == 200


def test_the_authors_of_the_site_stand_for_records_that_name_none(tmp_path: Path) -> None:
    files = {
        "site.toml": 'title = "Archive"\nbase_url = "https://a.test"\n[[authors]]\nname = "Ada Example"\n',
        "content/posts/a.md": post(),
        "content/posts/b.md": post(title="Other", authors=[{"name": "Bo"}]),
    }
    with serving(folder(tmp_path, files), tmp_path / "state") as server:
        names = [server.ask(f"/posts/{slug}.csl.json").json()[0]["author"] for slug in "ab"]
        assert names == [[{"literal": "Ada Example"}], [{"literal": "Bo"}]]


@pytest.mark.requirement("citation forms")
def test_an_export_holds_every_citation_with_the_bytes_that_are_served(demo: Demo, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "citepress", "build", str(DEMO), "--output", str(tmp_path / "dist")]
    base_url = demo.json("/posts.json")["items"][0]["html_url"].partition("/posts/")[0]
    command += ["--state", str(tmp_path / "state"), "--base-url", base_url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    slug = demo.items("posts")[0]["slug"]
    for suffix in FORMS:
        assert (tmp_path / "dist" / "posts" / f"{slug}{suffix}").read_bytes() == demo.get(f"/posts/{slug}{suffix}").body
    headers = (tmp_path / "dist" / "_headers").read_text("utf-8")
    for suffix in (".bib", ".ris", ".csl.json", ".linkset.json"):
        assert f"/*{suffix}\n  Content-Type: {FORMS[suffix]}\n" in headers


@pytest.mark.requirement("library")
def test_the_bibliography_holds_every_record_and_dataset_of_the_demo(demo: Demo) -> None:
    ids = [item["id"] for kind in (*COLLECTIONS, *READ_BY_AGENTS) for item in demo.items(kind)]
    ids += [item["id"] for item in demo.json("/datasets.json")["items"]]
    answer = demo.get("/library.bib")
    assert answer.type == FORMS[".bib"]
    packed = demo.get("/library.bib", accept_encoding="gzip")
    assert packed.fields["content-encoding"] == "gzip"
    assert len(packed.body) < len(answer.body) / 3
    entries = parse_string(answer.text, "bibtex").entries
    assert sorted(entries) == sorted(id_.replace("/", ":") for id_ in ids)
