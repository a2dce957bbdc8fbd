"""Code in the shortcodes of a former site stays code."""

import json
from pathlib import Path
from typing import Any

import pytest

from citepress.cli import run
from citepress_notes.code_shortcodes import looks_like_code
from support.former_sites import written

HUGO: dict[str, str | bytes] = {"hugo.toml": 'baseURL = "https://former.test/"\n'}
ZOLA: dict[str, str | bytes] = {"config.toml": 'base_url = "https://former.test"\n'}
FRONT = "---\ntitle: One\ndate: 2020-01-01\n---\n"
HIGH = '{{ highlight (trim .Inner "\\n") (.Get 0) "" }}'
SHELL = "# a comment\n\ncurl -s `x` \\\n  | sh <script>alert(1)</script>\n{{< other >}}"


def imported(form: str, root: Path, files: dict[str, str | bytes], name: str = "one") -> tuple[str, dict[str, Any]]:
    """Import the files; the text of one post, and the report."""
    source = written(root / "source", files)
    assert run(["import", form, str(source), str(root / "out"), "--report", str(root / "r.json")]) == 0
    return (root / f"out/content/posts/{name}.md").read_text("utf-8"), json.loads((root / "r.json").read_bytes())


def of_hugo(root: Path, body: str, **templates: str) -> str:
    """The text that Hugo's post becomes, with the templates of the site by name."""
    paths = {f"layouts/shortcodes/{name.replace('_', '-')}.html": text for name, text in templates.items()}
    return imported("hugo", root, HUGO | paths | {"content/posts/one.md": f"{FRONT}{body}"})[0]


def test_a_shortcode_whose_template_highlights_becomes_a_block_of_code(tmp_path: Path) -> None:
    text = of_hugo(tmp_path, f"First words.\n\n{{{{< high sh >}}}}\n{SHELL}\n{{{{< /high >}}}}\n\nLast.", high=HIGH)
    assert f"```sh\n{SHELL}\n```\n" in text
    assert "not shown here" not in text


@pytest.mark.parametrize(
    ("template", "call", "opening"),
    [
        ('<b>{{ .Get 0 }}</b>{{ highlight .Inner "rust" "" }}', '"file.rs"', "```rust"),
        ('{{ transform.Highlight (trim .Inner "\\n") `go` }}', "", "```go"),
        ('<pre><code class="language-toml">{{ .Inner }}</code></pre>', "", "```toml"),
        ("<pre>{{ .Inner }}</pre>", '"file.rs"', "```"),
        ("<pre>{{ .Inner }}</pre>", 'lang="c++"', "```c++"),
        ("<pre>{{ .Inner }}</pre>", '"A few words"', "```"),
    ],
)
def test_the_language_is_that_of_the_template_else_the_first_argument(
    tmp_path: Path, template: str, call: str, opening: str
) -> None:
    body = f"Words.\n\n{{{{< code-own {call} >}}}}\n# x\ny\n{{{{< /code-own >}}}}"
    assert f"\n{opening}\n# x\ny\n```\n" in of_hugo(tmp_path, body, code_own=template)


def test_a_template_of_a_theme_counts_unless_the_site_has_its_own(tmp_path: Path) -> None:
    files = HUGO | {
        "themes/t/layouts/shortcodes/high.html": HIGH,
        "themes/t/layouts/shortcodes/box.html": HIGH,
        "layouts/shortcodes/box.html": "<div>{{ .Inner }}</div>",
        "content/posts/one.md": FRONT + "{{< high c >}}\na\n{{< /high >}}\n\n{{< box >}}\nb\n{{< /box >}}",
    }
    text, report = imported("hugo", tmp_path, files)
    assert "```c\na\n```" in text
    assert "*(“box” of the former site is not shown here.)*\n\n\nb\n" in text
    assert {row["name"]: row["count"] for row in report["shortcodes"]} == {"high": 1, "box": 1}


