"""What `citepress check` says, as its reader sees it."""

import json
import re
from pathlib import Path

import pytest

from citepress.cli import run
from citepress.content.settings_file import has_base_url
from support.folder import SITE, SVG, folder, pattern, post


def check(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    """Exit code and output of the command."""
    code = run(["check", str(root), *options])
    return code, capsys.readouterr().out


RAW = {f"content/posts/p{number}.md": post('<font color="red">x</font>\n\n<blink>y</blink>') for number in range(4)}


def test_all_errors_come_before_the_warnings_which_are_folded_by_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = {f"content/posts/z{number}.md": post(date="sometime") for number in range(5)}
    code, text = check(folder(tmp_path, RAW | bad), capsys)
    lines = text.splitlines()
    errors = [at for at, line in enumerate(lines) if " error CP014 " in line]
    folds = [at for at, line in enumerate(lines) if line.startswith("warning CP04")]
    assert (code, len(errors)) == (1, 5)
    assert max(errors) < min(folds)
    assert any(line.startswith("warning CP040 x 8 in 4 files: ") for line in lines)
    assert not any("CP041" in line for line in lines), "an error may hide the link that a record seems to lack"


def test_all_shows_each_warning_and_json_has_them_without_asking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(tmp_path, RAW)
    assert check(root, capsys)[1].count("CP041") == 1
    assert check(root, capsys, "--all")[1].count("warning CP041") == 4
    report = json.loads(check(root, capsys, "--json")[1])
    assert sum(fault["code"] == "CP041" for fault in report["faults"]) == 4


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope", "nope error CP006 there is no such folder"),
        ("site.toml", "site.toml error CP006 is a file, not a folder"),
    ],
)
def test_a_path_that_is_no_folder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    code, text = check(folder(tmp_path, {}) / name, capsys)
    assert code == 1
    assert f"/{words}" in text.splitlines()[0]


def test_a_folder_without_settings_and_content_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = check(tmp_path, capsys)
    assert (code, text.splitlines()[0]) == (1, ". error CP008 there is no site.toml and nothing to publish here")
    folder(tmp_path, {"notes.txt": "No Markdown."}, site=None)
    assert check(tmp_path, capsys)[0] == 1
    folder(tmp_path, {})
    assert check(tmp_path, capsys) == (0, "0 records, no faults\n")


LINKED = """{site}
[declarations]
corrections_policy = "{place}"
[security]
contact = "mailto:a@archive.test"
expires = 2030-01-01
policy = "https://archive.test{place}"
[[deprecations]]
path = "/feed.json"
deprecated_on = 2030-01-01
announced_on = 2026-01-01
reason = "It goes."
link = "{place}"
"""


@pytest.mark.parametrize("place", ["/pages/rules/", "/pages/rules/#errors", "/posts/one/", "/developers/", "/glossary"])
def test_a_setting_that_leads_to_a_page_is_no_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    files = {"content/pages/rules.md": "---\ntitle: Rules\n---\nText.\n", "content/posts/one.md": post()}
    assert check(folder(tmp_path, files, LINKED.format(site=SITE, place=place)), capsys)[0] == 0


@pytest.mark.parametrize("place", ["/pages/rules/", "/posts/rules/", "/nothing/here/"])
def test_a_setting_that_leads_to_no_page_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    site = folder(tmp_path, {"content/posts/one.md": post()}, LINKED.format(site=SITE, place=place))
    code, text = check(site, capsys)
    errors = [line for line in text.splitlines() if "error" in line and line.startswith("site.toml")]
    assert code == 1
    assert errors == [
        f"site.toml:5:1 error CP030 declarations.corrections_policy: {place!r} leads to no page of the archive",
        f"site.toml:9:1 error CP030 security.policy: 'https://archive.test{place}' leads to no page of the archive",
        f"site.toml:15:1 error CP030 deprecations[0].link: {place!r} leads to no page of the archive",
    ]


def test_a_setting_that_leads_to_a_draft_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = folder(tmp_path, {"content/posts/one.md": post(draft=True)}, LINKED.format(site=SITE, place="/posts/one/"))
    code, text = check(site, capsys)
    assert code == 0
    assert "site.toml:5:1 warning CP043 declarations.corrections_policy: '/posts/one/' is a draft" in text


