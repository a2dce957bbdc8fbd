"""What one more record adds to an edition: the leaves that a build stores, and those that are made on request."""

from collections import Counter
from pathlib import Path

from citepress.admin.build import Builder
from citepress.app.registry import render_context
from citepress.edition.edition import Edition, open_edition
from citepress.edition.leaf import PRIVATE
from citepress.settings import Settings
from support.folder import SITE, SPEC, folder, post
from support.git_folder import at

STORED = {
    "/page-readership/{canonical_path}.json": 2,
    "/posts/{slug}.json": 1,
    "/posts/{slug}.md": 1,
    "/posts/{slug}/": 1,
    "/sources/{origin}.json": 1,
    "/sources/{origin}.md": 1,
    "/sources/{origin}/": 1,
    "/tags/{tag}.json": 1,
    "/tags/{tag}.md": 1,
    "/tags/{tag}/": 1,
    "private revisions": 2,
}
"""By route. Each costs time in a whole build and room on disk, whether anybody asks for it or not."""
ON_REQUEST = {
    "/posts/{slug}.bib": 1,
    "/posts/{slug}.csl.json": 1,
    "/posts/{slug}.linkset.json": 1,
    "/posts/{slug}.ris": 1,
    "/{collection}/{slug}/@{revision}..{later}.json": 1,
    "/{collection}/{slug}/@{revision}..{later}.md": 1,
    "/{collection}/{slug}/@{revision}..{later}/": 1,
    "/{collection}/{slug}/@{revision}.json": 2,
    "/{collection}/{slug}/@{revision}.md": 2,
    "/{collection}/{slug}/@{revision}/": 2,
    "/{collection}/{slug}/history.json": 1,
    "/{collection}/{slug}/history.link": 1,
    "/{collection}/{slug}/history.md": 1,
    "/{collection}/{slug}/history/": 1,
}
"""By route: written from what is stored when somebody asks, and by an export."""


def noted(number: int, text: str) -> str:
    """A record with an origin and a tag of its own."""
    source = {**SPEC, "id": "s1", "url": f"https://source{number}.example/"}
    return post(text, sources=[source], tags=[f"tag{number}"])


def families(root: Path, records: int) -> tuple[Counter[str], Counter[str]]:
    """The stored leaves and those that are made, by route, of so many records with two revisions each."""
    builder = Builder(Settings(root / "archive", root / "state"))
    for text in ("First.", "Second."):
        files = {f"content/posts/p{number}.md": noted(number, text) for number in range(records)}
        folder(root / "archive", {**files, "site.toml": SITE})
        built = builder.build(at(100))
    edition = open_edition(built.pointer).render_with(render_context)
    pack_paths = {path for layer in edition.layers for path in layer.paths()}
    stored = Counter(_route(edition, path) for path in pack_paths)
    on_request = Counter(_route(edition, path) for path in edition.addresses() if path not in pack_paths)
    return stored, on_request


def _route(edition: Edition, path: str) -> str:
    meta = edition.meta(path)
    if meta:
        return str(meta["route"]).replace(PRIVATE, "private ")
    served = edition.find(path)
    assert served is not None, path
    return served.leaf.route


def test_one_more_record_adds_these_leaves_and_no_other(tmp_path: Path) -> None:
    (few, few_made), (more, more_made) = (families(tmp_path / str(count), count) for count in (3, 4))
    assert dict(more - few) == STORED
    assert dict(more_made - few_made) == ON_REQUEST
