"""Archive and table to leaves: each unit is rendered once, and not at all when its inputs are as before."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from citepress.base.canonical import json_bytes, short_digest, sorted_bytes
from citepress.base.ids import canonical_path
from citepress.base.media import Media
from citepress.contract.document import Declared, Document, Draft, Output, Pages
from citepress.contract.form import Form
from citepress.contract.page import Page, Prose
from citepress.contract.table import fitting
from citepress.edition.leaf import PRIVATE, Leaf, Variant
from citepress.edition.render_context import RenderContext


class RenderUnit(NamedTuple):
    """A unit of an edition: the digest of everything it reads, and its rendering."""

    fingerprint: bytes
    """Sixteen bytes; equal fingerprints mean equal leaves."""
    render: Callable[[], tuple[Leaf, ...]]


def render_units(desk: RenderContext, declared: Iterable[Declared], surroundings: bytes) -> Iterator[RenderUnit]:
    """Every unit of the edition in the order of the declarations; cheap until a unit is rendered.

    ``shared_inputs`` is a digest of what every unit may read: code, templates, site settings and table.
    """
    for item in declared:
        around = surroundings + item.name.encode() + b"\0"
        yield from _document_works(desk, item, around) if isinstance(item, Document) else _page_works(desk, item, around)


def shared_inputs(desk: RenderContext, code: bytes) -> bytes:
    """The digest of what every unit may read beside its own inputs."""
    archive = desk.archive
    state = hashlib.blake2b(code, digest_size=16)
    state.update(sorted_bytes(archive.site))
    state.update(sorted_bytes([archive.owner.name, archive.owner.type, archive.templates, desk.assets]))
    state.update(desk.table.text().encode())
    return state.digest()


def _fingerprint(surroundings: bytes, inputs: object) -> bytes:
    told = inputs if isinstance(inputs, bytes) else sorted_bytes(inputs)
    return hashlib.blake2b(surroundings + told, digest_size=16).digest()


def _document_works(desk: RenderContext, item: Document[RenderContext], surroundings: bytes) -> Iterator[RenderUnit]:
    route = desk.table.named(item.name)
    described = _described_by(desk, item.described_by, item.shape)
    for output in item.make(desk):
        path = route.fill(dict(output.values))
        if callable(output.body):
            inputs = [path, output.modified, output.links, output.inputs]
            yield RenderUnit(_fingerprint(surroundings, inputs), partial(_made, desk, item, output, path, described))
            continue
        leaf = _document_leaf(desk, item, output, path, described)
        inputs = [leaf.path, leaf.type, leaf.modified, leaf.links, short_digest(leaf.body)]
        yield RenderUnit(_fingerprint(surroundings, inputs), partial(_with_types, leaf, item.also))


def _made(desk: RenderContext, item: Document[RenderContext], output: Output, path: str, described: tuple[str, ...]) -> tuple[Leaf, ...]:
    return _with_types(_document_leaf(desk, item, output, path, described), item.also)


def _with_types(leaf: Leaf, also: tuple[Media, ...]) -> tuple[Leaf, ...]:
    """The leaf, and beside it a private one for each further type of the same bytes."""
    if not also:
        return (leaf,)
    held = tuple(replace(leaf, path=f"{PRIVATE}{media.type}{leaf.path}", type=media.sent, accepted=media.accepted) for media in also)
    own = Variant(leaf.kind, leaf.accepted, leaf.path)
    return (replace(leaf, variants=(own, *(Variant(one.kind, one.accepted, one.path) for one in held))), *held)


def _document_leaf(desk: RenderContext, item: Document[RenderContext], output: Output, path: str, described: tuple[str, ...]) -> Leaf:
    media = output.media or item.media
    body = output.body() if callable(output.body) else output.body
    return Leaf(
        path=path,
        route=item.path,
        kind=media.name,
        type=media.sent,
        body=body if isinstance(body, bytes) else json_bytes(body),
        modified=int((output.modified or desk.archive.as_of).timestamp()),
        cache=item.cache,
        accepted=media.accepted,
        links=(*described, *output.links),
        live=item.live,
        digested=output.digested,
    )


def _page_works(desk: RenderContext, item: Pages[RenderContext], surroundings: bytes) -> Iterator[RenderUnit]:
    forms = fitting(item, desk.forms)
    described = _described_by(desk, item.described_by, item.shape)
    for draft in item.make(desk):
        inputs = _read_by(draft.page(), desk) if draft.inputs is None else draft.inputs
        yield RenderUnit(_fingerprint(surroundings, inputs), partial(_page_leaves, desk, item, forms, draft, described))


def _read_by(page: Page, desk: RenderContext) -> object:
    """What the rendering of a page reads: the page, its last change, and the sizes of images where its text shows any."""
    shows = any(isinstance(block, Prose) and "![" in block.markdown for block in page.blocks)
    read = [page, page.changed or desk.archive.as_of]
    return [*read, [(path, *size) for path, size in desk.archive.images.items()]] if shows else read


def _page_leaves(
    desk: RenderContext, item: Pages[RenderContext], forms: Sequence[Form], draft: Draft, described: tuple[str, ...]
) -> tuple[Leaf, ...]:
    page = draft.page()
    fit = tuple(form for form in forms if page.data is not None or not form.needs_data)
    return tuple(_page_leaf(desk, item, page, form, fit, described) for form in fit)


def _page_leaf(
    desk: RenderContext, item: Pages[RenderContext], page: Page, form: Form, fit: Sequence[Form], described: tuple[str, ...]
) -> Leaf:
    path = form.path(page.path)
    links = [f'<{desk.url(page.canonical or page.path)}>; rel="canonical"']
    links += [f'<{desk.url(f.path(page.path))}>; rel="alternate"; type="{f.media.type}"' for f in fit if f is not form]
    chain = page.data_links if form.needs_data else {rel: form.path(target) for rel, target in page.links.items()}
    links += [f'<{desk.url(target)}>; rel="{rel}"' for rel, target in chain.items()]
    return Leaf(
        path=path,
        route=form.path(item.path),
        kind=form.media.name,
        type=form.media.sent,
        body=form.write(page, desk),
        modified=int((page.changed or desk.archive.as_of).timestamp()),
        cache=item.cache,
        accepted=form.media.accepted,
        links=(*links, *(described if form.needs_data else ())),
        variants=_variants(page, fit) if form.default else (),
        live=item.live,
        canonical=canonical_path(page.path),
        title=page.title if form.default else "",
    )


def _variants(page: Page, fit: Sequence[Form]) -> tuple[Variant, ...]:
    """The forms of a page, its default first; with one form alone there is nothing to negotiate."""
    ordered = sorted(fit, key=lambda form: not form.default)
    return tuple(Variant(form.name, form.media.accepted, form.path(page.path)) for form in ordered)


def _described_by(desk: RenderContext, path: str, shape: str) -> tuple[str, ...]:
    if not (path or (shape and shape in desk.models)):
        return ()
    return (f'<{desk.url(path or f"/schemas/{shape}.json")}>; rel="describedby"',)
