"""The filters of the templates: the small parts of pages, citations and pictures."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from citepress.base.languages import direction
from citepress.content.images import Size
from citepress.contract.form import CitationForm, CitedPage
from citepress.contract.page import Block, Cite, Items, Link, NumberedSource
from citepress.edition.forms.charts import chart
from citepress.edition.forms.timeline import Timeline, timeline
from citepress.edition.prose.html_parts import LinkWriter, as_markup, bar, date, inline, lang, short, spoken
from citepress.edition.prose.markdown_escape import citation_line
from citepress.edition.prose.source_marks import in_html


class TemplateFilters(LinkWriter):
    """Writes the small parts of pages of one site; templates call it through filters, which cost less than methods."""

    def __init__(
        self,
        prefix: str,
        base_url: str,
        images: Mapping[str, Size] | None = None,
        citations: Iterable[CitationForm] = (),
    ) -> None:
        """``citations`` are the forms of what can be cited."""
        super().__init__(prefix, base_url, images)
        self._citations = tuple(citations)
        self._imported = tuple([form for form in self._citations if form.imported])

    @property
    def by_name(self) -> Mapping[str, Callable[..., Any]]:
        """The filters by their names in templates."""
        return {
            "bar": bar,
            "block": block_name,
            "cell": self.cell,
            "chart": chart,
            "citation_texts": self.citation_texts,
            "citations": self.citations,
            "date": date,
            "dir": direction,
            "href": self._href,
            "inline": inline,
            "lang": lang,
            "link": self.link,
            "links": self.links,
            "references": references,
            "short": short,
            "spoken": spoken,
            "timeline": picture,
            "to": self.to,
        }

    @pass_context
    def _href(self, _context: Context, target: str) -> str:
        """The same for templates, never worked out when one is compiled: archives share compiled templates."""
        return self.href(target)

    def citations(self, block: Cite) -> tuple[Link, ...]:
        """Links to the forms of a citation, for reference managers."""
        return tuple([Link(form.title, form.path(block.path)) for form in self._imported])

    def citation_texts(self, block: Cite) -> Iterator[tuple[str, str]]:
        """What each form that is copied is called, and its text; the last is a line of Markdown."""
        cited = CitedPage(block.citation, ())
        for form in self._citations:
            if form.copied:
                yield form.title, form.write(cited).decode().replace("\r\n", "\n").rstrip("\n")
        yield "Markdown", citation_line(block.citation.line)


class _BlockNames(dict[type[Block], str]):
    """Names of the macros that write blocks, each worked out once."""

    def __missing__(self, sort: type[Block]) -> str:
        name = self[sort] = sort.__name__.lower()
        return name


_BLOCK_NAMES = _BlockNames()


def block_name(block: Block) -> str:
    """The name of the macro that writes a block."""
    return _BLOCK_NAMES[type(block)]


def references(sources: Iterable[NumberedSource]) -> Markup:
    """Numbered references to sources of the page."""
    return as_markup(in_html(sources))


def picture(block: Items) -> Timeline | None:
    """The geometry of the picture beside a list of dated entries; ``None`` if there is nothing to draw."""
    if not block.timeline:
        return None
    return timeline(((item.date, item.title or item.text) for item in block.items), block.against)
