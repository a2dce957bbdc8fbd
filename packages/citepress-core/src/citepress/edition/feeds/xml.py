"""What the XML formats of feeds share."""

import re

from lxml import etree

ATOM = "http://www.w3.org/2005/Atom"
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Everything but ``Char`` of XML 1.0."""


def xml_text(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("", text)


def xml_bytes(root: etree._Element) -> bytes:
    """A document, with its declaration."""
    etree.indent(root)
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    return written + b"\n"


def atom_link(parent: etree._Element, href: str, rel: str, media: str = "") -> None:
    """A link as Atom writes it, which RSS borrows."""
    members = {"rel": rel, "href": href, **({"type": media} if media else {})}
    etree.SubElement(parent, f"{{{ATOM}}}link", members)