def test_an_export_without_a_public_address_says_so_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = folder(tmp_path / "site", {"content/posts/one.md": post()}, site='title = "Notes"\n')
    command = ["build", str(site), "--output", str(tmp_path / "out")]
    assert run(command) == 0
    assert capsys.readouterr().err == (
        "The public address is not set, so feeds, sitemaps and canonical links lead to http://127.0.0.1:8000: name"
        " base_url in site.toml, or --base-url.\n"
    )
    assert run([*command, "--base-url", "https://archive.test"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("setting", "hint"),
    [
        ('base_url = "e.org"', "write it as in https://example.org"),
        ('[robots]\ndisallow = ["private"]', "write it as in /private/"),
        ('language = "english!"', "write it as in en"),
    ],
)
def test_a_setting_of_the_wrong_form_shows_the_right_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str, hint: str
) -> None:
    code, text = check(folder(tmp_path, {"site.toml": setting}), capsys)
    assert code == 1
    assert f"hint: {hint}\n" in text
    assert "^" not in re.sub(r"(?m)^ +\| +\^$", "", text)


@pytest.mark.parametrize(
    "template", ["{% if %}", '{% extends "theme/page.html" %}{% block main %}{{ nope.y }}{% endblock %}']
)
def test_a_broken_template_is_found_by_check_as_by_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], template: str
) -> None:
    root = folder(tmp_path / "site", {"templates/page.html": template, "content/posts/a.md": post()})
    code, text = check(root, capsys)
    assert code == 1
    assert text.startswith("templates/page.html:1:1 error CP034 ")
    assert text.count("CP034") == 1
    assert "docs/" not in text
    assert run(["build", str(root), "--output", str(tmp_path / "dist")]) == 1


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        (
            {"content/posts/a.md": post(aliases=["/llms.txt"])},
            "CP020 aliases[0]: '/llms.txt' is the path of a document of the service",
        ),
        (
            {"content/posts/a.md": post(aliases=["/search"])},
            "CP020 aliases[0]: '/search' is the path of a document of the service",
        ),
        ({"redirects.txt": "/robots.txt /posts/\n"}, "CP033 '/robots.txt' is the path of a document of the service"),
        ({"static/robots.txt": "x"}, "CP020 '/robots.txt' is the path of a document of the service"),
    ],
)
def test_a_path_of_the_service_belongs_to_nobody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], fault: str
) -> None:
    code, text = check(folder(tmp_path, {"content/posts/b.md": post(), **files}), capsys)
    assert code == 1
    assert f" error {fault}\n" in text


def test_an_icon_of_the_archives_own_stands_in_for_the_themes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(tmp_path / "site", {"content/posts/b.md": post(), "static/icon.svg": SVG})
    assert check(root, capsys)[0] == 0
    assert run(["build", str(root), "--output", str(tmp_path / "dist")]) == 0
    assert (tmp_path / "dist/icon.svg").read_text() == SVG


def test_settings_nested_too_deep_are_a_fault_once_an_edition_exists_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(tmp_path / "site", {"content/posts/b.md": post()})
    words = ["build", str(root), "--output", str(tmp_path / "dist"), "--state", str(tmp_path / "state")]
    assert run(words) == 0
    (root / "site.toml").write_text("x=" + "[" * 3_000 + "]" * 3_000)
    for command in (words, ["diff", str(root), "--state", str(tmp_path / "state")]):
        assert run(command) == 1
        assert "site.toml:1:28 error CP030 nested deeper than 24 levels" in "".join(capsys.readouterr())
    assert not has_base_url(root)


def test_links_to_parts_that_a_page_does_not_have_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = {"text": "Otters hold hands.", "source_refs": ["s1"]}
    first = post(
        "## Results\n\n[a](#resluts) [b](#results) [c](#sources) [d](#top) [e](#) [f](#:~:text=x) [g](#source-s1)\n",
        sources=["https://other.test/"],
        claims=[claim],
    )
    second = post(
        "[a](/posts/one/#none) [b](../one/#results) [c](https://archive.test/posts/one/#claims) [d](/about/#x)"
    )
    root = folder(
        tmp_path, {"content/posts/one.md": first, "content/posts/two.md": second}, f'{SITE}elsewhere = ["/x/"]'
    )
    code, text = check(root, capsys, "--json")
    links = [
        (f"{fault['file']}:{fault['line']}:{fault['column']}", fault["message"], fault["hint"])
        for fault in json.loads(text)["faults"]
        if fault["code"] == "CP066"
    ]
    assert links == [
        ("content/posts/one.md:16:1", "'#resluts' does not exist on this page", 'did you mean "#results"?'),
        ("content/posts/two.md:9:1", "'#none' does not exist on /posts/one/", ""),
    ]
    assert code == 0


def test_a_link_to_the_file_of_a_record_is_answered_with_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "[a](two.md) [b](../patterns/moves.md#x) [c](none.md)"
    files = {"content/posts/one.md": post(body), "content/posts/two.md": post(), "content/patterns/moves.md": pattern()}
    faults = json.loads(check(folder(tmp_path, files), capsys, "--json")[1])["faults"]
    hints = [fault["hint"] for fault in faults if fault["code"] == "CP025"]
    assert hints == ["write /posts/two/", "write /patterns/moves/", ""]
