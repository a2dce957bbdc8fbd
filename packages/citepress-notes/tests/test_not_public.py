"""What the tool of a folder does not publish is in no file of a build, and neither is its name; the rest is."""

from pathlib import Path

import pytest

from citepress.content.files import scan
from citepress.content.hidden_text import without_code
from citepress.content.source_map import FrontMatter
from citepress_notes.held_back import PublicRules, of_front
from citepress_notes.metadata_lines import split_note
from citepress_notes.plain_folder import FolderFiles
from citepress_notes.privacy_rules import BUNDLE, PRIVACY_RULES, UNREADABLE_SETTINGS, PrivacyRule, TextRule
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
    elsewhere = {BUNDLE, UNREADABLE_SETTINGS}  # what is beside a bundle is in the site of Hugo; settings have a test
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
