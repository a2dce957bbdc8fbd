"""Faults that only show between records: names taken twice, references to nothing, circles, broken links."""

from pathlib import Path
from typing import Any

import pytest

from citepress.contract.fault import Fault
from support.folder import SITE, SPEC, SVG, assembled, checked, fault_places, folder, pattern, post, topic

TOPIC = {"content/topics/motion.md": topic()}


def faults(path: Path, files: dict[str, str], **options: Any) -> list[Fault]:
    """The faults of a folder with one topic, orphans apart."""
    _, problems = checked(folder(path, TOPIC | files, **options))
    return [fault for fault in problems if fault.code.id != "CP041"]


def of_post(path: Path, **members: Any) -> list[Fault]:
    return faults(
        path, {"content/posts/a.md": post(topics=["motion"], **members), "content/patterns/moves.md": pattern()}
    )


def test_two_records_of_one_id_are_told_at_the_second(tmp_path: Path) -> None:
    problems = faults(tmp_path, {"content/posts/a.md": post(), "content/posts/b.md": post(slug="a")})
    assert fault_places(problems) == ["content/posts/b.md:7:1 CP020"]
    assert "content/posts/a.md" in problems[0].message


@pytest.mark.parametrize("other", ["---\ngone: true\n---\n", post(draft=True)])
def test_the_id_of_a_withdrawn_or_hidden_record_stays_taken(tmp_path: Path, other: str) -> None:
    problems = faults(tmp_path, {"content/posts/a.md": other, "content/posts/b.md": post(slug="a")})
    assert fault_places(problems) == ["content/posts/b.md:7:1 CP020"]


@pytest.mark.parametrize(
    ("sources", "where"),
    [
        (["https://a.example/x", "https://A.example/x/"], "content/posts/a.md:11:3 CP020"),
        ([SPEC, {"id": "spec", "url": "https://a.example/"}], "content/posts/a.md:13:3 CP020"),
        (["ftp://a.example/x"], "content/posts/a.md:10:3 CP023"),
        ([{"url": "https://a b.example/"}], "content/posts/a.md:10:8 CP023"),
        (["nokey"], "content/posts/a.md:10:3 CP021"),
        ([{"url": "https://a.example/", "aliases": ["nothing"]}], "content/posts/a.md:12:5 CP014"),
        ([{"url": "https://a.example/", "aliases": ["not://here"]}], "content/posts/a.md:12:5 CP023"),
    ],
)
def test_faults_of_sources_have_their_place(tmp_path: Path, sources: list[object], where: str) -> None:
    assert fault_places(of_post(tmp_path, sources=sources)) == [where]


@pytest.mark.parametrize(
    ("ref", "hint"),
    [("sepc", "its sources are spec"), ("https://b.example/", "add it to `sources:`"), ("x", "its sources are spec")],
)
def test_a_reference_to_no_source_is_told_with_all_and_guesses_none(tmp_path: Path, ref: str, hint: str) -> None:
    problems = of_post(tmp_path, sources=[SPEC], claims=[{"text": "C", "source_refs": [ref]}])
    assert fault_places(problems) == ["content/posts/a.md:9:5 CP021"]
    assert problems[0].hint == hint


def test_a_shared_source_that_the_record_does_not_list_is_no_source_of_it(tmp_path: Path) -> None:
    claim = post(claims=[{"text": "C", "source_refs": ["rfc"]}], topics=["motion"])
    problems = faults(
        tmp_path, {"content/sources.yaml": "sources: {rfc: {url: https://a.example/}}", "content/posts/a.md": claim}
    )
    assert fault_places(problems) == ["content/posts/a.md:9:5 CP021"]
    assert problems[0].hint == "the record has no sources: list them under `sources:`"


@pytest.mark.parametrize(
    ("related", "hint"),
    [
        ("patterns/movse", 'did you mean "patterns/moves"?'),
        ("pattrens/moves", 'did you mean "patterns/moves"?'),
        ("moves", 'did you mean "patterns/moves"?'),
        ("posts/a", "leave it out"),
        ("patterns/something-else", ""),
    ],
)
def test_a_reference_to_no_record_is_told_with_the_nearest(tmp_path: Path, related: str, hint: str) -> None:
    problems = of_post(tmp_path, related=[related])
    assert fault_places(problems) == ["content/posts/a.md:10:3 CP021"]
    assert problems[0].hint == hint


def test_a_reference_of_the_wrong_kind_is_told(tmp_path: Path) -> None:
    problems = faults(tmp_path, {"content/posts/a.md": post(topics=["posts/b"]), "content/posts/b.md": post()})
    assert fault_places(problems) == ["content/posts/a.md:8:3 CP021"]
    assert "not among the topics" in problems[0].message


