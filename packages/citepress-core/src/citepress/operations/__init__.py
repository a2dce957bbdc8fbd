"""The operations on the archive, each defined once for both REST and MCP."""

from citepress.operations.context import ContextProvider, OperationContext

__all__ = ["ContextProvider", "OperationContext"]
