"""HTML pages of Jekyll, Hugo, Hexo and Eleventy are imported, or named with a reason."""

import json
from pathlib import Path

import pytest

from citepress.cli import run
from support.former_sites import written

FRONT = "---\ntitle: T\ndate: 2024-01-02\n---\n"
OTHER = f"{FRONT}B."
SITES: dict[str, tuple[dict[str, str | bytes], str, str, str]] = {
    "hugo": (
        {"hugo.toml": "title = 'S'\n", "content/posts/b.md": OTHER},
        "content/posts/a.html",
        '<p>A <b>b</b> <a href="{{< ref "b.md" >}}">c</a></p>{{< youtube x1 >}}',
        "A **b** [c](/posts/b/)\n\n[Video](https://www.youtube.com/watch?v=x1)",
    ),
    "jekyll": (
        {"_config.yml": "title: S\n", "_posts/2024-01-02-b.md": OTHER},
        "a.html",
        "<p>A <b>b</b> <a href=\"{{ '/2024/01/02/b.html' | relative_url }}\">c</a> {{ site.title }}</p>",
        "A **b** [c](/posts/b/) S",
    ),
    "hexo": (
        {"_config.yml": "title: S\n", "scaffolds/x.md": "x", "source/_posts/b.md": OTHER},
        "source/a/index.html",
        '<p>A <b>b</b></p>{% post_link b "c" %}',
        "A **b**\n\n[c](/posts/b/)",
    ),
    "eleventy": (
        {"eleventy.config.js": "", "b.md": OTHER, "list.njk": f"{FRONT}{{% for x in y %}}z{{% endfor %}}"},
        "a.njk",
        '<p>A <b>b</b> <a href="/b/">c</a></p>',
        "A **b** [c](/posts/b/)",
    ),
}


@pytest.mark.parametrize("tool", SITES)
def test_a_page_of_html_with_front_matter_is_imported(tool: str, tmp_path: Path) -> None:
    files, path, text, expected = SITES[tool]
    raw: dict[str, str | bytes] = {path.replace("a.", "raw.").replace("a/index.", "raw/index."): "<p>zqraw</p>"}
    source = written(tmp_path / "site", {**files, path: FRONT + text, **raw})
    out, report = tmp_path / "out", tmp_path / "r.json"
    assert run(["import", "auto", str(source), str(out), "--report", str(report)]) == 0
    texts = [file.read_text().partition("\n---\n")[2].strip() for file in (out / "content").rglob("*.md")]
    assert expected in texts
    assert not [text for text in texts if "zqraw" in text]
    outcomes = {row["source"]: row["outcome"] for row in json.loads(report.read_bytes())["sources"]}
    assert outcomes[path].startswith("published at ")
    if tool == "eleventy":
        assert outcomes["list.njk"] == "set aside: it is a template: only running it would give its text"


def test_a_relative_link_of_a_site_below_a_path_leads_to_its_page(tmp_path: Path) -> None:
    settings = "url: https://s.test\nbaseurl: /blog\npermalink: /:year/:title.html\n"
    posts = {"a": f"{FRONT}[b](./b.html)", "b": OTHER}
    files: dict[str, str | bytes] = {f"_posts/2024-01-02-{name}.md": text for name, text in posts.items()}
    source, out = written(tmp_path / "site", {"_config.yml": settings, **files}), tmp_path / "out"
    assert run(["import", "jekyll", str(source), str(out)]) == 0
    assert "[b](/posts/b/)" in (out / "content/posts/a.md").read_text()
