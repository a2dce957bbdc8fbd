"""Shortcodes, admonitions and documents of plain sites are read as an import reads them: no raw mark is text."""

import re
from pathlib import Path

import pytest

from support.folder import checked, folder
from support.former_sites import PNG

DATED = "---\ntitle: T\ndate: 2026-01-02\n---\n"
OTHER = "---\ntitle: B\ndate: 2026-01-02\n---\nB."
TOOLS: dict[str, dict[str, str | bytes]] = {
    "hugo": {"hugo.toml": "title = 'T'\n", "content/posts/b/index.md": OTHER},
    "hexo": {
        "_config.yml": "title: T\n",
        "scaffolds/x.md": "x",
        "source/_posts/b.md": OTHER,
        "source/_posts/a/p.png": PNG,
        "source/img/q.png": PNG,
    },
    "zola": {"config.toml": "base_url = 'https://t.test'\n", "content/b.md": OTHER},
    "mkdocs": {"mkdocs.yml": "site_name: T\n", "docs/b.md": OTHER},
    "jekyll": {"_config.yml": "title: T\n", "b.md": OTHER},
    "pelican": {
        "pelicanconf.py": "PATH = 'content'\n",
        "content/b.rst": "B\n##\n\n:date: 2024-01-02\n\nWords *in* it.\n",
    },
}
PELICAN_HTML = """<html><head><title>T</title><meta name='date' content='2024-01-02'></head>
<body><p>Words <em>in</em> <a href='{filename}b.rst'>b</a></p></body></html>"""
PLACES = {
    "hugo": "content/posts/a.md", "hexo": "source/_posts/a.md", "zola": "content/a.md", "mkdocs": "docs/a.md",
    "jekyll": "_posts/2024-01-02-a.html", "pelican": "content/a.html",
}  # fmt: skip


def body_of(tool: str, text: str, root: Path) -> tuple[str, list[str]]:
    """The text of a note of a tool as Markdown, and the codes of the faults of its file."""
    archive, faults = checked(folder(root, {**TOOLS[tool], PLACES[tool]: text}, site=None))
    assert archive is not None
    record = next(entry.record for entry in archive.entries.values() if entry.record.title == "T")
    text = re.sub(r"\n{3,}", "\n\n", record.body_markdown.strip())
    return text, [fault.code.id for fault in faults if fault.place.file == PLACES[tool]]


@pytest.mark.parametrize(
    ("tool", "text", "expected"),
    [
        ("hugo", '[b]({{< ref "posts/b" >}}) [c]({{% relref "b/index.md#x" %}})',
         "[b](/posts/content-posts-b-index/) [c](/posts/content-posts-b-index/#x)"),
        ("hugo", 'See {{< ref "/posts/b" >}}.', "See [this page](/posts/content-posts-b-index/)."),
        ("hugo", '{{< figure src="/p.png" alt="A" caption="C" >}}', "![A](/p.png)\n\n*C*"),
        ("hugo", "{{< youtube abc >}}", "[Video](https://www.youtube.com/watch?v=abc)"),
        ("hugo", "{{< highlight go >}}\nx := {{ y }}\n{{< /highlight >}}", "```go\nx := {{ y }}\n```"),
        ("hugo", '{{% notice tip "T" %}}\nIn *it*.\n{{% /notice %}}', "> [!TIP]\n> **T**\n>\n> In *it*."),
        ("hugo", "A {{</* shown */>}} and `{{< code >}}`.", "A `{{< shown >}}` and `{{< code >}}`."),
        ("hexo", "{% youtube abc %}", "[Video](https://www.youtube.com/watch?v=abc)"),
        ("hexo", "{% asset_img p.png 10 20 A picture %}", "![A picture](/source/_posts/a/p.png)"),
        ("hexo", "![q](/img/q.png)", "![q](/source/img/q.png)"),
        ("hexo", "{% link Words out https://out.example/ %}", "[Words out](https://out.example/)"),
        ("hexo", "{% blockquote A B %}\nWise.\n{% endblockquote %}", "> Wise."),
        ("zola", '{{ youtube(id="abc") }}', "[Video](https://www.youtube.com/watch?v=abc)"),
        ("zola", "{% quote(author='B') %}\nWise.\n{% end %}", "> Wise.\n>\n> — B"),
        ("mkdocs", '!!! warning "Mind"\n    In.\n\n    ```py\n    x\n    ```\n\nAfter.',
         "> [!WARNING]\n> **Mind**\n>\n> In.\n>\n> ```py\n> x\n> ```\n\nAfter."),
        ("mkdocs", "??? note\n    In.\n", "> [!NOTE]\n> In."),
        ("mkdocs", "++ctrl+c++ :material-home: [b](b.md){ .md-button }",
         "<kbd>ctrl</kbd>+<kbd>c</kbd> [b](/posts/docs-b/)"),
    ],
)  # fmt: skip
def test_notation_of_a_tool_is_markdown(tool: str, text: str, expected: str, tmp_path: Path) -> None:
    body, codes = body_of(tool, f"{DATED}{text}\n", tmp_path)
    assert body == expected
    assert "CP061" not in codes


def test_an_unknown_shortcode_leaves_a_note_and_its_inside(tmp_path: Path) -> None:
    body, codes = body_of("hugo", DATED + "{{< odd a=1 >}}In.{{< /odd >}} {{< lone >}}\n", tmp_path)
    assert " ".join(body.split()) == "*(“odd” is not shown here.)* In. *(“lone” is not shown here.)*"
    assert codes == ["CP061", "CP061"]


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("jekyll", "---\ntitle: T\n---\n<p>Words <em>in</em> <a href=\"{{ '/b.html' | relative_url }}\">b</a></p>"),
        ("pelican", PELICAN_HTML),
    ],
)
def test_documents_that_a_tool_publishes_are_notes(tool: str, text: str, tmp_path: Path) -> None:
    body, codes = body_of(tool, text, tmp_path)
    target = {"jekyll": "/b.html", "pelican": "</posts/content-b/>"}[tool]
    assert (body, codes) == (f"Words *in* [b]({target})", [])


def test_pages_of_html_without_front_matter_and_lists_are_no_notes(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        **TOOLS["jekyll"],
        "index.html": "---\nlayout: home\n---\n{% for post in site.posts %}A post{% endfor %}",
        "raw.html": "<p>Words</p>",
        "_layouts/x.html": "---\nlayout: y\n---\n<p>Words</p>",
    }
    archive, _ = checked(folder(tmp_path, files, site=None))
    assert archive is not None
    assert list(archive.entries) == ["posts/b"]