def test_records_that_supersede_each_other_are_told_once_with_the_circle(tmp_path: Path) -> None:
    files = {f"content/posts/{a}.md": post(supersedes=[f"posts/{b}"]) for a, b in ("ab", "bc", "ca", "dc")}
    problems = faults(tmp_path, files)
    assert fault_places(problems) == ["content/posts/a.md:8:1 CP022"]
    assert problems[0].message == "supersedes: posts/a → posts/b → posts/c → posts/a"


def test_a_long_line_of_succession_is_no_circle(tmp_path: Path) -> None:
    files = {f"content/posts/p{n}.md": post(supersedes=[f"posts/p{n + 1}"]) for n in range(60)} | {
        "content/posts/p60.md": post()
    }
    assert faults(tmp_path, files) == []


@pytest.mark.parametrize(
    ("body", "where", "hint"),
    [
        ("Text [x](/patterns/movse/).", "11:6", 'did you mean "/patterns/moves/"?'),
        ("Text\n\nÜber ![x](https://archive.test/posts/nothing.md)", "13:6", ""),
        ("[x](../other/)", "11:1", ""),
        ("[x](/datasets/nothing/v1.csv)", "11:1", ""),
        ("[x]\n\n[x]: /topics/moton.json", "11:1", 'did you mean "/topics/motion/"?'),
    ],
)
def test_a_link_that_leads_nowhere_is_told_at_its_place(tmp_path: Path, body: str, where: str, hint: str) -> None:
    problems = of_post(tmp_path, body=body)
    assert fault_places(problems) == [f"content/posts/a.md:{where} CP025"]
    assert problems[0].hint == hint


def test_links_of_a_page_are_checked_too(tmp_path: Path) -> None:
    problems = faults(tmp_path, {"content/pages/about.md": "---\ntitle: A\n---\n\n[x](/posts/no/)"})
    assert fault_places(problems) == ["content/pages/about.md:5:1 CP025"]


def test_links_to_collections_files_and_former_paths_are_fine(tmp_path: Path) -> None:
    body = (
        "[a](/posts/) [b](/posts.json) [c](/img/a.svg) [d](/old/) [e](/about/) [f](/) [g](#here)"
        " [h](mailto:a@b.example) [i](//x.example/)"
    )
    files = {
        "content/posts/a.md": post(body, topics=["motion"]),
        "content/posts/b.md": post(aliases=["/old/"], topics=["motion"]),
        "static/img/a.svg": SVG,
        "content/pages/about.md": "---\ntitle: A\n---\n",
    }
    assert faults(tmp_path, files) == []


@pytest.mark.parametrize(
    ("alias", "where"),
    [
        ("/posts/b/", "10:3 CP020"),
        ("/posts/b.json", "10:3 CP020"),
        ("/posts/", "10:3 CP020"),
        ("/about/", "10:3 CP020"),
        ("/old/", "10:3 CP020"),
        ("/old", "10:3 CP020"),
        ("/img/a.svg", "10:3 CP020"),
        ("/a?b", "10:3 CP014"),
        ("/a/../b/", "10:3 CP014"),
        ("/", "10:3 CP014"),
    ],
)
def test_an_alias_that_is_taken_or_no_path_is_told(tmp_path: Path, alias: str, where: str) -> None:
    files = {
        "content/posts/b.md": post(topics=["motion"]),
        "content/posts/old.md": post(topics=["motion"], aliases=["/old/"]),
        "content/posts/z.md": post(topics=["motion"], aliases=[alias]),
        "content/pages/about.md": "---\ntitle: A\n---\n",
        "static/img/a.svg": SVG,
    }
    assert fault_places(faults(tmp_path, files)) == [f"content/posts/z.md:{where}"]


@pytest.mark.parametrize("alias", ["/tags/two-words/", "/tags/two-words.json", "/posts/page/2/", "/posts/page/1.json"])
def test_a_page_that_the_archive_makes_itself_is_no_former_path(tmp_path: Path, alias: str) -> None:
    files = {
        "content/posts/a.md": post(topics=["motion"], tags=["Two words"]),
        "content/posts/z.md": post(topics=["motion"], aliases=[alias, "/tags/former/"]),
    }
    assert [fault.code.id for fault in faults(tmp_path, files)] == ["CP020"]


