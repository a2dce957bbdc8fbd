"""What a document may read while it is written."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial

from pydantic import BaseModel

from citepress.archive.edit import ArchiveEdit
from citepress.archive.labels import labelled
from citepress.archive.model import CONTENTS, Archive
from citepress.contract.api import Api
from citepress.contract.citation import Imprint
from citepress.contract.document import Draft
from citepress.contract.form import CitationForm, Form, Twin
from citepress.contract.kind import Kind
from citepress.contract.operation import Operation, Reports
from citepress.contract.page import Page
from citepress.contract.route import Route
from citepress.contract.site import Site
from citepress.contract.table import RouteTable
from citepress.edition.derivations import Derivations
from citepress.kinds.contents import PATH

DATABASE = "/archive.db"
"""Where a static export has the archive as one SQLite file."""


def nearest_guide(path: str, guides: Collection[str]) -> str:
    """The path of the ``llms.txt`` that is nearest to a page: that of its collection, or of the site."""
    collection = path.split("/", 2)[1]
    return f"/{collection}/llms.txt" if collection in guides else "/llms.txt"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class RenderContext:
    """The archive, and the tables that were derived from the declarations."""

    archive: Archive
    table: RouteTable
    twins: tuple[Twin, ...]
    """Every form of a page, of its citation too."""
    models: Mapping[str, type[BaseModel]]
    """The type behind each schema name."""
    assets: Mapping[str, str]
    """Public paths of the theme's files by their names: ``{"paper.css": "/theme/paper-0a1b….css"}``."""
    operations: tuple[Operation, ...] = ()
    """What can be asked and submitted."""
    apis: tuple[Api, ...] = ()
    """The APIs that extensions serve."""
    derivations: Derivations = field(default_factory=Derivations, compare=False, repr=False)
    """Values that several documents share, and that outlast an edition while nothing that they read changes."""
    dating: list[str] = field(default_factory=list, compare=False, repr=False)
    """Paths of the pages that are read for their dates alone now."""
    forms: tuple[Form, ...] = field(init=False, compare=False, repr=False)
    """The forms in which pages are written into an edition."""
    citations: tuple[CitationForm, ...] = field(init=False, compare=False, repr=False)
    """The further forms of pages that can be cited."""
    base_url: str = field(init=False, compare=False, repr=False)
    """The public address of the site."""
    guides: frozenset[str] = field(init=False, compare=False, repr=False)
    """Names of the collections that have an ``llms.txt`` of their own."""

    def __post_init__(self) -> None:
        """Work out what every page asks for: its forms, its address, and where guides are.

        A context outlasts edits, but not one that fills or empties a collection, or changes the settings of the site.
        """
        object.__setattr__(self, "base_url", self.archive.site.base_url)
        object.__setattr__(self, "forms", tuple(form for form in self.twins if isinstance(form, Form)))
        object.__setattr__(self, "citations", tuple(form for form in self.twins if isinstance(form, CitationForm)))
        guides = self.archive.filled & {"sources", *(kind.name for kind in self.archive.kinds)}
        object.__setattr__(self, "guides", guides)

    @property
    def site(self) -> Site:
        """The settings of the publication."""
        return self.archive.site

    @property
    def publisher(self) -> Imprint:
        """Who stands behind every citation."""
        return self.site.publisher(self.archive.owner.name)

    @property
    def served(self) -> bool:
        """Whether a service answers, rather than a host of files that knows no negotiation, filters or limits."""
        return not self.archive.exported

    @property
    def reporting(self) -> tuple[Operation, str, Reports] | None:
        """The operation by which readers of a service report an error in a record, its path and its arguments."""
        operations = (
            (operation, operation.rest.path, operation.reports)
            for operation in self.operations
            if operation.reports and operation.rest
        )
        return next(operations, None) if self.served else None

    @property
    def routes(self) -> tuple[Route, ...]:
        """The rows of the table that this site has enabled; guides and contracts list these alone."""
        return self.derivations.of("routes", self._enabled_routes)

    @property
    def edit(self) -> ArchiveEdit | None:
        """What differs from the edition before; ``None`` where everything is compared."""
        return self.derivations.edit

    @property
    def empty(self) -> frozenset[str]:
        """Paths of the pages of collections that hold nothing yet: they answer, and nothing leads to them."""
        pages = {kind.name: (kind.path, *(report.href for report in kind.reports)) for kind in self.archive.kinds}
        pages |= {registry.name: (registry.page,) for registry in self.archive.registries}
        pages |= {name: (f"/{name}/",) for name in ("datasets", "tags")} | {CONTENTS: (PATH,)}
        filled = self.archive.filled
        return frozenset(path for name, paths in pages.items() if name not in filled for path in paths)

    def labelled(self, kind: Kind) -> Kind:
        """A kind under the labels of the publication."""
        return labelled(kind, self.site)

    def publishes(self, path: str) -> bool:
        """Whether a route that this site has enabled answers at a path."""
        route = self.table.match(path)
        return route is not None and route.enabled(self.site)

    def url(self, path: str) -> str:
        """The public URL of a path."""
        return self.base_url + path

    def _enabled_routes(self) -> tuple[Route, ...]:
        return tuple(route for route in self.table if route.enabled(self.site))


def single(page: Callable[[RenderContext], Page], name: str = "") -> Callable[[RenderContext], list[Draft]]:
    """What makes the one page of a document, as ``Pages`` takes it: once, for what it says, its date and its forms."""
    name = name or f"{page.__module__}.{page.__name__}"

    def make(context: RenderContext) -> list[Draft]:
        held = f"{name} for its date" if context.dating else name
        return [Draft(partial(context.derivations.of, held, partial(page, context)))]

    return make
