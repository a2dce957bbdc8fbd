"""What the tool of a folder does not publish is in no file of a build, and neither is its name; the rest is."""

from pathlib import Path

import pytest

from citepress.content.files import scan
from citepress.content.former_tools import lenient_front
from citepress.content.held_back import PublicRules, of_front
from citepress.content.hidden_text import without_code
from citepress.content.notes_reader import FolderFiles
from citepress.content.privacy_rules import BUNDLE, PRIVACY_RULES, UNREADABLE_SETTINGS, PrivacyRule, TextRule
from citepress.content.source_map import split
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
        front, body = lenient_front(text), split(text).body
        reasons = (rules.of_path(path), of_front(front, body), of_front({}, "", rules.handed(path)))
        triggered |= {held.rule for held in reasons if held}
        triggered |= {row.rule for row in rules.rows(path)}
        triggered |= {
            rule for rule in PRIVACY_RULES if isinstance(rule, TextRule) and rule.begins.search(without_code(body))
        }
    return triggered


def test_every_rule_has_a_file_that_it_holds_back(tmp_path: Path) -> None:
    triggered = set[PrivacyRule]().union(*(rules_of(site, tmp_path / site.name) for site in SITES))
    elsewhere = {BUNDLE, UNREADABLE_SETTINGS}  # what is beside a bundle is in the site of Hugo; settings have a test
    assert [
        rule.shown for rule in PRIVACY_RULES if rule not in triggered | elsewhere and rule.shown != "`.trash/`"
    ] == []
