"""What the tool of a folder does not publish is in no file of a build, and neither is its name; the rest is."""

import json
from pathlib import Path

import pytest

from citepress.cli import run
from citepress.content.files import scan
from citepress.content.hidden_text import without_code
from citepress.content.source_map import FrontMatter
from citepress_notes.held_back import PublicRules, of_front
from citepress_notes.metadata_lines import split_note
from citepress_notes.plain_folder import FolderFiles
from citepress_notes.privacy_rules import BUNDLE, PASSED_OVER, PRIVACY_RULES, UNREADABLE_SETTINGS, PrivacyRule, TextRule
from citepress_notes.tool_habits import metadata_of
from support.former_sites import written
from support.private_sites import SITES, PrivateSite
from support.whole_builds import built, leaked


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_a_plain_folder_publishes_what_its_tool_publishes_and_nothing_else(site: PrivateSite, tmp_path: Path) -> None:
    data = built(written(tmp_path / "site", site.files()), tmp_path / "dist")
    secrets = {word: path for path, word in site.secrets.items()}
    assert [secrets[word] for word in leaked(secrets, data)] == []
    controls = {word: path for path, word in site.controls.items()}
    assert [controls[word] for word in controls.keys() - set(leaked(controls, data))] == []
    assert leaked(site.private_addresses(), data) == []


def rules_of(site: PrivateSite, root: Path) -> set[PrivacyRule]:
    """The rules that hold the private files of a folder back, or a part of their texts."""
    rules, files = PublicRules(FolderFiles(root, scan(written(root, site.files()))[0])), site.files()
    triggered: set[PrivacyRule] = set()
    for path in site.private:
        text = str(files[path])
        matter = split_note(text, metadata=metadata_of(rules.tools))
        front, body = as_members(matter), matter.body
        reasons = (rules.of_path(path), of_front(front, body), of_front({}, "", rules.handed(path)))
        reasons = (*reasons, of_front(front, body, rules.handed(path)))
        triggered |= {held.rule for held in reasons if held}
        triggered |= {row.rule for row in rules.rows(path)}
        triggered |= {
            rule for rule in PRIVACY_RULES if isinstance(rule, TextRule) and rule.begins.search(without_code(body))
        }
    return triggered


def as_members(matter: FrontMatter) -> dict[str, object]:
    """What a front matter says; nothing where it is not closed."""
    members = matter.format.load(matter.front) if matter.front is not None and matter.closed else {}
    return members if isinstance(members, dict) else {}


def test_every_rule_has_a_file_that_it_holds_back(tmp_path: Path) -> None:
    triggered = set[PrivacyRule]().union(*(rules_of(site, tmp_path / site.name) for site in SITES))
    elsewhere = {
        BUNDLE,
        UNREADABLE_SETTINGS,
        *PASSED_OVER,
    }  # what is beside a bundle is in the site of Hugo; settings have a test
    assert [
        rule.shown for rule in PRIVACY_RULES if rule not in triggered | elsewhere and rule.shown != "`.trash/`"
    ] == []


@pytest.mark.parametrize(
    ("index", "shown"),
    [
        ("title: A\ntitle: B\ncascade: {draft: true}", False),
        ("cascade: {draft: true}\ncascade: {draft: true}", False),
        ("cascade: {draft: true}\ncascade: {draft: false}", False),
        ("cascade: {draft: false}\ncascade: {draft: true}", False),
        ("cascade: {draft: true, draft: false}", False),
        ("cascade: {draft: true\ntitle: [", False),
        ("title: A\ntitle: B", True),
        ("cascade: {draft: false}", True),
    ],
)
def test_a_cascade_counts_where_a_key_is_given_twice_and_keeps_back_where_it_is_in_doubt(
    index: str, shown: bool, tmp_path: Path
) -> None:
    files = {
        "hugo.toml": "title = 'T'\n",
        "content/private/_index.md": f"---\n{index}\n---\n",
        "content/private/deep/a.md": "---\ndate: 2024-01-02\n---\nSECRETWORD\n",
        "content/b.md": "---\ndate: 2024-01-02\n---\nCONTROLWORD\n",
    }
    data = built(written(tmp_path / "site", files), tmp_path / "dist")
    assert leaked({"CONTROLWORD": ""}, data)
    assert bool(leaked({"SECRETWORD": ""}, data)) is shown


HUGO = {"hugo.toml": "title = 'T'\n", "content/posts/b.md": "---\ndate: 2024-01-02\n---\nText CONTROLWORD.\n"}
PASSED: dict[str, tuple[dict[str, str | bytes], set[str]]] = {
    "hugo": (
        {
            **HUGO,
            "content/posts/_index.md": "---\ntitle: zqlist\n---\n",
            "content/404.md": "---\ntitle: zqmissing\n---\nNothing zqmissing.\n",
        },
        {"content/posts/_index.md", "content/404.md"},
    ),
    "starlight": (
        {
            "astro.config.mjs": "import starlight from '@astrojs/starlight'\n"
            "export default {integrations: [starlight({title: 'T'})]}\n",
            "src/content/docs/a.md": "---\ntitle: A\n---\nText CONTROLWORD.\n",
            "src/content/docs/404.md": "---\ntitle: zqmissing\n---\nNothing zqmissing.\n",
            "src/content/docs/de/404.md": "---\ntitle: zqfehlt\n---\nNothing zqmissing.\n",
        },
        {"src/content/docs/404.md", "src/content/docs/de/404.md"},
    ),
    "mkdocs": (
        {
            "mkdocs.yml": "site_name: T\n",
            "docs/a.md": "# A\n\nText CONTROLWORD.\n",
            "docs/guide/index.md": "# zqlist\n",
            "docs/404.md": "# zqmissing\n\nNothing.\n",
        },
        {"docs/guide/index.md", "docs/404.md"},
    ),
    "logseq": (
        {
            "logseq/config.edn": "{:publishing/all-pages-public? true}",
            "pages/A.md": "- Text CONTROLWORD.\n",
            "journals/2024_03_04.md": "-\n",
        },
        {"journals/2024_03_04.md"},
    ),
}


@pytest.mark.parametrize("tool", PASSED)
def test_lists_and_journals_without_text_and_pages_of_missing_addresses_are_no_records(
    tool: str, tmp_path: Path
) -> None:
    files, passed = PASSED[tool]
    source, folder, report = written(tmp_path / "site", dict(files)), tmp_path / "out", tmp_path / "r.json"
    assert run(["import", "auto", str(source), str(folder), "--report", str(report)]) == 0
    outcomes = {row["source"]: row["outcome"] for row in json.loads(report.read_bytes())["sources"]}
    assert {path for path, outcome in outcomes.items() if outcome.startswith("passed over")} >= passed
    for root in (source, folder):
        data = built(root, tmp_path / f"dist-{root.name}")
        assert leaked(["zqlist", "zqmissing", "zqfehlt", "2024-03-04", "2024_03_04"], data) == []
        assert leaked(["CONTROLWORD"], data)
