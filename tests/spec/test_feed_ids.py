"""After a move to another host the entries of feeds keep their ids, where the publisher names the former address."""

import json
from pathlib import Path

from lxml import etree

from citepress.edition.documents import declared
from citepress.kinds import ALL as KINDS
from support.documents import leaves
from support.folder import assembled, folder, post

ATOM = "{http://www.w3.org/2005/Atom}"
NAMES = ("rss", "json_feed", "changes_feed", "posts_feed")


def ids(path: Path, site: str) -> dict[str, list[str]]:
    """The ids of the entries of each feed."""
    archive = assembled(folder(path, {"content/posts/a.md": post()}, site))
    feeds = leaves(archive, [family for family in declared(KINDS) if family.name in NAMES])
    roots = {name: etree.fromstring(feeds[name].body) for name in ("/changes.xml", "/posts/feed.xml", "/rss.xml")}
    permanent = "false" if "feed_ids_from" in site else "true"
    assert {guid.get("isPermaLink") for guid in roots["/rss.xml"].iter("guid")} == {permanent}
    items = json.loads(bytes(feeds["/feed.json"].body))["items"]
    assert [item["url"] for item in items] == [f"{archive.site.base_url}/posts/a/"]
    entries = {
        name: [node.text or "" for node in root.iter(f"{ATOM}id", "guid") if node.getparent() is not root]
        for name, root in roots.items()
    }
    return {**entries, "/feed.json": [item["id"] for item in items]}


def test_entries_keep_the_ids_of_the_former_address(tmp_path: Path) -> None:
    before = ids(tmp_path / "before", 'base_url = "https://old.example"\n')
    moved = 'base_url = "https://new.example"\nfeed_ids_from = "https://old.example/"\n'
    assert all(before.values())
    assert ids(tmp_path / "after", moved) == before
