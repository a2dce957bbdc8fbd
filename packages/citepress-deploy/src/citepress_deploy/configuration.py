"""Prints configuration of other programs for one archive, from its settings."""

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.settings import Settings, SettingsError

UNQUOTED_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@+,~[]")
"""Characters that need no quoting in any of the files."""


class DeployTarget(StrEnum):
    """The program that a configuration is for; the value is the file in ``files/``."""

    NGINX = "nginx.conf"
    CADDY = "Caddyfile"
    VARNISH = "default.vcl"
    SYSTEMD = "citepress.service"
    DOCKER = "Containerfile"
    COMPOSE = "compose.yaml"
    KUBERNETES = "kubernetes.yaml"


def address_is_public(settings: Settings) -> bool:
    """Whether an archive has another address than the one that its service listens on."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    site = settings.applied(Builder(settings).folder(clock.now()).site)
    return site.base_url != f"http://{host}:{settings.port}"


def deploy_config(target: DeployTarget, settings: Settings) -> str:
    """The configuration of a program for an archive. Raises ``SettingsError``."""
    site = settings.applied(Builder(settings).folder(clock.now()).site)
    public = urlsplit(site.base_url)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    values = {
        "base_url": site.base_url,
        "host": f"[{public.hostname}]" if ":" in (public.hostname or "") else public.hostname or "",
        "port": str(public.port or (443 if public.scheme == "https" else 80)),
        "upstream": f"{host}:{settings.port}",
        "upstream_host": settings.host,
        "upstream_port": str(settings.port),
        "content": str(settings.root.resolve()),
        "state": str(settings.state.resolve()),
        "command": shutil.which("citepress") or str(Path(sys.executable).with_name("citepress")),
    }
    for name, value in values.items():
        if not UNQUOTED_CHARS.issuperset(value):
            raise SettingsError(f"{name} is {value!r}: use an address or a path without spaces, quotes and signs")
    environment = Environment(  # noqa: S701  (no HTML)
        loader=PackageLoader("citepress_deploy", "files"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(target.value).render(values, tls=public.scheme == "https")
