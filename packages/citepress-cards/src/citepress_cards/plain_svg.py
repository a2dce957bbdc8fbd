"""Tells the SVG of an icon that is safe to draw from one that reads files, refers to itself or takes for ever.

The renderer works in native code: nesting that is too deep ends the process, and an image may name any file. So only
shapes and gradients are drawn, as many as icons have.
"""

from xml.parsers import expat

from citepress.base.errors import ControlFlow

MAX_PICTURE_BYTES = 131_072
"""Bytes."""
MAX_ELEMENTS, MAX_SVG_DEPTH, MAX_CLIPS = 4_000, 32, 32
GROUPS = frozenset({"svg", "g", "defs", "title", "desc", "metadata", "style", "clipPath"})
SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"})
GRADIENTS = frozenset({"linearGradient", "radialGradient", "stop"})
DRAWN = GROUPS | SHAPES | GRADIENTS
NAMESPACE = "http://www.w3.org/2000/svg"
LINKS = ("href", "http://www.w3.org/1999/xlink href")
COSTLY_ATTRIBUTES = frozenset({"stroke-dasharray", "filter", "mask"})


class _UnfitSvgError(ControlFlow):
    """Ends the reading of an SVG."""


def is_plain(svg: bytes) -> bool:
    """Whether an SVG holds shapes, gradients and words alone, and not too many."""
    if len(svg) > MAX_PICTURE_BYTES or b"@import" in svg or any(name.encode() in svg for name in COSTLY_ATTRIBUTES):
        return False
    reader = _SvgReader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.EntityDeclHandler = parser.ProcessingInstructionHandler = reader.refuse
    try:
        parser.Parse(svg, True)
    except (expat.ExpatError, _UnfitSvgError, ValueError):
        return False
    return True


class _SvgReader:
    """Counts what an SVG holds, and refuses what is too much."""

    def __init__(self) -> None:
        self._elements = self._depth = self._clips = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, local = name.rpartition(" ")
        self._elements += 1
        self._depth += 1
        self._clips += local == "clipPath"
        if self._elements > MAX_ELEMENTS or self._depth > MAX_SVG_DEPTH or self._clips > MAX_CLIPS:
            raise _UnfitSvgError
        # Elements of other namespaces, as drawing programs write them, are not drawn.
        if namespace == NAMESPACE and local not in DRAWN:
            raise _UnfitSvgError
        if any(not attributes.get(link, "#").startswith("#") for link in LINKS):
            raise _UnfitSvgError

    def end(self, _name: str) -> None:
        self._depth -= 1

    def refuse(self, *_declared: object) -> None:
        raise _UnfitSvgError
