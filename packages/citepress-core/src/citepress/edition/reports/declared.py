"""How readers report an error in a record: a page for each record, made when somebody asks for it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from citepress.base.ids import REPORT_BELOW
from citepress.contract.document import SLUG, Hosting, Pages, Parameter, Section, nothing_stored
from citepress.contract.kind import Kind
from citepress.contract.operation import Operation, Reports
from citepress.contract.page import INTERFACE, Block, Code, Facts, Item, Items, Link, Page, Prose
from citepress.edition.machine.interface import curl
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import fact, facts

REPORT = "/{collection}/{slug}/" + REPORT_BELOW


def of_kinds(kinds: Sequence[Kind]) -> Pages[RenderContext]:
    """The page of every record, of which none is stored."""
    names = [kind.name for kind in kinds]
    collection = Parameter("collection", "The collection of a record.", f"(?:{'|'.join(names)})", names[0])
    return Pages[RenderContext](
        "report_error",
        REPORT,
        Section.RECORDS,
        "How to report an error in a record.",
        nothing_stored,
        parameters=(collection, SLUG),
        only=Hosting.SERVICE,
        addresses=_addresses,
    )


def _addresses(context: RenderContext) -> Iterator[Mapping[str, str]]:
    """The path of the newest record of the first collection: an example for guides."""
    filled = (entries[0] for entries in context.archive.collections.values() if entries)
    if context.reporting and (first := next(filled, None)):
        collection, _, slug = first.head.id.partition("/")
        yield {"collection": collection, "slug": slug}


def report_page(path: str, record: Mapping[str, Any], contact: Mapping[str, Any], context: RenderContext) -> Page:
    """What to send and where, ready to copy."""
    kind = next(kind for kind in context.archive.kinds if kind.name == record["kind"])
    title = Link(record["title"], path, record["language"])
    return Page(
        f"{path}{REPORT_BELOW}",
        "Report an error",
        "Wrong or out of date? Say what is right and where anybody can check it. A person reads every report before"
        " anything changes.",
        tuple(_blocks(title, record, contact, context)),
        label="Report",
        template="revision",
        crumbs=(Link("Home", "/"), Link(kind.plural, f"/{kind.name}/", kind.label_language), title),
        indexed=False,
    )


def _blocks(
    title: Link, record: Mapping[str, Any], contact: Mapping[str, Any], context: RenderContext
) -> Iterator[Block]:
    about = facts(fact("Record", title), fact("Id", record["id"]), fact("Revision", str(record["revision"])))
    yield Facts("record", "About", about)
    if items := tuple(contact_items(contact, record)):
        yield Items("contact", "Contact the owner", items, text_language=INTERFACE)
    if context.reporting:
        yield from _calls(*context.reporting, record, context)


def _calls(
    operation: Operation, path: str, reports: Reports, record: Mapping[str, Any], context: RenderContext
) -> Iterator[Block]:
    """The call of an operation over HTTP and each API, and what becomes of it."""
    arguments = reports(record)
    yield Prose("calls", "Send a report", _CALLS)
    yield Code("http", "Over HTTP", curl(context.url(path), arguments, indented=True), "sh")
    for api in context.apis:
        if api.call and operation.tool:
            yield Code(f"over-{api.name.lower()}", f"Over {api.name}", api.call(context, operation, arguments), "sh")
    if operation.rules:
        yield Prose("rules", "What happens then", operation.rules(context))


def contact_items(contact: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[Item]:
    """How the owner can be reached about a record."""
    if email := contact.get("email"):
        yield Item("opens a message that names the record.", href=mail(email, record["id"]), title=email)
    if url := contact.get("url"):
        yield Item("", href=url, title=url)
    if note := contact.get("note"):
        yield Item(note)


def mail(address: str, about: str) -> str:
    """A link that opens a message to an address."""
    return f"mailto:{quote(address, safe='@')}?subject={quote(f'Error in {about}')}"


_CALLS = """Set `claim` to the published sentence that is wrong, `correction` to what is right, and `evidence_urls` to
pages that show it. The unchanged example is refused."""
