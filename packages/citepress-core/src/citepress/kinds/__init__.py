"""The record kinds and registries of the archive, in the order in which guides list them."""

from typing import TYPE_CHECKING, Any

from citepress.contract.kind import Kind, Registry
from citepress.extension import joined
from citepress.kinds import posts, topics

CORE: tuple[Kind, ...] = (posts.KIND, topics.KIND)
if TYPE_CHECKING:
    ALL: tuple[Kind, ...]
    REGISTRIES: tuple[Registry, ...]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (either list)
    # Joined when first asked for, because the kinds of extensions import modules of this package.
    if name == "ALL":
        globals()[name] = joined("kinds", Kind, CORE, lambda kind: (kind.name, kind.schema))
    elif name == "REGISTRIES":
        globals()[name] = joined("registries", Registry, (), lambda registry: (registry.name,))
    else:
        raise AttributeError(name)
    return globals()[name]
