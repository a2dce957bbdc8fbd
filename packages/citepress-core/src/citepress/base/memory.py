"""Memory that was let go of, given back to the system."""

import ctypes


def give_back() -> None:
    """Give back the free pages that the C library keeps, which it does by itself only at the end of its heap."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc; others keep less
    if trim:
        trim(0)