def test_aliases_lead_every_form_and_redirects_to_the_end_of_their_chain(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(aliases=["/old/a/", "/older", "/a.php"], topics=["motion"]),
        "redirects.txt": "/first/ /second/\n/second/ /old/a/\n/feed /rss.xml\n",
    }
    redirects = assembled(folder(tmp_path, TOPIC | files)).redirects
    assert redirects == {
        "/a.php": "/posts/a/",
        "/feed": "/rss.xml",
        "/feed/": "/rss.xml",
        "/first/": "/posts/a/",
        "/old/a.json": "/posts/a.json",
        "/old/a.md": "/posts/a.md",
        "/old/a/": "/posts/a/",
        "/older": "/posts/a/",
        "/older.json": "/posts/a.json",
        "/older.md": "/posts/a.md",
        "/older/": "/posts/a/",
        "/second/": "/posts/a/",
        "/first.json": "/posts/a.json",
        "/first.md": "/posts/a.md",
        "/second.json": "/posts/a.json",
        "/second.md": "/posts/a.md",
    }


def test_a_redirect_without_the_closing_slash_of_its_target_leads_to_the_page_in_one_step(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(topics=["motion"]),
        "content/posts/b.md": post("To [a](/far/).", topics=["motion"]),
        "static/LICENSE": "free",
        "redirects.txt": "/from/a/ /posts/a\n/far/ /between\n/between/ /from/a\n/terms/ /LICENSE\n",
    }
    archive = assembled(folder(tmp_path, TOPIC | files))
    for former in ("/from/a", "/far", "/between"):
        assert archive.redirects[f"{former}/"] == "/posts/a/"
        assert (archive.redirects[f"{former}.md"], archive.redirects[f"{former}.json"]) == (
            "/posts/a.md",
            "/posts/a.json",
        )
    assert archive.redirects["/terms/"] == "/LICENSE", "a file has no closing slash"
    assert "posts/a" in {edge.target for edge in archive.entries["posts/b"].edges}


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        ("/x/ /posts/nothing/\n", "1:1"),
        ("/topics/motion/ /posts/\n", "1:1"),
        ("/x/ /topics/\n/x/ /posts/\n", "2:1"),
        ("/x/ /y/\n/y/ /x/\n", "1:1"),
        ("/x/ /posts/\n/x /posts/\n", "2:1"),
        ("/x /posts/\n/x/ /topics/\n", "2:1"),
        ("/x /x/\n", "1:1"),
        ("/x /y\n/y/ /x/\n", "1:1"),
        ("/x/ /posts/a-b\n", "1:1"),
    ],
)
def test_a_redirect_that_leads_nowhere_or_stands_on_a_page_is_told(tmp_path: Path, lines: str, where: str) -> None:
    assert fault_places(faults(tmp_path, {"redirects.txt": lines}))[0] == f"redirects.txt:{where} CP033"


def test_an_alias_and_what_leads_to_it_are_compared_without_their_closing_slash(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post("To [b](/old/b) and [b](/old/b/), [c](/old/c) and [c](/old/c/).", topics=["motion"]),
        "content/posts/b.md": post(topics=["motion"], aliases=["/old/b/", "/old/b"]),
        "content/posts/c.md": post(topics=["motion"], aliases=["/old/c"]),
        "redirects.txt": "/very/old /old/b\n",
    }
    archive = assembled(folder(tmp_path, TOPIC | files))
    assert {edge.target for edge in archive.entries["posts/a"].edges if edge.type == "links-to"} == {
        "posts/b",
        "posts/c",
    }
    assert archive.redirects["/very/old"] == archive.redirects["/old/b/"] == "/posts/b/"


def test_a_version_in_a_former_path_is_no_ending_of_a_file(tmp_path: Path) -> None:
    files = {"content/posts/a.md": post(topics=["motion"], aliases=["/releases/1.12.0", "/a.php"])}
    redirects = assembled(folder(tmp_path, TOPIC | files)).redirects
    assert redirects["/releases/1.12.0"] == redirects["/releases/1.12.0/"] == redirects["/a.php"] == "/posts/a/"
    assert "/a.php/" not in redirects


def test_a_former_path_belongs_to_one_record_with_a_closing_slash_or_without(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(topics=["motion"], aliases=["/old/"]),
        "content/posts/b.md": post(topics=["motion"], aliases=["/old"]),
    }
    problems = faults(tmp_path, files)
    assert [fault.code.id for fault in problems] == ["CP020"]
    assert "content/posts/a.md" in problems[0].message


def test_a_successor_has_to_be_there(tmp_path: Path) -> None:
    problems = faults(tmp_path, {"content/posts/z.md": "---\ngone: {successor: posts/nobody}\n---\n"})
    assert fault_places(problems) == ["content/posts/z.md:2:19 CP021"]


def test_a_record_that_nothing_joins_is_warned_of(tmp_path: Path) -> None:
    _, problems = checked(folder(tmp_path, {"content/posts/a.md": post()}))
    assert fault_places(problems) == ["content/posts/a.md:1:1 CP041"]


