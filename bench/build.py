"""A full build, compared with Hugo and Pelican on the same text: ``python bench/build.py [RECORDS] [--rounds N]``.

Each builder gets the same posts with their claims, sources and related records, and a template that shows them
between a header and a footer. Hugo and Pelican write HTML; citepress writes HTML, Markdown and JSON of every record,
an index of everything, feeds, graph, ledger and reports. Counts the processor seconds and the memory of the process
tree, and what each builder emitted: a page of every record, with its text, or the builder is left out with the reason.
Needs Hugo on the PATH and Pelican with Markdown in ``.bench/venv``; a peer that is missing is left out.

The default is one round of 10000 records of 8 KB.
"""

import argparse
import html
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import figures
import meter
import synthetic
import yaml

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PELICAN = ROOT / ".bench/venv/bin/pelican"
EDITION = "--edition"
FRAME = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="description" content="{summary}">
<link rel="canonical" href="{url}"><link rel="stylesheet" href="/site.css"></head><body>
<header><p><a href="/">Synthetic archive</a></p><nav><ul>
<li><a href="/posts/">Posts</a></li><li><a href="/topics/">Topics</a></li></ul></nav></header>
<main><article>{article}</article></main><footer><p>Synthetic archive. Licence: CC0-1.0.</p></footer></body></html>
"""
HUGO_POST = """<h1>{{ .Title }}</h1><p>{{ .Params.summary }}</p><p>{{ .Date.Format "2006-01-02" }}</p>
<p>{{ range .Params.topics }}<a href="/topics/{{ . }}/">{{ . }}</a> {{ end }}</p>
<blockquote>{{ .Params.retrieval_nugget }}</blockquote>
<ul>{{ range .Params.claims }}<li>{{ .text }}</li>{{ end }}</ul>{{ .Content }}
<ol>{{ range .Params.sources }}<li><a href="{{ .url }}">{{ .title }}</a>
{{ .publisher }}, read {{ .accessed_at }}, {{ .role }}</li>{{ end }}</ol>
<ul>{{ range .Params.related }}{{ with site.GetPage . }}
<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}{{ end }}</ul>"""
HUGO_LIST = (
    '<h1>{{ .Title }}</h1><ul>{{ range (.Paginate .Pages).Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title'
    " }}</a></li>{{ end }}</ul>"
)
PELICAN_POST = """<h1>{{ article.title }}</h1><p>{{ article.summary }}</p><p>{{ article.date.strftime("%Y-%m-%d") }}</p>
<p><a href="/{{ article.category.url }}">{{ article.category }}</a></p>{{ article.content }}"""
PELICAN_LIST = (
    '<h1>{{ SITENAME }}</h1><ul>{% for a in articles_page.object_list %}<li><a href="/{{ a.url }}">{{ a.title'
    " }}</a></li>{% endfor %}</ul>"
)
PELICAN_SETTINGS = """
SITENAME = "Synthetic archive"
SITEURL = "https://archive.example"
PATH = "content"
OUTPUT_PATH = "output"
THEME = "theme"
TIMEZONE = "UTC"
DEFAULT_PAGINATION = 20
DIRECT_TEMPLATES = ["index"]
AUTHOR_SAVE_AS = TAG_SAVE_AS = ARCHIVES_SAVE_AS = ""
ARTICLE_URL = "posts/{slug}/"
ARTICLE_SAVE_AS = "posts/{slug}/index.html"
CATEGORY_URL = "topics/{slug}/"
CATEGORY_SAVE_AS = "topics/{slug}/index.html"
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None
"""


def written(root: Path, files: dict[str, str]) -> None:
    """Write texts at their paths."""
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def hugo(site: Path, archive: Path) -> None:
    """Hugo reads our files as they are; it wants a site and templates around them."""
    shutil.copytree(archive / "content/posts", site / "content/posts")
    frame = {"title": "{{ .Title }}", "summary": "{{ .Params.summary }}", "url": "{{ .Permalink }}"}
    kinds = {"single": HUGO_POST, "list": HUGO_LIST, "terms": HUGO_LIST, "taxonomy": HUGO_LIST}
    pages = {f"layouts/_default/{name}.html": FRAME.format(**frame, article=text) for name, text in kinds.items()}
    settings = (
        'baseURL = "https://archive.example/"\ntitle = "Synthetic archive"\npaginate = 20\ndisableKinds ='
        ' ["RSS"]\n[taxonomies]\ntopic = "topics"\n'
    )
    written(site, {"config.toml": settings, "layouts/index.html": pages["layouts/_default/list.html"], **pages})


def pelican(site: Path, archive: Path) -> None:
    """Pelican knows no nested front matter: claims, sources and related records stand as Markdown below the text."""
    for file in sorted((archive / "content/posts").iterdir()):
        _, front, body = file.read_text("utf-8").split("---\n", 2)
        written(site, {f"content/{file.name}": _note(file.stem, yaml.load(front, yaml.CSafeLoader), body)})
    frame = {
        "title": "{{ article.title }}",
        "summary": "{{ article.summary|striptags }}",
        "url": "{{ SITEURL }}/{{ article.url }}",
    }
    lists = FRAME.format(title="{{ SITENAME }}", summary="", url="{{ SITEURL }}", article=PELICAN_LIST)
    templates = {"article": FRAME.format(**frame, article=PELICAN_POST), "index": lists, "category": lists}
    written(site, {f"theme/templates/{name}.html": text for name, text in templates.items()})
    written(site, {"theme/static/site.css": "", "pelicanconf.py": PELICAN_SETTINGS})


def _note(slug: str, front: dict, body: str) -> str:
    head = {
        "Title": front["title"],
        "Date": front["date"],
        "Slug": slug,
        "Category": front["topics"][0],
        "Summary": front["summary"],
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    lines += [
        "",
        f"> {front['retrieval_nugget']}",
        "",
        *(f"- {claim['text']}" for claim in front["claims"]),
        "",
        body,
        "",
    ]
    lines += [
        f"1. [{source['title']}]({source['url']}) {source['publisher']}, read {source['accessed_at']}, {source['role']}"
        for source in front["sources"]
    ]
    return "\n".join([*lines, "", *(f"- [{record}](/{record}/)" for record in front["related"]), ""])


def edition(archive: Path, state: Path) -> None:
    """In a process of its own: build the edition."""
    Builder(Settings(archive, state), lasting=False).build(clock.now())  # as `citepress build` does, and Hugo


def held(state: Path) -> str:
    """What stands in an edition."""
    opened = open_edition(pointer(state))
    counted = Counter(meta["kind"] for meta in map(opened.meta, opened.paths()) if meta)
    return ", ".join(f"{count:,} {kind}" for kind, count in counted.most_common())


def emitted(files: Iterable[Path]) -> str:
    """What stands in an output folder, by its endings."""
    counted = Counter(file.suffix.lstrip(".") or "other" for file in files if file.is_file())
    return ", ".join(f"{count:,} {kind}" for kind, count in counted.most_common())


def missing(archive: Path, output: Path) -> str:
    """What a peer did not emit: the reason to leave it out; empty when every record has its page and its text."""
    texts = {file.stem: file.read_text("utf-8").split("---\n", 2)[2] for file in (archive / "content/posts").iterdir()}
    pages = {slug: output / "posts" / slug / "index.html" for slug in texts}
    absent = [slug for slug, page in pages.items() if not page.is_file()]
    if absent:
        return f"{len(absent):,} of {len(texts):,} records have no page, for instance {absent[0]}"
    bare = [slug for slug, page in pages.items() if last_words(texts[slug]) not in words(page.read_text("utf-8"))]
    return f"{len(bare):,} pages do not hold their text, for instance {bare[0]}" if bare else ""


def last_words(text: str) -> str:
    """The end of a Markdown text, which a page that was cut short does not have."""
    return " ".join(re.findall(r"\w+", re.sub(r"\]\([^)]*\)", "", text))[-8:])


def words(page: str) -> str:
    """The words of a page without its tags."""
    return " ".join(re.findall(r"\w+", html.unescape(re.sub(r"<[^>]*>", "", page))))


def measure(name: str, command: list[str | Path], output: Path, rounds: int) -> float:
    """One line; gives the processor seconds of the cheapest round."""
    spent = []
    for _ in range(rounds):
        shutil.rmtree(output, ignore_errors=True)
        spent.append(meter.run(command, output.parent))
    cpus = [usage.cpu for usage in spent]
    output_size = held(output) if name == "citepress" else emitted(output.rglob("*"))
    peak = max(usage.peak for usage in spent)
    print(f"{name:10} {min(cpus):7.1f} s {median(cpus):7.1f} s {peak:7,.0f} MB   {output_size}", flush=True)
    return min(cpus)


def main() -> None:
    """Write the text, let each builder build it, print the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=10_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citepress-bench-") as scratch:
        archive = Path(scratch) / "archive"
        synthetic.write(archive, options.records)
        print(f"{options.records:,} records; {meter.load()}")
        print("               min    median  memory   emitted")
        own_cost = measure(
            "citepress",
            [sys.executable, __file__, EDITION, archive, archive / "state"],
            archive / "state",
            options.rounds,
        )
        shutil.rmtree(archive / "state")
        state = archive / "exported"
        export = ["build", archive, "--state", state, "--output", state / "dist"]
        measure("with files", [sys.executable, "-m", "citepress", *export], state, options.rounds)
        shutil.rmtree(state)
        for name, command, make in (
            ("hugo", ["hugo", "--quiet"], hugo),
            ("pelican", [PELICAN, "-q", "-s", "pelicanconf.py"], pelican),
        ):
            if not shutil.which(command[0]):
                print(f"{name} is left out: {command[0]} is not there (bench/README.md tells how to get it)")
                continue
            site = Path(scratch) / name
            make(site, archive)
            output = site / ("public" if name == "hugo" else "output")
            other_cost = measure(name, command, output, options.rounds)
            if reason := missing(archive, output):
                print(f"{name} is left out: {reason}")
            else:
                figures.record(f"build_over_{name}", own_cost / other_cost)
                print(f"{'':10} citepress takes {own_cost / other_cost:.2f} of its processor time")
            shutil.rmtree(site)


if __name__ == "__main__":
    if sys.argv[1:2] == [EDITION]:
        edition(Path(sys.argv[2]), Path(sys.argv[3]))
        sys.exit()
    main()
