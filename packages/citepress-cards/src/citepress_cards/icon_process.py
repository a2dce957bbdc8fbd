"""Draws one icon in a process of its own: ``python -m … NAME PAPER``, SVG on standard input, the picture on output.

The SVG is the publisher's, and however plain it is, it may take the renderer without bound or end it; here it ends
this process alone.
"""

import resource
import sys

from citepress_cards.picture import icon

CPU_S, MAX_ICON_MEMORY_BYTES = 3, 1 << 30
"""Seconds of the processor, and bytes of memory."""


def main(name: str, paper: str) -> None:
    """Write the icon; nothing where the SVG cannot be drawn."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ICON_MEMORY_BYTES, MAX_ICON_MEMORY_BYTES))
    sys.stdout.buffer.write(icon(name, sys.stdin.buffer.read(), paper))


if __name__ == "__main__":
    main(*sys.argv[1:])
