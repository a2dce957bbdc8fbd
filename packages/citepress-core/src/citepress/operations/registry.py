"""The operations of the core and of every extension."""

from collections.abc import Iterable

from citepress.contract.operation import Effect, Operation
from citepress.extension import joined
from citepress.operations import contextualize_url, search_archive

CORE: tuple[Operation, ...] = (search_archive.OPERATION, contextualize_url.OPERATION)
ALL = tuple(
    sorted(
        joined("operations", Operation, CORE, lambda operation: (operation.name,)),
        key=lambda operation: operation.effect is Effect.SUBMIT,
    )
)
"""Those that read, then those that submit."""


def offered(operations: Iterable[Operation], *, submissions: bool) -> tuple[Operation, ...]:
    """The operations that are available: those that submit are left out where nothing takes submissions."""
    return tuple(operation for operation in operations if submissions or operation.effect is not Effect.SUBMIT)
