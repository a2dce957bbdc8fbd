"""Small folders in the shapes of other tools, as somebody who moves in would bring them."""

import os
import struct
import subprocess
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from support.folder import SVG, folder

Files = Mapping[str, str | bytes]


def png(width: int = 3, height: int = 2) -> bytes:
    """A white picture of this size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\xff" * width) * height)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


ZOLA: Files = {
    "config.toml": 'base_url = "https://zola.example"\ntitle = "Z"\n',
    "templates/page.html": "{{ page.content }}",
    "content/_index.md": '+++\ntitle = "Front"\n+++\n',
    "content/first.md": (
        '+++\ntitle = "First post"\ndescription = "What came first."\ndate = 2021-03-04\nupdated = 2021-04-05\naliases'
        ' = ["old/first"]\nauthors = ["A"]\n[taxonomies]\ntags = ["one", "two"]\n[extra]\ntoc = true\n+++\n\nThe'
        " **first** text.\n\n![A picture](pic.png)\n"
    ),
    "content/pic.png": png(),
    "content/second.md": '+++\ntitle = "Second"\npath = "2022/10/28/second"\n+++\n\nBack to [first](first.md).\n',
    "content/hidden.md": '+++\ntitle = "Hidden"\ndate = 2022-01-01\ndraft = true\n+++\nNot yet.\n',
    "content/control.md": '+++\ntitle = "Control"\ndate = 2022-01-01\n+++\nA form\x0cfeed.\n',
    "content/broken.md": '+++\ntitle = "Broken\n+++\nText.\n',
    "static/img/logo.svg": SVG,
}
HUGO: Files = {
    "hugo.toml": 'title = "H"\n',
    "archetypes/default.md": '---\ntitle: "{{ replace .Name "-" " " }}"\ndate: {{ .Date }}\n---\n',
    "themes/t/README.md": "# Theme\n",
    "content/posts/bundle/index.md": (
        "---\ntitle: 2020\ndate: 2020-05-06T10:00:00+02:00\nlastmod: 2020-06-07\ndescription: A bundle.\naliases:\n-"
        " /shared/\ncategories: [c]\nweight: 3\n---\n\n![Beside](pic.png) and [paper](sub/paper.pdf).\n\n{{< figure"
        " src=x.png >}}\n"
    ),
    "content/posts/bundle/pic.png": png(5, 4),
    "content/posts/bundle/sub/paper.pdf": b"%PDF-1.4\n",
    "content/posts/json.md": (
        '{\n  "title": "From JSON", "date": "2020-07-08", "tags": ["x"], "aliases":'
        ' ["/shared/"]\n}\n\n<table><tr><td>cell</td></tr></table>\n'
    ),
    "content/posts/dead.md": "---\ntitle: Dead\ndate: 2020-01-01\n---\n[gone](/docs/gone/) ![none](none.png)\n",
}
JEKYLL: Files = {
    "_config.yml": "title: J\n",
    ".gitignore": "_drafts/\n*.tmp.md\n",
    "README.md": "# The site\n\nHow to build it. See [a post](_posts/2013-09-03-hello.md).\n",
    "LICENSE.md": "# MIT\n",
    "_posts/2013-09-03-hello.md": (
        "---\nlayout: post\npermalink: /hello.html\nredirect_from:\n- /2013/hello/\ntags: a b\n---\nHello.\n"
    ),
    "_posts/2014-01-02-second.md": (
        "---\ntitle: Second\ndate: 2014-01-03 10:00:00 -0500\n---\n![Logo](/assets/logo.png)\n"
    ),
    "_drafts/idea.md": "# Idea\n",
    "notes.tmp.md": "# Temporary\n",
    "assets/logo.png": png(),
    "node_modules/pkg/README.md": "# Package\n",
    "vendor/gem/README.md": "# Gem\n",
}
NOTES: Files = {
    ".obsidian/app.json": "{}",
    ".trash/old.md": "# Old\n",
    "Daily Note.md": (
        "---\naliases: [Another name]\ntags: daily\ncreated: 2024-02-03\n---\n# Daily\n\nSee [plan](sub/Plan%20B.md)"
        " and ![shot](<sub/Pasted image 1.png>).\n"
    ),
    "sub/Plan B.md": (
        "# Plan *B*\n\nA paragraph with <kbd>Ctrl</kbd>, a <!-- secret --> comment and [up](../Daily%20Note.md).\n"
    ),
    "sub/Pasted image 1.png": png(7, 7),
    "sub/bytes.md": b"# Bytes\n\xff\xfe\n",
    ".secret.png": png(),
    "data.json": "{}",
}
SHAPES: Mapping[str, Files] = {"zola": ZOLA, "hugo": HUGO, "jekyll": JEKYLL, "notes": NOTES}


def shaped(path: Path, name: str) -> Path:
    """A folder in one of the shapes."""
    return folder(path, SHAPES[name], site=None)


def git(root: Path, *words: str, at: str = "") -> str:
    """What Git says to a command in a folder, with a clock of its own and nothing of the machine's settings."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(root)}
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *settings, *words],
        cwd=root,
        env={**clean, **variables, **dates},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def committed(root: Path, *steps: tuple[str, Callable[[], object]]) -> None:
    """A repository with one commit a step, each at its moment."""
    git(root, "init")
    for number, (at, step) in enumerate(steps):
        step()
        git(root, "add", "-A")
        git(root, "commit", "-m", f"Step {number}", at=at)
