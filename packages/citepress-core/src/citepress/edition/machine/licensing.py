"""The content signals of the archive as licence terms for machines: Really Simple Licensing (RSL 1.0)."""

from collections.abc import Iterable
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from citepress.base.media import RSL
from citepress.contract.citation import license_url
from citepress.contract.document import Document, Output, Section
from citepress.contract.site import OWNER_PAGE
from citepress.edition.render_context import RenderContext
from citepress.edition.response_headers import LICENSE_PATH

NAMESPACE = "https://rslstandard.org/rsl"
PERSON = "Person"


def _license(context: RenderContext) -> Iterable[Output]:
    """One licence for the whole site; what is permitted is free against attribution."""
    site, robots = context.site, context.site.robots
    root = Element("rsl", {"xmlns": NAMESPACE})
    content = SubElement(root, "content", {"url": urlsplit(site.base_url).path + "/"})
    terms = SubElement(content, "license")
    uses = {"search": robots.search, "ai-input": robots.ai_input, "ai-train": robots.ai_train}
    for element, signal in (("permits", "yes"), ("prohibits", "no")):
        if tokens := [use for use, said in uses.items() if said == signal]:
            SubElement(terms, element, {"type": "usage"}).text = " ".join(tokens)
    payment = SubElement(terms, "payment", {"type": "attribution"})
    if address := license_url(site.license):
        SubElement(payment, "standard").text = address
    holder = "person" if context.archive.owner.type == PERSON else "organization"
    SubElement(content, "copyright", {"type": holder, "contactUrl": context.url(OWNER_PAGE)})
    indent(root)
    return [Output(tostring(root, "utf-8", xml_declaration=True) + b"\n")]


ALL = (
    Document[RenderContext](
        "rsl_license",
        LICENSE_PATH,
        RSL,
        Section.EXTRAS,
        "What machines may do with the archive, as licence terms (RSL 1.0).",
        _license,
        promised=False,
        enabled=lambda site: site.declarations.rsl,
    ),
)