def test_two_entries_of_a_registry_with_one_id_are_told(tmp_path: Path) -> None:
    entry = "id: s\nversion: v1\nfrozen_at: 2026-05-01\nscoring: {rules: [{id: hit, points: 1}]}\n"
    entry += (
        "probes: [{id: P1, question: Q, canonical_citations: [{canonical_path: posts/x, role: primary}],"
        " reference_answer: A}]\n"
    )
    assert fault_places(faults(tmp_path, {"content/probes/a.yaml": entry, "content/probes/b.yaml": entry})) == [
        "content/probes/b.yaml:1:5 CP020"
    ]


def test_topics_and_sources_of_a_dataset_are_checked(tmp_path: Path) -> None:
    readme = "---\ntitle: R\nsummary: S\ndate: 2026-05-01\ntopics: [nothing]\nsources: [nokey, 'x://y']\n---\n"
    schema = '{"properties": {"a": {"type": "string"}}}'
    problems = faults(
        tmp_path, {"datasets/d/README.md": readme, "datasets/d/schema.json": schema, "datasets/d/v1.csv": "a\nb\n"}
    )
    assert fault_places(problems) == [
        "datasets/d/README.md:5:10 CP021",
        "datasets/d/README.md:6:11 CP021",
        "datasets/d/README.md:6:18 CP023",
    ]


def test_a_static_file_may_not_stand_on_a_page(tmp_path: Path) -> None:
    assert fault_places(faults(tmp_path, {"static/topics/motion.json": "{}", "static/topics/motion.svg": SVG})) == [
        "static/topics/motion.json:0:0 CP020"
    ]


def test_a_redirect_may_lead_elsewhere_and_a_link_may_lead_through_it(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post("[there](/away/) and [back](/home/)"),
        "redirects.txt": "/away/ https://elsewhere.example/x\n/further /away\n/home https://archive.test/posts/a/\n",
    }
    archive = assembled(folder(tmp_path, files))
    assert archive.redirects["/away/"] == archive.redirects["/further/"] == "https://elsewhere.example/x"
    assert archive.redirects["/home/"] == "/posts/a/"
    circle = {**files, "redirects.txt": "/away/ https://archive.test/away\n/home /posts/a/\n"}
    assert fault_places(faults(tmp_path / "circle", circle)) == ["redirects.txt:1:1 CP033"]


def test_a_chain_of_thousands_of_redirects_is_followed_to_its_end_and_a_circle_is_one_fault(tmp_path: Path) -> None:
    chain = [f"/p{place}/ /p{place + 1}/\n" for place in range(3_000)]
    posts = {"content/posts/a.md": post("")}
    ending = folder(tmp_path / "ending", {**posts, "redirects.txt": "".join([*chain, "/p3000/ /posts/a/\n"])})
    assert set(assembled(ending).redirects.values()) == {"/posts/a/", "/posts/a.md", "/posts/a.json"}
    circle = {**posts, "redirects.txt": "".join([*chain, "/p3000/ /p0/\n"])}
    assert fault_places(faults(tmp_path / "circle", circle)) == ["redirects.txt:1:1 CP033"]


@pytest.mark.parametrize("plain", [False, True])
def test_paths_that_another_service_answers_are_no_dead_links(tmp_path: Path, plain: bool) -> None:
    text = "[a](/tools/x/) [b](https://archive.test/tils) [c](/toolsx/) [d](/posts/none/)"
    site = f'{SITE}elsewhere = ["/tools/", "/tils", "/toolsx"]\n'
    files = {"a.md": text} if plain else {"content/posts/a.md": post(text), "redirects.txt": "/t/ /tools/y\n"}
    _, problems = checked(folder(tmp_path, files, site))
    codes = {fault.code.id for fault in problems} - {"CP041", "CP047"}
    assert codes == ({"CP046"} if plain else {"CP025"})
    assert all("none" in fault.message for fault in problems if fault.code.id in codes)


@pytest.mark.parametrize("plain", [False, True])
def test_a_text_refers_only_to_sources_of_its_record(tmp_path: Path, plain: bool) -> None:
    body = (
        "Read [](#source-s1), [](#source-spec)\n[words](/posts/a/#source-nope)\n\n## Source code\n\n[x](#source-code)"
    )
    text = post(body, sources=["https://third.test/", {"id": "specs", "url": "https://other.test/"}])
    _, problems = checked(folder(tmp_path, {"a.md" if plain else "content/posts/a.md": text}))
    problems = tuple(fault for fault in problems if fault.code.id == "CP021")
    assert fault_places(problems) == (
        [] if plain else ["content/posts/a.md:13:22 CP021", "content/posts/a.md:14:1 CP021"]
    )
    assert [fault.hint for fault in problems] == ([] if plain else ["its sources are s1, specs"] * 2)
