"""Invisible characters that hide or reorder text: bidirectional controls, zero-width and tag characters."""

import re

_JOINERS = "\u200c\u200d"
"""Zero-width (non-)joiner: Persian, Indic scripts and emoji cannot be written without them."""
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Variation selectors: they choose the shape of the character before them."""
_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
"""The others that Unicode calls default ignorable, with control characters, annotation marks and noncharacters."""
HIDDEN = re.compile(f"[{_HIDDEN}]")
"""What no text needs; tabs and line ends are not among them."""
INVISIBLE = re.compile(f"[{_HIDDEN}{_JOINERS}{_SELECTORS}]")
"""What no name of a host and no address needs."""
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What no single line of text has: control characters, line ends and tabs among them."""

_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")


def without_bidi(value: object) -> object:
    """A text without controls that turn the direction of what follows it on a line; any other value unchanged."""
    return value if type(value) is not str or value.isascii() else _BIDI.sub("", value)


def visible(text: str) -> str:
    """The text with every invisible character written as its code point, such as ``<U+200D>``."""
    return INVISIBLE.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)
