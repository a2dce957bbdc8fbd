"""Errors that functions of extensions raise while an edition is made, as sentences that name the extension."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from citepress.base.errors import CitepressError
from citepress.contract.document import Declared
from citepress.contract.kind import Kind
from citepress.extension import CORE, MAX_REASON_CHARS, ExtensionError, owner_of

log = logging.getLogger(__name__)


@contextmanager
def blaming(item: Declared | Kind) -> Iterator[None]:
    """Raise what a declaration of an extension raises as ``ExtensionError``; its traceback is in the log at debug."""
    try:
        yield
    except (CitepressError, OSError, MemoryError):  # of the content or of the machine
        raise
    except Exception as error:
        owner = owner_of(item)
        if owner == CORE:
            raise
        log.debug("%s of %s failed", item.name, owner, exc_info=True)
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_REASON_CHARS]
        raise ExtensionError(
            f"the {type(item).__name__} {item.name!r} of {owner} failed: {reason}. Correct it, or remove it:"
            f" pip uninstall {owner}"
        ) from error
