"""XML of exports, read item by item: no entities, no network, bounded."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from lxml import etree

from citepress_import.errors import ImportRefusedError

ITEMS = 200_000
"""Items of one export."""


def elements(data: bytes, name: str, parent: str = "") -> Iterator[Any]:
    """Each element of that local name, in a parent of that name, whole; a file that declares entities is refused.

    Raises ``ImportRefusedError``.
    """
    head = data[:65_536].upper()
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise ImportRefusedError("the XML declares a document type, which an export does not need; it is not imported")
    parsed = etree.iterparse(
        BytesIO(data),
        events=("end",),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    count = 0
    try:
        for _, element in parsed:
            around = element.getparent()
            if etree.QName(element).localname == name and (
                not parent or (around is not None and etree.QName(around).localname == parent)
            ):
                count += 1
                if count > ITEMS:
                    raise ImportRefusedError(f"the export holds over {ITEMS:,} items")
                yield element
                element.clear(keep_tail=False)
    except etree.XMLSyntaxError as error:
        raise ImportRefusedError(f"the XML cannot be read: {error}") from None


def texts(element: Any, name: str, prefix: str = "") -> list[str]:  # noqa: ANN401  (lxml's elements are loosely typed)
    """The texts of the children of a local name, in a namespace that ends or begins so where one is named."""
    return [
        (child.text or "").strip()
        for child in element
        if isinstance(child.tag, str)
        and etree.QName(child).localname == name
        and (not prefix or prefix in (etree.QName(child).namespace or ""))
    ]


def text(element: Any, name: str, prefix: str = "") -> str:  # noqa: ANN401
    """The first of these texts that is not empty, or nothing."""
    return next((words for words in texts(element, name, prefix) if words), "")