@pytest.mark.parametrize(
    "template",
    ["<pre>x</pre>{{ .Inner | markdownify }}", '<div class="highlight">{{ .Inner }}</div>', "<pre>{{ .Get 0 }}</pre>"],
)
def test_a_template_that_shows_words_makes_no_code(tmp_path: Path, template: str) -> None:
    text = of_hugo(tmp_path, "{{< box >}}\nSome *words*.\n{{< /box >}}", box=template)
    assert "```" not in text
    assert "summary: Some words.\n" in text


def test_code_among_words_stays_among_them(tmp_path: Path) -> None:
    text = of_hugo(tmp_path, "Press {{< c >}}<b> `x`{{< /c >}} now.", c="<code>{{ .Inner }}</code>")
    assert "Press `` <b> `x` `` now." in text


def test_zola_reads_templates_of_the_site_and_of_themes(tmp_path: Path) -> None:
    body = '{% high(lang="sh") %}\n# a\n<b>\n{% end %}\n\n{% own() %}\n# b\n{% end %}\n\n{% box() %}\nWords.\n{% end %}'
    files = ZOLA | {
        "templates/shortcodes/high.html": "<pre><code>{{ body }}</code></pre>",
        "themes/t/templates/shortcodes/own.md": "```rust\n{{ body }}\n```",
        "templates/shortcodes/box.html": "<div>{{ body | markdown | safe }}</div>",
        "content/blog/one.md": f'+++\ntitle = "One"\ndate = 2020-01-01\n+++\n{body}',
    }
    text, _ = imported("zola", tmp_path, files)
    assert "```sh\n# a\n<b>\n```" in text
    assert "```rust\n# b\n```" in text
    assert "summary: Words.\n" in text


def test_without_a_template_only_what_looks_like_code_is_code(tmp_path: Path) -> None:
    code = "# set it\nx = f(1)\nfor i in x:\n    print(i)"
    text = of_hugo(
        tmp_path, f"{{{{< snip python >}}}}\n{code}\n{{{{< /snip >}}}}\n\n{{{{< box >}}}}Words.{{{{< /box >}}}}"
    )
    assert f"```python\n{code}\n```" in text
    assert "“snip”" not in text
    assert "(“box” of the former site is not shown here.)*\n\nWords." in text


@pytest.mark.parametrize(
    "text",
    [
        "    Words that are\n    only indented.",
        "- one;\n- two;",
        "  ![a](b.png)\n  ![c](d.png)",
        "<div>\n  <p>x();</p>\n</div>",
        "One sentence (with an aside).\nAnother one, with x = y.\nA third.",
        "run();",
    ],
)
def test_words_lists_pictures_and_html_do_not_look_like_code(text: str) -> None:
    assert not looks_like_code(text)


def test_a_note_is_no_part_of_a_summary(tmp_path: Path) -> None:
    assert "summary: The first words.\n" in of_hugo(tmp_path / "a", "{{< box >}}\n\nThe first words.")
    assert "summary: Before after.\n" in of_hugo(tmp_path / "b", "Before {{< box >}} after.")
    assert "summary: One\n" in of_hugo(tmp_path / "c", "{{< box >}} {{< chart >}}")


def test_a_reference_to_a_bundle_with_a_space_leads_to_its_page(tmp_path: Path) -> None:
    body = (
        'To [two]({{< ref "my bundle" >}}), [its part]({{< relref "my bundle#x" >}}) and [none]({{< ref "no page" >}}).'
    )
    files = HUGO | {
        "content/post/one.md": f"{FRONT}{body}",
        "content/post/my bundle/index.md": FRONT.replace("One", "Two"),
    }
    text, report = imported("hugo", tmp_path, files)
    assert "To [two](/posts/my-bundle/), [its part](/posts/my-bundle/#x) and none." in text
    assert report["dead_links"] == [{"source": "content/post/one.md", "address": "/no%20page"}]
