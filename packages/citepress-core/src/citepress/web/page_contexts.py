"""What pages that are made for a query are written with, once for each edition."""

from weakref import WeakKeyDictionary

from citepress.edition.edition import Edition
from citepress.edition.page_context import Rendering, page_context
from citepress.edition.render_context import RenderContext


class PageContexts:
    """The contexts of the editions that are open."""

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering
        self._contexts: WeakKeyDictionary[Edition, RenderContext] = WeakKeyDictionary()

    def of(self, edition: Edition) -> RenderContext:
        """The context of an edition."""
        context = self._contexts.get(edition)
        if context is None:
            context = self._contexts[edition] = page_context(edition.config, self._rendering)
        return context
