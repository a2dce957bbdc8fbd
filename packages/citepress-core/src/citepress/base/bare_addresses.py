"""Web addresses that stand alone in running text, without the marks of a link around them."""

import re

ADDRESS = re.compile(r"(?<![\w/@=.-])(?:https?://|www\.(?=\w[\w-]*\.?\w))[^\s<>\"'`\u2018-\u201f]+")
"""An address with the signs of the sentence that may follow it; see ``bare_address``."""
CLOSED = frozenset({"a", "code", "pre", "kbd", "samp"})
"""Elements of HTML in which an address is no link."""
MIN_ADDRESS_CHARS = len("https://x")


def bare_address(text: str) -> str:
    """An address without the signs that end the sentence around it."""
    while text and (text[-1] in ".,;:!?*_~" or (text[-1] in ")]" and _unmatched(text))):
        text = text[:-1]
    return text


def destination(address: str) -> str:
    """Where an address that stands alone leads; one without a scheme as on GitHub."""
    return address if "://" in address else f"http://{address}"


def may_hold_address(text: str) -> bool:
    """Whether it is worth looking for addresses in a text."""
    return "://" in text or "www." in text


def _unmatched(text: str) -> bool:
    closing = text[-1]
    return text.count(closing) > text.count("(" if closing == ")" else "[")
