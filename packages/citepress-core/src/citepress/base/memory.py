"""Memory of the C library: how many heaps it keeps, and what it gives back to the system."""

import ctypes

M_ARENA_MAX, MAX_HEAPS = -8, 2
"""The parameter of ``mallopt``, and the heaps that threads share. A thread of its own for each edit would otherwise
leave free pages in one heap after the other."""


def share_heaps() -> None:
    """Let all threads of this process and of those that are forked from it share few heaps."""
    set_parameter = getattr(ctypes.CDLL(None), "mallopt", None)  # of glibc; others have no heap for each thread
    if set_parameter:
        set_parameter(M_ARENA_MAX, MAX_HEAPS)


def give_back() -> None:
    """Give back the free pages that the C library keeps, which it does by itself only at the end of its heap."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc; others keep less
    if trim:
        trim(0)
