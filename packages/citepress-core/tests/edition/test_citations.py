"""Citations in every form, read by the readers of others, whatever a title holds."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import rispy
from citeproc import Citation as Cited
from citeproc import CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from hypothesis import given
from hypothesis import strategies as st
from pybtex.database import BibliographyData, parse_string

from citepress.contract.citation import Imprint, Reference, citation_of, license_url
from citepress.contract.form import CitedPage
from citepress.edition.citations import bibtex, csl, linkset, ris
from citepress.edition.citations.meta import meta_names

PUBLISHER = Imprint("The Archive", "The Press", "en", "https://archive.test/owner-profile/")
DAY = datetime(2026, 3, 1, tzinfo=UTC)
HOSTILE = (
    "Braces { that } never { close",
    r"Back\slash \alpha and a trailing \\",
    "100 % of $5 & #1 under_score ~ ^",
    'A "quoted" title, and „another“',
    "Line\nbreak\r\nTY  - JOUR\nER  - ",
    "}, author = {Somebody Else}, title = {Taken over",
    "@article{key, title={x}}",
    "% a comment? @comment{x}",
    "日本語の題名 and العربية and Ünïcode 🎉",
    "Tab\tand\x00control\x1b",
    "<b>markup</b> & entities &amp; ]]>",
    "A `code` title",
)
IN_WORDS = {
    r"\textbackslash{}": "\\",
    r"\textbraceleft{}": "{",
    r"\textbraceright{}": "}",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textquotedbl{}": '"',
}


def cited(**members: Any) -> Reference:
    document = {
        "id": "posts/x",
        "title": "A title",
        "summary": "What it says.",
        "canonical_url": "https://archive.test/posts/x/",
        "published_at": DAY,
        "updated_at": datetime(2026, 4, 2, tzinfo=UTC),
        "revision": 2,
        "language": "en",
        "license": "CC-BY-4.0",
        "tags": ["one", "two"],
        **members,
    }
    return citation_of(document, PUBLISHER)


def plain(value: str) -> str:
    """A BibTeX value as the text that it stands for."""
    for written, char in IN_WORDS.items():
        value = value.replace(written, char)
    for char in "#$%&_":
        value = value.replace("\\" + char, char)
    return value


def on_a_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def read_bibtex(text: str) -> BibliographyData:
    return parse_string(text, "bibtex")


@pytest.mark.parametrize("title", HOSTILE)
def test_a_bibtex_reader_reads_any_title_as_it_is(title: str) -> None:
    written = bibtex.entry(cited(title=title, summary=title, authors=[{"name": title}], tags=[title]))
    (entry,) = read_bibtex(written).entries.values()
    assert (entry.type, entry.key) == ("misc", "posts:x")
    assert plain(entry.fields["title"].removeprefix("{").removesuffix("}")) == on_a_line(title)
    assert plain(entry.fields["abstract"]) == on_a_line(title)
    assert len(entry.persons["author"]) == 1
    assert entry.fields["url"] == "https://archive.test/posts/x/"
    assert (entry.fields["year"], entry.fields["month"]) == ("2026", "3")


@pytest.mark.parametrize("title", HOSTILE)
def test_a_ris_reader_reads_any_title_as_it_is(title: str) -> None:
    (entry,) = rispy.loads(ris.entry(cited(title=title, authors=[{"name": title}, {"name": "Bo"}], tags=["a", title])))
    assert entry["title"] == on_a_line(title)
    assert entry["authors"] == [on_a_line(title), "Bo"]
    assert entry["keywords"] == ["a", on_a_line(title)]
    assert (entry["type_of_reference"], entry["id"], entry["year"]) == ("ELEC", "posts:x", "2026")
    assert entry["urls"] == ["https://archive.test/posts/x/"]


@pytest.mark.parametrize("title", HOSTILE)
def test_a_processor_of_csl_prints_any_title(title: str) -> None:
    items = json.loads(csl.write(CitedPage(cited(title=title, authors=[{"name": "Ada Example"}]), ())))
    assert items[0]["title"] == on_a_line(title)
    source = CiteProcJSON(items)
    style = CitationStylesStyle("harvard-cite-them-right", validate=False)
    printed = CitationStylesBibliography(style, source, formatter.plain)
    printed.register(Cited([CitationItem(items[0]["id"])]))
    (line,) = map(str, printed.bibliography())
    assert "Ada Example" in line
    assert "2026" in line


@given(st.lists(st.text(max_size=80).filter(on_a_line), min_size=1, max_size=3))
def test_whatever_is_written_is_read_again(titles: list[str]) -> None:
    many = [cited(id=f"posts/p{place}", title=title) for place, title in enumerate(titles)]
    read = read_bibtex("".join(map(bibtex.entry, many))).entries
    assert [plain(read[f"posts:p{place}"].fields["title"][1:-1]) for place in range(len(titles))] == [
        on_a_line(title) for title in titles
    ]
    references = rispy.loads("".join(map(ris.entry, many)))
    assert [reference["title"] for reference in references] == [on_a_line(title) for title in titles]


def test_the_line_names_authors_date_title_revision_publication_and_address() -> None:
    people = [{"name": "Ada Example"}, {"name": "Bo Test Jr."}, {"name": "Cy Other", "role": "editor"}]
    assert cited(authors=people).line == (
        "Ada Example & Bo Test Jr. (2026, March 1). A title (Revision 2, 2026-04-02). The Archive."
        " https://archive.test/posts/x/"
    )
    many = [{"name": f"Author with a rather long name {number}"} for number in range(20)]
    assert cited(authors=many).line.startswith("Author with a rather long name 0 et al. (2026")
    assert cited(doi="10.5555/abc").line.endswith(". The Archive. https://doi.org/10.5555/abc")


def test_the_line_names_the_revision_behind_the_doi() -> None:
    revision = "https://archive.test/posts/x/@2/"
    assert cited(revision_url=revision).line.endswith(f". The Archive. {revision}")
    assert cited(doi="10.5555/abc", revision_url=revision).line.endswith(
        f". The Archive. https://doi.org/10.5555/abc {revision}"
    )


def test_each_author_has_an_orcid_of_their_own_and_nobody_else_is_an_author() -> None:
    people = [
        {"name": "Wei  Zhang", "orcid": "0000-0002-1825-0097"},
        {"name": "Wei Zhang", "orcid": "0000-0001-5109-3700"},
        {"name": "Wei Zhang"},
        {"name": "Wei Zhang", "orcid": "0000-0002-1694-233X", "role": "editor"},
        {"name": "Tr", "url": "https://tr.test/", "role": "translator"},
    ]
    by_several = cited(authors=people)
    tags = [value for name, value in meta_names(by_several) if name.startswith("citation_author")]
    first, second = "https://orcid.org/0000-0002-1825-0097", "https://orcid.org/0000-0001-5109-3700"
    assert tags == ["Wei Zhang", first, "Wei Zhang", second, "Wei Zhang"]
    assert by_several.author_urls == (first, second)
    assert cited(authors=people[3:]).author_urls == (PUBLISHER.page,)


def test_the_owner_is_the_author_where_nobody_else_is() -> None:
    own = cited()
    assert (own.authors, own.author_urls) == (("The Press",), (PUBLISHER.page,))
    alone = citation_of({"id": "posts/x", "title": "A", "html_url": "https://a.test/", **dates()}, itself())
    assert alone.line == "The Archive. (2026, March 1). A (Revision 1, 2026-03-01). https://a.test/"


def dates() -> dict[str, Any]:
    return {"published_at": DAY, "updated_at": DAY, "revision": 1}


def itself() -> Imprint:
    return Imprint("The Archive", "The Archive", "en")


def test_editors_and_translators_are_named_as_such_in_every_form() -> None:
    roles = ("author", "editor", "translator", "contributor")
    many = cited(authors=[{"name": f"The {role}", "role": role} for role in roles])
    (entry,) = read_bibtex(bibtex.entry(many)).entries.values()
    assert {role: [str(name) for name in people] for role, people in entry.persons.items()} == {
        "author": ["{The author}"],
        "editor": ["{The editor}"],
    }
    assert entry.fields["translator"] == "{The translator}"
    assert [csl.item(many)[role] for role in roles[:3]] == [[{"literal": f"The {role}"}] for role in roles[:3]]
    (reference,) = rispy.loads(ris.entry(many))
    assert (reference["authors"], reference["secondary_authors"]) == (["The author"], ["The editor"])


def test_a_dataset_is_cited_as_one() -> None:
    rows = cited(
        id="datasets/tools", version="v2", creator="The Makers", canonical_url="https://a.test/datasets/tools/"
    )
    assert csl.item(rows)["type"] == "dataset"
    assert ris.entry(rows).startswith("TY  - DATA\r\n")
    assert "[Data set]" in rows.line
    assert rows.authors == ("The Makers",)


def test_a_linkset_names_every_author_also_those_that_a_header_leaves_out() -> None:
    people = [{"name": f"A{n}", "orcid": "0000-0002-1825-0097"} for n in range(2)]
    people += [{"name": f"B{n}", "url": f"https://b.test/{n}"} for n in range(15)]
    header = (
        '<https://archive.test/posts/x/>; rel="canonical"',
        '<https://doi.org/10.5555/abc>; rel="cite-as"',
        '<https://b.test/0>; rel="author"',
        '<https://archive.test/posts/x.bib>; rel="describedby"; type="application/x-bibtex"',
    )
    (context,) = json.loads(linkset.write(CitedPage(cited(authors=people), header)))["linkset"]
    assert context["anchor"] == "https://archive.test/posts/x/"
    assert len(context["author"]) == 16
    assert context["author"][0] == {"href": "https://orcid.org/0000-0002-1825-0097"}
    assert context["describedby"] == [{"href": "https://archive.test/posts/x.bib", "type": "application/x-bibtex"}]
    assert "canonical" not in context


@pytest.mark.parametrize(
    ("licence", "address"),
    [
        ("CC-BY-4.0", "https://spdx.org/licenses/CC-BY-4.0.html"),
        ("https://a.test/licence", "https://a.test/licence"),
        ("all rights reserved", ""),
        ("", ""),
    ],
)
def test_a_licence_has_an_address_where_it_is_no_sentence(licence: str, address: str) -> None:
    assert license_url(licence) == address
