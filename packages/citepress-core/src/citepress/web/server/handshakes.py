"""Refuses newcomers at a listening socket, so that it can be closed without a reset of who has just connected."""

import socket
import struct
import sys
from array import array
from contextlib import suppress

ATTACH_FILTER = 26
"""``SO_ATTACH_FILTER`` of ``asm-generic/socket.h``."""
_DROP_FIRST_PACKETS = (
    (0x30, 0, 0, 13),  # load the flags of the TCP header
    (0x45, 0, 1, 0x02),  # is SYN among them?
    (0x06, 0, 0, 0),  # yes: drop the packet
    (0x06, 0, 0, 0xFFFFFFFF),  # no: keep it whole
)
"""A program of the kernel's classic packet filter (``linux/filter.h``): code, jumps if true and if false, operand."""


def refuse_newcomers(at: socket.socket) -> None:
    """Drop packets that would begin a connection; what has begun goes on, and its client sends the packet again.

    Without that, whoever connects between the last ``accept`` and the end of the socket is told so, and then reset.
    Elsewhere than on Linux it does nothing.
    """
    if sys.platform == "linux":
        steps = array("B", b"".join(struct.pack("=HBBI", *step) for step in _DROP_FIRST_PACKETS))
        program = struct.pack("@HP", len(_DROP_FIRST_PACKETS), steps.buffer_info()[0])
        with suppress(OSError):  # where a sandbox forbids it, a few clients are reset
            at.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, program)
