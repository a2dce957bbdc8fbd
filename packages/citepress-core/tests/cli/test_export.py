"""A static export: what its files say, and what they tell their host."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import lxml.html
import pytest

from citepress.cli import run
from citepress.cli.export import MAX_HOST_FILES, exceeded_hosts
from support.export import exported
from support.folder import SPEC, folder, post, topic

BASE = "https://archive.test"
SERVICE = (
    "/mcp",
    "/agent-inbox",
    "/agent-actions",
    "/agent-payments",
    "/search.json",
    "/connect",
    "/machine-consumption",
)
"""What only a running service answers."""
USUAL = {".html": "text/html", ".json": "application/json"}
"""Types that every host knows by itself."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of a small archive."""
    files = {f"content/posts/note-{number}.md": post(topics=["tools"], sources=[SPEC]) for number in range(3)} | {
        "content/topics/tools.md": topic(),
        "static/data.csv": "a,b\n1,2\n",
    }
    return exported(tmp_path_factory.mktemp("export"), files)


class Links(HTMLParser):
    """The addresses that a page leads to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in ("href", "src", "action") and value]


def file_of(site: Path, path: str) -> Path:
    return site / f"{path}index.html".lstrip("/") if path.endswith("/") else site / path.lstrip("/")


def local(links: list[str]) -> Iterator[str]:
    for link in links:
        own = link.removeprefix(BASE)
        if own.startswith("/") and not own.startswith("//"):
            yield urlsplit(own).path


def test_every_link_of_every_page_leads_to_a_file(site: Path) -> None:
    dead = {
        (page.relative_to(site).as_posix(), path)
        for page in site.rglob("*.html")
        for path in local(Links(page.read_text("utf-8")).links)
        if not file_of(site, path).is_file()
    }
    assert dead == set()


def test_nothing_speaks_of_what_only_a_service_does(site: Path) -> None:
    texts = [file for file in site.rglob("*") if file.suffix in (".html", ".md", ".json", ".txt", ".xml")]
    assert len(texts) > 50
    spoken = {
        (file.relative_to(site).as_posix(), path)
        for file in texts
        for path in SERVICE
        if re.search(rf"(?:{BASE}|[\"`( ]){re.escape(path)}(?![\w-])", file.read_text("utf-8"))
    }
    assert spoken == set()
    assert "Accept: text/markdown" not in (site / "llms.txt").read_text("utf-8")


def rules(site: Path) -> dict[str, dict[str, str]]:
    """The fields of each pattern of ``_headers``."""
    fields: dict[str, dict[str, str]] = {}
    pattern = ""
    for line in (site / "_headers").read_text("utf-8").splitlines():
        if line.startswith("  "):
            name, _, value = line.strip().partition(": ")
            assert name not in fields[pattern]
            fields[pattern][name] = value
        else:
            pattern = line
            assert pattern not in fields
            fields[pattern] = {}
    return fields


def test_the_contract_of_an_export_knows_what_a_host_of_files_answers(site: Path) -> None:
    contract = json.loads((site / "openapi.json").read_text("utf-8"))
    answers = {status for path in contract["paths"].values() for verb in path.values() for status in verb["responses"]}
    assert answers == {"200", "304", "404"}
    text = json.dumps(contract["components"]["headers"]) + (site / "_headers").read_text("utf-8")
    for name in ("RateLimit", "PAYMENT", "Retry-After"):
        assert name not in text


def test_a_few_patterns_give_every_file_its_type_and_no_field_twice(site: Path) -> None:
    patterns = rules(site)
    assert len(patterns) <= 24  # hosts take a hundred
    types = {}
    for file in site.rglob("*"):
        path = f"/{file.relative_to(site).as_posix()}"
        if file.is_dir() or path in ("/_headers", "/_redirects", "/.nojekyll", "/archive.db"):
            continue
        fitting = [
            fields
            for pattern, fields in patterns.items()
            if re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), path)
        ]
        names = [name for fields in fitting for name in fields]
        assert len(names) == len(set(names)), path
        types[path] = {name: value for fields in fitting for name, value in fields.items()}.get("Content-Type")
    assert types["/posts/note-0.md"] == "text/markdown; charset=utf-8"
    assert types["/.well-known/api-catalog"].startswith("application/linkset+json")
    assert types["/feed.json"] == "application/feed+json"
    assert types["/posts/note-0.csl.json"].startswith("application/vnd.citationstyles.csl+json")
    assert types["/posts/note-0.json"] is None
    assert {Path(path).suffix for path, media in types.items() if media is None} <= set(USUAL)


def test_only_pages_of_an_export_that_can_be_searched_may_run_its_script(site: Path, tmp_path: Path) -> None:
    assert "script-src 'self'" in rules(site)["/*"]["Content-Security-Policy"]
    silent = exported(tmp_path, {"content/posts/a.md": post()}, "--no-search")
    assert "script-src" not in rules(silent)["/*"]["Content-Security-Policy"]
    assert not (silent / "search").exists()
    assert not [page for page in silent.rglob("*.html") if "/search/" in page.read_text("utf-8")]
    setting = 'title = "T"\nbase_url = "https://archive.test"\n[export]\nsearch = false\n'
    assert not (exported(tmp_path / "set", {"content/posts/a.md": post(), "site.toml": setting}) / "search").exists()


def test_the_page_of_what_is_missing_says_so(site: Path) -> None:
    page = (site / "404.html").read_text("utf-8")
    assert "<h1>Nothing is published here</h1>" in page
    assert "<!--" not in page


def test_hosts_publish_folders_with_a_dot_and_the_database_is_named(site: Path) -> None:
    assert (site / ".nojekyll").read_bytes() == b""
    assert (site / "archive.db").read_bytes().startswith(b"SQLite format 3")
    for guide in ("index.html", "llms.txt"):
        assert "/archive.db" in (site / guide).read_text("utf-8")


def test_a_former_page_is_led_on_with_its_closing_slash_and_without(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "content/posts/a.md": post(aliases=["/notes/thrice/"]),
        "content/posts/b.md": "---\ngone: {reason: Wrong., date: 2026-05-02}\n---\n",
        "redirects.txt": (
            "/from/a /posts/a\n/feed.php /rss.xml\n/away/ https://b.example/x#part\n"
            "/all/* /posts/a\n/:any/x /posts/a\n/Talk:A /posts/a\n"
        ),
    }
    rows = (exported(tmp_path, files) / "_redirects").read_text("utf-8").splitlines()
    assert len(rows) == len(set(rows))
    for former in ("/notes/thrice", "/from/a"):
        assert {f"{former} /posts/a/ 308", f"{former}/ /posts/a/ 308", f"{former}.md /posts/a.md 308"} <= set(rows)
    assert {"/posts/b/ /404.html 410", "/posts/b /404.html 410", "/feed.php /rss.xml 308"} <= set(rows)
    assert {"/away/ https://b.example/x#part 308", "/away https://b.example/x#part 308"} <= set(rows)
    assert "/feed.php/ /rss.xml 308" not in rows
    assert not [row for row in rows if "*" in row or "/:" in row], "hosts would lead every page away"
    assert "/Talk:A /posts/a/ 308" in rows


def test_revisions_of_a_former_page_are_led_on_too(tmp_path: Path) -> None:
    files = {"content/posts/a.md": post(aliases=["/old/a/"]), "content/posts/b.md": post()}
    files["content/posts/gone.md"] = "---\ntitle: Gone\ngone:\n  date: 2026-06-01\n  successor: posts/b\n---\n"
    site = exported(tmp_path, files)
    rows = [row.split() for row in (site / "_redirects").read_text("utf-8").splitlines()]
    led = {former: target for former, target, status in rows if status == "308"}
    for below in ("@1/", "@1.md", "@1.json", "history/", "history.md", "history.json", "history.link"):
        assert led.pop(f"/old/a/{below}") == f"/posts/a/{below}"
        assert (site / f"posts/a/{below}{'index.html' if below.endswith('/') else ''}").is_file(), below
    assert not [former for former in led if "@" in former and not former.startswith("/old/a/@1")]
    assert not [former for former, *_ in rows if former.startswith("/posts/gone/") and "@" in former]


def test_an_address_with_a_path_is_in_every_link_and_rule_of_an_export(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "site.toml": 'base_url = "https://archive.test/notes"\n',
        "content/posts/a.md": post("[home](/)", aliases=["/old/"]),
        "redirects.txt": "/away/ https://b.example/x\n",
    }
    site = exported(tmp_path, files)
    rows = (site / "_redirects").read_text("utf-8").splitlines()
    assert {"/notes/old/ /notes/posts/a/ 308", "/notes/away/ https://b.example/x 308"} <= set(rows)
    assert all(pattern.startswith("/notes/") for pattern in rules(site))
    page = (site / "posts/a/index.html").read_text("utf-8")
    links = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
    assert links
    assert all(link.startswith("/notes/") for link in links)


def test_a_build_says_which_hosts_do_not_take_so_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exceeded_hosts(15_000) == ""
    assert exceeded_hosts(15_001) == "Azure Static Web Apps (15,000)"
    assert "Cloudflare Pages on its free plan (20,000)" in exceeded_hosts(49_346)
    monkeypatch.setitem(MAX_HOST_FILES, "A small host", 10)
    root = folder(tmp_path / "content", {"content/posts/one.md": post()})
    assert run(["build", str(root), "-o", str(tmp_path / "dist"), "--base-url", BASE]) == 0
    assert re.search(r"\d+ files are more than A small host \(10\) take", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("contact", "expected"),
    [
        ("ada@archive.test", ["mailto:ada@archive.test"] * 2),
        ("https://ada.example/mail", ["https://ada.example/mail"] * 2),
        ("Ring the bell", []),
    ],
)
def test_a_record_of_an_export_leads_to_its_owner_to_report_an_error(
    tmp_path: Path, contact: str, expected: list[str]
) -> None:
    owner = f"---\nname: Ada\nheadline: Writes\ndescription: Writes notes.\ncontact: {contact}\n---\n"
    site = exported(tmp_path, {"content/posts/a.md": post(), "content/owner.md": owner})
    html = lxml.html.fromstring((site / "posts/a/index.html").read_text("utf-8"))
    assert html.xpath("//a[text()='Report it']/@href") == expected
    assert not (site / "posts/a/report").exists()


@pytest.mark.parametrize("address", ["not an address", "ftp://archive.test", "https://archive.test:99999"])
def test_a_public_address_that_cannot_be_used_is_named_with_its_option(
    tmp_path: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = folder(tmp_path / "content", {"content/posts/one.md": post()})
    assert run(["build", str(archive), "-o", str(tmp_path / "out"), "--base-url", address]) != 0
    assert capsys.readouterr().err.startswith("citepress: --base-url")
