"""Archive and table to leaves: each unit is rendered once, and not at all when its inputs are as before."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from citepress.base.canonical import json_bytes, short_digest, sorted_bytes
from citepress.base.ids import canonical_path
from citepress.base.media import PLAIN_TEXT, Media
from citepress.contract.document import Declared, Document, Output, Pages
from citepress.contract.form import CitationForm, Form
from citepress.contract.page import Page, Prose
from citepress.contract.table import fitting
from citepress.edition.citations.signposting import landing_links
from citepress.edition.leaf import PRIVATE, Leaf, Variant
from citepress.edition.memento import timegate_links
from citepress.edition.render_context import RenderContext, nearest_guide
from citepress.extension import CORE, owner_of
from citepress.hooks import guard_of

SLASHES_AT_TOP = 2
"""Slashes of the path of a page at the top, as in ``/posts/``."""


class RenderUnit:
    """A unit of an edition: the digest of everything it reads, and its rendering."""

    __slots__ = ("_fingerprint", "group", "path", "render")

    def __init__(
        self,
        fingerprint: bytes | Callable[[], bytes],
        render: Callable[[], tuple[Leaf, ...]],
        group: str = "",
        path: str = "",
    ) -> None:
        """``group`` names the units that are compared together: what is not among them any more is gone.

        It is the unit's own where it is empty. ``path`` is that of its page or its leaf, where it is known before the
        unit is rendered.
        """
        self._fingerprint, self.render, self.group, self.path = fingerprint, render, group, path

    @property
    def fingerprint(self) -> bytes:
        """Sixteen bytes; equal fingerprints mean equal leaves. Worked out when it is first asked for."""
        if not isinstance(self._fingerprint, bytes):
            self._fingerprint = self._fingerprint()
        return self._fingerprint


class UnitChanges(NamedTuple):
    """What an edit may have changed of an edition: groups of units, and their units as they are now."""

    groups: set[str]
    units: list[RenderUnit]


def render_units(context: RenderContext, declared: Iterable[Declared], surroundings: bytes) -> Iterator[RenderUnit]:
    """Every unit of the edition in the order of the declarations; cheap until a unit is rendered.

    ``shared_inputs`` is a digest of what every unit may read: code, templates, site settings and table.
    """
    for item in declared:
        if item.touched is None:
            yield from _units_of(context, item, surroundings)
        else:
            yield from _works(context, item, surroundings)


def changed_units(context: RenderContext, declared: Iterable[Declared], surroundings: bytes) -> UnitChanges:
    """The units that the edit of the context may have changed."""
    changes = UnitChanges(set(), [])
    for item in declared:
        if item.touched is not None:
            changes.units.extend(_owned(item, _touched(context, item, surroundings, changes.groups)))
        elif context.derivations.is_new(f"units of {item.name}"):
            changes.groups.add(item.name)
            changes.units.extend(_units_of(context, item, surroundings))
    return changes


def _units_of(context: RenderContext, item: Declared, surroundings: bytes) -> Iterable[RenderUnit]:
    """The units of a declaration; what they read of the archive is noted, and tells when they are to be made anew.

    Where no edition follows, each is made as it is asked for.
    """
    if not context.derivations.lasting:
        return _works(context, item, surroundings)
    return context.derivations.noted(f"units of {item.name}", lambda: tuple(_works(context, item, surroundings)))


def _works(context: RenderContext, item: Declared, surroundings: bytes) -> Iterator[RenderUnit]:
    around = _around(item, surroundings)
    units = _document_units(context, item, around) if isinstance(item, Document) else _page_units(context, item, around)
    return _owned(item, units)


def _owned(item: Declared, units: Iterator[RenderUnit]) -> Iterator[RenderUnit]:
    """The units of a declaration; errors name the extension that declares it."""
    return units if owner_of(item) == CORE else _blamed(item, units)


def _blamed(item: Declared, units: Iterator[RenderUnit]) -> Iterator[RenderUnit]:
    with guard_of(item):
        for unit in units:
            yield RenderUnit(partial(_digest, item, unit), partial(_render, item, unit), unit.group, unit.path)


def _digest(item: Declared, unit: RenderUnit) -> bytes:
    with guard_of(item):
        return unit.fingerprint


def _render(item: Declared, unit: RenderUnit) -> tuple[Leaf, ...]:
    with guard_of(item):
        return unit.render()


def _touched(context: RenderContext, item: Declared, surroundings: bytes, groups: set[str]) -> Iterator[RenderUnit]:
    """The pages or documents of a family that an edit touched; ``groups`` gets the names of all their groups."""
    around = _around(item, surroundings)
    if isinstance(item, Document):
        route = context.table.named(item.name)
        if item.touched is None or not route.enabled(context.site):
            return
        for values, output in item.touched(context):
            groups.add(_group(item, route.fill(dict(values))))
            if output:
                yield from _document_units(context, replace(item, make=partial(_only, output)), around)
        return
    for path, draft in item.touched(context) if item.touched else ():
        groups.add(_group(item, path))
        if draft:
            yield from _page_units(context, replace(item, make=partial(_only, draft)), around)


def _around(item: Declared, surroundings: bytes) -> bytes:
    """What the units of a declaration read beside their inputs, as bytes."""
    alone = isinstance(item, Document) and item.alone
    return (b"" if alone else surroundings) + item.name.encode() + b"\0"


def _only(content: Any, _context: RenderContext) -> tuple[Any]:  # noqa: ANN401  (an output or a draft)
    return (content,)


def _group(item: Declared, key: str) -> str:
    """The group of a unit: all of its declaration, or itself in a family that tells what an edit touched."""
    return item.name if item.touched is None else f"{item.name} {key}"


def shared_inputs(context: RenderContext, code: bytes) -> bytes:
    """The digest of what every unit may read besides its own inputs."""
    archive = context.archive
    state = hashlib.blake2b(code, digest_size=16)
    state.update(sorted_bytes(archive.site))
    state.update(sorted_bytes(sorted(archive.filled)))
    state.update(sorted_bytes([archive.owner.name, archive.owner.type, archive.templates, context.assets]))
    state.update(context.table.text().encode())
    return state.digest()


def _fingerprint(surroundings: bytes, inputs: object) -> bytes:
    read = inputs() if callable(inputs) else inputs
    digested = read if isinstance(read, bytes) else sorted_bytes(read)
    return hashlib.blake2b(surroundings + digested, digest_size=16).digest()


def _document_units(context: RenderContext, item: Document[RenderContext], surroundings: bytes) -> Iterator[RenderUnit]:
    route = context.table.named(item.name)
    if not route.enabled(context.site):
        return
    described = _described_by(context, item.described_by, item.shape)
    for output in item.make(context):
        path = route.fill(dict(output.values))
        if callable(output.body):
            inputs = [path, output.links, output.inputs]
            rendered = partial(_rendered, item, output, path, described)
            yield RenderUnit(_fingerprint(surroundings, inputs), rendered, _group(item, path), path)
            continue
        leaf = _document_leaf(item, output, path, described)
        inputs = [leaf.path, leaf.type, leaf.links, short_digest(bytes(leaf.body))]
        fingerprint = _fingerprint(surroundings, inputs)
        yield RenderUnit(fingerprint, partial(_with_types, leaf, item.also), _group(item, path), path)


def _rendered(item: Document[RenderContext], output: Output, path: str, described: tuple[str, ...]) -> tuple[Leaf, ...]:
    return _with_types(_document_leaf(item, output, path, described), item.also)


def _with_types(leaf: Leaf, also: tuple[Media, ...]) -> tuple[Leaf, ...]:
    """The leaf, followed by a private one for each further media type of the same bytes."""
    if not also:
        return (leaf,)
    held = tuple(
        replace(leaf, path=f"{PRIVATE}{media.type}{leaf.path}", type=media.sent, accepted=media.accepted)
        for media in also
    )
    own = Variant(leaf.kind, leaf.accepted, leaf.path)
    return (replace(leaf, variants=(own, *(Variant(other.kind, other.accepted, other.path) for other in held))), *held)


def _document_leaf(item: Document[RenderContext], output: Output, path: str, described: tuple[str, ...]) -> Leaf:
    media = output.media or item.media
    body = output.body() if callable(output.body) else output.body
    return Leaf(
        path=path,
        route=item.path,
        kind=media.name,
        type=media.sent,
        body=body if isinstance(body, bytes) else json_bytes(body),
        cache=item.cache,
        accepted=media.accepted,
        links=(*described, *output.links),
        live=item.live,
        digested=output.digested,
    )


def _page_units(context: RenderContext, item: Pages[RenderContext], surroundings: bytes) -> Iterator[RenderUnit]:
    forms = fitting(item, context.forms)
    described = _page_descriptions(context, item, item.path)
    for draft in item.make(context):
        inputs = _read_by(draft.page(), context) if draft.inputs is None else draft.inputs
        fingerprint = partial(_fingerprint, surroundings, inputs)
        rendered = partial(_draft_leaves, context, item, forms, draft.page, described)
        digest = fingerprint if callable(inputs) else fingerprint()
        yield RenderUnit(digest, rendered, _group(item, draft.key), draft.key)


def _draft_leaves(
    context: RenderContext,
    item: Pages[RenderContext],
    forms: Sequence[Form],
    make: Callable[[], Page],
    described: "_Descriptions",
) -> tuple[Leaf, ...]:
    return _page_leaves(context, item, forms, make(), described)


def _read_by(page: Page, context: RenderContext) -> object:
    """The inputs of rendering a page: the page, its last change, and the sizes of the images in its text."""
    shows = any(isinstance(block, Prose) and "![" in block.markdown for block in page.blocks)
    read = [page, page.changed or context.archive.as_of]
    return [*read, [(path, *size) for path, size in context.archive.images.items()]] if shows else read


def page_leaf(context: RenderContext, item: Pages[RenderContext], page: Page, path: str) -> Leaf | None:
    """The form of a page that has this path, whether an edition stores it or not."""
    fit, described = fitting(item, context.forms), _page_descriptions(context, item, page.path)
    form = next((form for form in fit if form.path(page.path) == path), None)
    return _page_leaf(context, item, page, form, _shared(context, page, fit), described) if form else None


def _page_leaves(
    context: RenderContext, item: Pages[RenderContext], forms: Sequence[Form], page: Page, described: "_Descriptions"
) -> tuple[Leaf, ...]:
    fit = tuple(form for form in forms if page.data is not None or not form.needs_data)
    shared = _shared(context, page, fit)
    return tuple(_page_leaf(context, item, page, form, shared, described) for form in fit)


class _Shared(NamedTuple):
    """What the leaves of a page have in common."""

    forms: Sequence[Form]
    paths: Mapping[str, str]
    """The path of each form by its name."""
    links: Mapping[str, str]
    """Values of ``Link`` fields: to the page itself, and by its name to each form, which leaves out the one to itself.
    """
    times: tuple[str, ...]
    """Those that lead to its revisions."""


def _shared(context: RenderContext, page: Page, fit: Sequence[Form]) -> _Shared:
    paths = {form.name: form.path(page.path) for form in fit}
    links = {"": f'<{context.url(page.canonical or page.path)}>; rel="canonical"'}
    for form in fit:
        links[form.name] = f'<{context.url(paths[form.name])}>; rel="alternate"; type="{form.media.type}"'
    times = tuple(timegate_links(page.path, context.url)) if page.timemap else ()
    return _Shared(fit, paths, links, times)


def _page_leaf(
    context: RenderContext,
    item: Pages[RenderContext],
    page: Page,
    form: Form,
    shared: _Shared,
    described: "_Descriptions",
) -> Leaf:
    links = [link for name, link in shared.links.items() if name != form.name]
    chain = page.data_links if form.needs_data else {rel: form.path(target) for rel, target in page.links.items()}
    links += [f'<{context.url(target)}>; rel="{rel}"' for rel, target in chain.items()]
    if not form.needs_data:
        links.append(described.page)  # before forms of the citation, because clients take the first
    if form.default:
        links += landing_links(page, shared.forms, context.citations, context.url)
    return Leaf(
        path=shared.paths[form.name],
        route=form.path(item.path),
        kind=form.media.name,
        type=form.media.sent,
        body=form.write(page, context),
        cache=item.cache,
        accepted=form.media.accepted,
        links=(*links, *shared.times, *(described.data if form.needs_data else ())),
        variants=_variants(page, shared, context.citations if page.citation else ()) if form.default else (),
        live=item.live,
        canonical=canonical_path(page.path),
        title="" if not form.default or _is_empty(context, page.path) else page.title,
    )


def _variants(page: Page, shared: _Shared, citations: Sequence[CitationForm]) -> tuple[Variant, ...]:
    """The forms of a page, its default first; with one form alone there is nothing to negotiate."""
    ordered = sorted(shared.forms, key=lambda form: not form.default)
    own = [Variant(form.name, form.media.accepted, shared.paths[form.name]) for form in ordered]
    return (*own, *(Variant(form.name, form.media.accepted, form.path(page.path)) for form in citations))


class _Descriptions(NamedTuple):
    """The ``Link`` values of relation ``describedby`` that pages of one declaration have."""

    data: tuple[str, ...]
    """To the schema of their JSON."""
    page: str
    """To the nearest ``llms.txt``, in the other forms."""


def _page_descriptions(context: RenderContext, item: Pages[RenderContext], path: str) -> _Descriptions:
    """``path`` is that of a page of the declaration, or its template, which begins with the same collection."""
    guide = context.url(nearest_guide(path, context.guides))
    return _Descriptions(
        _described_by(context, item.described_by, item.shape), f'<{guide}>; rel="describedby"; type="{PLAIN_TEXT.type}"'
    )


def _described_by(context: RenderContext, path: str, shape: str) -> tuple[str, ...]:
    if not (path or (shape and shape in context.models)):
        return ()
    return (f'<{context.url(path or f"/schemas/{shape}.json")}>; rel="describedby"',)


def _is_empty(context: RenderContext, path: str) -> bool:
    """Whether a page holds nothing yet, so that nobody is to be led there: such pages lie at the top."""
    return path.count("/") == SLASHES_AT_TOP and path in context.empty
