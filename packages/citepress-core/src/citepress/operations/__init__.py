"""The operations on the archive, each defined once for every interface."""

from citepress.operations.context import ContextProvider, OperationContext

__all__ = ["ContextProvider", "OperationContext"]
