"""Gardens of linked notes: Quartz, Foam, Dendron and Logseq."""

import posixpath
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from citepress.content.rewritten import apply_edits
from citepress_import.formats.markdown_files import static_files, stem_of
from citepress_import.formats.markdown_site import MarkdownSite, format_of_site
from citepress_import.former_site import FormerPage
from citepress_import.heading_ids import github
from citepress_notes import lenient_values
from citepress_notes.document_addresses import dendron_publishing, foam_addresses, quartz_path
from citepress_notes.former_tools import MARKS
from citepress_notes.graph import graph_edits, graph_of, page_names
from citepress_notes.held_back import public_texts
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.script_values import Script
from citepress_notes.tool_comments import without_hidden

_DENDRON_LINK = re.compile(r"\[\[([^\[\]|\n]{1,300})\|([^\[\]|\n]{1,300})\]\]")
_EPOCH_MS = re.compile(r"\d{12,13}")


class Quartz(MarkdownSite):
    """Notes in ``content/``, at addresses that keep the letters of their names."""

    name = "quartz"
    about = "Quartz: the notes in content/"
    wiki = True
    heading_ids = (github,)
    tags = "/tags/{}"
    feeds = ("/index.xml",)

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        return {"content": "/"}

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        code = next((self.tree.text(name) for name in MARKS["quartz"] if name in self.tree.sizes), "")
        script = Script(code)
        base = script.text("baseUrl")
        return {
            "title": script.text("pageTitle"),
            "base_url": f"https://{base.strip('/')}/" if base else "",
            "language": script.text("locale"),
        }

    def public(self, _at: str, inner: str, _front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return (quartz_path(inner),)

    def titles(self, _path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """Its aliases, which answer links by their names."""
        paths = [str(path).strip("/") for path in lenient_values.items(front.get("aliases"))]
        return (*paths, *(path.replace("-", " ") for path in paths))

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        names = [*lenient_values.items(front.get("aliases") or front.get("alias")), front.pop("permalink", None)]
        if any(names):
            front["aliases"] = [f"/{str(name).strip('/').replace(' ', '-')}" for name in names if name]
            front.pop("alias", None)
        return titled(path, front, body)

    def files(self) -> dict[str, str]:
        """Files that it publishes as they are."""
        return {
            f"/{path.removeprefix('content/').replace(' ', '-')}": path
            for path in self.tree.below("content")
            if not path.lower().endswith((".md", ".mdx"))
        }


class Foam(MarkdownSite):
    """A folder of notes with wiki links and the definitions that Foam writes below them."""

    name = "foam"
    about = "Foam: the notes of a workspace"
    wiki = True
    readme = True

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        return titled(path, front, body)

    def public(self, _at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return foam_addresses(inner, front)


class Dendron(MarkdownSite):
    """Notes of a vault, whose names are their hierarchy and whose ids are their addresses."""

    name = "dendron"
    about = "Dendron: the notes of the vaults of a workspace"
    wiki = True
    heading_ids = (github,)

    def prepare(self) -> None:
        """Read the settings."""
        settings = self.rules.settings("dendron")
        workspace = lenient_values.table(settings.get("workspace"))
        self.vaults = [
            posixpath.normpath(lenient_values.words(lenient_values.table(row).get("fsPath")) or ".").strip("./")
            for row in lenient_values.items(workspace.get("vaults") or settings.get("vaults"))
        ]
        self.publishing = dendron_publishing(settings)

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        return dict.fromkeys(
            [*(v for v in self.vaults if v), *(f"{v}/notes" for v in self.vaults if v)] or [""], "/notes/"
        )

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        seo = lenient_values.table(self.publishing.get("seo"))
        return {
            "title": lenient_values.words(seo.get("title") or self.publishing.get("title")),
            "description": lenient_values.words(seo.get("description")),
            "base_url": lenient_values.words(self.publishing.get("siteUrl")),
        }

    def public(self, _at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return self.layout.addresses(inner, front)

    def files(self) -> dict[str, str]:
        """The assets of its vaults."""
        return static_files(self.tree, *(v for v in self.vaults if v))

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        for ours, theirs in (("date", "created"), ("lastmod", "updated")):
            if _EPOCH_MS.fullmatch(str(front.get(theirs, ""))):
                front[ours] = datetime.fromtimestamp(int(front.pop(theirs)) // 1000, UTC)
        if front.get("desc"):
            front["description"] = front.pop("desc")
        for key in ("id", "config", "nav_order", "desc"):
            front.pop(key, None) if key != "id" else None
        return titled(path, front, body)

    def expand(self, _page: FormerPage, code: HiddenCode, text: str) -> str:
        """Its notation as Markdown."""
        text = code.spans(text)
        text = text.replace("[[dendron://", "[[")
        text = re.sub(r"\[\[((?:[^\[\]|\n]{1,300}\|)?)[\w-]+/(?=[^\[\]\n]+\]\])", r"[[\1", text)
        return _DENDRON_LINK.sub(r"[[\2|\1]]", text)


class Logseq(MarkdownSite):
    """Pages and journals of a graph, with properties, references to blocks and tasks."""

    name = "logseq"
    about = "Logseq: pages and journals of a graph"
    wiki = True
    in_repository = False

    def prepare(self) -> None:
        """Read the settings."""
        self._aliases: dict[str, list[str]] = {}
        self.graph = graph_of(public_texts(self.tree.below("", ".md"), self.tree.text, self.rules, self.name))

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        return {"pages": "", "journals": ""}

    def public(self, _at: str, _inner: str, _front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return ()  # what it exports has one address, and names pages behind its number sign

    def is_page(self, _path: str, _front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        return False

    def titles(self, path: str, _front: Mapping[str, Any]) -> tuple[str, ...]:
        """Names by which its links refer to a text."""
        return (*page_names(path), *self._aliases.pop(path, ()))

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        day, *_ = (*page_names(path)[1:2], "")
        front.setdefault("title", page_names(path)[0])
        front |= {"date": day} if day and "date" not in front else {}
        named = [front.pop(key, None) for key in ("alias", "aliases")]  # names for links, and no paths
        self._aliases[path] = [str(item) for given in named for item in lenient_values.items(given)]
        body = without_hidden(body)
        body = apply_edits(body, graph_edits(body, path, self.graph, lambda page: f"/{page}"))
        return front, "" if not re.sub(r"[-*\s]", "", body) else body

    def word(self, path: str, _front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        return unquote(stem_of(path)).replace("___", " ").replace("/", " ").replace("_", "-")


def titled(path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
    """Front matter with the name of the file for a title, where neither it nor the text gives one."""
    if not lenient_values.words(front.get("title")) and not body.lstrip().startswith("# "):
        front["title"] = stem_of(path) if stem_of(path) != "index" else posixpath.basename(posixpath.dirname(path))
    return front, body


FORMATS = tuple(map(format_of_site, (Quartz, Dendron, Logseq, Foam)))
