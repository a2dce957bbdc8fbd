"""The pages of the demo archive stay small, need no script, and load nothing from elsewhere."""

import gzip
import re
from functools import cache

import lxml.html

from demo.test_demo_sells import archive
from support.documents import leaves

LARGEST = 16 * 1024
"""Bytes of a page, compressed; a client that takes zstd or brotli gets less."""
LOADED = "//link[@rel='stylesheet' or @rel='icon' or @rel='preload']/@href|//img/@src|//iframe/@src|//source/@src"
"""Addresses that a browser fetches by itself."""
UNCHECKED_PARTS = "//a|//code|//pre|//svg|//*[@id='sources']|//script|//style|//head"
"""Parts of pages whose words may be those of others."""


@cache
def pages() -> dict[str, bytes]:
    rendered = {path: leaf.body for path, leaf in leaves(archive()).items() if path.endswith("/")}
    assert len(rendered) > 250
    return rendered


def test_no_page_is_large() -> None:
    sizes = {path: len(gzip.compress(body)) for path, body in pages().items()}
    assert {path: size for path, size in sizes.items() if size > LARGEST} == {}


def test_no_page_needs_a_script_or_loads_anything_from_elsewhere() -> None:
    for path, body in pages().items():
        document = lxml.html.fromstring(body.decode())
        assert document.xpath("//script[not(@type='application/ld+json')]|//*[@onclick or @onload]") == [], path
        assert [address for address in document.xpath(LOADED) if not address.startswith("/")] == [], path
        assert len(document.xpath("//link[@rel='stylesheet']")) == 1, path


def test_a_share_is_written_in_one_way() -> None:
    """Titles of others, code and the texts of registered experiments stay as they were written."""
    for path, body in pages().items():
        document = lxml.html.fromstring(body.decode())
        for part in document.xpath(UNCHECKED_PARTS):
            part.drop_tree()
        if not path.startswith("/discovery-experiments/"):
            assert re.findall(r"\S*[0-9](?:%| per ?cent\b).{0,20}", document.text_content()) == [], path
