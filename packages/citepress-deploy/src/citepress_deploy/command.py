"""``citepress deploy-config``: configuration of other programs for this archive."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from citepress.cli.console import Folder, StateOption, note, write
from citepress.settings import from_environment
from citepress_deploy.configuration import DeployTarget, address_is_public, deploy_config

Target = Literal["nginx", "caddy", "varnish", "systemd", "docker", "compose", "kubernetes"]
PROXIES = frozenset({"nginx", "caddy", "varnish"})
"""Programs that readers reach at the public address."""


def print_config(
    target: Annotated[Target, Parameter(help="The program.")],
    folder: Folder = Path(),
    *,
    host: Annotated[str, Parameter(help="Address that citepress listens on.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="Port that it listens on.")] = 8000,
    state: StateOption = None,
) -> int:
    """Print the configuration of a proxy, a cache, a service manager or containers for this archive."""
    settings = from_environment(folder, state=state, host=host, port=port)
    if target in PROXIES and not address_is_public(settings):
        note(
            f"The public address is not set, so this is for http://{settings.host}:{settings.port}: name base_url in"
            " site.toml, or CITEPRESS_BASE_URL."
        )
    write(deploy_config(DeployTarget[target.upper()], settings).encode())
    return 0
